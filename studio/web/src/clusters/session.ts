// session.ts - the cluster graph that is on the page: which are kept, which is open, the node that is looked at, and what is
// made in it: a switch, a route, a loop. Making a graph is in building.ts.
import { api, operate, postForBytes } from '../api'
import type { Clip, Cluster, ClusterCloser, ClusterLoopBody, ClusterSequence, ClusterSwitch } from '../api'
import type { ClusterTable, ClusterTuples, StitchBody } from '../api'
import { attempt } from '../attempt'
import { undoOf } from '../history'
import { Latest } from '../making/latest'
import { asShownClip, readMade, type Made } from '../making/made'
import { leaveMade, nameFor, playFrames, Session, showMade } from '../making/session'
import { playByItself } from '../motion'
import type { ClusterMaterial } from '../opening'
import { lineOf, showCommand } from '../operations'
import { getState, tell } from '../store'
import { t } from '../words/words'
import { drawingsOf, readPoses, type Drawing } from './map_draw'

/** More nodes cannot be distinguished on a map. */
export const mostNodes = 200
const mostRoute = 64
/** A character of the panel that is in no library. */
const madeId = -51
/** How much is seen before and behind a switch. */
const around_s = 1.5

/** What is to be made. */
export type Wanted =
  | { switch: ClusterSwitch }
  | { route: readonly number[] }
  | { loop: ClusterLoopBody }

class Clusters extends Session {
  table: ClusterTable | null = null
  building = false
  material: ClusterMaterial = null
  cluster: Cluster | null = null
  like: Clip | null = null
  drawings: ReadonlyMap<number, Drawing> = new Map()
  /** The node that is looked at, once it is known. */
  chosen: number | null = null
  closer: ClusterCloser | null = null
  tuples: ClusterTuples | null = null
  /** The sequence that is switched from. */
  from: ClusterSequence | null = null
  switches: readonly ClusterSwitch[] = []
  tuple = 0
  routing = false
  route: readonly number[] = []
  /** The clips that a route begins and ends with; null: those of the middles of its first and last node. */
  ends: readonly [number | null, number | null] = [null, null]
  wanted: Wanted | null = null
  /** A switch is made with all of both clips. */
  whole = false
  private readonly making = new Latest<Wanted, Made>(
    (wanted) => this.make(wanted),
    (made, wanted) => this.show(made, wanted),
    this.fail,
  )

  get busy(): boolean {
    return this.making.busy
  }

  /** With clips for a new one the form is open; otherwise the last one, or the first. */
  async enter(material: ClusterMaterial): Promise<void> {
    this.material = material
    this.building = material !== null
    this.error = ''
    this.tell()
    await this.load()
    const kept = this.table?.clusters ?? []
    const name = kept.find((row) => row.name === this.cluster?.name)?.name ?? kept[0]?.name
    if (!this.building && name !== undefined) await this.open(name)
    else this.building = true
    this.tell()
  }

  async load(): Promise<void> {
    await this.trying(async () => {
      this.table = await api.clusters()
    })
  }

  async open(name: string): Promise<void> {
    this.error = ''
    await this.during(t`Opening ${name}…`, async () => this.put(await api.cluster(name, mostNodes)))
    if (!this.error) return
    this.cluster = null
    this.tell()
  }

  async put(cluster: Cluster): Promise<void> {
    const like = await api.clip(cluster.skeleton.id)
    this.making.forget()
    Object.assign(this, { cluster, like, drawings: new Map(), chosen: null, closer: null, from: null, switches: [] })
    Object.assign(this, { route: [], ends: [null, null], routing: false, wanted: null, made: null, kept: null, building: false, error: '' })
    showCommand(lineOf('cluster show', { name: cluster.name }))
    this.tell()
    const poses = readPoses(await api.clusterPoses(cluster.name, mostNodes))
    if (this.cluster === cluster) this.drawings = drawingsOf(poses, like)
    this.tell()
  }

  async remove(name: string): Promise<void> {
    await attempt(async () => {
      const line = lineOf('cluster rm', { name })
      const done = await operate('cluster rm', { name })
      tell(t`Removed cluster graph ${name}; its clips stay`, 'info', undoOf(done))
      this.cluster = null
      await this.enter(null)
      showCommand(line)
    })
  }

  // Looking at a node

  async choose(node: number): Promise<void> {
    const { cluster } = this
    if (!cluster) return
    Object.assign(this, { chosen: node, from: null, switches: [], tuple: 0 })
    this.tell()
    await this.trying(async () => {
      const { nodes, tuples } = await api.clusterNode(cluster.name, node)
      if (this.cluster !== cluster || this.chosen !== node) return
      this.closer = nodes[0]
      this.tuples = tuples[0] ?? null
      this.error = ''
    })
  }

