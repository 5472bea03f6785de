// view.ts - the part of the leading clip that the timeline shows. Ruler, rows, curves and playhead all follow
// it.
import { Changes, perPicture } from '../changes'
import { player } from '../player'
import { t } from '../words/words'
import { fitInside, frameToX, inView, pageTo, panBy, xToFrame, zoomAt, type Window } from './scale'

/** A ruler that begins with a single frame would race. */
const leastGrown_s = 10

class TimelineView extends Changes {
  window: Window = { start: 0, span: 1 }
  /** Pixels from the first frame in view to the end of the last. */
  width = 1
  frames = 1
  fps = 30
  /** A wheel sends more events than the screen can show. */
  private readonly soon = perPicture(() => this.tell())

  load(frames: number, fps: number): void {
    this.frames = Math.max(1, frames)
    this.fps = fps
    this.set({ start: 0, span: this.frames })
  }

  /** Of a motion that is made just now, all of which is in view. */
  grow(frames: number, fps: number): void {
    this.frames = Math.max(Math.round(leastGrown_s * fps), frames)
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
}

export const view = new TimelineView()

/** "frame 120, 2.000 s": how assistive technology hears a place on the timeline. */
export function frameText(frame: number): string {
  return t`frame ${frame}, ${(frame / view.fps).toFixed(3)} s`
}
