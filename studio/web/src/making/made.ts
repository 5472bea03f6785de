// made.ts - a clip that the server made and did not keep: its bytes, what is known of it, and how the viewer shows it. No
// DOM here.
import type { Clip, Contact, Mark } from '../api'
import type { FetchFrames } from '../frames'
import type { Shown } from '../store'
import { t } from '../words/words'

export interface Fault {
  kind: string
  value: number
  limit: number
  unit: string
  about: string
  /** Where it is, if that is known. */
  frame?: number
}

/** What the server says of a made clip, as docs/studio-api.md names it. */
export interface MadeFacts {
  frames: number
  fps: number
  contacts: Contact[]
  cleaned: boolean
  slide_before_cm: number | null
  slide_after_cm: number | null
  jump_ratio: number | null
  knee_ratio: number | null
  root_moved_cm: number
  stretched: number
  /** What an eye sees. */
  faults: Fault[]
  /** Transitions: frames [from_a_end, from_b_start) were made, the others are the clips' own. */
  half?: number
  from_a_end?: number
  from_b_start?: number
}

export interface Made {
  facts: MadeFacts
  motion: ArrayBuffer
}

/** Marks the frames of a transition that are neither clip's own. */
export const madeMark = 'blended'
/** Marks a frame where an eye sees something. */
export const faultMark = 'fault'

/** "it turns faster than the actors do: 410 degrees/s, at most 360" */
export function faultText({ about, value, limit, unit }: Fault): string {
  const digits = limit < 10 ? 2 : 0
  return t`${about}: ${value.toFixed(digits)} ${unit}, at most ${limit.toFixed(digits)}`
}

/** One mark for each frame that has some. */
export function faultMarks(faults: readonly Fault[]): Mark[] {
  const frames = [...new Set(faults.flatMap(({ frame }) => frame ?? []))].sort((a, b) => a - b)
  return frames.map((start) => {
    const about = faults.filter(({ frame }) => frame === start).map(faultText).join('; ')
    return { kind: faultMark, about, start, end: start + 1 }
  })
}

const headBytes = 16
const frameHeadBytes = 40

/** Throws if these bytes are no made clip. */
export function readMade(buffer: ArrayBuffer): Made {
  const view = new DataView(buffer)
  const isMade = buffer.byteLength >= headBytes && view.getUint32(0, false) === 0x4d52594d
  if (!isMade || view.getUint32(4, true) !== 1) throw new Error(t('the studio sent something that is no made clip'))
  const length = view.getUint32(8, true)
  if (buffer.byteLength < headBytes + length + frameHeadBytes) throw new Error(t('the studio sent half a made clip'))
  const facts = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, headBytes, length))) as MadeFacts
  return { facts, motion: buffer.slice(headBytes + length) }
}

/** Frames start, start + step .. of all frames, laid out as the server lays them out. */
function slice(motion: ArrayBuffer, start: number, end: number, step: number): ArrayBuffer {
  const head = new DataView(motion)
  const [frames, joints, places] = [8, 12, 24].map((at) => head.getUint32(at, true))
  const count = Math.ceil((Math.min(end, frames) - start) / step)
  const out = new Uint8Array(frameHeadBytes + count * (12 * places + 16 * joints))
  const from = new Uint8Array(motion)
  out.set(from.subarray(0, frameHeadBytes))
  const told = new DataView(out.buffer)
  told.setUint32(8, count, true)
  told.setUint32(16, start, true)
  told.setUint32(20, step, true)
  const turnsFrom = frameHeadBytes + frames * 12 * places
  const turnsTo = frameHeadBytes + count * 12 * places
  for (let i = 0; i < count; i++) {
    const frame = start + i * step
    const at = frameHeadBytes + frame * 12 * places
    out.set(from.subarray(at, at + 12 * places), frameHeadBytes + i * 12 * places)
    const turn = turnsFrom + frame * 16 * joints
    out.set(from.subarray(turn, turn + 16 * joints), turnsTo + i * 16 * joints)
  }
  return out.buffer
}

/** What fetches frames of a clip whose frames are all here. */
export function framesFrom(motion: ArrayBuffer): FetchFrames {
  return async (_, start, end, step = 1) => slice(motion, start, end, step)
}

/** What has the bones of a clip and nothing else of it: no labels, marks or plants. */
export function bareClip(like: Clip, id: number, name: string, frames: number, fps = like.fps): Clip {
  const plain = { labels: [], stretches: [], description: '', source: '', made: true, marks: [], contacts: [], contacts_set: true }
  return { ...like, ...plain, has_channels: false, id, name, frames, fps, seconds: frames / fps }
}

/** A made clip on the page: all but its motion is as in the clip whose skeleton it has. `id` is negative. */
export function asShownClip(id: number, name: string, like: Clip, { facts, motion }: Made, alignFrame = 0): Shown {
  const { frames, fps, contacts, from_a_end: start, from_b_start: end } = facts
  const blended = start === undefined || end === undefined ? [] : [{ kind: madeMark, start, end }]
  const marks = [...blended, ...faultMarks(facts.faults)]
  return { clip: { ...bareClip(like, id, name, frames, fps), marks, contacts }, alignFrame, motion }
}

/** The frame of a made transition at which the frames of the cut lie on each other. */
export function centreOf({ from_a_end = 0, from_b_start = 1 }: MadeFacts): number {
  return Math.max(0, Math.floor((from_a_end + from_b_start - 1) / 2))
}
