// session.ts - the motion graph that is on the page: which are kept, which is open, and what is done with it. Making one is
// in building.ts, walking paths in path_session.ts, steering in play_session.ts.
import { api, operate } from '../api'
import type { Clip, Graph, GraphArc, GraphBody, GraphDrawing, GraphRow, GraphSegment, GraphTable } from '../api'
import { attempt, messageOf } from '../attempt'
import { undoOf } from '../history'
import { type Fits, fitsText } from '../making/fits'
import { Latest } from '../making/latest'
import { asShownClip, readMade, type Made } from '../making/made'
import { leaveMade, playFrames, Session, showMade } from '../making/session'
import { lineOf, showCommand } from '../operations'
import { player } from '../player'
import { getState, tell } from '../store'
import { t } from '../words/words'

export type Tab = 'graph' | 'path' | 'play'

/** A character of the panel that is in no library. */
export const ids = { over: -31, walk: -32, steered: -33, played: -34 }
const mostArcs = 3000
const closureSide = 512

/** What was chosen in the drawing. */
type Picked = { segment: GraphSegment } | { arc: GraphArc } | null

/** The one to begin with: standard graphs steer and find paths best, the largest of them with the most. */
function firstOf(rows: readonly GraphRow[]): GraphRow | undefined {
  const rank = ({ kind, frames }: GraphRow) => (kind === 'standard' ? 1e12 : 0) + (frames ?? 0)
  return [...rows].sort((a, b) => rank(b) - rank(a))[0]
}

class Graphs extends Session {
  /** Null: not known yet. */
  table: GraphTable | null = null
  /** Clips that were selected for a new one. */
  clips: readonly number[] = []
  /** The form for a new one is open. */
  building = false
  /** The one that is to be built anew. */
  again: Graph | null = null
  graph: Graph | null = null
  /** The clip on whose bones made motion is. */
  like: Clip | null = null
  drawing: GraphDrawing | null = null
  closure: ArrayBuffer | null = null
  closureError = ''
  tab: Tab = 'path'
  picked: Picked = null
  private openings = 0
  private readonly crossing = new Latest<GraphArc, Made>(
    async ([from, to]) => {
      const { name, fps } = this.graph!
      return readMade(await api.walkGraph({ graph: name, over: [from, to], fps }))
    },
    (made, arc) => this.showCrossing(made, arc),
    this.fail,
  )

  /** With clips for a new one the form is open; otherwise the last graph, or the first. */
  async enter(clips: readonly number[]): Promise<void> {
    this.clips = clips
    this.again = null
    this.building = clips.length > 0
    this.error = ''
    this.tell()
    await this.load()
    const kept = this.table?.graphs ?? []
    const name = kept.find((row) => row.name === this.graph?.name)?.name ?? firstOf(kept)?.name
    if (!this.building && name !== undefined) await this.open(name)
    else if (!this.building) this.building = true
    this.tell()
  }

  /** One is about to be built and walked: nothing else is open until then. */
  async begin(clips: readonly number[]): Promise<void> {
    this.openings++
    Object.assign(this, { clips, again: null, building: false, graph: null, error: '', tab: 'path' })
    this.tell()
    await this.load()
  }

  /** In place of one of that name; then it is open. */
  async build(body: GraphBody): Promise<void> {
    const line = lineOf('graph build', body)
    await attempt(async () => {
      const built = await this.runJob<Graph & Fits>(t`Building ${body.name}`, () => api.buildGraph(body))
      if (!built) return
      tell(t`Graph ${built.name}: ${built.nodes} nodes, ${built.transitions} transitions${fitsText(built)}`, 'info', undoOf(built))
      this.put(built, await api.clip(built.skeleton.id))
      showCommand(line)
      await this.load()
    })
  }

  async load(): Promise<void> {
    await this.trying(async () => {
      this.table = await api.graphs()
    })
  }

  /** With the clips of the open graph, or those that were selected before. */
  showForm(again: boolean): void {
    this.openings++ // one that is still being opened would close the form
    this.again = again ? this.graph : null
    if (again) this.clips = [...new Set(this.graph?.parts.map(({ id }) => id))]
    this.building = true
    this.tell()
  }

  async open(name: string): Promise<void> {
    this.dropJob()
    this.error = ''
    const era = ++this.openings
    await this.during(t`Opening ${name}…`, async () => {
      const graph = await api.graph(name)
      const like = await api.clip(graph.skeleton.id)
      // Another one was chosen meanwhile, and may be there already.
      if (era === this.openings) this.put(graph, like)
    })
    if (!this.error || era !== this.openings) return
    this.graph = null
    this.tell()
  }

  put(graph: Graph, like: Clip): void {
    this.openings++
    this.crossing.forget()
    Object.assign(this, { graph, like, drawing: null, closure: null, closureError: '', picked: null, building: false })
    showCommand(lineOf('graph stats', { name: graph.name }))
    void this.look(graph)
  }

  /** What is drawn of it comes behind. */
  private async look(graph: Graph): Promise<void> {
    const still = () => this.graph === graph
    try {
      const drawing = await api.graphDrawing(graph.name, mostArcs)
      if (still()) this.drawing = drawing
    } catch (cause) {
      if (still()) this.error = messageOf(cause)
    }
    this.tell()
    try {
      const closure = await api.graphClosure(graph.name, closureSide)
      if (still()) this.closure = closure
    } catch (cause) {
      if (still()) this.closureError = messageOf(cause)
    }
    this.tell()
  }

  /** One that is too large to be measured unasked. */
  async measure(): Promise<void> {
    const { graph } = this
    if (!graph) return
    await this.during(t`Measuring ${graph.name}…`, async () => {
      const measured = await api.graph(graph.name, true)
      if (this.graph === graph) this.graph = measured
    })
  }

  async remove(name: string): Promise<void> {
    await attempt(async () => {
      const line = lineOf('graph rm', { name })
      const done = await operate('graph rm', { name })
      tell(t`Removed graph ${name}; its clips stay`, 'info', undoOf(done))
      this.graph = null
      await this.enter([])
      showCommand(line)
    })
  }

  /** It was trained, here. */
  noteGraph(graph: Graph): void {
    if (this.graph?.name === graph.name) this.graph = graph
    this.tell()
  }

  // Playing what is drawn

  /** Frames of a clip. */
  async playSegment(segment: GraphSegment): Promise<void> {
    this.picked = { segment }
    this.tell()
    await attempt(async () => {
      const clip = await api.clip(segment.clip)
      if (getState().making === 'graph') playFrames(clip, segment.start, segment.end)
    })
  }

  /** A second before a transition and one behind it. */
  playArc(arc: GraphArc): void {
    this.picked = { arc }
    this.tell()
    this.crossing.want(arc)
  }

  private showCrossing(made: Made, arc: GraphArc): void {
    const { like, picked } = this
    const wanted = picked && 'arc' in picked && picked.arc === arc
    if (getState().making !== 'graph' || !like || !wanted) return
    this.error = ''
    showMade([asShownClip(ids.over, t('transition'), like, made)], 0)
    player.play(1)
    this.tell()
  }

  /** The panel is gone. */
  leave(): void {
    this.dropJob()
    this.crossing.forget()
    this.picked = null
    leaveMade(this.like ? [this.like] : [])
  }
}

export const graphs = new Graphs()
