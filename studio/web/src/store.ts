// store.ts - all that the page knows, in one place. Panels read it with useStore and change it with `change`; what moves
// sixty times a second (the playhead) is not here but in player.ts.
import { useEffect, useState } from 'preact/hooks'
import type { About, Card, Clip, Job, Standing } from './api'
import type { LiveBody, Pawns } from './live_body'
import type { Operation } from './operations'

/** The ways into the studio. */
export type DoorName = 'find' | 'mix' | 'walk' | 'react'
/** What clips are asked for when none are selected. */
export type PickKind = 'compare' | 'transition' | 'blend' | 'retarget' | 'loop' | 'search' | 'family'

/** 'tiles': aligned, each in a small view of its own. */
export type Arrangement = 'overlaid' | 'side' | 'aligned' | 'tiles'
export type Theme = 'system' | 'dark' | 'light'
export type SortKey = 'name' | 'length' | 'newest' | 'skeleton'

/** A clip that is open in the viewer. The first one leads: the timeline is its. */
export interface Shown {
  clip: Clip
  /** With arrangement 'aligned': the frame that is brought to the same place, facing and time as the leader's. */
  alignFrame: number
  /** It stands still at that frame, as a ghost. */
  held?: boolean
  /** Its body is not drawn: what lies there is to be seen. */
  bodiless?: boolean
  /** Of a clip that is in no library, and has a negative number: its frames, as /api/clips/ID/frames would send them. */
  motion?: ArrayBuffer
  /** It is steered: its poses come as they are made, and those of `motion` are only to learn its shape from. */
  live?: LiveBody
  /** Its colour is that of the so-manieth of several, wherever it stands. */
  hue?: number
}

export interface Filter {
  text: string
  labels: string[]
  skeleton: string
  shortest_s: number
  longest_s: number // 0: no limit
  removed: boolean
}

export interface ViewOptions {
  body: 'body' | 'sticks' | 'silhouette'
  floor: boolean
  shadows: boolean
  path: boolean
  prints: boolean
  onion: boolean
  onionStep_s: number
  onionCount: number
  trails: number[] // joint numbers of the leader
  follow: boolean
}

export interface Segment {
  start: number
  end: number // exclusive
}

/** How the first two open clips are compared. */
export interface Compare {
  metric: string
  joints: string
  window: number // 0: the metric's own
  attributes: number[] // empty: every term counts 1
  /** How many similar pairs are shown. */
  count: number
  /** Only those that are nearer than all four beside them; otherwise many lie side by side. */
  minima: boolean
}

/** Places in the view that motions of a family can have: x to the left, y up, z ahead, in cm. */
export interface Targets {
  examples: readonly (readonly number[])[]
  samples: readonly (readonly number[])[]
  wanted: readonly number[]
  reached: readonly number[] | null
  /** Their origin in the leader's world. */
  from: Readonly<Standing>
  /** The wanted one stays on the floor. */
  flat: boolean
  /** It was dragged there. */
  move: (place: number[]) => void
}

/** x and z on the floor, in cm. */
export type Spot = readonly [number, number]

/** A circle on the floor that a body goes round. */
export interface Obstacle {
  place: Spot
  radius_cm: number
}

/** A path on the floor of the view. */
export interface FloorPath {
  /** These can be taken and moved; those behind the path's own are the middles of its obstacles, then marks of what is done. */
  points: readonly Spot[]
  own: number
  obstacles: readonly Obstacle[]
  /** The line through them. */
  curve: readonly Spot[]
  /** What is walked where that is tighter than a body can turn; empty: what was drawn. */
  followed: readonly Spot[]
  /** The next drag over the floor draws another one. */
  drawing: boolean
  move: (point: number, place: Spot, over: boolean) => void
  draw: (places: readonly Spot[], over: boolean) => void
}

export interface Notice {
  id: number
  kind: 'info' | 'error'
  text: string
  /** What can be done about it, as a button: "Undo". */
  action?: { label: string; run: () => void }
}

