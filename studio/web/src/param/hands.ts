// hands.ts - with which hand the first example of a family does what it does: what the form for a new one begins with.
import { api, type Clip } from '../api'
import { AS_CAPTURED, ClipFrames, Pose } from '../frames'
import type { Segment } from '../store'

const hands = ['right_wrist', 'left_wrist'] as const
const places = 60
/** The right hand is meant, unless the left one goes so much farther. */
const clearly = 1.25

/** How far a hand gets from where it was, as seen from the hips. */
export async function leadingHand(clip: Clip, { start, end }: Segment): Promise<string> {
  const hips = clip.roles['hips'] ?? 0
  const joints = hands.map((role) => clip.roles[role] ?? -1)
  if (joints.some((joint) => joint < 0)) return hands[0]
  const frames = new ClipFrames(clip, api.frames)
  await frames.load()
  const chain = frames.chain([hips, ...joints])
  const pose = new Pose(clip.joints.length)
  const far = [0, 0]
  let first: number[][] | null = null
  for (let i = 0; i < places; i++) {
    const frame = start + ((end - 1 - start) * i) / (places - 1)
    if (!frames.pose(frame / clip.fps, AS_CAPTURED, pose, chain)) break
    const spots = joints.map((joint) => [0, 1, 2].map((k) => pose.places[3 * joint + k]! - pose.places[3 * Math.max(0, hips) + k]!))
    const from = (first ??= spots)
    spots.forEach((spot, hand) => {
      far[hand] = Math.max(far[hand]!, Math.hypot(...spot.map((value, k) => value - from[hand]![k]!)))
    })
  }
  return far[1]! > clearly * far[0]! ? hands[1] : hands[0]
}
