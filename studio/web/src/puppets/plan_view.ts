// plan_view.ts - how much of the plan is seen, and where on the canvas a place of it is; and trails, what a character leaves
// behind for some seconds. No DOM here.
import type { Spot } from './mover'

/** The canvas in pixels, and the pixels of a centimetre. The middle of the plan is in the middle. */
export interface Frame {
  width: number
  height: number
  scale: number
}

/** From the middle to the nearer edges, in cm. */
export const least_cm = 320
export const most_cm = 1300
const air_cm = 60
/** How fast the plan is seen from farther away, and from nearer: not while a character just passes by. */
const away_s = 0.25
const back_s = 2.5

export function frameOf(width: number, height: number, half_cm: number): Frame {
  return { width, height, scale: Math.min(width, height) / (2 * half_cm) }
}

export function xOf({ width, scale }: Frame, x: number): number {
  return width / 2 + scale * x
}

export function yOf({ height, scale }: Frame, y: number): number {
  return height / 2 - scale * y
}

export function spotAt({ width, height, scale }: Frame, px: number, py: number): Spot {
  return [(px - width / 2) / scale, (height / 2 - py) / scale]
}

/** So much has to be seen for all of these to be inside. */
export function halfFor(places: readonly { x: number; y: number }[], width: number, height: number): number {
  const side = Math.min(width, height) || 1
  let half = least_cm
  for (const { x, y } of places) {
    half = Math.max(half, ((Math.abs(x) + air_cm) * side) / (width || 1), ((Math.abs(y) + air_cm) * side) / (height || 1))
  }
  return Math.min(most_cm, half)
}

/** On the way from one extent to another. */
export function eased(half: number, wanted: number, elapsed_s: number): number {
  return wanted + (half - wanted) * Math.exp(-elapsed_s / (wanted > half ? away_s : back_s))
}

/** Lines of the grid between two places: every metre, or every so many. */
export function metres(low_cm: number, high_cm: number, every_m: number): number[] {
  const step = 100 * every_m
  const first = Math.ceil(low_cm / step)
  const count = Math.floor(high_cm / step) - first + 1
  return Array.from({ length: Math.max(0, count) }, (_, i) => (first + i) * step)
}

export interface Mark {
  time_s: number
  x: number
  y: number
  dir: number
}

const apart_s = 1 / 30

export class Trail {
  readonly marks: Mark[] = []

  constructor(readonly seconds: number) {}

  put(time_s: number, { x, y, dir }: { x: number; y: number; dir: number }): void {
    const { marks, seconds } = this
    const last = marks[marks.length - 1]
    if (last && time_s < last.time_s + apart_s) return
    marks.push({ time_s, x, y, dir })
    let old = 0
    while (old < marks.length && marks[old]!.time_s < time_s - seconds) old++
    if (old) marks.splice(0, old)
  }

  clear(): void {
    this.marks.length = 0
  }
}
