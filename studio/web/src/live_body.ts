// live_body.ts - a character that is steered: the pose that came last, what it does and what it was asked to do. No DOM
// here.
import type { Mark } from './api'
import type { Pose } from './frames'

const headBytes = 48
const perJoint = 7
/** A calm eye follows the body with this share of the way at every pose. */
const calm = 0.12

/** Marks a frame that a transition leads to. */
export const transitionMark = 'transition'
/** Marks frames in which it does what it was asked for. */
export const actionMark = 'action'

/** A direction on the plan, radians counter-clockwise from x seen from above, and how fast. */
export interface Course {
  direction_rad: number
  speed_cm_s: number
}

export class LiveBody {
  node = 0
  tick = 0
  /** As the score counts them. */
  transitions = 0
  /** What happened so far, for the timeline. */
  marks: Mark[] = []
  x_cm = 0
  z_cm = 0
  does: Course = { direction_rad: 0, speed_cm_s: 0 }
  input: Course = { direction_rad: 0, speed_cm_s: 0 }
  control = 0
  total = 0
  /** How many have come. */
  poses = 0
  /** Called when one has. */
  onPose: () => void = () => undefined
  private readonly seen = new Float64Array(2)
  values = new Float32Array(0)

  constructor(readonly joints: number) {}

  /** A message with a pose; others are left alone. */
  take(message: ArrayBuffer): void {
    if (message.byteLength < headBytes + 4 * perJoint * this.joints) return
    const view = new DataView(message)
    const number = (at: number) => view.getFloat32(at, true)
    this.tick = view.getUint32(4, true)
    this.node = view.getUint32(8, true)
    this.transitions = view.getUint32(12, true)
    this.x_cm = number(16)
    this.z_cm = number(20)
    this.does = { direction_rad: number(24), speed_cm_s: number(28) }
    this.input = { direction_rad: number(32), speed_cm_s: number(36) }
    this.control = number(40)
    this.total = number(44)
    this.values = new Float32Array(message, headBytes, perJoint * this.joints)
    this.settle()
  }

  /** A pose that came otherwise, with where it is. */
  put(values: Float32Array, x_cm: number, z_cm: number): void {
    if (values.length < perJoint * this.joints) return
    this.values = values
    this.x_cm = x_cm
    this.z_cm = z_cm
    this.settle()
  }

  private settle(): void {
    const share = this.poses ? calm : 1
    this.seen[0]! += share * (this.x_cm - this.seen[0]!)
    this.seen[1]! += share * (this.z_cm - this.seen[1]!)
    this.poses++
    this.onPose()
  }

  /** Writes the pose, `lift` higher; false: none has come. */
  pose(out: Pose, lift: number): boolean {
    if (this.poses === 0) return false
    for (let j = 0; j < this.joints; j++) {
      for (let k = 0; k < 3; k++) out.places[3 * j + k] = this.values[perJoint * j + k]!
      out.places[3 * j + 1]! += lift
      for (let k = 0; k < 4; k++) out.turns[4 * j + k] = this.values[perJoint * j + 3 + k]!
    }
    return true
  }

  /** Where a calm eye looks. */
  middle(out: Float64Array): boolean {
    out[0] = this.seen[0]!
    out[1] = 0
    out[2] = this.seen[1]!
    return this.poses > 0
  }
}

// Figures of a game on the floor of the view: who is where and looks where, and where they came from.

/** Places on the plan, in cm: x to the right, y up; the scene's z is -y. */
export interface Pawn {
  x: number
  y: number
  dir: number
  /** 0 is the one that is led; others have the colours of several clips. */
  hue: number
  /** A body stands for it: only its trail is drawn. */
  bodily: boolean
  trail: readonly { time_s: number; x: number; y: number }[]
}

/** Trails are so long. */
export const trail_s = 6

/** They move sixty times a second, so they are no part of the page's state, only this is. */
export class Pawns {
  list: Pawn[] = []
  time_s = 0
  onMove: () => void = () => undefined

  set(list: Pawn[], time_s: number): void {
    this.list = list
    this.time_s = time_s
    this.onMove()
  }
}
