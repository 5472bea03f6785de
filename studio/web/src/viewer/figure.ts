// figure.ts - which joints of a skeleton carry which volumes, found once per clip. A skeleton whose roles are
// known becomes a person with an adult's proportions; any other becomes sticks along its own tree.
import type { Clip, Joint } from '../api'
import type { Pose } from '../frames'
import { add, copy, cross, distance, dot, length, mix, rotate, unit, vec, type Vec } from './vec3'

/** What is drawn in one colour. */
export enum Group {
  Trunk,
  Head,
  Left,
  Right,
}

/** Share of the standing height that hip to ankle takes in an adult. */
const LEG_SHARE = 0.485

const SIDES = ['left', 'right'] as const

const LIMB_ROLES = ['shoulder', 'elbow', 'wrist', 'hip', 'knee', 'ankle']
const NEEDED = ['hips', ...SIDES.flatMap((side) => LIMB_ROLES.map((role) => `${side}_${role}`))]

const AHEAD = vec(0, 0, 1)

/** The joints of one side, -1 where there is none. */
export interface Limbs {
  shoulder: number
  elbow: number
  wrist: number
  hip: number
  knee: number
  ankle: number
  toe: number
  /** The tip of the longest finger. */
  hand: number
}

export class Figure {
  readonly joints: Joint[]
  /** A person; otherwise sticks. */
  person: boolean
  /** Of the standing person, or the size of what is there. */
  height_cm: number
  readonly groups: Group[]
  readonly sides: [Limbs, Limbs]
  readonly spine: number
  readonly chest: number
  readonly neck: number
  readonly head: number
  readonly root: number
  /** Where the head looks, in its own axes; not known until `learn` saw a pose. */
  readonly face = vec(0, 0, 1)
  faceByChest = true

  constructor(clip: Clip) {
    const role = (name: string): number => clip.roles[name] ?? -1
    this.joints = clip.joints
    this.spine = role('spine')
    this.chest = role('chest')
    this.neck = role('neck')
    this.head = role('head')
    this.root = Math.max(0, role('hips'))
    this.sides = [this.findLimbs('left', role), this.findLimbs('right', role)]
    this.groups = findGroups(clip)
    this.person = NEEDED.every((name) => role(name) >= 0) && (this.head >= 0 || this.neck >= 0)
    this.height_cm = restSize(clip.joints)
  }

  private findLimbs(side: string, role: (name: string) => number): Limbs {
    const wrist = role(`${side}_wrist`)
    return {
      shoulder: role(`${side}_shoulder`),
      elbow: role(`${side}_elbow`),
      wrist,
      hip: role(`${side}_hip`),
      knee: role(`${side}_knee`),
      ankle: role(`${side}_ankle`),
      toe: role(`${side}_toe`),
      hand: wrist >= 0 ? findHand(this.joints, wrist) : -1,
    }
  }

  /** Looks at a sound pose, once. How tall is the person, and do the head's axes tell where it looks? Those
   * of skeletons with twisted rest poses do not. */
  learn(pose: Pose): void {
    if (!this.person) return
    let legs = 0
    for (const { hip, knee, ankle } of this.sides) {
      legs += jointDistance(pose.places, hip, knee) + jointDistance(pose.places, knee, ankle)
    }
    if (!(legs > 1e-3)) {
      this.person = false
      return
    }
    this.height_cm = legs / 2 / LEG_SHARE
    if (this.head < 0) return
    this.facing(restPlaces(this.joints), this.face)
    rotate(seen, pose.turns, 4 * this.head, this.face)
    this.faceByChest = dot(seen, this.facing(pose.places, chestAhead)) < 0.7
  }

  /** Where the chest faces, unit length. Needs a person. */
  facing(places: Float64Array, out: Vec): Vec {
    const [l, r] = this.sides
    copy(left, places, 3 * l.shoulder)
    copy(right, places, 3 * r.shoulder)
    copy(leftHip, places, 3 * l.hip)
    copy(rightHip, places, 3 * r.hip)
    add(across, left, -1, right)
    add(across, across, 1, leftHip)
    add(across, across, -1, rightHip)
    mix(up, left, right, 0.5)
    mix(left, leftHip, rightHip, 0.5)
    add(up, up, -1, left)
    return unit(cross(out, across, up), AHEAD)
  }

  /** The angle about the vertical that the body faces, 0 along +z. */
  heading(pose: Pose): number {
    if (this.person) this.facing(pose.places, chestAhead)
    else rotate(chestAhead, pose.turns, 4 * this.root, AHEAD)
    return Math.atan2(chestAhead[0], chestAhead[2])
  }
}

const seen = vec()
const chestAhead = vec()
const left = vec()
const right = vec()
const leftHip = vec()
const rightHip = vec()
const across = vec()
const up = vec()

function restPlaces(joints: Joint[]): Float64Array {
  const rest = new Float64Array(3 * joints.length)
  joints.forEach((joint, j) => {
    for (let k = 0; k < 3; k++) {
      rest[3 * j + k] = joint.offset_cm[k] + (joint.parent < 0 ? 0 : rest[3 * joint.parent + k])
    }
  })
  return rest
}

function restSize(joints: Joint[]): number {
  const rest = restPlaces(joints)
  let size = 0
  for (let k = 0; k < 3; k++) {
    let low = Infinity
    let high = -Infinity
    for (let j = 0; j < joints.length; j++) {
      low = Math.min(low, rest[3 * j + k])
      high = Math.max(high, rest[3 * j + k])
    }
    size = Math.max(size, high - low)
  }
  for (const joint of joints) if (joint.end_cm) size = Math.max(size, length(joint.end_cm))
  return size > 1e-3 ? size : 10 // one point: any size is right
}

function groupOfRole(role: string): Group {
  if (role === 'neck' || role === 'head') return Group.Head
  return role.startsWith('left_') ? Group.Left : role.startsWith('right_') ? Group.Right : Group.Trunk
}

/** A joint without a role belongs to what its parent belongs to. */
function findGroups(clip: Clip): Group[] {
  const groups: (Group | undefined)[] = clip.joints.map(() => undefined)
  for (const [role, joint] of Object.entries(clip.roles)) {
    if (joint >= 0) groups[joint] = groupOfRole(role)
  }
  clip.joints.forEach((joint, j) => {
    groups[j] ??= joint.parent < 0 ? Group.Trunk : groups[joint.parent]
  })
  return groups as Group[]
}

/** The joint below the wrist that is farthest along its bones. */
function findHand(joints: Joint[], wrist: number): number {
  const reach = new Map([[wrist, 0]])
  let best = joints[wrist].end_cm ? wrist : -1
  let most = 0
  for (let j = wrist + 1; j < joints.length; j++) {
    const before = reach.get(joints[j].parent)
    if (before === undefined) continue
    const here = before + length(joints[j].offset_cm) + 1e-6
    reach.set(j, here)
    if (here > most) {
      most = here
      best = j
    }
  }
  return best
}

function jointDistance(places: Float64Array, a: number, b: number): number {
  return distance(copy(left, places, 3 * a), copy(right, places, 3 * b))
}
