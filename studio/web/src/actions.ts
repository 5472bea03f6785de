// actions.ts - everything the page does to the library. Buttons and keys call these; each shows the command line that
// does the same, and tells in the server's words what went wrong.
import { api, type Card, type CardList, type ImportResult, type Stretch } from './api'
import { attempt } from './attempt'
import { finished } from './jobs'
import { undoOf } from './history'
import { withoutPreviews } from './library/preview'
import { prepareTexts } from './library/select'
import { followCards, followContents } from './open_clips'
import { act, lineOf, showCommand } from './operations'
import { change, getState, renewStrips, tell, type Filter } from './store'
import { plants } from './timeline/contact_state'
import { plural, t } from './words/words'

export interface PickedFile {
  path: string
  file: Blob
}

/** The server takes no more in one request. */
const mostFiles = 4096
const mostBytes = 256 * 1024 * 1024

let picked: PickedFile[] = []
let refreshTimer = 0
let commandTimer = 0
/** Of the library, as the lists show it. */
let version = 0
let listNumber = 0
let listShown = 0

function cardsOf(ids: readonly number[]): Card[] {
  const { cards, removedCards } = getState()
  const all = new Map([...cards, ...removedCards].map((card) => [card.id, card]))
  return ids.flatMap((id) => all.get(id) ?? [])
}

function nameThem(cards: readonly Card[]): string {
  return cards.length === 1 ? cards[0]!.name : plural(cards.length, 'clip')
}

// Lists

/** The cards as they are, by what changed: those that did not stay the same objects, and nothing of them is made again. */
export function mergeCards(before: readonly Card[], { clips, gone }: Pick<CardList, 'clips' | 'gone'>): readonly Card[] {
  if (clips.length === 0 && !gone?.length) return before
  const fresh = new Map(clips.map((card) => [card.id, card]))
  const left = new Set(gone)
  const kept = before.filter(({ id }) => !left.has(id)).map((card) => {
    const changed = fresh.get(card.id)
    fresh.delete(card.id)
    return changed ?? card
  })
  return [...kept, ...fresh.values()]
}

async function fetchLists(): Promise<void> {
  const number = ++listNumber
  const [about, some, removed] = await Promise.all([api.about(), api.clips(version), api.removedClips()])
  // Answers may overtake each other; an older one says nothing any more.
  if (number < listShown) return
  // One that builds on another list than that which is shown has to be had whole.
  const fits = some.since === undefined || some.since === version
  const present = fits ? some : await api.clips()
  if (number < listShown) return
  listShown = number
  const cards = present.since === undefined ? present.clips : mergeCards(getState().cards, present)
  const removedCards = removed.clips.filter((card) => card.removed)
  const known = new Set([...cards, ...removedCards].map((card) => card.id))
  const selected = new Set([...getState().selected].filter((id) => known.has(id)))
  change({ about, cards, removedCards, selected, loaded: true })
  document.title = t`${about.library.name} · marey studio`
  version = present.version
  plants.keepOnly(known)
  followCards()
  prepareTexts(present.clips)
}

export async function loadLists(): Promise<void> {
  await attempt(async () => {
    const known = api.operations().then(({ operations }) =>
      change({ operations: new Map(operations.map((operation) => [operation.name, operation])) }),
    )
    await Promise.all([known, fetchLists()])
  })
}

/** Loads the lists and what is open again, soon: changes often come in bunches. */
export function refresh(): void {
  clearTimeout(refreshTimer)
  refreshTimer = window.setTimeout(() => void attempt(catchUp), 120)
}

async function catchUp(): Promise<void> {
  const before = version
  await fetchLists()
  // Unless it was made here and is known, the change may have been one of plants, which the strips show.
  if (version !== before) renewStrips()
  await followContents()
}

/** The command that lists what the library shows; null where none lists exactly this. */
export function listCommand({ text, labels, removed, skeleton, shortest_s, longest_s }: Filter): string | null {
  const words = text.split(/\s+/).filter(Boolean)
  const narrowed = skeleton !== '' || shortest_s > 0 || longest_s > 0
  if (narrowed || labels.length > 1 || (removed && words.length + labels.length > 0)) return null
  return lineOf('ls', { words, label: labels[0], removed })
}

