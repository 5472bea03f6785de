// figure_paths.ts - poses of a segment as small drawings seen from the side: left bones blue, right ones orange. All
// segments are seen as the body faces at their beginning, so that they can be compared.
import type { Clip, Joint } from '../api'
import { AS_CAPTURED, Pose, type ClipFrames } from '../frames'
import { sidesOf, type Side } from '../library/side_figure'
import { Figure } from '../viewer/figure'

/** In cm; y grows downwards and the floor is at 0. */
export interface Drawing {
  left: string
  right: string
  middle: string
  /** The middle of the head; null without one. */
  head: [number, number] | null
}

export interface FilmStrip {
  drawings: Drawing[]
  /** Of the one who is drawn. */
  height_cm: number
}

type Point = (joint: number) => [number, number]

function bonesOf(joints: readonly Joint[], sides: readonly Side[], which: Side, at: Point): string {
  let path = ''
  joints.forEach(({ parent }, joint) => {
    if (parent < 0 || sides[joint] !== which) return
    const [x0, y0] = at(parent)
    const [x1, y1] = at(joint)
    path += `M${x0.toFixed(1)} ${y0.toFixed(1)}L${x1.toFixed(1)} ${y1.toFixed(1)}`
  })
  return path
}

/** How a strip looks at a segment: the direction that runs to the right, and the lowest that a joint comes. */
interface Look {
  across: [number, number]
  floor_cm: number
}

function drawPose(clip: Clip, sides: readonly Side[], head: number, pose: Pose, { across, floor_cm }: Look): Drawing {
  const { places } = pose
  const root = Math.max(0, clip.roles['hips'] ?? 0)
  const flat = (joint: number) => places[3 * joint]! * across[0] + places[3 * joint + 2]! * across[1]
  const middle = flat(root)
  const at: Point = (joint) => [flat(joint) - middle, floor_cm - places[3 * joint + 1]!]
  const bones = (side: Side) => bonesOf(clip.joints, sides, side, at)
  return { left: bones('left'), right: bones('right'), middle: bones('middle'), head: head < 0 ? null : at(head) }
}

function lowest(poses: readonly Pose[]): number {
  let least = Infinity
  for (const { places } of poses) for (let y = 1; y < places.length; y += 3) least = Math.min(least, places[y]!)
  return Number.isFinite(least) ? least : 0
}

function highest(poses: readonly Pose[]): number {
  let most = -Infinity
  for (const { places } of poses) for (let y = 1; y < places.length; y += 3) most = Math.max(most, places[y]!)
  return Number.isFinite(most) ? most : 170
}

/** `count` poses spread over the segment. */
export function filmStrip(clip: Clip, frames: ClipFrames, count: number): FilmStrip {
  const poses = Array.from({ length: count }, (_, i) => {
    const pose = new Pose(clip.joints.length)
    frames.pose((frames.length_s * (i + 0.5)) / count, AS_CAPTURED, pose)
    return pose
  })
  const heading = new Figure(clip).heading(poses[0]!)
  const sides = sidesOf(clip.joints, clip.roles)
  const head = clip.roles['head'] ?? clip.joints.findIndex(({ name }) => /head$/i.test(name))
  // A little from the front, so that both arms and both legs are seen.
  const turn = heading + 0.35
  const look: Look = { across: [Math.sin(turn), Math.cos(turn)], floor_cm: lowest(poses) }
  const drawings = poses.map((pose) => drawPose(clip, sides, head, pose, look))
  return { drawings, height_cm: Math.max(60, highest(poses) - look.floor_cm) }
}
