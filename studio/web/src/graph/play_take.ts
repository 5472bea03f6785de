// play_take.ts - what was seen of a steered character, as frames that the viewer can play again: every pose that came, by its
// number. No DOM here.
import type { Clip } from '../api'

/** Of more only these are kept: 20 minutes of them. */
const most = 60 * 60 * 20
const perJoint = 7
const headBytes = 40

export class Take {
  /** Joints x 7 numbers, as they came; some may have been missed. */
  private readonly poses: (Float32Array | undefined)[] = []

  constructor(
    private readonly skeleton: Clip,
    readonly rate: number,
  ) {}

  get frames(): number {
    return this.poses.length
  }

  put(tick: number, values: Float32Array): void {
    if (tick < most) this.poses[tick] = values
  }

  /** As /api/clips/ID/frames lays frames out: local turns, and places of the root or of all joints. */
  motion(): ArrayBuffer {
    const { joints } = this.skeleton
    const moving = joints.some(({ channels }, j) => j > 0 && channels.some((name) => name.endsWith('position')))
    const [frames, placed] = [this.frames, moving ? joints.length : 1]
    const out = new ArrayBuffer(headBytes + frames * (12 * placed + 16 * joints.length))
    const head = new DataView(out)
    head.setUint32(0, 0x4d525946, false)
    ;[1, frames, joints.length, 0, 1, placed].forEach((value, i) => head.setUint32(4 + 4 * i, value, true))
    head.setFloat64(32, this.rate, true)
    const places = new Float32Array(out, headBytes, 3 * frames * placed)
    const turns = new Float32Array(out, headBytes + 12 * frames * placed)
    let last = this.poses.find((pose) => pose !== undefined)!
    for (let f = 0; f < frames; f++) {
      // One that was missed is as the one before: the eye saw that, too.
      last = this.poses[f] ?? last
      joints.forEach(({ parent }, j) => {
        putTurn(last, parent, j, turns, 4 * (f * joints.length + j))
        if (j < placed) putPlace(last, parent, j, places, 3 * (f * placed + j))
      })
    }
    return out
  }
}

/** conj(p) q, for quaternions (w, x, y, z). */
function putTurn(pose: Float32Array, parent: number, joint: number, out: Float32Array, at: number): void {
  const [a, b, c, d] = pose.subarray(perJoint * joint + 3, perJoint * joint + 7) as unknown as [number, number, number, number]
  if (parent < 0) return out.set([a, b, c, d], at)
  const [w, x, y, z] = pose.subarray(perJoint * parent + 3, perJoint * parent + 7) as unknown as [number, number, number, number]
  out.set([w * a + x * b + y * c + z * d, w * b - x * a - y * d + z * c, w * c + x * d - y * a - z * b, w * d - x * c + y * b - z * a], at)
}

function putPlace(pose: Float32Array, parent: number, joint: number, out: Float32Array, at: number): void {
  const at0 = perJoint * joint
  if (parent < 0) return out.set(pose.subarray(at0, at0 + 3), at)
  const from = perJoint * parent
  const v = [0, 1, 2].map((k) => pose[at0 + k]! - pose[from + k]!) as [number, number, number]
  const [w, x, y, z] = [pose[from + 3]!, -pose[from + 4]!, -pose[from + 5]!, -pose[from + 6]!]
  const t = [2 * (y * v[2] - z * v[1]), 2 * (z * v[0] - x * v[2]), 2 * (x * v[1] - y * v[0])] as const
  out.set([v[0] + w * t[0] + y * t[2] - z * t[1], v[1] + w * t[1] + z * t[0] - x * t[2], v[2] + w * t[2] + x * t[1] - y * t[0]], at)
}
