// parts.ts - one pose as round cones: the hulls of two balls each. Radii are shares of the standing height,
// after the proportions of an adult; it is the same person as in the film strips and videos.
import type { Pose } from '../frames'
import { Group, type Figure, type Limbs } from './figure'
import { add, copy, distance, dot, mix, rotate, unit, vec, type Vec } from './vec3'

/** Numbers of one part: place and radius of the first ball, then of the second. */
export const PART_FLOATS = 8

const UP = vec(0, 1, 0)
const METRES = 0.01

/** Where parts are written, in metres from an origin that is given in cm. */
export class PartSink {
  count = 0
  readonly groups: Group[] = []
  constructor(
    public out: Float32Array,
    readonly origin: Vec,
  ) {}

  begin(first = 0): this {
    this.count = first
    return this
  }

  put(group: Group, a: Vec, radiusA: number, b: Vec, radiusB: number): void {
    const { out, origin } = this
    this.groups[this.count] = group
    const at = PART_FLOATS * this.count++
    for (let k = 0; k < 3; k++) {
      out[at + k] = METRES * (a[k] - origin[k])
      out[at + 4 + k] = METRES * (b[k] - origin[k])
    }
    out[at + 3] = METRES * radiusA
    out[at + 7] = METRES * radiusB
  }
}

export function mostParts(figure: Figure): number {
  return Math.max(32, 2 * figure.joints.length + 1)
}

/** Appends the parts of a pose. The number and the groups of a figure's parts are the same for every pose. */
export function putParts(figure: Figure, pose: Pose, sticks: boolean, sink: PartSink): void {
  if (sticks || !figure.person) {
    putSticks(figure, pose, sink)
    return
  }
  putTrunk(figure, pose, sink)
  putHead(figure, pose, sink)
  for (let side = 0; side < 2; side++) {
    const group = side === 0 ? Group.Left : Group.Right
    putArm(figure, pose, figure.sides[side], group, sink)
    putLeg(figure, pose, figure.sides[side], group, sink)
  }
}

function end(figure: Figure, pose: Pose, joint: number, out: Vec): Vec {
  rotate(reach, pose.turns, 4 * joint, figure.joints[joint].end_cm ?? UP)
  copy(out, pose.places, 3 * joint)
  return add(out, out, 1, reach)
}

const reach = vec()
const leftHip = vec()
const rightHip = vec()
const left = vec()
const right = vec()
const hips = vec()
const top = vec()
const waist = vec()
const low = vec()
const flank = vec()
const side = vec()
const spine = vec()
const chest = vec()

function putTrunk(figure: Figure, pose: Pose, sink: PartSink): void {
  const [l, r] = figure.sides
  const size = figure.height_cm
  copy(leftHip, pose.places, 3 * l.hip)
  copy(rightHip, pose.places, 3 * r.hip)
  copy(left, pose.places, 3 * l.shoulder)
  copy(right, pose.places, 3 * r.shoulder)
  mix(hips, leftHip, rightHip, 0.5)
  mix(top, left, right, 0.5)
  mix(waist, hips, top, 0.45)
  if (figure.spine >= 0 && figure.chest >= 0) {
    // So that a bent back is seen.
    mix(spine, copy(spine, pose.places, 3 * figure.spine), copy(chest, pose.places, 3 * figure.chest), 0.5)
    mix(waist, waist, spine, 0.5)
  }
  mix(low, top, waist, 0.25)
  sink.put(Group.Trunk, leftHip, 0.054 * size, rightHip, 0.054 * size)
  sink.put(Group.Trunk, hips, 0.066 * size, waist, 0.06 * size)
  sink.put(Group.Trunk, waist, 0.06 * size, low, 0.066 * size)
  for (let i = 0; i < 2; i++) {
    const shoulder = i ? right : left
    mix(flank, top, shoulder, 0.25)
    add(flank, flank, 1, waist)
    add(flank, flank, -1, top)
    mix(side, top, shoulder, 0.6)
    mix(side, side, waist, 0.12)
    sink.put(Group.Trunk, flank, 0.05 * size, side, 0.046 * size)
    sink.put(Group.Trunk, flank, 0.05 * size, i ? rightHip : leftHip, 0.054 * size)
  }
  mix(flank, top, left, 0.9)
  mix(side, top, right, 0.9)
  sink.put(Group.Trunk, flank, 0.034 * size, side, 0.034 * size)
}

const base = vec()
const along = vec()
const high = vec()
const ahead = vec()
const nose = vec()

/** The direction from the chin to the crown. Uses `top`, which the trunk left there. */
function findCrown(figure: Figure, pose: Pose): void {
  const { head, neck } = figure
  copy(base, pose.places, 3 * (head >= 0 ? head : neck))
  add(along, base, -1, head >= 0 && neck >= 0 ? copy(low, pose.places, 3 * neck) : top)
  const tip = head >= 0 ? figure.joints[head].end_cm : null
  if (tip && Math.hypot(tip[0], tip[1], tip[2]) > 0.02 * figure.height_cm) {
    add(along, end(figure, pose, head, along), -1, base)
  }
  unit(along, UP)
}

