// opening.ts - opening and closing the panels in the library's place, with the clips or the segment that they work on.
import { api, type Clip, type ExampleBody } from './api'
import { attempt } from './attempt'
import { selectedVisible } from './library/select'
import { isUnsaved, openClips } from './open_clips'
import type { Named } from './operations'
import type { Material } from './param/param_data'
import { partNow, withPart } from './parts'
import { change, getState, tell, type Compare, type PickKind, type Segment, type State } from './store'
import { t } from './words/words'

type Making = Exclude<State['making'], 'none'>

/** The library makes room for the panel, so nothing in it stays selected: keys would act on what cannot be seen. */
function enter(making: Making, fields: Partial<State> = { segment: null, arrangement: 'overlaid' }): void {
  change({ making, compare: null, selected: new Set<number>(), ...fields })
}

export function closeMaking(): void {
  change({ making: 'none' })
}

/** The clips that are selected and could be worked on. */
function selectedIds(): number[] {
  const state = getState()
  return state.filter.removed ? [] : selectedVisible(state).map((card) => card.id)
}

/** The key of a panel: opens it with what is selected; again: back to the library. */
function toggle(making: Making, open: (selected: number[]) => void): void {
  if (getState().making === making) closeMaking()
  else open(selectedIds())
}

/** Asks for the clips, where none fit that are selected or open. */
export function pickClips(pick: PickKind): void {
  change({ pick, dialog: 'pick' })
}

// Compare

export const compareDefaults: Compare = {
  metric: 'points',
  joints: 'equal',
  window: 0,
  attributes: [],
  count: 20,
  minima: true,
}

/** Compares the clips that are open, as they are. */
export function compareOpen(): void {
  if (getState().shown.length < 2) return
  withPart('compare', () => {
    if (getState().shown.length < 2) return
    const compare = getState().compare ?? compareDefaults
    change({ compare, making: 'none', arrangement: 'aligned', selected: new Set<number>() })
  })
}

export function closeCompare(): void {
  if (getState().compare) change({ compare: null })
}

/** Compares two clips, which are opened for it, the first one leading. */
export async function compareClips(ids: readonly number[]): Promise<void> {
  await openClips(ids.slice(0, 2))
  if (getState().shown.length === 2) compareOpen()
}

/** From the doors: the two that are selected, or two that are picked. */
export function openCompare(): void {
  const selected = selectedIds()
  if (selected.length === 2) void compareClips(selected)
  else pickClips('compare')
}

/** Key C: the two that are selected, or else the first two that are open; again: back to the library. */
export function toggleCompare(): void {
  const { compare, shown, making } = getState()
  const selected = selectedIds()
  if (compare) closeCompare()
  else if (selected.length === 2) void compareClips(selected)
  else if (making !== 'none') void compareClips(workedOn())
  else if (shown.length > 1) compareOpen()
  else pickClips('compare')
}

// Transition and blend

export type Mixing = 'transition' | 'blend'

/** As many as the server aligns at once. */
export const mostClips = 9

/** The clips of the library that are being worked on: those of an open panel, or else those in the viewer. */
export function workedOn(): number[] {
  const { making, shown } = getState()
  if (making === 'transition') return partNow('transition')?.transition.clips.map(({ id }) => id) ?? []
  if (making === 'loop') return (partNow('loop')?.looping.clips ?? []).map(({ id }) => id)
  if (making === 'retarget') return partNow('retarget')?.retarget.clips.map(({ id }) => id) ?? []
  if (making === 'blend') return partNow('blend')?.blend.clips.map(({ clip }) => clip.id) ?? []
  return shown.map(({ clip }) => clip.id).filter((id) => id > 0)
}

function fits(kind: Mixing, count: number): boolean {
  return kind === 'transition' ? count === 2 : count >= 2 && count <= mostClips
}

