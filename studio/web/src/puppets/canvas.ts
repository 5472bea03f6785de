// canvas.ts - a canvas that is painted whenever something moves, sixty times a second if need be: its size and its colours are
// looked up only when they may have changed.
import { useEffect, useRef } from 'preact/hooks'
import type { Changes } from '../changes'
import { onTheme, paperOf, type Paper } from '../timeline/drawing'

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
