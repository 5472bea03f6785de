// open_clips.ts - the clips in the viewer: opening them, and following what becomes of them in the library.
import { api, type Clip } from './api'
import { attempt } from './attempt'
import { capturedFrames } from './frames'
import { showCommand, showLine } from './operations'
import { player } from './player'
import { change, getState, tell, type Shown } from './store'
import { t } from './words/words'

/** More figures than this at once cannot be distinguished. */
const mostTogether = 10

/** Of the last opening: an answer to an earlier one comes too late. */
let openNumber = 0
let opening: Promise<unknown> = Promise.resolve()
let followNumber = 0

function asShown(clips: readonly Clip[]): Shown[] {
  return clips.map((clip) => ({ clip, alignFrame: capturedFrames(clip).start }))
}

function show(clips: Clip[]): void {
  const leader = clips[0]!
  const joints = new Set(leader.joints.map((joint) => joint.name))
  const { curves, view } = getState()
  player.set({ playing: false })
  change({
    shown: asShown(clips),
    making: 'none',
    segment: null,
    curves: curves.filter((name) => joints.has(name.slice(0, name.lastIndexOf('.')))),
    view: { ...view, trails: view.trails.filter((joint) => joint < leader.joints.length) },
  })
  player.load(leader.frames, leader.fps, capturedFrames(leader))
}

/** Opens clips in the viewer, the first one leading. Whatever was being opened before is not wanted any more. */
export async function openClips(ids: readonly number[]): Promise<void> {
  const some = ids.slice(0, mostTogether)
  if (some.length === 0) return
  if (ids.length > some.length) tell(t`the first ${mostTogether} of ${ids.length} clips are opened`)
  const number = ++openNumber
  opening = attempt(async () => {
    try {
      const clips = await Promise.all(some.map((id) => api.clip(id)))
      if (number !== openNumber) return
      show(clips)
      showCommand(showLine(clips))
    } catch (cause) {
      if (number === openNumber) throw cause
    }
  })
  await opening
}

/** The clips that are not open yet and for which there is room. */
function roomFor<T>(all: readonly T[], idOf: (one: T) => number): T[] {
  const open = new Set(getState().shown.map(({ clip }) => clip.id))
  const fresh = all.filter((one) => !open.has(idOf(one)))
  const room = mostTogether - open.size
  if (fresh.length > room) {
    const added = room === 1 ? t('only one more is added') : t`only ${room} more are added`
    const full = t`${mostTogether} clips are open, and more are not shown together`
    tell(room > 0 ? t`No more than ${mostTogether} clips are shown together; ${added}` : full)
  }
  return fresh.slice(0, Math.max(0, room))
}

/** Puts more clips beside those that are open, or about to be. */
export async function addToView(ids: readonly number[]): Promise<void> {
  const number = openNumber
  await opening
  if (number !== openNumber) return
  if (getState().shown.length === 0) return openClips(ids)
  const fresh = roomFor(ids, (id) => id)
  if (fresh.length === 0) return
  await attempt(async () => {
    const clips = await Promise.all(fresh.map((id) => api.clip(id)))
    if (number !== openNumber) return
    change({ shown: [...getState().shown, ...asShown(roomFor(clips, (clip) => clip.id))] })
    showCommand(showLine(getState().shown.map(({ clip }) => clip)))
  })
}

/** Puts other versions of the open clips in the place of these; the segment and the playhead stay with their leader. */
function replaceShown(next: Shown[]): void {
  const before = getState().shown[0]?.clip
  const leader = next[0]?.clip
  const another = leader?.id !== before?.id
  change({ shown: next, ...(another && { segment: null }) })
  if (another) player.load(leader?.frames ?? 0, leader?.fps ?? 30, leader && capturedFrames(leader))
}

/** It was made here and is in no library. */
export function isUnsaved({ id }: Pick<Clip, 'id'>): boolean {
  return id < 0
}

/** Clips that are open get the names and words of their cards, or leave when they were removed. */
export function followCards(): void {
  const { cards, shown } = getState()
  const present = new Map(cards.map((card) => [card.id, card]))
  const kept = shown.filter(({ clip }) => present.has(clip.id) || isUnsaved(clip))
  const next = kept.map((one) => {
    const card = present.get(one.clip.id)
    if (!card) return one
    const { name, labels, description, licence } = card
    const clip = newer(one.clip, { ...one.clip, name, labels, description, licence })
    return clip === one.clip ? one : { ...one, clip }
  })
  if (next.length < shown.length || next.some((one, i) => one !== kept[i])) replaceShown(next)
}

/** The same object where nothing changed, and the same plants where these did not: drawing them again costs time. */
function newer(now: Clip, told: Clip): Clip {
  const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b)
  const contacts = same(now.contacts, told.contacts) ? now.contacts : told.contacts
  const next = { ...now, ...told, contacts }
  return same(now, next) ? now : next
}

/** Asks for the open clips again: their plants may have been set by another program. */
export async function followContents(): Promise<void> {
  const number = ++followNumber
  const asked = getState().shown.flatMap(({ clip }) => (isUnsaved(clip) ? [] : clip))
  const answers = await Promise.allSettled(asked.map(({ id }) => api.clip(id)))
  if (number !== followNumber) return
  const told = new Map(answers.flatMap((one) => (one.status === 'fulfilled' ? [[one.value.id, one.value]] : [])))
  const { shown } = getState()
  const next = shown.map((one) => {
    const answer = told.get(one.clip.id)
    // What was changed here since it was asked is newer than the answer.
    if (!answer || !asked.includes(one.clip)) return one
    const clip = newer(one.clip, answer)
    return clip === one.clip ? one : { ...one, clip }
  })
  if (next.some((one, i) => one !== shown[i])) replaceShown(next)
}
