// motions.ts - the frames of matches, fetched once: for their strips, and for the viewer in the query's timing.
import { api, type Clip, type Match } from '../api'
import { ClipFrames } from '../frames'
import { bareClip, framesFrom } from '../making/made'
import type { Shown } from '../store'
import { keyOf } from './match_data'
import { warped } from './warp'

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
