// api_cluster.ts - what the server is asked and answers about cluster graphs, as types; see api.ts.
import type { ExampleBody } from './api_example'

export interface ClusterRow {
  name: string
  link: string | null
  metric: string | null
  fps: number | null
  threshold: number | null
  frames: number | null
  nodes: number | null
  sequences: number | null
  loops: number | null
  bytes: number
  clips: { id: number; name: string; removed: boolean }[]
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
export interface ClusterClip {
  id: number
  name: string
  start: number
  end: number
  sequences: number
}

export interface ClusterNode {
  node: number
  /** Frames at the graph's rate. */
  rows: number
  sequences: number
  clips: number
  loops: boolean
  /** Its middle. */
  clip: number
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
  frames: number
  node_count: number
  sequence_count: number
  edge_count: number
  loops: number
  clips: ClusterClip[]
  skeleton: { id: number }
  nodes: ClusterNode[]
  /** From, to, how often. */
  edges: [number, number, number][]
}

export interface ClusterSequence {
  sequence: number
  clip: number
  name: string
  start: number
  end: number
  rows: number
  next: number | null
  before: number | null
  next_node: number | null
  before_node: number | null
}

export interface ClusterTuples {
  rows: { frames: number[]; cost: number }[]
  pairs: number
  by_pairs: boolean
}

export interface ClusterCloser {
  node: number
  rows: number
  clips: number
  loops: boolean
  clip: number
  frame: number
  widest: number
  sequences: ClusterSequence[]
  sequence_count: number
  tuples: ClusterTuples | null
}

/** The first is played up to `from`, the second from `to` + 1 on. */
export interface ClusterSwitch {
  from_sequence: number
  to_sequence: number
  from_clip: number
  to_clip: number
  from: number
  to: number
  cost: number
}

export interface ClusterLoop {
  start: number
  end: number
  cost: number
  node: number
}

export interface ClusterBody {
  name: string
  clips?: number[]
  label?: string
  example?: ExampleBody & { take?: number }
  link?: string
  threshold?: number
}

export interface StitchBody {
  cluster: string
  a?: number
  b?: number
  from?: number
  to?: number
  leave?: number
  enter?: number
  within_s?: number
  nodes?: number[]
  clean?: boolean
}

export interface ClusterLoopBody {
  cluster: string
  clip: number
  start?: number
  end?: number
  clean?: boolean
}
