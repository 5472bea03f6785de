// api_making.ts - what the server is asked and answers about motion made of clips, as types; see api.ts.
import type { Contact } from './api'

/** A place to go from one clip over into another. */
export interface Cut {
  a: number
  b: number
  cost: number
}

export interface Cuts {
  cuts: Cut[]
  /** As used: frames of the first clip, and the limit of the cost (null: none). */
  half: number
  below: number | null
  unit: string
  fps: number
  /** What the best one costs, whatever the limit. */
  cheapest: number | null
  /** The best costs more than the usual limit, below; none leaves what both clips are about. */
  over_limit: boolean
  skips: boolean
}

export interface LoopCut {
  start: number
  end: number
  cost: number
  /** How long the body stands still in it. */
  still_s: number
  /** The largest step of a joint at the seam, over that inside. */
  seam_ratio: number
}

export interface Loops {
  loops: LoopCut[]
  /** The best closes worse than hardly shows. */
  over_limit: boolean
  half: number
  unit: string
  fps: number
}

/** A clip, or frames [start, end) of it. */
export interface Part {
  id: number
  start?: number
  end?: number
}

/** Which frames of several clips belong together, how they lie on each other, and which plants are the same. */
export interface Registration {
  fps: number
  first: number
  last: number
  u: number[]
  clips: {
    id: number
    start: number
    end: number
    refitted: boolean
    times: number[]
    /** Counted from 1; null for the reference. */
    parent: number | null
    path: [number, number][] | null
    mean_distance: number | null
    plants: (Contact & { matched: boolean })[]
  }[]
  /** Spans are frames of the clips. */
  matches: { joint: string; spans: [number, number][] }[]
  dropped: number
  unit: string
  saved: string | null
}

export interface KeptCurve {
  name: string
  clips: { clip: string; id: number; start: number; end: number }[]
}

export interface Kept {
  id: number
  name: string
}

/** Which cuts are sought. */
export interface CutsQuery {
  a: number
  b: number
  half: number
  count: number
  near?: [number, number]
  /** Only in these frames of the first clip, and of the second; the end exclusive. */
  leave?: [number, number]
  enter?: [number, number]
  /** 'inf': whatever they cost. */
  below?: number | 'inf'
}

export interface TransitionBody {
  a: number
  b: number
  /** Frames of the two. */
  at: [number, number]
  half: number
  method: string
  no_clean: boolean
}

/** Which loops are sought: how many, and how long. */
export interface LoopsQuery {
  clip: number
  count: number
  shortest?: number
  longest?: number
}

export interface LoopBody {
  clip: number
  /** Frames of it. */
  at: [number, number]
  in_place: boolean
  no_clean: boolean
}

/** A map of joints as its file has it. */
export interface MapFile {
  pairs: { role?: string; from: string; to: string }[]
}

/** Which joints of two bodies belong together. */
export interface JointMap {
  pairs: { role?: string; from: string; to: string; conflict?: string }[]
  only_from: string[]
  only_to: string[]
  map_from?: 'found' | 'library'
  /** Of a change: saved things that went by another map. */
  stale?: { kind: string; name: string }[]
}

export interface RetargetBody {
  clips: [number]
  onto: number
  map?: MapFile
  keep?: string[]
  in_place?: boolean
}

export type Aligned = { clips: { clip: number; start?: number; end?: number }[]; slope?: number } | { curve: string }

/** Two of them may have a pair of frames that belong together. */
export type Registered = Aligned & { through?: [number, number] }

export type BlendBody = Aligned & {
  /** "30,41" */
  through?: string[]
  weights?: number[]
  /** Over time: seconds, then a weight of each clip. */
  weights_file?: number[][]
  method: string
  no_clean: boolean
  /** Counted from 1. */
  place?: number
}

