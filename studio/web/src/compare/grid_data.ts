// grid_data.ts - a grid of distances as the server sends it, and which frames its rows and columns stand for. No DOM
// here.
import type { Compared } from '../api'
import type { Compare } from '../store'
import { clamp } from '../timeline/scale'

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
  if (!isGrid || view.getUint32(4, true) !== 1) throw new Error('the studio sent something that is no grid')
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
