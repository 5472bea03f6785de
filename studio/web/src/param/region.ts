// region.ts - what can be reached, as paths for the drawings of pads and sliders. No DOM here.
import type { Family } from '../api'
import { hullOf, isNear } from './param_data'

export interface Region {
  hull: string
  /** Samples that can be had without moving the other numbers much, and the others. */
  near: string
  far: string
  examples: string
}

type ToPoint = (values: readonly number[]) => [number, number]

/** A dot is a line of no length with a round end. */
function dots(points: readonly (readonly [number, number])[]): string {
  return points.map(([x, y]) => `M${x.toFixed(2)} ${y.toFixed(2)}h0`).join('')
}

function corners(points: readonly (readonly [number, number])[]): string {
  return points.map(([x, y]) => `${x.toFixed(2)},${y.toFixed(2)}`).join(' ')
}

/** `own` are the numbers that the drawing shows. */
export function regionOf(family: Family, at: readonly number[], own: readonly number[], toPoint: ToPoint): Region {
  const examples = family.examples.map(({ values }) => toPoint(values))
  const near: [number, number][] = []
  const far: [number, number][] = []
  for (const values of family.sample_values) (isNear(family.axes, values, at, own) ? near : far).push(toPoint(values))
  return {
    hull: corners(hullOf([...near, ...far, ...examples])),
    near: dots(near),
    far: dots(far),
    examples: dots(examples),
  }
}