export interface State {
  about: About | null
  /** What marey does, by its name. */
  operations: ReadonlyMap<string, Operation>
  cards: readonly Card[]
  removedCards: Card[]
  loaded: boolean
  filter: Filter
  sort: SortKey
  selected: ReadonlySet<number>
  shown: Shown[]
  arrangement: Arrangement
  segment: Segment | null
  /** Null: nothing is compared, and the library has its place. */
  compare: Compare | null
  /** What is being made of several clips, or looked for in all, in the library's place. */
  making: 'none' | 'transition' | 'blend' | 'loop' | 'retarget' | 'search' | 'motifs' | 'doctor' | 'param' | 'graph' | 'sketch' | 'clusters' | 'puppets'
  targets: Targets | null
  floorPath: FloorPath | null
  /** What a click on the floor of the view does; null: nothing. */
  floorClick: ((place: Spot) => void) | null
  /** Who plays on the floor of the view. */
  pawns: Pawns | null
  view: ViewOptions
  /** Curves under the timeline, as names for /api/clips/ID/curves. */
  curves: string[]
  jobs: ReadonlyMap<number, Job>
  /** How often the strip of a clip, and those of all clips, may have become another picture. */
  strips: ReadonlyMap<number, number>
  allStrips: number
  theme: Theme
  /** The command line that does what was done last; the bar shows it. */
  command: string
  notices: Notice[]
  dialog: 'none' | 'pick' | 'jobs' | 'keys' | 'import' | 'labels' | 'export' | 'how' | 'purge' | 'rename' | 'describe' | 'clean'
  /** What clips are picked for, in the dialog 'pick'. */
  pick: PickKind
  /** The studio was just opened: a clip plays, and the doors have the timeline's place. */
  welcome: boolean
  /** The door behind which a guided try goes on. */
  guide: DoorName | null
  /** The clip that a dialog is about, where that is not the selection. */
  subject: Card | null
  /** Clips that are exported, where that is not the one in the viewer. */
  exported: readonly number[]
  /** Of the import whose report is shown. */
  importJob: number
  connected: boolean
}

export const initialState: State = {
  about: null,
  operations: new Map(),
  cards: [],
  removedCards: [],
  loaded: false,
  filter: { text: '', labels: [], skeleton: '', shortest_s: 0, longest_s: 0, removed: false },
  sort: 'name',
  selected: new Set(),
  shown: [],
  arrangement: 'overlaid',
  segment: null,
  compare: null,
  making: 'none',
  targets: null,
  floorPath: null,
  floorClick: null,
  pawns: null,
  view: {
    body: 'body',
    floor: true,
    shadows: true,
    path: true,
    prints: true,
    onion: false,
    onionStep_s: 0.25,
    onionCount: 3,
    trails: [],
    follow: true,
  },
  curves: [],
  jobs: new Map(),
  strips: new Map(),
  allStrips: 0,
  theme: 'system',
  command: '',
  notices: [],
  dialog: 'none',
  pick: 'blend',
  welcome: false,
  guide: null,
  subject: null,
  exported: [],
  importJob: 0,
  connected: false,
}

let state: State = initialState
const listeners = new Set<() => void>()

export function getState(): State {
  return state
}

/** Replaces some fields. Values are never changed in place, so that panels can compare by identity. */
export function change(fields: Partial<State>): void {
  state = { ...state, ...fields }
  for (const listener of [...listeners]) listener()
}

export function changeView(fields: Partial<ViewOptions>): void {
  change({ view: { ...state.view, ...fields } })
}

/** The strip of this clip, or of any, may look different now. */
export function renewStrips(id?: number): void {
  const { strips, allStrips } = state
  if (id === undefined) change({ allStrips: allStrips + 1 })
  else change({ strips: new Map(strips).set(id, (strips.get(id) ?? 0) + 1) })
}

export function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** What `select` gives, and again whenever that becomes something else. */
export function useStore<T>(select: (state: State) => T): T {
  const [, redraw] = useState(0)
  const value = select(state)
  useEffect(() => {
    let last = value
    const look = () => {
      const next = select(state)
      if (!Object.is(next, last)) {
        last = next
        redraw((n) => n + 1)
      }
    }
    // What changed between drawing and listening would otherwise be missed.
    look()
    return subscribe(look)
  }, [])
  return value
}

let noticeCount = 0

/** Says something for a while; errors stay until they are closed. */
export function tell(text: string, kind: 'info' | 'error' = 'info', action?: Notice['action']): void {
  const notice: Notice = { id: ++noticeCount, kind, text, ...(action && { action }) }
  change({ notices: [...state.notices, notice].slice(-5) })
  if (kind === 'info') setTimeout(() => dismiss(notice.id), action ? 10000 : 4000)
}

export function dismiss(id: number): void {
  change({ notices: state.notices.filter((notice) => notice.id !== id) })
}
