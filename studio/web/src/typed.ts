// typed.ts - a number that is typed: what is in the field stays while answers come and the panel is drawn again. It counts
// with Enter, when the field is left, and at every step of its arrows. And where keys do not steer a character.
import { useRef, useState } from 'preact/hooks'
import { valueOf } from './making/parts'

interface Typed {
  value: string | number
  onInput: (event: Event) => void
  onChange: () => void
  onBlur: () => void
  onKeyDown: (event: KeyboardEvent) => void
}

/** Properties for the field. What is no number is put back to `value`; `set` may refuse others by doing nothing. */
export function useTyped(value: number, set: (value: number) => void): Typed {
  const text = useRef<string | null>(null)
  const [, draw] = useState(0)
  const put = (next: string | null) => {
    text.current = next
    draw((count) => count + 1)
  }
  const take = () => {
    const typed = text.current?.trim()
    if (typed && Number.isFinite(Number(typed))) set(Number(typed))
    if (text.current !== null) put(null)
  }
  return {
    value: text.current ?? value,
    onInput: (event) => put(valueOf(event)),
    onChange: take,
    onBlur: take,
    onKeyDown: (event) => event.key === 'Enter' && take(),
  }
}

/** Keys in a field, and on a tab, are its own: they steer no character. */
export function isTyped(target: EventTarget | null): boolean {
  if (target instanceof Element && target.closest('[role=tab]')) return true
  if (target instanceof HTMLInputElement) return !['checkbox', 'radio', 'button'].includes(target.type)
  return target instanceof HTMLSelectElement || target instanceof HTMLTextAreaElement
}
