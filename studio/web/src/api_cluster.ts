// api_cluster.ts - what the server is asked and answers about cluster graphs, as types; see api.ts.
import type { DrawnCurve, ExampleBody, ExampleHow } from './api_example'
import type { Fits } from './making/fits'

interface ClusterRow {
  name: string
  made_of: { id: number; name: string; removed: boolean }[]
  link: string | null
  metric: string
  fps: number | null
  threshold: number | null
  frames: number | null
  nodes: number | null
  sequences: number | null
  clips: number
  bytes: number
}

export interface ClusterTable {
  /** The first is the default. */
  links: { name: string; about: string }[]
  metric: string
  unit: string
  threshold: number
  fps: number
  clusters: ClusterRow[]
}

/** A stretch of a clip that a cluster graph is made of. */
interface ClusterPart {
  id: number
  name: string
  start: number
  end: number
  sequences: number
}

export interface ClusterNode {
  node: number
  /** At the graph's rate. */
  frames: number
  sequences: number
  clips: number
  loops: boolean
  /** Its middle: a clip and its frame. */
  id: number
  frame: number
  widest: number
  /** -1 .. 1: similar poses are near each other. */
  x: number
  y: number
}

export interface Cluster {
  name: string
  link: string
  fps: number
  metric: string
  unit: string
  joints: string
  threshold: number
  clips: number
  frames: number
  node_count: number
  sequence_count: number
  /** Nodes with several clips, and those in which one can loop. */
  shared: number
  looping: number
  parts: ClusterPart[]
  skeleton: { id: number }
  nodes: ClusterNode[]
  /** From, to, how often. */
  edges: [number, number, number][]
}

/** What a job came to that built one. */
export interface ClusterBuilt extends Fits {
  frames: number
  node_count: number
}

export interface ClusterSequence {
  sequence: number
  /** Its name and its number. */
  clip: string
  id: number
  start: number
  end: number
  /** The node that it goes on in; null: the clip ends. */
  next: number | null
}

export interface ClusterTuples {
  /** For each tuple a frame of each sequence. */
  frames: number[][]
  costs: number[]
  pairs: number
  by_pairs: boolean
}

export interface ClusterCloser {
  node: number
  frames: number
  clips: number
  loops: boolean
  widest: number
  sequences: ClusterSequence[]
}

/** One node, and its tuples if there are any. */
export interface ClusterNodeAnswer {
  nodes: [ClusterCloser]
  tuples: ClusterTuples[]
}

/** The first is played up to `from`, the second from `to` + 1 on. */
export interface ClusterSwitch {
  to_sequence: number
  from_id: number
  from: number
  to_clip: string
  to_id: number
  to: number
  cost: number
}

export interface ClusterLoop {
  start: number
  end: number
  cost: number
  node?: number
}

export interface ClusterBody extends Partial<ExampleHow> {
  name: string
  clips?: number[]
  from_example?: ExampleBody['query']
  from_curve?: DrawnCurve
  /** How many of the clips that it finds. */
  count?: number
  link?: string
  threshold?: number
}

/** A clip, or one frame of it: where a stitch begins or ends. */
type StitchEnd = number | { clip: number; start: number }

export interface StitchBody {
  cluster: string
  a?: StitchEnd
  b?: StitchEnd
  leave?: number
  enter?: number
  within?: number
  nodes?: number[]
  leave_feet?: boolean
}

export interface ClusterLoopBody {
  cluster: string
  clip: number
  /** One of its loops; otherwise the best is made. */
  at?: [number, number]
  leave_feet?: boolean
}
