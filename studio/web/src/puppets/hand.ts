// hand.ts - what the hands do on a plan: the pointer over it, and the keys that move a character and turn its look.
import { arrowWays, hasModifier, isTyped, takeEvent } from '../controls'
import type { Input, Spot } from './mover'
import type { Looks } from './takes'

const looks = ['q', 'e', 'w']

export class Hand {
  /** Pixels from the canvas's corner; null: it is elsewhere, or the keys lead. */
  at: Spot | null = null
  pressed = false
  /** Shift: it stands and looks at the pointer. */
  looking = false
  private readonly down = new Set<string>()

  /** Right and up. */
  get way(): Spot {
    let [right, up] = [0, 0]
    for (const key of this.down) {
      right += arrowWays[key]?.[0] ?? 0
      up -= arrowWays[key]?.[1] ?? 0
    }
    return [right, up]
  }

  get looks(): Looks {
    const { down } = this
    const turn = (down.has('q') ? 1 : 0) - (down.has('e') ? 1 : 0)
    return { looking: this.looking, turn, ahead: down.has('w') }
  }

  /** For a mover that is to be at a place. */
  input(target: Spot | null): Input {
    const { looking, ...looks } = this.looks
    return { target, way: this.way, lookAt: looking ? target : null, ...looks }
  }

  /** Hears the keys of the whole page; `onKey` when one is taken. Gives what ends it. */
  listen(onKey: () => void): () => void {
    const press = (event: KeyboardEvent) => {
      if (hasModifier(event) || isTyped(event.target)) return
      if (document.querySelector('dialog[open]')) return
      this.looking = event.shiftKey
      const key = event.key.length === 1 ? event.key.toLowerCase() : event.key
      if (!arrowWays[key] && !looks.includes(key)) return
      takeEvent(event)
      this.down.add(key)
      if (arrowWays[key]) this.at = null
      onKey()
    }
    const release = (event: KeyboardEvent) => {
      this.looking = event.shiftKey
      this.down.delete(event.key.length === 1 ? event.key.toLowerCase() : event.key)
    }
    const letGo = () => this.letGo()
    window.addEventListener('keydown', press, true)
    window.addEventListener('keyup', release, true)
    window.addEventListener('blur', letGo)
    return () => {
      window.removeEventListener('keydown', press, true)
      window.removeEventListener('keyup', release, true)
      window.removeEventListener('blur', letGo)
      this.letGo()
    }
  }

  letGo(): void {
    this.down.clear()
    this.looking = this.pressed = false
    this.at = null
  }

  /** Where the pointer is over its element. */
  follow(event: PointerEvent): Spot {
    const box = (event.currentTarget as Element).getBoundingClientRect()
    this.looking = event.shiftKey
    this.at = [event.clientX - box.left, event.clientY - box.top]
    return this.at
  }
}