export async function make(kind: Mixing, ids: readonly number[]): Promise<void> {
  if (!fits(kind, ids.length)) return pickClips(kind)
  await attempt(async () => {
    const clips = await Promise.all(ids.map((id) => api.clip(id)))
    if (kind === 'blend') return blendParts(clips.map((clip) => ({ clip, segment: null })))
    withPart('transition', ({ transition }) => {
      enter('transition')
      transition.enter([clips[0]!, clips[1]!])
    })
  })
}

export function blendParts(parts: { clip: Clip; segment: Segment | null }[]): void {
  withPart('blend', ({ blend }) => {
    enter('blend')
    blend.enter(parts)
  })
}

/** From the doors: with what is selected, or else with clips that are picked. */
export function openMixing(kind: Mixing): void {
  const selected = selectedIds()
  void make(kind, fits(kind, selected.length) ? selected : [])
}

/** Keys T and B: of what is selected, or else open. */
export function toggleMaking(kind: Mixing): void {
  const most = kind === 'transition' ? 2 : mostClips
  toggle(kind, (selected) => void make(kind, fits(kind, selected.length) ? selected : workedOn().slice(0, most)))
}

// Loop

export async function makeLoop(id: number): Promise<void> {
  await attempt(async () => {
    const clip = await api.clip(id)
    withPart('loop', ({ looping }) => {
      enter('loop')
      looping.enter(clip)
    })
  })
}

/** From the doors: of the clip that is selected, or of one that is picked. */
export function openLoop(): void {
  const selected = selectedIds()
  if (selected.length === 1) void makeLoop(selected[0]!)
  else pickClips('loop')
}

/** Key A: of the clip that is selected, or else open. */
export function toggleLoop(): void {
  toggle('loop', (selected) => {
    const [id] = selected.length === 1 ? selected : workedOn()
    if (id === undefined) pickClips('loop')
    else void makeLoop(id)
  })
}

// Retarget

/** The motion of the first on the body of the second; of one alone: on that of the first clip with another skeleton. */
export async function makeRetarget(ids: readonly number[]): Promise<void> {
  const { cards } = getState()
  const [first, second] = ids
  const source = cards.find(({ id }) => id === first)
  const others = cards.filter(({ id }) => id !== first)
  const target = second ?? (others.find(({ skeleton }) => skeleton !== source?.skeleton) ?? others[0])?.id
  if (!source || target === undefined || ids.length > 2) return tell(t('Select a clip, and one whose body its motion should get.'))
  await attempt(async () => {
    const clips = await Promise.all([source.id, target].map((id) => api.clip(id)))
    withPart('retarget', ({ retarget }) => {
      enter('retarget', { segment: null })
      retarget.enter(clips)
    })
  })
}

/** From the doors. */
export function openRetarget(): void {
  const selected = selectedIds()
  if (selected.length === 1 || selected.length === 2) void makeRetarget(selected)
  else pickClips('retarget')
}

/** Key H. */
export function toggleRetarget(): void {
  toggle('retarget', (selected) => void makeRetarget(selected.length ? selected : workedOn().slice(0, 2)))
}

// Search

/** A whole clip that is longer is hardly one movement. */
const longestWhole_s = 12

export function closeSearch(): void {
  if (getState().making === 'search') closeMaking()
}

/** More like the marked segment of the leading clip, or like all of it if that is short. */
export function findMore(): void {
  const { shown, segment } = getState()
  const clip = shown[0]?.clip
  if (!clip || isUnsaved(clip)) return tell(t('Open a clip and mark a segment to find more like it.'))
  if (!segment && clip.seconds > longestWhole_s) {
    return tell(t('Mark a segment first: shift-drag on the timeline, or set in and out.'))
  }
  withPart('search', ({ searching }) => {
    if (getState().shown[0]?.clip.id !== clip.id) return
    enter('search', {})
    searching.enter(clip, segment ?? { start: 0, end: clip.frames })
  })
}

/** From the doors: more like the marked segment, or like the clip that is selected or picked. */
export function openFinding(): void {
  const { shown, segment } = getState()
  const selected = selectedIds()
  if (segment && shown[0] && !isUnsaved(shown[0].clip)) findMore()
  else if (selected.length === 1) void findMoreLike(selected[0]!)
  else pickClips('search')
}

