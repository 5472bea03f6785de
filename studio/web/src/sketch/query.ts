// query.ts - what is asked for with the curves that are drawn, or with those of a clip. No DOM here.
import type { Clip, Dof, DofTable, ExampleBody } from '../api'
import type { Named } from '../commands'
import type { Segment } from '../store'
import { filled, hull, sketchFps, type Curve } from './sketch_data'

export interface Lane {
  dof: Dof
  curve: Curve
}

/** What is looked for; `first_s`: where on the paper its first sample is, `rate` how many there are a second. */
export interface Asked {
  body: ExampleBody
  /** Of whose frames it is, if it is no curve. */
  clip: Named | null
  first_s: number
  rate: number
  from: number
}

export interface Settings {
  k: number
  noise: number
  shape: boolean
  label: string
}

/** Frames of a clip whose curves are on the paper, untouched. */
export type Source = Segment & { clip: Clip }

const bestPaths = 4
const mostClips = 20

/** It turns nowhere, so it has no fragments. */
function isFlat(values: readonly number[] | null, noise: number): boolean {
  return !values || Math.max(...values) - Math.min(...values) <= noise
}

/** Null: nothing was drawn, or not yet enough to be told from noise. */
export function queryOf(lanes: readonly Lane[], source: Source | null, settings: Settings, table: DofTable): Asked | null {
  const { k, noise, shape, label } = settings
  const how = {
    ...(k !== table.k && { k }),
    ...(noise !== table.noise && { noise }),
    ...(shape && { shape }),
    ...(label && { label }),
    best: bestPaths,
    limit: mostClips,
  }
  if (source) {
    const { clip, start, end } = source
    const dof = lanes.map((lane) => lane.dof.dof)
    const query = { clip: clip.id, start, end }
    return { body: { query, dof, ...how }, clip, first_s: 0, rate: clip.fps, from: start }
  }
  const whole = lanes[0] && hull(lanes[0].curve)
  if (!whole) return null
  const [first, last] = whole
  // What nothing was drawn of is not asked for.
  const drawn = lanes.filter(({ curve }) => hull(curve))
  const dof = drawn.map((lane) => lane.dof.dof)
  const values = drawn.map(({ curve }) => filled(curve, first, last))
  if (isFlat(values[0] ?? null, noise)) return null
  const body = { curve: { fps: sketchFps, values }, dof, ...how }
  return { body, clip: null, first_s: first / sketchFps, rate: sketchFps, from: 0 }
}
