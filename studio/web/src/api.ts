// api.ts - the server's interface (docs/studio-api.md) in types and calls. Every call throws an ApiError with the
// server's own sentence.
import type { Cluster, ClusterBody, ClusterLoop, ClusterNodeAnswer, ClusterSwitch, ClusterTable } from './api_cluster'
import type { DofTable, ExampleAnswer, ExampleBody, ExampleMake } from './api_example'
import type { FollowedPath, Graph, GraphBody, GraphDrawing, GraphTable, PathBody, SweepBody, WalkBody } from './api_graph'
import type { BlendBody, Cuts, CutsQuery, JointMap, KeptCurve, LoopBody, Loops, LoopsQuery, MapFile, Registered, Registration } from './api_making'
import type { RetargetBody, TransitionBody } from './api_making'
import type { AskBody, Family, FamilyBody, FamilyRow, FeatureTable } from './api_param'
import type { Puppet, PuppetTable, RunBody, TrainBody } from './api_puppet'
import type { EdgePath, FoundAnswer, FoundElsewhere, IndexState, SearchAnswer, SearchBody } from './api_search'
import type { Operation } from './operations'
import { noteStep } from './steps'
import { t } from './words/words'

export type * from './api_cluster'
export type * from './api_example'
export type * from './api_graph'
export type * from './api_making'
export type * from './api_param'
export type * from './api_puppet'
export type * from './api_search'

export interface Format {
  name: string
  ending: string
  description: string
  reads: boolean
  writes: boolean
  /** Holds points and no skeleton. */
  points: boolean
  lost_writing: string
}

/** What a program expects, as `--for` of the command line has it. */
export interface Preset {
  name: string
  title: string
  format: string
  units: string
  up: string
  root: string | null
}

export interface About {
  version: string
  library: { name: string; path: string; clips: number; removed: number; writable: boolean }
  formats: Format[]
  presets: Preset[]
  roles: string[]
  /** Of the folder that the studio was opened on, this one's place among them; none, and null: it has one library. */
  libraries: string[]
  own_library: number | null
}

/** Frames [start, end) that have a label. */
export interface Stretch {
  label: string
  start: number
  end: number
}

/** A clip in the list. */
export interface Card {
  id: number
  name: string
  frames: number
  fps: number
  seconds: number
  labels: string[]
  /** Labels of some of its frames; those of one label neither overlap nor touch. */
  stretches: Stretch[]
  skeleton: string
  description: string
  licence: string
  source: string
  /** Flaws of capture that are left in it; null: it was not examined yet. */
  findings?: number | null
  repairs?: number
  made: boolean
  removed: boolean
}

export interface CardList {
  version: number
  clips: Card[]
  /** The list has only what changed since this version, and `gone` the clips that are not in it any more. */
  since?: number
  gone?: number[]
}

export interface Joint {
  name: string
  parent: number
  offset_cm: [number, number, number]
  end_cm: [number, number, number] | null
  channels: string[]
}

export interface Contact {
  joint: string
  start: number
  end: number
}

export interface Mark {
  kind: string
  /** In words, where the kind does not say it. */
  about?: string
  start: number
  end: number
}

/** All that is known of one clip. */
export interface Clip extends Card {
  joints: Joint[]
  roles: Record<string, number>
  marks: Mark[]
  contacts: Contact[]
  contacts_set: boolean
  has_channels: boolean
  /** How its file was read, or what was set since. */
  report: { units: string; up: string }
}

/** A clip that was added, and how its file was read. */
export interface Added {
  name: string
  path: string
  id: number
  frames: number
  fps: number
  warnings: string[]
  units: string
  units_why: string
  up: string
  up_why: string
  height_cm: number
  claimed_fps: number
}

/** As `marey add --json` says it. */
export interface ImportResult {
  added: Added[]
  duplicates: { path: string; name: string; id: number }[]
  skipped: string[]
  errors: { path: string; line: number; column: number; message: string }[]
}

type JobState = 'waiting' | 'running' | 'done' | 'failed' | 'cancelled'

