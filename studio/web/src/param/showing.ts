// showing.ts - a motion of a family in the view: what the server answers about it, where it stands and begins, the places that
// can be reached, and the example that is nearest to what is wanted.
import { api, type Clip, type Family, type Standing } from '../api'
import { AS_CAPTURED, ClipFrames, decodeFrames, Pose } from '../frames'
import { bareClip, framesFrom, type Made, type MadeFacts } from '../making/made'
import type { PlayerState } from '../player'
import { warped } from '../search/motions'
import type { Shown, Targets } from '../store'
import { placeOf, withPlace } from './param_data'

// What the server answers about a motion of a family, and where its playhead belongs.

export interface Answer extends MadeFacts {
  target: number[]
  reached: number[]
  error: number
  table_error: number
  error_unit: string
  outside: boolean
  /** One of each example of the family. */
  weights: number[]
  nearest: number
  /** Of each feature: a frame, not a whole one; null: all. */
  moments: (number | null)[]
  places: (Standing | null)[]
}

export function factsOf(made: Made): Answer {
  return made.facts as Answer
}

const slack_s = 0.03

function lengthOf({ frames, fps }: Pick<Answer, 'frames' | 'fps'>): number {
  return Math.max(1, frames - 1) / fps
}

/** Where the playhead belongs in a motion. */
export type TimeFor = (answer: Pick<Answer, 'frames' | 'fps'>, moment_s: number | null) => number

/** A playhead at the moment stays at the moment, in the next motion too; elsewhere it keeps its share of the
 * whole. */
export function timeFor(
  { time, playing }: Pick<PlayerState, 'time' | 'playing'>,
  moment_s: number | null,
  before: Pick<Answer, 'frames' | 'fps'> | null,
): TimeFor {
  const there = !before || (!playing && moment_s !== null && Math.abs(time - moment_s) < slack_s)
  const share = before ? time / lengthOf(before) : 0
  return (answer, moment) => (there && moment !== null ? moment : share * lengthOf(answer))
}

// Motion moved and turned on the floor so that it begins at the world's zero, facing ahead: then what is wanted stays where
// it is while the motion changes.

export const atZero: Standing = { x_cm: 0, y_cm: 0, z_cm: 0, angle_rad: 0 }

type Numbers = Float32Array

function turnRoot(turns: Numbers, at: number, cos: number, sin: number): void {
  const [w, x, y, z] = [turns[at]!, turns[at + 1]!, turns[at + 2]!, turns[at + 3]!]
  turns[at] = cos * w - sin * y
  turns[at + 1] = cos * x + sin * z
  turns[at + 2] = cos * y + sin * w
  turns[at + 3] = cos * z - sin * x
}

function moveRoot(places: Numbers, at: number, { x_cm, z_cm, angle_rad }: Standing): void {
  const x = places[at]! - x_cm
  const z = places[at + 2]! - z_cm
  const cos = Math.cos(angle_rad)
  const sin = Math.sin(angle_rad)
  places[at] = cos * x - sin * z
  places[at + 2] = sin * x + cos * z
}

/** A copy of the frames, moved so that what stood at `from` is at zero. Heights stay. */
export function broughtToZero(motion: ArrayBuffer, { joints }: Pick<Clip, 'joints'>, from: Standing): ArrayBuffer {
  const out = motion.slice(0)
  const { frames, places, translations, rotations } = decodeFrames(out)
  const roots = joints.flatMap(({ parent }, j) => (parent < 0 ? [j] : []))
  const half = -0.5 * from.angle_rad
  for (let frame = 0; frame < frames; frame++) {
    for (const root of roots) {
      turnRoot(rotations, 4 * (frame * joints.length + root), Math.cos(half), Math.sin(half))
      moveRoot(translations, 3 * (frame * places + (places === 1 ? 0 : root)), from)
    }
  }
  return out
}