/** Key M. */
export function toggleSearch(): void {
  toggle('search', findMore)
}

/** More like a clip that is opened for it. */
export async function findMoreLike(id: number): Promise<void> {
  await openClips([id])
  if (getState().shown[0]?.clip.id === id) findMore()
}

// Motifs

export function openMotifs(): void {
  withPart('motifs', ({ motifs }) => {
    enter('motifs')
    motifs.enter()
  })
}

/** Key Y. */
export function toggleMotifs(): void {
  toggle('motifs', openMotifs)
}

// Doctor

export function openDoctor(): void {
  withPart('doctor', ({ doctor }) => {
    enter('doctor', {})
    doctor.enter()
  })
}

/** Key X. */
export function toggleDoctor(): void {
  toggle('doctor', openDoctor)
}

// Sketch

export function openSketch(): void {
  withPart('sketch', ({ sketching }) => {
    enter('sketch', { arrangement: 'overlaid' })
    void sketching.enter()
  })
}

/** Key D. */
export function toggleSketch(): void {
  toggle('sketch', openSketch)
}

// Families

/** So many the server takes. */
const mostExamples = 256

/** With what a family is to be built of, or with those that are saved. */
export function parameterize(material: Material | null): void {
  const parts = material?.parts.length ?? 0
  if (parts > mostExamples) return tell(t`A family has at most ${mostExamples} examples; these are ${parts}.`)
  withPart('param', ({ parameters }) => {
    enter('param')
    void parameters.enter(material)
  })
}

/** Whole clips as examples. */
export function parameterizeClips(ids: readonly number[]): void {
  const { cards } = getState()
  const known = ids.flatMap((id) => cards.find((card) => card.id === id) ?? [])
  const whole = (frames: number) => ({ start: 0, end: frames })
  parameterize({ parts: known.map(({ id, name, frames }) => ({ clip: { id, name }, segment: whole(frames) })) })
}

/** Key P. */
export function toggleParam(): void {
  toggle('param', (selected) => (selected.length > 1 ? parameterizeClips(selected) : parameterize(null)))
}

// Motion graphs

/** `clips`: a new graph is to be made of these. */
export function openGraphs(clips: readonly number[] = []): void {
  withPart('graph', ({ graphs }) => {
    enter('graph')
    void graphs.enter(clips)
  })
}

/** A graph of all clips that have these labels on some of their frames, and a walk through them. */
export function graphWithActions(labels: readonly string[]): void {
  withPart('graph', ({ buildForActions }) => {
    enter('graph')
    void buildForActions(labels, clipsWithActions(labels))
  })
}

export function clipsWithActions(labels: readonly string[]): number[] {
  const { cards } = getState()
  return cards.filter(({ stretches }) => stretches.some(({ label }) => labels.includes(label))).map(({ id }) => id)
}

/** Key G. */
export function toggleGraph(): void {
  toggle('graph', (selected) => openGraphs(selected.length > 1 ? selected : []))
}

// Cluster graphs

/** What was sketched, and how many of the clips that were found are taken. */
export interface FromExample {
  body: ExampleBody
  /** Of which it is a segment. */
  clip: Named | null
  take: number
}

/** What a new one is to be made of. */
export type ClusterMaterial = { clips: readonly number[] } | { example: FromExample } | null

export function openClusters(material: ClusterMaterial): void {
  withPart('clusters', ({ clusters }) => {
    enter('clusters')
    void clusters.enter(material)
  })
}

/** Key N. */
export function toggleClusters(): void {
  toggle('clusters', (selected) => openClusters(selected.length > 1 ? { clips: selected } : null))
}

// Puppets

/** `clips`: a puppet is to be taught by these two, the first being the main character. */
export function openPuppets(clips: readonly number[] = []): void {
  withPart('puppets', ({ puppets }) => {
    enter('puppets')
    void puppets.enter(clips)
  })
}

/** Key U. */
export function togglePuppets(): void {
  toggle('puppets', (selected) => openPuppets(selected.length === 2 ? selected : []))
}
