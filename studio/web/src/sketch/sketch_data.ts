// sketch_data.ts - curves that are drawn by hand: samples at even times, where nothing was drawn none; what the pen and the
// keys do to them; and the query that they are. No DOM here.
import type { Clip, Dof, DofTable, ExampleBody } from '../api'
import type { Named } from '../operations'
import { roleName } from '../role_names'
import type { Segment } from '../store'
import { t } from '../words/words'

/** Samples a second; their times are short to write. */
export const sketchFps = 25
export const lengths_s = [1, 2, 3, 5, 8, 12, 20, 30]
export const longest_s = 30

/** One curve: NaN where nothing was drawn. */
export type Curve = Float64Array

export function blank(seconds: number): Curve {
  return new Float64Array(Math.round(seconds * sketchFps) + 1).fill(NaN)
}

/** The same samples in a curve of another length. */
export function lengthened(curve: Curve, seconds: number): Curve {
  const next = blank(seconds)
  next.set(curve.subarray(0, next.length))
  return next
}

/** A place on the paper. */
export interface Place {
  time_s: number
  value: number
}

/** The pen went straight from one place to the other, whichever is the later one; what was there before is gone. */
export function stroke(curve: Curve, from: Place, to: Place): void {
  const [a, b] = from.time_s <= to.time_s ? [from, to] : [to, from]
  const [first, last] = [Math.ceil(a.time_s * sketchFps), Math.floor(b.time_s * sketchFps)]
  for (let i = Math.max(0, first); i <= Math.min(curve.length - 1, last); i++) {
    const share = b.time_s > a.time_s ? (i / sketchFps - a.time_s) / (b.time_s - a.time_s) : 1
    curve[i] = a.value + share * (b.value - a.value)
  }
  const here = Math.round(to.time_s * sketchFps)
  if (last < first && here >= 0 && here < curve.length) curve[here] = to.value
}

/** Lifts the curve around a sample, most in the middle; what was not drawn there begins at `otherwise`. */
export function lift(curve: Curve, at: number, by: number, otherwise: number, half = 8): void {
  for (let i = Math.max(0, at - half + 1); i < Math.min(curve.length, at + half); i++) {
    const weight = 0.5 + 0.5 * Math.cos((Math.PI * (i - at)) / half)
    const now = curve[i]!
    curve[i] = (Number.isNaN(now) ? otherwise : now) + weight * by
  }
}

/** The first and the last sample that was drawn. */
export function hull(curve: Curve): [number, number] | null {
  const first = curve.findIndex((value) => !Number.isNaN(value))
  let last = curve.length - 1
  while (last >= 0 && Number.isNaN(curve[last]!)) last--
  return last > first ? [first, last] : null
}

/** Samples from first to last: gaps are bridged, before the beginning and behind the end the curve holds still. */
export function filled(curve: Curve, first: number, last: number): number[] | null {
  const known = hull(curve)
  if (!known) return null
  const out: number[] = []
  let [before, after] = [known[0], known[0]]
  for (let i = first; i <= last; i++) {
    while (after < i && after < known[1]) {
      before = after++
      while (Number.isNaN(curve[after]!)) after++
    }
    const share = after > before ? Math.min(1, Math.max(0, (i - before) / (after - before))) : 0
    const value = curve[before]! + share * (curve[after]! - curve[before]!)
    out.push(Number(value.toFixed(2)))
  }
  return out
}

/** A curve at another rate, as `sketchFps` samples. */
export function resampled(values: Float32Array, fps: number, seconds: number): Curve {
  const curve = blank(seconds)
  const last = values.length - 1
  curve.forEach((_, i) => {
    const at = (i / sketchFps) * fps
    if (at > last + 1e-6) return
    const k = Math.min(last, Math.floor(at + 1e-6))
    const next = values[Math.min(last, k + 1)]!
    curve[i] = values[k]! + Math.max(0, at - k) * (next - values[k]!)
  })
  return curve
}

/** What the paper shows of the values: those of the library's clips, with some room. */
export function scaleOf({ low, high }: Pick<Dof, 'low' | 'high'>): { low: number; high: number } {
  const room = Math.max(1, 0.1 * (high - low))
  return { low: low - room, high: high + room }
}

/** The same shape on another joint's scale. */
export function rescaled(curve: Curve, from: Pick<Dof, 'low' | 'high'>, to: Pick<Dof, 'low' | 'high'>): Curve {
  const [a, b] = [scaleOf(from), scaleOf(to)]
  return curve.map((value) => b.low + ((value - a.low) / (a.high - a.low)) * (b.high - b.low))
}

/** Round numbers for an axis: about `count` of them between low and high. */
export function ticks(low: number, high: number, count: number): number[] {
  const rough = (high - low) / Math.max(1, count)
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = [1, 2, 5, 10].map((each) => each * power).find((each) => each >= rough) ?? 10 * power
  const first = Math.ceil(low / step)
  return Array.from({ length: Math.max(0, Math.floor(high / step) - first + 1) }, (_, i) => (first + i) * step)
}

export const colourCount = 6

/** Which colour a fragment has, counted from 1. */
export function colourOf(fragment: number): number {
  return (fragment % colourCount) + 1
}


const groups: [name: string, joints: RegExp][] = [
  [t('Legs'), /knee|ankle|toe|heel|(left|right)_hip/],
  [t('Arms'), /shoulder|elbow|wrist|hand|collar|clavicle/],
  [t('Spine and head'), /spine|chest|neck|head|back/],
  [t('Hips'), /hips|root|pelvis/],
]

function groupOf({ role }: Dof): string {
  return (role !== null && groups.find(([, names]) => names.test(role))?.[0]) || t('Other joints')
}

/** By part of the body; those without a role are last. */
export function grouped(dofs: readonly Dof[]): [string, Dof[]][] {
  const found = new Map<string, Dof[]>([...groups.map(([name]) => name), t('Other joints')].map((name) => [name, []]))
  for (const dof of dofs) found.get(groupOf(dof))!.push(dof)
  return [...found].filter(([, some]) => some.length > 0)
}

const axes: Record<string, string> = {
  Xrotation: 'X turn',
  Yrotation: 'Y turn',
  Zrotation: 'Z turn',
  Xposition: 'X place',
  Yposition: 'Y place',
  Zposition: 'Z place',
}

/** "left knee, X turn" */
export function dofText({ joint, channel, role }: Pick<Dof, 'joint' | 'channel' | 'role'>): string {
  return `${role ? roleName(role) : joint}, ${axes[channel] ?? channel}`
}

/** Of an error over several curves; '': they have no unit in common. */
export function errorUnit(dofs: readonly Pick<Dof, 'unit'>[]): string {
  const [first, ...others] = dofs
  return first && others.every(({ unit }) => unit === first.unit) ? unitText(first) : ''
}

export function unitText({ unit }: Pick<Dof, 'unit'>): string {
  return unit === 'deg' ? '°' : ` ${unit}`
}

// What is asked for with the curves that are drawn, or with those of a clip.

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
