// api_graph.ts - what the server is asked and answers about motion graphs, as types; see api.ts.

export interface GraphRow {
  name: string
  made_of: { id: number; name: string; removed: boolean }[]
  kind: string | null
  fps: number | null
  threshold: number | null
  frames: number | null
  nodes: number | null
  transitions: number | null
  labels: string[]
  /** It can be steered. */
  policy: boolean
  bytes: number
  /** How many. */
  clips: number
}

export interface GraphTable {
  kinds: { name: string; about: string }[]
  /** What steers a character. */
  controllers: { name: string; about: string }[]
  metric: string
  /** Of thresholds. */
  unit: string
  /** No default threshold is above it. */
  ceiling: number
  graphs: GraphRow[]
}

export interface GraphStats {
  frames: number
  nodes: number
  edges: number
  transitions: number
  threshold: number
  scc_percent: number
  connectivity_percent: number
  mean_transition_s: number | null
  local_maneuverability_s: number | null
  bytes: number
  nodes_before: number
  worst_jump: number
}

/** A stretch of a clip that a graph is made of. */
export interface GraphPart {
  id: number
  name: string
  start: number
  end: number
  node: number
  nodes: number
}

interface GraphFacts {
  name: string
  kind: string
  fps: number
  metric: string
  unit: string
  joints: string
  labels: string[]
  /** Those of labels that are of frames, so that it is known where they are done; others are of whole clips. */
  actions: string[]
  settings: { threshold: number; only_smooth: boolean; jump: number; spread_s: number; dwell_s: number; mu?: number }
  /** How many clips its parts are of. */
  clips: number
  parts: GraphPart[]
  skeleton: { id: number }
  policy: { directions: number | null; speeds: number[] | null; bytes: number } | null
}

type Measured = { measured: true } & GraphStats
/** Too large to be measured unasked. */
type Unmeasured = { measured: false } & Pick<GraphStats, 'frames' | 'nodes' | 'transitions' | 'threshold'>
export type Graph = GraphFacts & (Measured | Unmeasured)

/** Nodes that go on one after the other. */
export interface GraphSegment {
  node: number
  nodes: number
  clip: number
  start: number
  end: number
  /** The share of its nodes that walks use. */
  core: number
  other?: number
  weight?: number
}

/** From, to, distance, jump. */
export type GraphArc = [number, number, number, number]

export interface GraphDrawing {
  segments: GraphSegment[]
  segment_count: number
  arcs: GraphArc[]
  arc_count: number
}

/** What a graph is made of, and how. */
export interface GraphSettings {
  clips?: number[]
  label?: string
  kind: string
  only_smooth?: boolean
  dwell?: number
  mu?: number
}

export interface GraphBody extends GraphSettings {
  name: string
  threshold?: number
}

export interface SweepBody extends GraphSettings {
  thresholds: number[]
  quick: boolean
}

export interface SweepResult {
  sweep: GraphStats[]
  unit: string
  left_out: number
}

/** What a walk along a path would follow. */
export interface PathBody {
  graph: string
  path: (readonly [number, number])[]
  avoid?: string[]
  style?: string[]
}

/** A place of what was drawn, and how far from it the walk passes. */
export interface Rounding {
  along_cm: number
  x: number
  z: number
  off_cm: number
}

export interface FollowedPath {
  drawn_cm: number
  radius_cm: number
  rounded_cm: number
  rounded: Rounding[]
  points: [number, number][]
}

export interface WalkBody {
  graph: string
  path?: (readonly [number, number])[]
  effort?: number
  /** Places at times, "4s:200,300". */
  at?: string[]
  /** Circles that it goes round, "120,150,40". */
  avoid?: string[]
  /** Motions of families, "kick(height=95)@300". */
  do?: string[]
  /** Actions, one after the other. */
  through?: string[]
  over?: [number, number]
  style?: string[]
  /** Default: the graph's own. */
  dwell?: number
  leave_feet?: boolean
  /** What is only looked at has the graph's rate, which is quicker to send; what is saved, that of its first clip. */
  fps?: number
}