/** The list follows at once; its command line after `pause_ms`, so that not every key of a word leaves one, and not if
 *  something else was done by then. */
export function setFilter(fields: Partial<Filter>, pause_ms = 0): void {
  const before = getState().filter
  const filter = { ...before, ...fields }
  // What is looked for is to be seen.
  change({ filter, compare: null, making: 'none', ...(filter.removed !== before.removed && { selected: new Set<number>() }) })
  const { command } = getState()
  const show = () => getState().command === command && showCommand(listCommand(getState().filter))
  clearTimeout(commandTimer)
  if (pause_ms > 0) commandTimer = window.setTimeout(show, pause_ms)
  else show()
}

export function clearFilter(): void {
  const filter: Filter = { ...getState().filter, text: '', labels: [], skeleton: '', shortest_s: 0, longest_s: 0 }
  change({ filter })
  showCommand(listCommand(filter))
}

// Clips. A command line is made before its action: it names the clips as they are called by then.

interface Edit {
  add?: string[]
  drop?: string[]
  describe?: string
  licence?: string
}

export async function editClips(ids: readonly number[], how: Edit): Promise<boolean> {
  return attempt(async () => {
    const cards = cardsOf(ids)
    const done = await act('label', { clips: [...ids], ...how })
    tell(editText(how, nameThem(cards)), 'info', undoOf(done))
    await fetchLists()
  })
}

function editText({ add = [], drop = [], describe, licence }: Edit, what: string): string {
  if (add.length && !drop.length) return t`Labelled ${what} ${add.join(', ')}`
  if (drop.length && !add.length) return t`Took ${drop.join(', ')} off ${what}`
  if (add.length) return t`Changed the labels of ${what}`
  if (describe !== undefined) return t`Described ${what}`
  return licence === undefined ? t`Changed ${what}` : t`Set the licence of ${what}`
}

/** Frames [start, end) of a clip. */
export interface Frames {
  clip: number
  start: number
  end: number
}

/** Those of some frames that have a label, or that have it not. */
export function framesHaving(frames: Frames, stretches: readonly Stretch[], label: string, having: boolean): Frames[] {
  const { clip, start, end } = frames
  const inside = stretches
    .filter((one) => one.label === label && one.start < end && one.end > start)
    .map((one) => ({ clip, start: Math.max(one.start, start), end: Math.min(one.end, end) }))
    .sort((a, b) => a.start - b.start)
  if (having) return inside
  const edges = [start, ...inside.flatMap((one) => [one.start, one.end]), end]
  const between = Array.from({ length: inside.length + 1 }, (_, i) => ({ clip, start: edges[2 * i]!, end: edges[2 * i + 1]! }))
  return between.filter((one) => one.start < one.end)
}

/** Puts labels on frames, or takes them off, and offers the way back. */
export async function labelFrames(all: readonly Frames[], labels: readonly string[], on: boolean, what: string): Promise<boolean> {
  return attempt(async () => {
    const done = await act('label', { clips: [...all], [on ? 'add' : 'drop']: [...labels] })
    const names = labels.join(', ')
    const told = on ? t`Labelled ${what} ${names}` : t`Took ${names} off ${what}`
    tell(told, 'info', undoOf(done))
    await fetchLists()
  })
}

export async function renameClip(id: number, name: string): Promise<boolean> {
  return attempt(async () => {
    const [before] = cardsOf([id])
    const done = await act('rename', { clip: id, to: name })
    tell(t`Renamed ${before?.name ?? t('the clip')} to ${name}`, 'info', undoOf(done))
    await fetchLists()
  })
}

function deselect(ids: readonly number[]): void {
  const gone = new Set(ids)
  change({ selected: new Set([...getState().selected].filter((id) => !gone.has(id))) })
}

/** From two on. */
const numerals = [t('two'), t('three'), t('four'), t('five'), t('six'), t('seven'), t('eight'), t('nine'), t('ten')]
const kindWords: Record<string, [one: string, several: string]> = {
  registration: [t('one alignment'), t('alignments')],
  family: [t('one family'), t('families')],
  graph: [t('one graph'), t('graphs')],
  cluster: [t('one cluster graph'), t('cluster graphs')],
}

