// view.ts - the part of the leading clip that the timeline shows. Ruler, rows, curves and playhead all follow
// it.
import { useEffect, useState } from 'preact/hooks'
import { player } from '../player'
import { fitInside, frameToX, inView, pageTo, panBy, xToFrame, zoomAt, type Window } from './scale'

/** Something that can be listened to. */
export class Changes {
  /** How often something changed. */
  version = 0
  private readonly listeners = new Set<() => void>()

  on(listener: () => void): () => void {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  protected tell(): void {
    this.version++
    for (const listener of [...this.listeners]) listener()
  }
}

class TimelineView extends Changes {
  window: Window = { start: 0, span: 1 }
  /** Pixels from the first frame in view to the end of the last. */
  width = 1
  frames = 1
  fps = 30
  private waiting = 0

  load(frames: number, fps: number): void {
    this.frames = Math.max(1, frames)
    this.fps = fps
    this.set({ start: 0, span: this.frames })
  }

  set(window: Window): void {
    this.window = fitInside(window, this.frames)
    this.soon()
  }

  resize(width: number): void {
    if (width === this.width || width < 1) return
    this.width = width
    this.soon()
  }

  x(frame: number): number {
    return frameToX(this.window, frame, this.width)
  }

  frameAt(x: number): number {
    return xToFrame(this.window, x, this.width)
  }

  zoom(factor: number, anchor = player.frame): void {
    const { start, span } = this.window
    const inView = anchor >= start && anchor <= start + span
    this.set(zoomAt(this.window, factor, inView ? anchor : start + span / 2, this.frames))
  }

  pan(by: number): void {
    this.set(panBy(this.window, by, this.frames))
  }

  fit(): void {
    this.set({ start: 0, span: this.frames })
  }

  /** With a little air on both sides. */
  showRange(start: number, end: number): void {
    const air = Math.max(1, (end - start) * 0.04)
    this.set({ start: start - air, span: end - start + 2 * air })
  }

  shows(frame: number): boolean {
    return inView(this.window, frame)
  }

  reveal(frame: number, backwards = false): void {
    const next = pageTo(this.window, frame, this.frames, backwards)
    if (next !== this.window) this.set(next)
  }

  /** A wheel sends more events than the screen can show; those of one frame are drawn once. */
  private soon(): void {
    if (this.waiting) return
    this.waiting = requestAnimationFrame(() => {
      this.waiting = 0
      this.tell()
    })
  }
}

export const view = new TimelineView()

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

/** "frame 120, 2.000 s": how assistive technology hears a place on the timeline. */
export function frameText(frame: number): string {
  return `frame ${frame}, ${(frame / view.fps).toFixed(3)} s`
}