export interface Job {
  job: number
  kind: string
  state: JobState
  what: string
  done: number
  total: number
  result: unknown
  error: { status: string; message: string } | null
  /** While it runs, if it can tell. */
  seconds_left?: number | null
  /** In messages: the result is long and has to be fetched there. */
  result_at?: string
  /** What it made and can be fetched, for as long as the server keeps it. */
  file?: string | null
}

/** How frames can be compared: a row of the table of metrics. */
export interface Metric {
  name: string
  description: string
  /** Of a distance: 'cm2', or '' for none. */
  unit: string
  /** Frames it looks at by default; 1: it has no window. */
  window: number
  /** Terms whose weights can be chosen. */
  attributes: string[]
}

export interface Metrics {
  metrics: Metric[]
  joints: { name: string; description: string }[]
}

/** Two clips, and how their frames are compared. */
export interface Compared {
  a: number
  b: number
  metric: string
  joints?: string
  window?: number
  attributes?: number[]
}

/** Frames of the two clips. */
interface Pair {
  a: number
  b: number
  value: number
}

export interface Pairs {
  pairs: Pair[]
  Dp: number | null
  Dv: number | null
  Da: number | null
  by_roles: boolean
  fps: number
  unit: string
}

/** What makes the distance of one pair of frames. */
interface Explained {
  joints: { name: string; share: number }[]
  frames: number[]
  rest: number
}

/** One pair of frames, closer. */
export interface Cell extends Pair, Explained {
  unit: string
}

interface SimilarAnswer extends Omit<Pairs, 'pairs'> {
  pairs: [number, number, number][]
  /** Of the one pair that was asked for. */
  explained?: Explained
}

export class ApiError extends Error {
  constructor(
    readonly http: number,
    readonly status: string,
    message: string,
    /** What of the request it is about, if that is known. */
    readonly path = '',
  ) {
    super(message)
  }
}

async function refuse(answer: Response): Promise<never> {
  let status = 'io'
  let message = t`the studio answered ${answer.status}`
  let path = ''
  try {
    const told = await answer.json()
    status = told.error.status
    message = told.error.message
    path = told.error.path ?? ''
  } catch {
    // Not JSON: the number has to do.
  }
  throw new ApiError(answer.status, status, message, path)
}

export async function ask(path: string, init?: RequestInit): Promise<Response> {
  let answer: Response
  try {
    answer = await fetch(path, init)
  } catch (cause) {
    if (init?.signal?.aborted) throw cause
    throw new ApiError(0, 'io', t('the studio does not answer; is it still running?'))
  }
  return answer.ok ? answer : refuse(answer)
}

function send(path: string, body: unknown, signal?: AbortSignal): Promise<Response> {
  return ask(path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
    ...(signal && { signal }),
  })
}

async function post<T>(path: string, body: unknown): Promise<T> {
  return (await (await send(path, body)).json()) as T
}

/** What is made and not kept comes in binary. */
export async function postForBytes(path: string, body: unknown): Promise<ArrayBuffer> {
  return (await send(path, body)).arrayBuffer()
}

export async function get<T>(path: string, signal?: AbortSignal): Promise<T> {
  return (await (await ask(path, signal && { signal })).json()) as T
}

/** What an operation answers: POST /api/do/NAME. */
export async function operate<T>(name: string, body: object): Promise<T> {
  const answer = await post<T>(`/api/do/${name.replaceAll(' ', '-')}`, body)
  noteStep(answer)
  return answer
}

async function bytesOf(path: string, init?: RequestInit): Promise<ArrayBuffer> {
  return (await ask(path, init)).arrayBuffer()
}

/** "a=1&b=x", without what is undefined. */
function queryOf(fields: Record<string, string | number | undefined>): string {
  const query = new URLSearchParams()
  for (const [key, value] of Object.entries(fields)) if (value !== undefined) query.set(key, String(value))
  return query.toString()
}

