// nearest.ts - the example that is nearest to what is wanted, in the view beside the motion that was made: as long as that, and
// from the same place.
import { api, type Family } from '../api'
import { bareClip } from '../making/made'
import type { Shown } from '../store'
import { warped } from '../search/warp'
import type { Answer } from './answer'
import { broughtToZero, standingOf } from './standing'

const firstId = -30

interface Kept {
  family: Family
  example: number
  motion: Promise<{ shown: Shown; motion: ArrayBuffer }>
}

/** The last one: a drag asks for the same again and again. */
let kept: Kept | null = null

async function fetchExample(family: Family, number: number, zero: boolean) {
  const { id, start, end, clip: name } = family.examples[number]!
  const [clip, frames] = await Promise.all([api.clip(id), api.frames(id, start, end)])
  const motion = zero ? broughtToZero(frames, clip, await standingOf(clip, frames)) : frames
  const own = bareClip(clip, firstId - number, `${name} ${start}–${end - 1}`, end - start)
  const shown: Shown = { clip: own, alignFrame: 0 }
  return { shown, motion }
}

/** None if its clip cannot be had. */
export async function exampleShown(family: Family, answer: Answer, zero: boolean): Promise<Shown[]> {
  if (kept?.family !== family || kept.example !== answer.nearest) {
    kept = { family, example: answer.nearest, motion: fetchExample(family, answer.nearest, zero) }
  }
  try {
    const { shown, motion } = await kept.motion
    const { frames, fps } = answer
    const first = new DataView(motion).getUint32(16, true)
    const scale = (new DataView(motion).getUint32(8, true) - 1) / Math.max(1, frames - 1)
    const times = Array.from({ length: frames }, (_, i) => first + i * scale)
    const clip = { ...shown.clip, frames, fps, seconds: frames / fps }
    return [{ ...shown, clip, motion: warped(motion, times, fps) }]
  } catch {
    kept = null
    return []
  }
}
