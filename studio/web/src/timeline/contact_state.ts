// contact_state.ts - the leading clip's plants of feet and hands while they are edited: kept per clip until saved or
// reverted, so that looking at another clip meanwhile loses nothing.
import type { Clip, Contact } from '../api'
import { messageOf } from '../attempt'
import { Changes } from '../changes'
import { joinHistory, undoOf } from '../history'
import { act } from '../operations'
import { roleName } from '../role_names'
import { change, getState, renewStrips, tell } from '../store'
import { t } from '../words/words'
import { clamp } from './scale'

// The rules of editing plants: they stay inside the clip, last at least a frame, and never overlap another of the same
// joint. Lists are never changed in place; a change that does nothing gives the same list.

export const contactJoints = ['left_heel', 'left_toe', 'right_heel', 'right_toe', 'left_hand', 'right_hand'] as const

/** The joints that get a row: those of the feet, and the hands where one is planted. */
export function rowJoints(contacts: readonly { joint: string }[]): readonly string[] {
  return contactJoints.slice(0, contacts.some(({ joint }) => joint.endsWith('hand')) ? 6 : 4)
}

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
  return t`${roleName(plant.joint)} planted, frames ${plant.start} to ${plant.end - 1}`
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

interface Draft {
  saved: Contact[]
  history: History
}

class ContactState extends Changes {
  private readonly drafts = new Map<number, Draft>()
  private clip: Clip | null = null
  /** While a bar is dragged: what it would become. */
  private dragged: Contact[] | null = null
  /** The plant that Tab comes to, as a place in `now`. */
  focused = 0
  /** The plant that is to get the focus once it is drawn, or -1. */
  focusWanted = -1
  busy = false
  /** When a plant was changed last, in milliseconds since 1970. */
  changedAt = 0

  load(clip: Clip | null): void {
    if (clip?.id !== this.clip?.id) {
      this.dragged = null
      this.focused = 0
      this.focusWanted = -1
    }
    this.clip = clip
    if (clip) {
      const saved = sorted(clip.contacts)
      const draft = this.drafts.get(clip.id)
      if (!draft) this.drafts.set(clip.id, { saved, history: begin(saved) })
      else if (!same(draft.saved, saved)) this.meet(clip, draft, saved)
    }
    this.tell()
  }

  /** Others are in the library now: they win, unless something was changed here and not saved. */
  private meet(clip: Clip, draft: Draft, saved: Contact[]): void {
    const kept = this.dragging || isEdited(draft)
    const history = kept ? draft.history : begin(saved)
    this.drafts.set(clip.id, { saved, history })
    // An error stays until it is closed, and this one must be seen before the next save.
    const choice = t('Yours are shown: Save replaces those, Revert shows them.')
    if (kept && !same(saved, history.now)) tell(t`Contacts of ${clip.name} were changed elsewhere. ${choice}`, 'error')
  }

  /** Forgets what was edited of clips that are in the library no more. */
  keepOnly(ids: ReadonlySet<number>): void {
    for (const id of this.drafts.keys()) if (id > 0 && !ids.has(id)) this.drafts.delete(id)
  }

  /** Something of a clip in the list was changed and not saved. */
  get unsaved(): boolean {
    return getState().cards.some(({ id }) => isEdited(this.drafts.get(id)))
  }

  private get draft(): Draft | undefined {
    return this.clip ? this.drafts.get(this.clip.id) : undefined
  }

  get now(): Contact[] {
    return this.dragged ?? this.draft?.history.now ?? []
  }

  get dragging(): boolean {
    return this.dragged !== null
  }

  get edited(): boolean {
    return isEdited(this.draft)
  }

  get canUndo(): boolean {
    return !!this.draft?.history.past.length
  }

  get canRedo(): boolean {
    return !!this.draft?.history.future.length
  }

  private put(history: History): void {
    const draft = this.draft
    if (!this.clip || !draft) return
    this.drafts.set(this.clip.id, { ...draft, history })
    this.changedAt = Date.now()
    this.focused = Math.max(0, Math.min(this.focused, history.now.length - 1))
    this.tell()
  }

  focus(at: number): void {
    if (at === this.focused) return
    this.focused = at
    this.tell()
  }

  moveFocus(at: number): void {
    this.focused = at
    this.focusWanted = at
    this.tell()
  }

  /** What is in no library has the plants that it was made with. */
  get fixed(): boolean {
    return this.clip !== null && this.clip.id < 0
  }

  commit(contacts: Contact[]): void {
    const draft = this.draft
    if (draft && !this.fixed) this.put(commit(draft.history, contacts))
  }

  drag(at: number, part: Part, by: number): void {
    const draft = this.draft
    if (!draft?.history.now[at] || !this.clip || this.fixed) return
    this.dragged = move(draft.history.now, at, part, by, this.clip.frames)
    this.tell()
  }

  drop(keep: boolean): void {
    const dragged = this.dragged
    this.dragged = null
    if (keep && dragged) this.commit(dragged)
    this.tell()
  }

  undo(): void {
    if (this.draft) this.put(undo(this.draft.history))
  }

  redo(): void {
    if (this.draft) this.put(redo(this.draft.history))
  }

  revert(): void {
    if (this.draft) this.commit(this.draft.saved)
  }

  save(): Promise<void> {
    return this.send(this.draft?.history.now ?? [])
  }

  /** Forgets what was set, so that they are found in the motion. */
  findAgain(): Promise<void> {
    return this.send(null)
  }

  private async send(contacts: Contact[] | null): Promise<void> {
    const clip = this.clip
    if (!clip || this.busy) return
    const before = this.draft?.history.now ?? []
    this.busy = true
    this.tell()
    try {
      const change = contacts ? { set: { contacts } } : { forget: true }
      const kept = await act<{ contacts: Contact[]; contacts_set: boolean }>('contacts', { clip: clip.id, ...change })
      this.settle(clip.id, before, sorted(kept.contacts))
      replaceContacts(clip.id, kept.contacts, kept.contacts_set)
      renewStrips(clip.id)
      tell(t`Contacts of ${clip.name} ${kept.contacts_set ? t('saved') : t('found in its motion')}`, 'info', undoOf(kept))
    } catch (error) {
      tell(messageOf(error), 'error')
    }
    this.busy = false
    this.tell()
  }

  /** They are in the library. What was edited since they were sent stays, and is still to be saved. */
  private settle(id: number, sent: Contact[], saved: Contact[]): void {
    const draft = this.drafts.get(id)
    const dragging = this.dragging && this.clip?.id === id
    const untouched = !draft || (same(draft.history.now, sent) && !dragging)
    this.drafts.set(id, { saved, history: untouched ? begin(saved) : draft.history })
  }
}

function isEdited(draft: Draft | undefined): boolean {
  return !!draft && !same(draft.saved, draft.history.now)
}

/** The viewer draws footprints from the shown clip, so it gets a copy that has the new plants. */
function replaceContacts(id: number, contacts: Contact[], contacts_set: boolean): void {
  const shown = getState().shown.map((each) =>
    each.clip.id === id ? { ...each, clip: { ...each.clip, contacts, contacts_set } } : each,
  )
  change({ shown })
  plants.load(shown[0]?.clip ?? null)
}

export const plants = new ContactState()
joinHistory(plants)
