// actions.ts - everything the page does to the library. Buttons and keys call these; each shows the command line that
// does the same, and tells in the server's words what went wrong.
import { api, type Card, type Clip, type ImportResult, type Job } from './api'
import { commands, showCommand } from './commands'
import { noteJob } from './live'
import { player } from './player'
import { change, getState, subscribe, tell, type Filter } from './store'

export interface PickedFile {
  path: string
  file: Blob
}

/** The server takes no more in one request. */
const mostFiles = 4096
const mostBytes = 256 * 1024 * 1024
/** More figures than this at once nobody can tell apart. */
export const mostTogether = 10

let picked: PickedFile[] = []
let refreshTimer = 0
let searchNumber = 0

export function plural(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`
}

/** Runs what may fail; false and a notice if it did. */
async function attempt(work: () => Promise<void>): Promise<boolean> {
  try {
    await work()
    return true
  } catch (cause) {
    tell(cause instanceof Error ? cause.message : String(cause), 'error')
    return false
  }
}

function cardsOf(ids: readonly number[]): Card[] {
  const { cards, removedCards } = getState()
  const all = new Map([...cards, ...removedCards].map((card) => [card.id, card]))
  return ids.flatMap((id) => all.get(id) ?? [])
}

function namesOf(ids: readonly number[]): string[] {
  return cardsOf(ids).map((card) => card.name)
}

function nameThem(ids: readonly number[]): string {
  const names = namesOf(ids)
  return names.length === 1 ? names[0]! : plural(names.length, 'clip')
}

// Lists

async function fetchLists(): Promise<void> {
  const [about, present, removed] = await Promise.all([api.about(), api.clips(), api.clips(true)])
  const removedCards = removed.clips.filter((card) => card.removed)
  const known = new Set([...present.clips, ...removedCards].map((card) => card.id))
  const selected = new Set([...getState().selected].filter((id) => known.has(id)))
  change({ about, cards: present.clips.filter((card) => !card.removed), removedCards, selected, loaded: true })
  document.title = `${about.library.name} · marey studio`
  followNames()
  if (getState().filter.text) await search()
}

/** Clips that are open get their new names and labels, or leave when they were removed. */
function followNames(): void {
  const { cards, shown } = getState()
  const present = new Map(cards.map((card) => [card.id, card]))
  const kept = shown.filter(({ clip }) => present.has(clip.id))
  const stale = kept.some(({ clip }) => {
    const card = present.get(clip.id)!
    return card.name !== clip.name || card.labels.join('\n') !== clip.labels.join('\n')
  })
  if (kept.length === shown.length && !stale) return
  const next = kept.map((one) => {
    const { name, labels, description, licence } = present.get(one.clip.id)!
    return { ...one, clip: { ...one.clip, name, labels, description, licence } }
  })
  const leaderChanged = next[0]?.clip.id !== shown[0]?.clip.id
  change({ shown: next, ...(leaderChanged && { segment: null }) })
  if (leaderChanged) player.load(next[0]?.clip.frames ?? 0, next[0]?.clip.fps ?? 30)
}

export async function loadLists(): Promise<void> {
  await attempt(fetchLists)
}

/** Loads the lists soon: changes often come in bunches. */
export function refresh(): void {
  clearTimeout(refreshTimer)
  refreshTimer = window.setTimeout(() => void loadLists(), 120)
}

async function search(): Promise<void> {
  const { text } = getState().filter
  const number = ++searchNumber
  if (!text.trim()) {
    change({ found: null })
    return
  }
  const found = await api.search(text)
  if (number === searchNumber) change({ found: new Set(found.clips.map((card) => card.id)) })
}

export function setFilter(fields: Partial<Filter>): void {
  const before = getState().filter
  const filter = { ...before, ...fields }
  change({ filter, ...(filter.removed !== before.removed && { selected: new Set<number>() }) })
  if (fields.text !== undefined) void attempt(search)
  if (fields.text !== undefined || fields.labels) showCommand(commands.list(filter.text, filter.labels))
}

export function clearFilter(): void {
  const filter: Filter = { ...getState().filter, text: '', labels: [], skeleton: '', shortest_s: 0, longest_s: 0 }
  change({ filter, found: null })
}

// Clips

function show(clips: Clip[]): void {
  const leader = clips[0]!
  const joints = new Set(leader.joints.map((joint) => joint.name))
  const { curves, view } = getState()
  player.set({ playing: false })
  change({
    shown: clips.map((clip) => ({ clip, alignFrame: 0 })),
    segment: null,
    curves: curves.filter((name) => joints.has(name.slice(0, name.lastIndexOf('.')))),
    view: { ...view, trails: view.trails.filter((joint) => joint < leader.joints.length) },
  })
  player.load(leader.frames, leader.fps)
}

/** Opens clips in the viewer, the first one leading. */
export async function openClips(ids: readonly number[]): Promise<void> {
  const some = ids.slice(0, mostTogether)
  if (some.length === 0) return
  if (ids.length > some.length) tell(`the first ${mostTogether} of ${ids.length} clips are opened`)
  await attempt(async () => {
    const clips = await Promise.all(some.map((id) => api.clip(id)))
    show(clips)
    const names = clips.map((clip) => clip.name)
    showCommand(names.length === 1 ? commands.show(names[0]!) : commands.showAll(names))
  })
}

/** Puts more clips beside those that are open. */
export async function addToView(ids: readonly number[]): Promise<void> {
  const open = getState().shown.map(({ clip }) => clip.id)
  if (open.length === 0) return openClips(ids)
  const fresh = ids.filter((id) => !open.includes(id)).slice(0, mostTogether - open.length)
  await attempt(async () => {
    const clips = await Promise.all(fresh.map((id) => api.clip(id)))
    change({ shown: [...getState().shown, ...clips.map((clip) => ({ clip, alignFrame: 0 }))] })
    showCommand(commands.showAll(getState().shown.map(({ clip }) => clip.name)))
  })
}

export async function editClips(
  ids: readonly number[],
  how: { add?: string[]; drop?: string[]; description?: string; licence?: string },
): Promise<boolean> {
  return attempt(async () => {
    await api.edit([...ids], how)
    showCommand(commands.label(namesOf(ids), how))
    await fetchLists()
  })
}

export async function renameClip(id: number, name: string): Promise<boolean> {
  return attempt(async () => {
    const [before] = namesOf([id])
    const answer = await api.rename(id, name)
    showCommand(commands.rename(before!, answer.name))
    await fetchLists()
  })
}

export async function removeClips(ids: readonly number[]): Promise<void> {
  await attempt(async () => {
    const what = nameThem(ids)
    await api.remove([...ids])
    showCommand(commands.remove(namesOf(ids)))
    change({ selected: new Set() })
    tell(`Removed ${what}`, 'info', { label: 'Undo', run: () => void restoreClips(ids) })
    await fetchLists()
  })
}

export async function restoreClips(ids: readonly number[]): Promise<void> {
  await attempt(async () => {
    const before = namesOf(ids)
    const { clips } = await api.restore([...ids])
    showCommand(commands.restore(before))
    await fetchLists()
    const renamed = clips.find((clip) => !before.includes(clip.name))
    tell(renamed ? `Restored; the name was taken, so it is now ${renamed.name}` : `Restored ${nameThem(ids)}`)
  })
}

/** For good. The purge dialog asks before it calls this. */
export async function purgeClips(ids: readonly number[]): Promise<void> {
  await attempt(async () => {
    const names = namesOf(ids)
    const { purged } = await api.purge([...ids])
    showCommand(commands.purge(names))
    change({ selected: new Set() })
    tell(`Deleted ${plural(purged, 'clip')} for good`)
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
    tell('There was no file in what was dropped', 'error')
    return
  }
  const bytes = files.reduce((sum, { file }) => sum + file.size, 0)
  if (files.length > mostFiles || bytes > mostBytes) {
    tell('The page takes 4096 files and 256 MiB at once; marey add takes more', 'error')
    return
  }
  picked = files
  change({ dialog: 'import', importJob: 0 })
}

export async function importPicked(labels: string[]): Promise<void> {
  await attempt(async () => {
    const { job } = await api.importFiles(picked, labels)
    showCommand(commands.add(topPaths(picked), labels))
    picked = []
    await follow(job)
  })
}

/** A folder once instead of every file in it, as one would type it. */
function topPaths(files: readonly PickedFile[]): string[] {
  return [...new Set(files.map(({ path }) => path.split('/')[0]!))]
}

export async function addDemo(): Promise<void> {
  await attempt(async () => {
    const { job } = await api.demo()
    showCommand(commands.demo())
    change({ dialog: 'import' })
    await follow(job)
    const { jobs, dialog } = getState()
    if (jobs.get(job)?.state !== 'done') return
    const result = jobs.get(job)!.result as ImportResult
    tell(result.added.length ? `Added ${plural(result.added.length, 'demo clip')}` : 'The demo is there already')
    if (dialog === 'import') change({ dialog: 'none', importJob: 0 })
  })
}

function isOver(job: Job | undefined): boolean {
  return job !== undefined && job.state !== 'waiting' && job.state !== 'running'
}

/** Until a job is over, or a while has passed. */
function jobOrPause(number: number, pause_ms: number): Promise<void> {
  return new Promise((done) => {
    const end = () => {
      stop()
      clearTimeout(timer)
      done()
    }
    const stop = subscribe(() => isOver(getState().jobs.get(number)) && end())
    const timer = setTimeout(end, pause_ms)
  })
}

/** Waits for a job's end. Its messages come by themselves; asking now and then covers a broken line. */
async function follow(number: number): Promise<void> {
  change({ importJob: number })
  while (!isOver(getState().jobs.get(number))) {
    await jobOrPause(number, 1000)
    if (!isOver(getState().jobs.get(number))) noteJob(await api.job(number))
  }
  await fetchLists()
}

export async function cancelJob(number: number): Promise<void> {
  await attempt(async () => {
    await api.cancel(number)
  })
}
