// ground.ts - what a clip's feet say about the floor: how high it is, and where they were planted on it.
import type { Contact } from '../api'
import { AS_CAPTURED, type ClipFrames, type Pose } from '../frames'
import type { Figure } from './figure'
import { findFoot, SOLE_SHARE } from './parts'
import type { Print } from './prints'
import { vec, type Vec } from './vec3'

/** Length of a foot as a share of the height. */
const FOOT_SHARE = 0.148

const heel = vec()
const ball = vec()

interface Plant {
  contact: Contact
  side: number
  isBall: boolean
}

function plantOf(contact: Contact): Plant | null {
  const side = contact.joint.startsWith('left') ? 0 : contact.joint.startsWith('right') ? 1 : -1
  return side < 0 ? null : { contact, side, isBall: contact.joint.endsWith('toe') }
}

/** The share-th of the sorted values. */
function quantile(values: number[], share: number): number {
  values.sort((a, b) => a - b)
  return values[Math.floor(share * (values.length - 1))]
}

export interface Ground {
  floor_cm: number
  prints: Print[]
}

/** Reads the frames that have come; what is missing is left out. Needs a person. */
export function readGround(
  contacts: readonly Contact[],
  frames: ClipFrames,
  figure: Figure,
  pose: Pose,
  anchor: Vec,
): Ground {
  const { clip } = frames
  const prints: Print[] = []
  const heights: number[] = []
  for (const contact of contacts) {
    const plant = plantOf(contact)
    const middle = (contact.start + contact.end - 1) / 2
    if (!plant || !frames.has(middle) || !frames.pose(middle / clip.fps, AS_CAPTURED, pose)) continue
    findFoot(figure, pose, figure.sides[plant.side], heel, ball)
    const at = plant.isBall ? ball : heel
    const long = Math.hypot(ball[0] - heel[0], ball[2] - heel[2]) || 1
    heights.push(at[1] - SOLE_SHARE * figure.height_cm)
    prints.push({
      x: 0.01 * (at[0] - anchor[0]),
      z: 0.01 * (at[2] - anchor[2]),
      aheadX: (ball[0] - heel[0]) / long,
      aheadZ: (ball[2] - heel[2]) / long,
      start_s: contact.start / clip.fps,
      end_s: contact.end / clip.fps,
      kind: 2 * plant.side + (plant.isBall ? 1 : 0),
      foot: 0.01 * FOOT_SHARE * figure.height_cm,
    })
  }
  // The lowest plants, not the median: some stand on chairs and stairs. Not the very lowest: some are
  // mistaken.
  return { floor_cm: heights.length ? quantile(heights, 0.2) : lowestFeet(frames, figure, pose), prints }
}

const SAMPLES = 96

/** Without plants: the height that soles reach often enough, or that of the lowest joint. */
export function lowestFeet(frames: ClipFrames, figure: Figure, pose: Pose): number {
  const lows: number[] = []
  for (let i = 0; i < SAMPLES; i++) {
    const time = (frames.length_s * i) / (SAMPLES - 1)
    if (!frames.pose(time, AS_CAPTURED, pose)) continue
    let low = Infinity
    if (figure.person) {
      for (const limbs of figure.sides) {
        findFoot(figure, pose, limbs, heel, ball)
        low = Math.min(low, heel[1], ball[1])
      }
      low -= SOLE_SHARE * figure.height_cm
    } else {
      for (let j = 0; j < figure.joints.length; j++) low = Math.min(low, pose.places[3 * j + 1])
    }
    lows.push(low)
  }
  return lows.length ? quantile(lows, 0.05) : 0
}