/** From the right to the left of hips and shoulders, on the floor. */
function leftOf({ roles }: Clip, places: Float64Array): [number, number] {
  let [x, z] = [0, 0]
  for (const part of ['hip', 'shoulder']) {
    const [a, b] = [roles[`left_${part}`] ?? -1, roles[`right_${part}`] ?? -1]
    if (a < 0 || b < 0) continue
    x += places[3 * a]! - places[3 * b]!
    z += places[3 * a + 2]! - places[3 * b + 2]!
  }
  return [x, z]
}

/** Where a motion begins, as features tell it: under the hips, facing as the body does. */
export async function standingOf(clip: Clip, motion: ArrayBuffer): Promise<Standing> {
  const count = new DataView(motion).getUint32(8, true)
  const frames = new ClipFrames({ ...clip, id: -1, frames: count }, framesFrom(motion))
  await frames.load()
  const pose = new Pose(clip.joints.length)
  if (!frames.pose(0, AS_CAPTURED, pose)) return atZero
  const hips = Math.max(0, clip.roles.hips ?? 0)
  const [x, z] = leftOf(clip, pose.places)
  return { x_cm: pose.places[3 * hips]!, y_cm: 0, z_cm: pose.places[3 * hips + 2]!, angle_rad: Math.atan2(-z, x) }
}

// The places of a family for the view: its examples, its samples, what is wanted and what is reached.

interface Cloud {
  family: Family
  feature: number
  examples: number[][]
  samples: number[][]
}

/** Only what is wanted changes while it is dragged; the viewer knows the others by their identity. */
let last: Cloud | null = null

function cloudOf(family: Family, feature: number): Cloud {
  if (last?.family === family && last.feature === feature) return last
  const place = (values: readonly number[]) => placeOf(family, feature, values)
  const examples = family.examples.map(({ values }) => place(values))
  last = { family, feature, examples, samples: family.sample_values.map(place) }
  return last
}

export function targetsOf(
  family: Family,
  feature: number,
  at: readonly number[],
  answer: Answer | null,
  move: (at: number[]) => void,
): Targets | null {
  const { kind, from } = family.params[feature]!
  const standing = answer?.places[feature] ?? atZero
  const { examples, samples } = cloudOf(family, feature)
  return {
    examples,
    samples,
    wanted: placeOf(family, feature, at),
    reached: answer ? placeOf(family, feature, answer.reached) : null,
    // Motion told from its start was brought to zero.
    from: from === 'start' ? { ...atZero, y_cm: standing.y_cm } : standing,
    flat: kind === 'place',
    move: (place) => move(withPlace(family, feature, at, place)),
  }
}

// The example that is nearest to what is wanted, in the view beside the motion that was made: as long as that, and from the
// same place.

const firstId = -30

interface Kept {
  family: Family
  example: number
  motion: Promise<{ shown: Shown; motion: ArrayBuffer }>
}

/** The last one: a drag asks for the same again and again. */
let kept: Kept | null = null

async function fetchExample(family: Family, number: number, zero: boolean) {
  const { id, start, end, clip: name } = family.examples[number]!
  const [clip, frames] = await Promise.all([api.clip(id), api.frames(id, start, end)])
  const motion = zero ? broughtToZero(frames, clip, await standingOf(clip, frames)) : frames
  const own = bareClip(clip, firstId - number, `${name} ${start}–${end - 1}`, end - start)
  const shown: Shown = { clip: own, alignFrame: 0 }
  return { shown, motion }
}

/** None if its clip cannot be had. */
export async function exampleShown(family: Family, answer: Answer, zero: boolean): Promise<Shown[]> {
  if (kept?.family !== family || kept.example !== answer.nearest) {
    kept = { family, example: answer.nearest, motion: fetchExample(family, answer.nearest, zero) }
  }
  try {
    const { shown, motion } = await kept.motion
    const { frames, fps } = answer
    const first = new DataView(motion).getUint32(16, true)
    const scale = (new DataView(motion).getUint32(8, true) - 1) / Math.max(1, frames - 1)
    const times = Array.from({ length: frames }, (_, i) => first + i * scale)
    const clip = { ...shown.clip, frames, fps, seconds: frames / fps }
    return [{ ...shown, clip, motion: warped(motion, times, fps) }]
  } catch {
    kept = null
    return []
  }
}