export const api = {
  operations: () => get<{ operations: Operation[] }>('/api/operations'),
  about: () => get<About>('/api/about'),
  /** All of them; or, where the server still knows that version, what is another clip since. */
  clips: (since = 0) => get<CardList>(`/api/clips${since ? `?since=${since}` : ''}`),
  removedClips: () => get<CardList>('/api/clips?removed=1'),
  clip: (id: number, signal?: AbortSignal) => get<Clip>(`/api/clips/${id}`, signal),
  /** Another version is another address: the browser does not show again what it has of the last one. */
  stripAddress: (id: number, version: number) => `/api/clips/${id}/strip${version ? `?v=${version}` : ''}`,
  frames: (id: number, start: number, end: number, step = 1, signal?: AbortSignal) =>
    bytesOf(`/api/clips/${id}/frames?start=${start}&end=${end}&step=${step}`, signal && { signal }),
  async curves(id: number, names: string[]): Promise<Float32Array> {
    const of = names.map(encodeURIComponent).join(',')
    return new Float32Array(await bytesOf(`/api/clips/${id}/curves?of=${of}`))
  },
  async importFiles(
    files: readonly { path: string; file: Blob }[],
    labels: string[],
    signal: AbortSignal,
  ): Promise<{ job: number }> {
    const form = new FormData()
    for (const { path, file } of files) form.append('file', file, path)
    const query = labels.map((label) => `label=${encodeURIComponent(label)}`).join('&')
    const answer = await ask(`/api/import${query ? `?${query}` : ''}`, { method: 'POST', body: form, signal })
    return (await answer.json()) as { job: number }
  },
  metrics: () => get<Metrics>('/api/metrics'),
  async grid(of: Compared, rows: number, cols: number, signal: AbortSignal): Promise<ArrayBuffer> {
    return (await send('/api/grid', { ...of, rows, cols }, signal)).arrayBuffer()
  },
  async similar(of: Compared, count: number, minima: boolean, signal: AbortSignal): Promise<Pairs> {
    const answer = await send('/api/do/similar?list=1', { ...of, count, ...(minima && { minima }) }, signal)
    const { pairs, ...rest } = (await answer.json()) as SimilarAnswer
    return { ...rest, pairs: pairs.map(([a, b, value]) => ({ a, b, value })) }
  },
  async cell(of: Compared, a: number, b: number): Promise<Cell> {
    const { pairs, unit, explained } = await post<SimilarAnswer>('/api/do/similar?list=1', { ...of, at: [a, b] })
    return { a, b, value: pairs[0][2], unit, ...explained! }
  },
  cuts: (body: CutsQuery) => post<Cuts>('/api/do/transition?list=1', body),
  transition: (body: TransitionBody) => postForBytes('/api/do/transition', body),
  registration: (of: Registered) => post<Registration>('/api/do/align', { ...of, registration: true }),
  keptCurves: () => post<{ curves: KeptCurve[] }>('/api/do/curves', {}),
  blend: (body: BlendBody) => postForBytes('/api/do/blend', body),
  retarget: (body: RetargetBody) => postForBytes('/api/do/retarget', body),
  jointMap: (of: { a: number; b: number }) => post<JointMap>('/api/do/map', of),
  /** Of a map that is not kept: its conflicts, and which joints are left over. */
  checkMap: ({ a, b, map }: { a: number; b: number; map: MapFile }) =>
    post<JointMap>('/api/do/retarget?list=1', { map_of: [a, b], map }),
  loops: (body: LoopsQuery) => post<Loops>('/api/do/loop?list=1', body),
  loop: (body: LoopBody) => postForBytes('/api/do/loop', body),
  index: () => get<IndexState>('/api/index'),
  async find(body: SearchBody): Promise<SearchAnswer> {
    const answer = await post<FoundAnswer>('/api/do/search', body)
    return { ...answer, matches: answer.matches.map(({ id, clip, ...match }) => ({ ...match, clip: id, name: clip })) }
  },
  findElsewhere: (body: SearchBody & { also: string[] }) => post<{ matches: FoundElsewhere[] }>('/api/do/search', body),
  /** Another library of the folder; its studio's address. */
  openLibrary: (number: number) => post<{ address: string }>(`/api/libraries/${number}`, {}),
  searchEdge: (search: number, edge: number) => get<EdgePath>(`/api/search/${search}/edges/${edge}`),
  searchEdgeGrid: (search: number, edge: number) => bytesOf(`/api/search/${search}/edges/${edge}/grid`),
  features: () => post<FeatureTable>('/api/do/param-features', {}),
  families: () => post<{ spaces: FamilyRow[] }>('/api/do/param-ls', {}),
  family: (name: string) => post<Family>('/api/do/param-show', { name }),
  buildFamily: (body: FamilyBody) => post<{ job: number }>('/api/do/param-build', body),
  askFamily: (body: AskBody) => postForBytes('/api/do/param-make', body),
  graphs: () => post<GraphTable>('/api/do/graph-ls', {}),
  graph: (name: string, measure = false) => post<Graph>('/api/do/graph-stats', { name, quick: !measure }),
  graphDrawing: (name: string, count: number) => get<GraphDrawing>(`/api/graph/arcs?${queryOf({ name, count })}`),
  graphClosure: (name: string, side: number) => bytesOf(`/api/graph/closure?${queryOf({ name, side })}`),
  buildGraph: (body: GraphBody) => post<{ job: number }>('/api/do/graph-build', body),
  sweepGraph: (body: SweepBody) => post<{ job: number }>('/api/do/graph-sweep', body),
  trainGraph: (name: string) => post<{ job: number }>('/api/do/graph-train', { name }),
  followedPath: (body: PathBody) => post<FollowedPath>('/api/do/graph-path', body),
  walkGraph: (body: WalkBody) => postForBytes('/api/do/graph-walk', body),
  clusters: () => post<ClusterTable>('/api/do/cluster-ls', {}),
  cluster: (name: string, nodes: number) => get<Cluster>(`/api/cluster?${queryOf({ name, nodes })}`),
  clusterPoses: (name: string, nodes: number) => bytesOf(`/api/cluster/poses?${queryOf({ name, nodes })}`),
  clusterNode: (name: string, node: number) => get<ClusterNodeAnswer>(`/api/cluster/node?${queryOf({ name, node })}`),
  /** The best one to each other sequence of the node. */
  clusterSwitches: (name: string, from: number) =>
    get<{ switches: ClusterSwitch[]; unit: string }>(`/api/cluster/switches?${queryOf({ name, from })}`),
  /** The best one that closes in the node, or anywhere. */
  async clusterLoop(cluster: string, clip: number, node?: number): Promise<ClusterLoop | undefined> {
    const body = { cluster, clip, count: 1, ...(node !== undefined && { node }) }
    return (await post<{ loops: ClusterLoop[] }>('/api/do/cluster-loop?list=1', body)).loops[0]
  },
  motifs: (body: { label?: string }) => post<{ job: number }>('/api/do/motifs', body),
  buildCluster: (body: ClusterBody) => post<{ job: number }>('/api/do/cluster-build', body),
  dofs: () => get<DofTable>('/api/dofs'),
  /** A row of frames for each. */
  async signals(id: number, dofs: readonly string[], start: number, end: number): Promise<Float32Array> {
    const of = dofs.map(encodeURIComponent).join(',')
    return new Float32Array(await bytesOf(`/api/clips/${id}/signals?of=${of}&start=${start}&end=${end}`))
  },
  findExample: (body: ExampleBody) => post<ExampleAnswer>('/api/do/example?list=1', body),
  makeExample: (body: ExampleMake) => postForBytes('/api/do/example', body),
  puppets: () => post<PuppetTable>('/api/do/puppet-ls', {}),
  puppet: (name: string, points: number) => post<Puppet>('/api/do/puppet-show', { name, points }),
  trainPuppet: (body: TrainBody) => post<{ job: number }>('/api/do/puppet-train', body),
  runPuppet: (body: RunBody) => post<{ job: number }>('/api/do/puppet-run', body),
  puppetFileAddress: (name: string) => `/api/puppet/file?${queryOf({ name })}`,
  puppetCsvAddress: (name: string) => `/api/puppet/csv?${queryOf({ name })}`,
  jobs: () => get<{ jobs: Job[] }>('/api/jobs'),
  job: (number: number) => get<Job>(`/api/jobs/${number}`),
  jobFileAddress: (number: number) => `/api/jobs/${number}/file`,
  cancel: (number: number) => post<object>(`/api/jobs/${number}/cancel`, {}),
}