/** ", used by two graphs and one family" */
function usersText(kinds: readonly string[]): string {
  const words = [...new Set(kinds)].map((kind) => {
    const count = kinds.filter((one) => one === kind).length
    const [one, several] = kindWords[kind] ?? [`1 ${kind}`, `${kind}s`]
    return count === 1 ? one : `${numerals[count - 2] ?? count} ${several}`
  })
  return words.length ? t`, used by ${words.join(t(' and '))}` : ''
}

export async function removeClips(ids: readonly number[]): Promise<void> {
  await attempt(async () => {
    const cards = cardsOf(ids)
    await withoutPreviews(async () => {
      const done = await act<{ used_by: { kind: string }[] }>('rm', { clips: [...ids] })
      deselect(ids)
      tell(t`Removed ${nameThem(cards)}${usersText(done.used_by.map(({ kind }) => kind))}`, 'info', undoOf(done))
      await fetchLists()
    })
  })
}

export async function restoreClips(ids: readonly number[]): Promise<void> {
  await attempt(async () => {
    const before = cardsOf(ids)
    const done = await act<{ clips: { id: number; name: string }[] }>('restore', { clips: [...ids] })
    const { clips } = done
    await fetchLists()
    const names = new Map(before.map((card) => [card.id, card.name]))
    const renamed = clips.find((clip) => names.has(clip.id) && clip.name !== names.get(clip.id))
    const told = renamed ? t`Restored; the name was taken, so it is now ${renamed.name}` : t`Restored ${nameThem(before)}`
    tell(told, 'info', undoOf(done))
  })
}

/** For good. The purge dialog asks before it calls this. */
export async function purgeClips(ids: readonly number[]): Promise<void> {
  await attempt(async () => {
    const { purged } = await act<{ purged: number }>('rm', { clips: [...ids], purge: true })
    deselect(ids)
    tell(t`Deleted ${plural(purged, 'clip')} for good; what was done before is final, too`)
    await fetchLists()
  })
}

// Import

/** Files that were dropped or chosen and wait for the import dialog. */
export function pickedFiles(): readonly PickedFile[] {
  return picked
}

export function offerFiles(files: PickedFile[]): void {
  if (files.length === 0) {
    tell(t('There was no file in what was dropped'), 'error')
    return
  }
  const bytes = files.reduce((sum, { file }) => sum + file.size, 0)
  if (files.length > mostFiles || bytes > mostBytes) {
    tell(t('The page takes 4096 files and 256 MiB at once; marey add takes more'), 'error')
    return
  }
  picked = files
  change({ dialog: 'import', importJob: 0 })
}

/** Sends the files and follows the import. Breaking off ends the sending, or the import if that has begun. */
export async function importPicked(labels: string[], signal: AbortSignal): Promise<void> {
  await attempt(async () => {
    let job: number
    try {
      job = (await api.importFiles(picked, labels, signal)).job
    } catch (cause) {
      if (signal.aborted) return
      throw cause
    }
    if (signal.aborted) return void (await api.cancel(job))
    // A folder once instead of every file in it, as one would type it.
    const files = [...new Set(picked.map(({ path }) => path.split('/')[0]!))]
    showCommand(lineOf('add', { files, label: labels }))
    picked = []
    await follow(job)
  })
}

export async function addDemo(): Promise<void> {
  await attempt(async () => {
    const { job } = await act<{ job: number }>('add', { demo: true })
    change({ dialog: 'import' })
    const over = await follow(job)
    if (over.state !== 'done') return
    const result = over.result as ImportResult
    const added = result.added.length
    tell(added ? t`Added ${plural(added, 'demo clip')}` : t('The demo is there already'), 'info', undoOf(result))
    if (getState().dialog === 'import') change({ dialog: 'none', importJob: 0 })
  })
}

/** Waits for an import's end, which its dialog shows. */
async function follow(number: number) {
  change({ importJob: number })
  const job = await finished(number)
  await fetchLists()
  return job
}
