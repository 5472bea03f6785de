// poses.ts - the middle poses of nodes, as the server sends them, and as lines of a little figure. No DOM here.
import type { Clip } from '../api'
import { sidesOf, type Side } from '../library/side_figure'

export interface Poses {
  joints: number
  parents: Int32Array
  /** Where the pose of a node begins in `places`. */
  at: ReadonlyMap<number, number>
  places: Float32Array
}

const headBytes = 16

/** Throws if these bytes are no poses. */
export function readPoses(bytes: ArrayBuffer): Poses {
  const view = new DataView(bytes)
  const known = bytes.byteLength >= headBytes && view.getUint32(0, false) === 0x4d525950
  if (!known || view.getUint32(4, true) !== 1) throw new Error('the studio sent something that is no poses')
  const [nodes, joints] = [view.getUint32(8, true), view.getUint32(12, true)]
  const size = headBytes + 4 * joints + 4 * nodes + 12 * nodes * joints
  if (bytes.byteLength < size) throw new Error('the studio sent half of the poses')
  const numbers = new Uint32Array(bytes, headBytes + 4 * joints, nodes)
  return {
    joints,
    parents: new Int32Array(bytes, headBytes, joints),
    at: new Map([...numbers].map((node, i) => [node, 3 * joints * i])),
    places: new Float32Array(bytes, headBytes + 4 * joints + 4 * nodes, 3 * nodes * joints),
  }
}

/** A bone in a box of 1 by 1: x from -0.5 to 0.5 around the middle, y down from 0 to 1. */
export interface Bone {
  side: Side
  line: [number, number, number, number]
}

export interface Drawing {
  bones: Bone[]
  head: [number, number] | null
}

/** Between from the front and from the side, so that arms and legs are all seen. */
const turn = 0.9
const margin = 0.1

/** All poses of one scale: the tallest fills the box. */
export function drawingsOf(poses: Poses, { joints, roles }: Pick<Clip, 'joints' | 'roles'>): Map<number, Drawing> {
  const { places, parents, at } = poses
  const sides = sidesOf(joints, roles)
  const head = roles['head'] ?? joints.findIndex(({ name }) => /head$/i.test(name))
  let tallest = 1
  for (const from of at.values()) {
    let [low, high] = [Infinity, -Infinity]
    for (let y = from + 1; y < from + 3 * poses.joints; y += 3) {
      low = Math.min(low, places[y]!)
      high = Math.max(high, places[y]!)
    }
    tallest = Math.max(tallest, high - low)
  }
  const scale = (1 - 2 * margin) / (1.08 * tallest)
  return new Map(
    [...at].map(([node, from]) => {
      const across = (j: number) => Math.sin(turn) * places[from + 3 * j + 2]! + Math.cos(turn) * places[from + 3 * j]!
      let [low, left, right] = [Infinity, Infinity, -Infinity]
      for (let j = 0; j < poses.joints; j++) {
        low = Math.min(low, places[from + 3 * j + 1]!)
        left = Math.min(left, across(j))
        right = Math.max(right, across(j))
      }
      const spot = (j: number): [number, number] => [
        scale * (across(j) - (left + right) / 2),
        1 - margin - scale * (places[from + 3 * j + 1]! - low),
      ]
      const bones: Bone[] = []
      parents.forEach((parent, j) => {
        if (parent >= 0) bones.push({ side: sides[j] ?? 'middle', line: [...spot(parent), ...spot(j)] })
      })
      return [node, { bones, head: head >= 0 && head < poses.joints ? spot(head) : null }]
    }),
  )
}
