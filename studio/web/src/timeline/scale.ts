// scale.ts - which frames the timeline shows and where: zoom, pan, ticks, and curves thinned to pixels. No
// DOM here. Frame i is the stretch [i, i + 1) of the axis, so a clip of n frames is as wide as [0, n) and a
// plant or a segment covers whole frames.

export interface Window {
  /** The leftmost frame, perhaps a fraction. */
  start: number
  /** How many frames are in view. */
  span: number
}

/** A single frame is never wider than a quarter of the screen. */
const narrowest = 4

export function clamp(value: number, low: number, high: number): number {
  return Math.max(low, Math.min(high, value))
}

/** The nearest window that lies inside a clip of so many frames. */
export function fitInside(window: Window, frames: number): Window {
  const all = Math.max(1, frames)
  const span = clamp(window.span, Math.min(narrowest, all), all)
  return { start: clamp(window.start, 0, all - span), span }
}

export function frameToX(window: Window, frame: number, width: number): number {
  return ((frame - window.start) / window.span) * width
}

export function xToFrame(window: Window, x: number, width: number): number {
  return window.start + (x / Math.max(1, width)) * window.span
}

/** `factor` below 1 zooms in; what is at `anchor` (a frame) stays where it is, unless the clip's end is in
    the way. */
export function zoomAt(window: Window, factor: number, anchor: number, frames: number): Window {
  const span = fitInside({ start: 0, span: window.span * factor }, frames).span
  const share = (anchor - window.start) / window.span
  return fitInside({ start: anchor - share * span, span }, frames)
}

export function panBy(window: Window, by: number, frames: number): Window {
  return fitInside({ start: window.start + by, span: window.span }, frames)
}

export function inView(window: Window, frame: number): boolean {
  return frame >= window.start && frame < window.start + window.span
}

/** The same window if the frame is in view; otherwise the page of the timeline in which it comes early, or
    late when playing backwards. */
export function pageTo(window: Window, frame: number, frames: number, backwards = false): Window {
  if (inView(window, frame)) return window
  return fitInside({ start: frame - window.span * (backwards ? 0.95 : 0.05), span: window.span }, frames)
}

export interface Tick {
  frame: number
  /** Empty for the small ones. */
  label: string
}

const secondSteps = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1800, 3600]
const frameSteps = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 20000, 50000]

/** The smallest step that keeps labels `apart` pixels from each other. */
function chooseStep(steps: number[], pixelsPerUnit: number, apart: number): number {
  return steps.find((step) => step * pixelsPerUnit >= apart) ?? steps[steps.length - 1]
}

/** "4", "4.5" or "1:05": as short as the step between ticks allows. */
export function secondsLabel(seconds: number, step: number): string {
  const digits = step < 0.1 ? 2 : step < 1 ? 1 : 0
  if (seconds < 60) return `${seconds.toFixed(digits)}s`
  const minutes = Math.floor(seconds / 60 + 1e-9)
  const rest = (seconds - minutes * 60).toFixed(digits)
  return `${minutes}:${rest.padStart(digits ? 3 + digits : 2, '0')}`
}

export function secondTicks(window: Window, fps: number, width: number, apart = 64): Tick[] {
  const step = chooseStep(secondSteps, (fps * width) / window.span, apart)
  const ticks: Tick[] = []
  const last = (window.start + window.span) / fps
  for (let i = Math.ceil(window.start / fps / step - 1e-9); i * step <= last + 1e-9; i++)
    ticks.push({ frame: i * step * fps, label: secondsLabel(i * step, step) })
  return ticks
}

/** Labelled ones, and between them as many small ones as keep five pixels apart. */
export function frameTicks(window: Window, width: number, apart = 52): Tick[] {
  const perFrame = width / window.span
  const step = chooseStep(frameSteps, perFrame, apart)
  const small = frameSteps.find((each) => each * perFrame >= 5 && step % each === 0) ?? step
  const ticks: Tick[] = []
  for (let i = Math.ceil(window.start / small - 1e-9); i * small <= window.start + window.span; i++) {
    const frame = i * small
    ticks.push({ frame, label: frame % step === 0 ? String(frame) : '' })
  }
  return ticks
}

/** Round numbers inside [low, high], from two to six of them. */
export function roundNumbers(low: number, high: number): number[] {
  const rough = (high - low) / 2.5
  if (!(rough > 0)) return []
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = power * (rough >= 5 * power ? 5 : rough >= 2 * power ? 2 : 1)
  const numbers: number[] = []
  // Adding 0 makes a plain zero of minus zero.
  for (let i = Math.ceil(low / step); i * step <= high; i++)
    numbers.push(Number((i * step).toPrecision(12)) + 0)
  return numbers
}

interface Range {
  start: number
  end: number // exclusive
}

/** Joins ranges that would be less than a pixel apart, so that thousands of marks cost no more than pixels.
    */
export function rangesInView<T extends Range>(ranges: T[], window: Window, width: number): T[] {
  const gap = window.span / Math.max(1, width)
  const joined: T[] = []
  for (const range of [...ranges].sort((a, b) => a.start - b.start)) {
    if (range.end <= window.start || range.start >= window.start + window.span) continue
    const last = joined[joined.length - 1]
    if (!last || range.start - last.end >= gap) joined.push(range)
    else joined[joined.length - 1] = { ...last, end: Math.max(last.end, range.end) }
  }
  return joined
}

interface Thinned {
  x: number[]
  rows: (number | null)[][]
}

/** What an ordinary line through all samples in view would cover, with at most two points per pixel: the
    least and the greatest of each pixel's frames, in the order in which they come. */
export function thin(rows: ArrayLike<number>[], frames: number, window: Window, width: number): Thinned {
  const first = clamp(Math.floor(window.start), 0, frames)
  const end = clamp(Math.ceil(window.start + window.span) + 1, 0, frames)
  const count = Math.max(0, end - first)
  const buckets = Math.max(1, Math.floor(width))
  if (count <= 2 * buckets) {
    const x = Array.from({ length: count }, (_, i) => first + i)
    return { x, rows: rows.map((row) => x.map((frame) => drawable(row[frame]))) }
  }
  const edge = (bucket: number) => first + Math.floor((bucket * count) / buckets)
  const x: number[] = []
  for (let b = 0; b < buckets; b++) x.push(edge(b), (edge(b) + edge(b + 1)) / 2)
  return { x, rows: rows.map((row) => extremes(row, buckets, edge)) }
}

/** uPlot leaves a gap at null; what is not a number has no place in a picture. */
function drawable(value: number | undefined): number | null {
  return value !== undefined && Number.isFinite(value) ? value : null
}

/** Of each bucket, which begins at frame edge(bucket). */
function extremes(row: ArrayLike<number>, buckets: number, edge: (bucket: number) => number) {
  const out: (number | null)[] = []
  for (let b = 0; b < buckets; b++) {
    let least = -1
    let greatest = -1
    let low = Infinity
    let high = -Infinity
    const end = edge(b + 1)
    for (let i = edge(b); i < end; i++) {
      const value = row[i]
      if (value < low && value > -Infinity) {
        low = value
        least = i
      }
      if (value > high && value < Infinity) {
        high = value
        greatest = i
      }
    }
    const pair = least <= greatest ? [least, greatest] : [greatest, least]
    for (const i of pair) out.push(i < 0 ? null : row[i])
  }
  return out
}
