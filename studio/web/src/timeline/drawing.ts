// drawing.ts - what is painted and not made of elements: the ruler, the grid behind the rows, and plants
// where there are too many to be elements.
import { useEffect, useRef } from 'preact/hooks'
import type { Contact } from '../api'
import type { Changes } from '../changes'
import { rowJoints } from './contact_state'
import { frameTicks, rangesInView, secondTicks } from './scale'
import { view } from './view'

export interface Paper {
  paint: CanvasRenderingContext2D
  width: number
  height: number
  /** Pixels per rem, for sizes of text. */
  rem: number
  colour: (property: string) => string
}

/** Sizes the canvas to its place on the screen, in the screen's own pixels, and clears it. */
export function paperOf(canvas: HTMLCanvasElement): Paper | null {
  const paint = canvas.getContext('2d')
  const { clientWidth: width, clientHeight: height } = canvas
  if (!paint || !width || !height) return null
  const ratio = window.devicePixelRatio || 1
  canvas.width = Math.round(width * ratio)
  canvas.height = Math.round(height * ratio)
  paint.setTransform(ratio, 0, 0, ratio, 0, 0)
  const style = getComputedStyle(canvas)
  const rem = parseFloat(getComputedStyle(document.documentElement).fontSize) || 16
  const colour = (property: string) => style.getPropertyValue(property).trim() || '#888'
  return { paint, width, height, rem, colour }
}

/** Says when colours may have changed: the page's theme or the system's. */
export function onTheme(listener: () => void): () => void {
  const watcher = new MutationObserver(listener)
  watcher.observe(document.documentElement, { attributes: true })
  const system = matchMedia('(prefers-color-scheme: dark)')
  system.addEventListener('change', listener)
  return () => {
    watcher.disconnect()
    system.removeEventListener('change', listener)
  }
}

/** A canvas that is painted again when `moves` says so, and when its size, the theme or `needs` changes. */
export function usePaper(draw: (paper: Paper) => void, needs: unknown[], moves: Changes = view) {
  const canvas = useRef<HTMLCanvasElement>(null)
  useEffect(() => {
    const element = canvas.current
    if (!element) return
    const again = () => {
      const paper = paperOf(element)
      if (paper) draw(paper)
    }
    const watcher = new ResizeObserver(again)
    watcher.observe(element)
    const stops = [moves.on(again), onTheme(again), () => watcher.disconnect()]
    again()
    return () => stops.forEach((stop) => stop())
  }, needs)
  return canvas
}

export function drawRuler({ paint, width, height, rem, colour }: Paper): void {
  const middle = Math.round(height * 0.52)
  paint.textBaseline = 'middle'
  paint.fillStyle = colour('--line')
  paint.fillRect(0, height - 1, width, 1)
  const family = colour('--font') === '#888' ? 'sans-serif' : colour('--font')
  paint.font = `${0.66 * rem}px ${family}`
  for (const tick of frameTicks(view.window, width)) {
    const x = Math.round(view.x(tick.frame))
    const long = tick.label ? height * 0.42 : height * 0.16
    paint.fillStyle = colour('--line')
    paint.fillRect(x, height - long, 1, long)
    if (!tick.label || x + 4 + paint.measureText(tick.label).width > width) continue
    paint.fillStyle = colour('--text-dim')
    paint.fillText(tick.label, x + 4, height - height * 0.27)
  }
  paint.font = `600 ${0.69 * rem}px ${family}`
  for (const tick of secondTicks(view.window, view.fps, width)) {
    const x = Math.round(view.x(tick.frame))
    paint.fillStyle = colour('--text-dim')
    paint.fillRect(x, 0, 1, middle)
    if (x + 4 + paint.measureText(tick.label).width > width) continue
    paint.fillStyle = colour('--text')
    paint.fillText(tick.label, x + 4, middle / 2 + 1)
  }
}

export function drawGrid({ paint, width, height, colour }: Paper): void {
  paint.fillStyle = colour('--line')
  paint.globalAlpha = 0.55
  for (const tick of secondTicks(view.window, view.fps, width))
    paint.fillRect(Math.round(view.x(tick.frame)), 0, 1, height)
  paint.globalAlpha = 1
}

/** Bars closer than this are too small to take; they are painted, and become bars again when zoomed in. */
const leastBar_px = 14

/** The plants of each row that are in view, as places in the list; null where they are too many to be bars.
    */
export function barsInView(contacts: readonly Contact[]): Map<string, number[] | null> {
  const { start, span } = view.window
  const mostBars = Math.max(40, view.width / leastBar_px)
  const rows = new Map<string, number[] | null>()
  for (const joint of rowJoints(contacts)) rows.set(joint, [])
  contacts.forEach((plant, i) => {
    const row = rows.get(plant.joint)
    if (!row || plant.end <= start || plant.start >= start + span) return
    if (row.length >= mostBars) rows.set(plant.joint, null)
    else row.push(i)
  })
  return rows
}

export function drawCrowdedRows({ paint, width, height, colour }: Paper, contacts: readonly Contact[]): void {
  const rows = barsInView(contacts)
  const high = height / rows.size
  ;[...rows.keys()].forEach((joint, row) => {
    if (rows.get(joint) !== null) return
    paint.fillStyle = colour(joint.startsWith('left') ? '--left' : '--right')
    const ranges = contacts.filter((plant) => plant.joint === joint)
    for (const range of rangesInView(ranges, view.window, width)) {
      const x = view.x(range.start)
      paint.fillRect(x, row * high + 3, Math.max(1, view.x(range.end) - x - 0.5), high - 6)
    }
  })
}
