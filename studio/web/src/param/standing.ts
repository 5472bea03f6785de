// standing.ts - motion moved and turned on the floor so that it begins at the world's zero, facing ahead: then what is wanted
// stays where it is while the motion changes. No DOM here.
import type { Clip, Standing } from '../api'
import { AS_CAPTURED, ClipFrames, decodeFrames, Pose } from '../frames'
import { framesFrom } from '../making/made'

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
