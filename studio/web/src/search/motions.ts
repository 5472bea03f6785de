// motions.ts - the frames of matches, fetched once: for their strips, and for the viewer in the query's timing.
import { api, type Clip, type Match } from '../api'
import { ClipFrames, decodeFrames, type FrameBlock } from '../frames'
import { bareClip, framesFrom } from '../making/made'
import type { Shown } from '../store'
import { keyOf } from './match_data'

// Frames of a clip put to another timing: what lies between two frames is interpolated.

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

/** Of one segment: its frames alone. */
export interface Motion {
  clip: Clip
  frames: ArrayBuffer
}

/** A few hundred short segments; what was not needed for longest goes first. */
const mostKept = 300

const clips = new Map<number, Promise<Clip>>()
const motions = new Map<string, Promise<Motion>>()

/** Another program may have changed a clip: what is known of it is asked for again. */
export function forgetMotions(): void {
  clips.clear()
  motions.clear()
}

/** Remembers what `ask` gives, unless it fails. */
function once<Key, Value>(kept: Map<Key, Promise<Value>>, key: Key, ask: () => Promise<Value>): Promise<Value> {
  const before = kept.get(key)
  const now = before ?? ask()
  kept.delete(key)
  kept.set(key, now)
  if (!before) now.catch(() => kept.get(key) === now && kept.delete(key))
  for (const oldest of kept.keys()) if (kept.size > mostKept) kept.delete(oldest)
  return now
}

export function clipOf(id: number): Promise<Clip> {
  return once(clips, id, () => api.clip(id))
}

type Segment = Pick<Match, 'clip' | 'start' | 'end'>

export function motionOf(segment: Segment): Promise<Motion> {
  const { clip, start, end } = segment
  return once(motions, keyOf(segment), async () => {
    const [known, frames] = await Promise.all([clipOf(clip), api.frames(clip, start, end)])
    return { clip: known, frames }
  })
}

/** Its poses, which can be asked for at once. */
export async function posesOf({ clip, frames }: Motion): Promise<ClipFrames> {
  const count = new DataView(frames).getUint32(8, true)
  const poses = new ClipFrames({ ...clip, id: -1, frames: count }, framesFrom(frames))
  await poses.load()
  if (poses.error) throw poses.error
  return poses
}

/** In the viewer: `times` are the match's frames for each frame of the query, at the query's rate. */
export function asShown(id: number, match: Match, motion: Motion, times: readonly number[], fps: number): Shown {
  const name = `${match.name} ${match.start}–${match.end - 1}`
  const clip = bareClip(motion.clip, id, name, times.length, fps)
  return { clip, alignFrame: 0, motion: warped(motion.frames, times, fps) }
}
