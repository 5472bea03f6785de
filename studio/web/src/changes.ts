// changes.ts - what panels and drawings listen to: something that changes outside of the page's state.
import { useEffect, useState } from 'preact/hooks'

export class Changes {
  /** How often something changed. */
  version = 0
  private readonly listeners = new Set<() => void>()

  on(listener: () => void): () => void {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  tell(): void {
    this.version++
    for (const listener of [...this.listeners]) listener()
  }

  /** Changes some fields, and says so. */
  update(fields: Partial<this>): void {
    Object.assign(this, fields)
    this.tell()
  }
}

/** Draws the panel again whenever `source` says so. */
export function useChanges(source: Changes): void {
  const [, redraw] = useState(0)
  const { version } = source
  useEffect(() => {
    const again = () => redraw((n) => n + 1)
    // What changed between drawing and listening would otherwise be missed.
    if (source.version !== version) again()
    return source.on(again)
  }, [source])
}

/** Enters something when its tab or form is drawn first, and leaves it when that is gone. */
export function useEntered(enter: () => void, leave: () => void): void {
  useEffect(() => {
    enter()
    return leave
  }, [])
}

/** Does `work` with the next picture of the screen, once however often it is asked for: a pointer sends more than the screen
 *  can show. */
export function perPicture(work: () => void): () => void {
  let due = 0
  return () => {
    due ||= requestAnimationFrame(() => {
      due = 0
      work()
    })
  }
}
