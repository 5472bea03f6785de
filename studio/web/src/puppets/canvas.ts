// canvas.ts - a canvas that is painted whenever something moves, sixty times a second if need be: its size and its colours are
// looked up only when they may have changed.
import { useEffect, useRef } from 'preact/hooks'
import type { Changes } from '../changes'
import { onTheme, paperOf, type Paper } from '../timeline/drawing'

// Pictures of the screen, one after the other, for as long as something moves.

/** A page that was hidden goes on where it was. */
const longest_s = 0.1

export class Clock {
  private due = 0
  private last = 0
  private on = false

  /** `step` gets how long ago the last picture was, and says whether another one follows. */
  constructor(private readonly step: (elapsed_s: number, now_ms: number) => boolean) {}

  start(): void {
    this.on = true
    this.request()
  }

  stop(): void {
    this.on = false
    cancelAnimationFrame(this.due)
    this.due = this.last = 0
  }

  request(): void {
    if (this.on && !this.due) this.due = requestAnimationFrame(this.tick)
  }

  private tick = (now: number): void => {
    this.due = 0
    const elapsed = this.last ? Math.min(longest_s, (now - this.last) / 1000) : 0
    const more = this.step(elapsed, now)
    this.last = more ? now : 0
    if (more) this.request()
  }
}

/** Colours are asked for once. */
function remembering(paper: Paper): Paper {
  const known = new Map<string, string>()
  const colour = (property: string) => {
    const found = known.get(property) ?? paper.colour(property)
    known.set(property, found)
    return found
  }
  return { ...paper, colour }
}

export function useMoving(moves: Changes, draw: (paper: Paper) => void, needs: unknown[]) {
  const canvas = useRef<HTMLCanvasElement>(null)
  useEffect(() => {
    const element = canvas.current
    if (!element) return
    let paper: Paper | null = null
    const paint = () => {
      if (!paper) return
      paper.paint.clearRect(0, 0, paper.width, paper.height)
      draw(paper)
    }
    const measure = () => {
      const fresh = paperOf(element)
      paper = fresh && remembering(fresh)
      paint()
    }
    const watcher = new ResizeObserver(measure)
    watcher.observe(element)
    const stops = [moves.on(paint), onTheme(measure), () => watcher.disconnect()]
    measure()
    return () => stops.forEach((stop) => stop())
  }, needs)
  return canvas
}