  /** Plays a sequence with a little around it, and asks where one can switch to. */
  async setFrom(sequence: ClusterSequence): Promise<void> {
    const { cluster } = this
    if (!cluster) return
    this.from = sequence
    this.switches = []
    this.tell()
    await attempt(async () => {
      const { switches } = await api.clusterSwitches(cluster.name, sequence.sequence)
      if (this.from === sequence) this.switches = switches
      this.tell()
    })
    await attempt(async () => {
      const { id, start, end } = sequence
      const clip = await api.clip(id)
      const room = Math.round(0.5 * clip.fps)
      if (getState().making === 'clusters' && this.from?.id === id) playFrames(clip, start - room, end + room, start)
    })
  }

  // Routes

  addToRoute(node: number): void {
    if (this.route.length >= mostRoute || this.route[this.route.length - 1] === node) return
    this.route = [...this.route, node]
    this.tell()
  }

  setEnd(which: 0 | 1, clip: number): void {
    this.ends = which === 0 ? [clip, this.ends[1]] : [this.ends[0], clip]
    this.tell()
  }

  endOf(which: 0 | 1): number {
    const node = which === 0 ? this.route[0] : this.route[this.route.length - 1]
    const middle = this.cluster?.nodes.find((each) => each.node === node)?.id
    return this.ends[which] ?? middle ?? this.cluster?.parts[0]?.id ?? 0
  }

  cutRoute(length: number): void {
    this.route = this.route.slice(0, length)
    this.tell()
  }

  // Making

  want(wanted: Wanted): void {
    this.wanted = wanted
    this.made = this.kept = null
    this.error = ''
    this.making.want(wanted)
    this.tell()
  }

  setWhole(on: boolean): void {
    this.whole = on
    if (this.wanted && 'switch' in this.wanted) this.want(this.wanted)
    else this.tell()
  }

  /** The best loop of this clip through the node, or else the best of all. */
  async wantLoop(clip: number): Promise<void> {
    const { cluster, chosen } = this
    if (!cluster || chosen === null) return
    await attempt(async () => {
      const best = (await api.clusterLoop(cluster.name, clip, chosen)) ?? (await api.clusterLoop(cluster.name, clip))
      if (!best) return tell(t('No loop of at least half a second in this clip.'))
      this.want({ loop: { cluster: cluster.name, clip, at: [best.start, best.end] } })
    })
  }

  private stitchBody(wanted: { switch: ClusterSwitch } | { route: readonly number[] }): StitchBody {
    const cluster = this.cluster!.name
    if ('route' in wanted) return { cluster, a: this.endOf(0), b: this.endOf(1), nodes: [...wanted.route] }
    const { from_id: a, to_id: b, from: leave, to } = wanted.switch
    const enter = to + 1
    const [from, into] = [a, b].map((clip) => getState().cards.find(({ id }) => id === clip))
    const far = (card: typeof from) => Math.round(around_s * (card?.fps ?? 30))
    const near = {
      a: { clip: a, start: Math.max(0, leave - far(from)) },
      b: { clip: b, start: Math.min((into?.frames ?? Infinity) - 1, enter + far(into)) },
    }
    return { cluster, a, b, leave, enter, within: 0.05, nodes: [this.chosen!], ...(!this.whole && near) }
  }

  /** What makes it, and by which parameters. */
  private operationOf(wanted: Wanted): [name: string, body: object] {
    return 'loop' in wanted ? ['cluster loop', wanted.loop] : ['cluster stitch', this.stitchBody(wanted)]
  }

  private async make(wanted: Wanted): Promise<Made> {
    const [operation, body] = this.operationOf(wanted)
    return readMade(await postForBytes(`/api/do/${operation.replace(' ', '-')}`, body))
  }

  get baseName(): string {
    return this.wanted && 'loop' in this.wanted ? 'loop' : 'stitch'
  }

  private show(made: Made, wanted: Wanted): void {
    const { like } = this
    if (getState().making !== 'clusters' || !like || this.wanted !== wanted) return
    this.made = made
    // What is made of clips stands on the bones of the first of them.
    showMade([asShownClip(madeId, this.baseName, like, made)], 0)
    playByItself()
    showCommand(lineOf(...this.operationOf(wanted), { name: nameFor(this.baseName) }))
    this.tell()
  }

  async keep(name: string): Promise<boolean> {
    return this.wanted !== null && this.keepAs(name, ...this.operationOf(this.wanted))
  }

  /** The panel is gone. */
  leave(): void {
    this.making.forget()
    this.wanted = this.made = null
    leaveMade(this.kept ? [this.kept] : this.like ? [this.like] : [])
  }
}

export const clusters = new Clusters()
