// plant_data.ts - foot plants of the clips and of the blend on the registration's common time u. No DOM here.
import type { Contact, Registration } from '../api'

/** Where a rising row passes a value, as a number between two of its places. */
function placeIn(row: readonly number[], value: number): number {
  const next = row.findIndex((each) => each >= value)
  if (next < 0) return row.length - 1
  if (next === 0) return 0
  const [low, high] = [row[next - 1]!, row[next]!]
  return next - 1 + (high > low ? (value - low) / (high - low) : 1)
}

function valueAt(row: readonly number[], place: number): number {
  const low = Math.max(0, Math.min(row.length - 1, Math.floor(place)))
  const high = Math.min(row.length - 1, low + 1)
  return row[low]! + (place - low) * (row[high]! - row[low]!)
}

/** u at a frame of a clip. */
export function uOfFrame({ u, clips }: Registration, clip: number, frame: number): number {
  return valueAt(u, placeIn(clips[clip]!.times, frame))
}

/** When the blend is at each of the registration's u, in frames of its rate (eq. 6: du/dt is the weighted mean of the
 * clips' own du/dt). `weights` tells those at a frame of the blend. */
export function blendTimes({ u, clips }: Registration, weights: (frame: number) => readonly number[]): number[] {
  const times = [0]
  for (let k = 1; k < u.length; k++) {
    const before = times[k - 1]!
    const speed = weights(before).reduce((sum, weight, i) => {
      const row = clips[i]!.times
      return sum + weight / Math.max(1e-6, row[k]! - row[k - 1]!)
    }, 0)
    times.push(before + 1 / Math.max(1e-6, speed))
  }
  return times
}

export interface Span {
  start: number
  end: number
  /** It is in every clip, so the blend has it too. */
  matched: boolean
}

export interface PlantRow {
  joint: string
  /** Place in the list of clips, or -1 for the blend. */
  clip: number
  spans: Span[]
}

function spansOf(of: Registration, clip: number, joint: string): Span[] {
  const { plants } = of.clips[clip]!
  return plants
    .filter((plant) => plant.joint === joint)
    .map(({ start, end, matched }) => ({ start: uOfFrame(of, clip, start), end: uOfFrame(of, clip, end), matched }))
    .filter(({ start, end }) => end > start)
}

/** The blend's own on u: its frames are brought there by `times`, or evenly where it has no timewarp. */
function blendSpans(of: Registration, contacts: readonly Contact[], joint: string, times: readonly number[]): Span[] {
  const at = (frame: number) => valueAt(of.u, placeIn(times, frame))
  return contacts
    .filter((plant) => plant.joint === joint)
    .map(({ start, end }) => ({ start: at(start), end: at(end), matched: true }))
}

export const footJoints = ['left_heel', 'left_toe', 'right_heel', 'right_toe'] as const

/** For each joint of a foot a row of every clip, then one of the blend. */
export function plantRows(of: Registration, contacts: readonly Contact[], times: readonly number[]): PlantRow[] {
  return footJoints.flatMap((joint) => [
    ...of.clips.map((_, clip) => ({ joint, clip, spans: spansOf(of, clip, joint) })),
    { joint, clip: -1, spans: blendSpans(of, contacts, joint, times) },
  ])
}

/** Times that spread frames evenly over u, as untimed methods do. */
export function evenTimes({ u }: Registration, frames: number): number[] {
  return u.map((_, k) => (k * Math.max(0, frames - 1)) / Math.max(1, u.length - 1))
}

/** How far on u a frame of the blend is, from 0 to 1: for the playhead. */
export function shareOfFrame(times: readonly number[], frame: number): number {
  return placeIn(times, frame) / Math.max(1, times.length - 1)
}