function putHead(figure: Figure, pose: Pose, sink: PartSink): void {
  const size = figure.height_cm
  findCrown(figure, pose)
  if (figure.head < 0) add(base, base, 0.04 * size, along)
  add(low, base, 0.028 * size, along)
  add(high, base, 0.078 * size, along)
  sink.put(Group.Head, top, 0.032 * size, base, 0.028 * size)
  sink.put(Group.Head, low, 0.046 * size, high, 0.056 * size)
  if (figure.faceByChest) figure.facing(pose.places, ahead)
  else rotate(ahead, pose.turns, 4 * figure.head, figure.face)
  add(ahead, ahead, -dot(ahead, along), along) // a nose stands square on its head
  unit(ahead, UP)
  mix(nose, low, high, 0.55)
  add(low, nose, 0.048 * size, ahead)
  add(nose, nose, 0.062 * size, ahead)
  add(nose, nose, -0.012 * size, along)
  sink.put(Group.Head, low, 0.014 * size, nose, 0.01 * size)
}

const upper = vec()
const middle = vec()
const lower = vec()
const tip = vec()

function putArm(figure: Figure, pose: Pose, limbs: Limbs, group: Group, sink: PartSink): void {
  const size = figure.height_cm
  const { hand } = limbs
  copy(upper, pose.places, 3 * limbs.shoulder)
  copy(middle, pose.places, 3 * limbs.elbow)
  copy(lower, pose.places, 3 * limbs.wrist)
  add(along, lower, -1, middle)
  if (hand >= 0) {
    if (figure.joints[hand].end_cm) end(figure, pose, hand, tip)
    else copy(tip, pose.places, 3 * hand)
    if (distance(tip, lower) > 0.01 * size) add(along, tip, -1, lower)
  }
  unit(along, UP)
  add(tip, lower, 0.065 * size, along)
  sink.put(group, upper, 0.032 * size, middle, 0.024 * size)
  sink.put(group, middle, 0.025 * size, lower, 0.017 * size)
  sink.put(group, lower, 0.019 * size, tip, 0.017 * size)
}

const down = vec()

/** Radius of heel and ball, as a share of the height: the sole is this much below them. */
export const SOLE_SHARE = 0.017

/** Heel and ball of a foot. The heel lies behind and below the ankle, along what of the shin's direction is
 * square to the foot; it comes up to the ankle by itself when the foot is stretched. Needs a person. */
export function findFoot(figure: Figure, pose: Pose, limbs: Limbs, heel: Vec, ball: Vec): void {
  const size = figure.height_cm
  copy(middle, pose.places, 3 * limbs.knee)
  copy(lower, pose.places, 3 * limbs.ankle)
  if (limbs.toe >= 0) copy(ball, pose.places, 3 * limbs.toe)
  if (limbs.toe < 0 || distance(ball, lower) <= 0.01 * size) {
    add(ball, lower, 0.1 * size, figure.facing(pose.places, ahead))
    ball[1] -= 0.03 * size
  }
  unit(add(ahead, ball, -1, lower), UP)
  unit(add(down, lower, -1, middle), UP)
  add(down, down, -dot(down, ahead), ahead)
  add(heel, lower, 0.03 * size, down)
  add(heel, heel, -0.022 * size, ahead)
}

const heel = vec()
const ball = vec()

function putLeg(figure: Figure, pose: Pose, limbs: Limbs, group: Group, sink: PartSink): void {
  const size = figure.height_cm
  findFoot(figure, pose, limbs, heel, ball)
  copy(upper, pose.places, 3 * limbs.hip)
  add(tip, ball, 0.035 * size, ahead)
  if (limbs.toe >= 0 && figure.joints[limbs.toe].end_cm) {
    end(figure, pose, limbs.toe, high)
    if (distance(high, ball) < 0.1 * size) copy(tip, high)
  }
  sink.put(group, upper, 0.052 * size, middle, 0.035 * size)
  sink.put(group, middle, 0.036 * size, lower, 0.021 * size)
  sink.put(group, lower, 0.021 * size, heel, 0.018 * size)
  sink.put(group, lower, 0.021 * size, ball, SOLE_SHARE * size)
  sink.put(group, heel, 0.018 * size, ball, SOLE_SHARE * size)
  sink.put(group, ball, SOLE_SHARE * size, tip, 0.013 * size)
}

/** Bones: thick at the joint, thin where they end. */
function putSticks(figure: Figure, pose: Pose, sink: PartSink): void {
  const thick = 0.014 * figure.height_cm
  const thin = 0.007 * figure.height_cm
  const { joints, groups } = figure
  if (joints.length === 1 && !joints[0].end_cm) {
    copy(upper, pose.places)
    sink.put(groups[0], upper, 0.1 * figure.height_cm, upper, 0.1 * figure.height_cm)
  }
  for (let j = 0; j < joints.length; j++) {
    const { parent } = joints[j]
    copy(lower, pose.places, 3 * j)
    if (parent >= 0) sink.put(groups[j], copy(upper, pose.places, 3 * parent), thick, lower, thin)
    if (joints[j].end_cm) sink.put(groups[j], lower, thick, end(figure, pose, j, tip), thin)
  }
}
