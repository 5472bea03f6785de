// contact_edit.ts - the rules of editing foot plants: they stay inside the clip, last at least a frame, and
// never overlap another of the same joint. Lists are never changed in place; a change that does nothing gives
// the same list. No DOM here.
import type { Contact } from '../api'
import { clamp } from './scale'

export const contactJoints = ['left_heel', 'left_toe', 'right_heel', 'right_toe'] as const

export type Part = 'start' | 'end' | 'whole'

function order(joint: string): number {
  const at = (contactJoints as readonly string[]).indexOf(joint)
  return at < 0 ? contactJoints.length : at
}

/** By joint, then by time: neighbours in the list are neighbours on the row. */
export function sorted(contacts: readonly Contact[]): Contact[] {
  return [...contacts].sort((a, b) => order(a.joint) - order(b.joint) || a.start - b.start)
}

/** The frames that the plant at `at` may lie in: from its left neighbour's end to its right neighbour's
    start. */
export function room(
  contacts: readonly Contact[],
  at: number,
  frames: number,
): { low: number; high: number } {
  const { joint } = contacts[at]
  const before = contacts[at - 1]
  const after = contacts[at + 1]
  return {
    low: before?.joint === joint ? before.end : 0,
    high: after?.joint === joint ? after.start : frames,
  }
}

/** Moves a plant or one of its ends by so many frames, as far as there is room. */
export function move(contacts: Contact[], at: number, part: Part, by: number, frames: number): Contact[] {
  const plant = contacts[at]
  const { low, high } = room(contacts, at, frames)
  let { start, end } = plant
  if (part === 'start') start = clamp(start + by, low, end - 1)
  else if (part === 'end') end = clamp(end + by, start + 1, high)
  else {
    const shift = clamp(by, low - start, high - end)
    start += shift
    end += shift
  }
  if (start === plant.start && end === plant.end) return contacts
  return contacts.map((each, i) => (i === at ? { ...each, start, end } : each))
}

/** Plants `joint` around a frame for about `length` frames, less where there is less room. Same list: already
    planted. */
export function add(
  contacts: Contact[],
  joint: string,
  frame: number,
  length: number,
  frames: number,
): Contact[] {
  const row = contacts.filter((each) => each.joint === joint)
  const planted = row.some((each) => each.start <= frame && frame < each.end)
  if (planted || frame < 0 || frame >= frames) return contacts
  const low = Math.max(0, ...row.filter((each) => each.end <= frame).map((each) => each.end))
  const high = Math.min(frames, ...row.filter((each) => each.start > frame).map((each) => each.start))
  const long = clamp(length, 1, high - low)
  const start = clamp(frame - Math.floor(long / 2), low, high - long)
  return sorted([...contacts, { joint, start, end: start + long }])
}

export function remove(contacts: Contact[], at: number): Contact[] {
  return contacts.filter((_, i) => i !== at)
}

export function same(a: readonly Contact[], b: readonly Contact[]): boolean {
  return (
    a.length === b.length &&
    a.every((each, i) => each.joint === b[i].joint && each.start === b[i].start && each.end === b[i].end)
  )
}

/** "left heel planted, frames 120 to 143": the last frame is named, not the one behind it. */
export function plantName(plant: Contact): string {
  return `${plant.joint.replace('_', ' ')} planted, frames ${plant.start} to ${plant.end - 1}`
}

/** The plant of `joint` that is nearest to a frame, or -1. */
export function nearest(contacts: readonly Contact[], joint: string, frame: number): number {
  let best = -1
  let least = Infinity
  contacts.forEach((each, i) => {
    if (each.joint !== joint) return
    const away = Math.max(each.start - frame, frame - (each.end - 1), 0)
    if (away < least) {
      least = away
      best = i
    }
  })
  return best
}

export interface History {
  past: Contact[][]
  now: Contact[]
  future: Contact[][]
}

const remembered = 200

export function begin(contacts: readonly Contact[]): History {
  return { past: [], now: sorted(contacts), future: [] }
}

export function commit(history: History, now: Contact[]): History {
  if (same(history.now, now)) return history
  return { past: [...history.past, history.now].slice(-remembered), now, future: [] }
}

export function undo(history: History): History {
  const now = history.past[history.past.length - 1]
  if (!now) return history
  return { past: history.past.slice(0, -1), now, future: [history.now, ...history.future] }
}

export function redo(history: History): History {
  const now = history.future[0]
  if (!now) return history
  return { past: [...history.past, history.now], now, future: history.future.slice(1) }
}
