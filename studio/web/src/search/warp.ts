// warp.ts - frames of a clip put to another timing: what lies between two frames is interpolated. No DOM here.
import { decodeFrames, type FrameBlock } from '../frames'

const headBytes = 40

/** Turns the shorter way, straight and normalised, as the viewer does between frames. */
function mixTurns(from: FrameBlock, row: number, next: number, share: number, out: Float32Array, at: number): void {
  const { joints, rotations } = from
  for (let j = 0; j < joints; j++) {
    const a = 4 * (row * joints + j)
    const b = 4 * (next * joints + j)
    let dot = 0
    for (let k = 0; k < 4; k++) dot += rotations[a + k]! * rotations[b + k]!
    const other = dot < 0 ? -share : share
    let length = 0
    for (let k = 0; k < 4; k++) {
      const value = (1 - share) * rotations[a + k]! + other * rotations[b + k]!
      out[at + 4 * j + k] = value
      length += value * value
    }
    const scale = 1 / (Math.sqrt(length) || 1)
    for (let k = 0; k < 4; k++) out[at + 4 * j + k]! *= scale
  }
}

function mixPlaces(from: FrameBlock, row: number, next: number, share: number, out: Float32Array, at: number): void {
  const wide = 3 * from.places
  const { translations } = from
  for (let k = 0; k < wide; k++) {
    out[at + k] = (1 - share) * translations[row * wide + k]! + share * translations[next * wide + k]!
  }
}

/** As /api/clips/ID/frames lays frames out: one for each of `times`, which are frames of the clip, not whole ones. */
export function warped(motion: ArrayBuffer, times: readonly number[], fps: number): ArrayBuffer {
  const from = decodeFrames(motion)
  const { joints, places } = from
  const count = times.length
  const out = new ArrayBuffer(headBytes + count * (12 * places + 16 * joints))
  const head = new DataView(out)
  ;[0x4659524d, 1, count, joints, 0, 1, places, 0].forEach((each, i) => head.setUint32(4 * i, each, true))
  head.setFloat64(32, fps, true)
  const turns = new Float32Array(out, headBytes + count * 12 * places)
  const where = new Float32Array(out, headBytes, count * 3 * places)
  times.forEach((time, i) => {
    const at = Math.max(0, Math.min(from.frames - 1, time - from.start))
    const row = Math.floor(at)
    const next = Math.min(row + 1, from.frames - 1)
    mixTurns(from, row, next, at - row, turns, 4 * i * joints)
    mixPlaces(from, row, next, at - row, where, 3 * i * places)
  })
  return out
}
