// grid_data.ts - a grid of distances as the server sends it, and which frames its rows and columns stand for. No DOM
// here.
import type { Compared } from '../api'
import type { Compare } from '../store'
import { clamp } from '../timeline/scale'
import { t } from '../words/words'

export interface Grid {
  /** As sent: larger grids are reduced by the least of each block. */
  rows: number
  cols: number
  /** Of the whole grid. */
  frames: [number, number]
  least: number
  greatest: number
  /** Frames a second at which the clips were compared. */
  fps: number
  cells: Float32Array
}

/** A row of the first clip and one of the second, in the whole grid. */
export interface Place {
  row: number
  col: number
}

const headerBytes = 40

/** Throws if these bytes are no grid. */
export function readGrid(buffer: ArrayBuffer): Grid {
  const view = new DataView(buffer)
  const isGrid = buffer.byteLength >= headerBytes && view.getUint32(0, false) === 0x4d525947
  if (!isGrid || view.getUint32(4, true) !== 1) throw new Error(t('the studio sent something that is no grid'))
  const number = (at: number) => view.getUint32(at, true)
  const [rows, cols] = [number(8), number(12)]
  return {
    rows,
    cols,
    frames: [number(16), number(20)],
    least: view.getFloat32(24, true),
    greatest: view.getFloat32(28, true),
    fps: view.getFloat64(32, true),
    cells: new Float32Array(buffer, headerBytes, rows * cols),
  }
}

interface Timed {
  frames: number
  fps: number
}

/** The clip's own frame that a row, or a column, stands for. */
export function frameOf(clip: Timed, row: number, fps: number): number {
  return clamp(Math.round((row * clip.fps) / fps), 0, clip.frames - 1)
}

export function rowOf(clip: Timed, frame: number, fps: number, rows: number): number {
  return clamp(Math.round((frame * fps) / clip.fps), 0, rows - 1)
}

/** The place at a share of the way from left to right and from top to bottom. */
export function placeAt(grid: Grid, across: number, down: number): Place {
  const at = (share: number, count: number) => clamp(Math.floor(share * count), 0, count - 1)
  return { row: at(down, grid.frames[0]), col: at(across, grid.frames[1]) }
}

export function moved(grid: Grid, from: Place, rows: number, cols: number): Place {
  return {
    row: clamp(from.row + rows, 0, grid.frames[0] - 1),
    col: clamp(from.col + cols, 0, grid.frames[1] - 1),
  }
}

/** Two clips and how they are compared, for every address that takes a comparison. */
export function comparedOf(a: number, b: number, { metric, joints, window, attributes }: Compare): Compared {
  return {
    a,
    b,
    metric,
    ...(joints !== 'equal' && { joints }),
    ...(window && { window }),
    ...(attributes.some((each) => each !== 1) && { attributes }),
  }
}

// Which colour stands for which distance: dark is near. The ramp is that of the program's pictures, made in Oklab, with
// even steps of lightness, so that equal differences look equal with and without colours.

export const shadeCount = 256

function encode(linear: number): number {
  return linear <= 0.0031308 ? 12.92 * linear : 1.055 * linear ** (1 / 2.4) - 0.055
}

/** Linear sRGB of an Oklab colour (Ottosson 2020). */
function fromOklab(light: number, a: number, b: number): [number, number, number] {
  const l = (light + 0.3963377774 * a + 0.2158037573 * b) ** 3
  const m = (light - 0.1055613458 * a - 0.0638541728 * b) ** 3
  const s = (light - 0.0894841775 * a - 1.291485548 * b) ** 3
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ]
}

const isShown = (rgb: number[]) => rgb.every((each) => each >= 0 && each <= 1)

/** Red, green and blue of one shade, 0 to 255; t from 0 (nearest) to 1. */
function shade(t: number): number[] {
  const light = 0.16 + 0.81 * t
  const hue = ((290 - 185 * t) * Math.PI) / 180
  const colour = (chroma: number) => fromOklab(light, chroma * Math.cos(hue), chroma * Math.sin(hue))
  let chroma = 0.06 + 0.22 * t * (1 - 0.75 * t)
  while (!isShown(colour(chroma)) && chroma > 1e-3) chroma *= 0.97
  return colour(chroma).map((each) => Math.round(255 * encode(Math.max(0, Math.min(1, each)))))
}

/** All shades, three bytes each. */
export function makeShades(): Uint8ClampedArray {
  const all = new Uint8ClampedArray(3 * shadeCount)
  for (let i = 0; i < shadeCount; i++) all.set(shade(i / (shadeCount - 1)), 3 * i)
  return all
}

export interface Range {
  low: number
  high: number
}

/** From the least to what 99 of 100 cells are below: a few wild cells must not make the rest look alike. */
export function rangeOf(cells: Float32Array): Range {
  const sorted = cells.filter(Number.isFinite).sort()
  if (sorted.length === 0) return { low: 0, high: 0 }
  return { low: sorted[0], high: sorted[Math.min(sorted.length - 1, Math.floor(0.99 * sorted.length))] }
}

/** Which of the shades a distance has; squared ones are shown by their root, as a length. */
export function shadeOf(value: number, { low, high }: Range, rooted: boolean): number {
  const scale = (each: number) => (rooted ? Math.sqrt(Math.max(0, each)) : each)
  const span = scale(high) - scale(low)
  if (!(span > 0)) return 0
  const share = (scale(value) - scale(low)) / span
  // What is no number, or infinite, is as far as can be.
  return Number.isFinite(share) ? Math.round(Math.max(0, Math.min(1, share)) * (shadeCount - 1)) : shadeCount - 1
}

/** Pixels of a picture of the cells, four bytes each. */
export function paintCells(cells: Float32Array, range: Range, rooted: boolean): Uint8ClampedArray {
  const shades = makeShades()
  const pixels = new Uint8ClampedArray(4 * cells.length)
  for (let i = 0; i < cells.length; i++) {
    const at = 3 * shadeOf(cells[i], range, rooted)
    pixels[4 * i] = shades[at]
    pixels[4 * i + 1] = shades[at + 1]
    pixels[4 * i + 2] = shades[at + 2]
    pixels[4 * i + 3] = 255
  }
  return pixels
}
