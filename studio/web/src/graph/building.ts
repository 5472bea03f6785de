// building.ts - a new motion graph: of which clips, of which kind, and at which threshold. What each threshold is worth is
// measured before one is chosen.
import { api, type Graph, type GraphBody, type GraphStats, type GraphWish, type SweepResult } from '../api'
import { attempt } from '../attempt'
import { showCommand, type Named } from '../commands'
import { messageOf } from '../making/parts'
import { getState, tell } from '../store'
import { Changes } from '../timeline/view'
import { commands } from './graph_commands'
import { resultOf } from './job'
import { graphs } from './session'
import { thresholdsUpTo } from './sweep_data'

/** All clips, those with a label, or those that were selected. */
export type Of = { what: 'all' } | { what: 'label'; label: string } | { what: 'clips'; clips: readonly number[] }

/** More frames at the graph's rate than this are swept only if the user confirms. */
const quickFrames: Record<string, number> = { standard: 12000, connected: 1000 }
const graphFps = 30

class Building extends Changes {
  of: Of = { what: 'all' }
  kind = 'standard'
  mu = 1
  /** Null: the largest that is smooth. */
  at: number | null = null
  smooth = true
  thresholds: number[] = []
  rows: GraphStats[] | null = null
  job = 0
  jobName = ''
  error = ''
  /** What the rows are of. */
  private swept = ''
  private era = 0

  enter(): void {
    const { clips, again } = graphs
    if (again) Object.assign(this, { kind: again.kind, mu: again.settings.mu ?? 1 })
    if (clips.length) this.of = { what: 'clips', clips }
    else if (this.of.what === 'clips') this.of = { what: 'all' }
    this.refresh()
    if (again) this.set({ at: again.settings.threshold, smooth: again.settings.only_smooth })
  }

  private get wish(): GraphWish {
    const { of, kind, mu } = this
    return {
      kind,
      ...(of.what === 'label' && { label: of.label }),
      ...(of.what === 'clips' && { clips: [...of.clips] }),
      ...(kind === 'connected' && mu !== 1 && { mu }),
    }
  }

  /** Of those that are chosen, about. */
  get frames(): number {
    const { of } = this
    const { cards } = getState()
    const some = cards.filter(({ id, labels }) => {
      if (of.what === 'label') return labels.includes(of.label)
      return of.what === 'all' || of.clips.includes(id)
    })
    return Math.round(graphFps * some.reduce((sum, { seconds }) => sum + seconds, 0))
  }

  set(fields: Partial<Pick<Building, 'of' | 'kind' | 'mu' | 'at' | 'smooth'>>): void {
    Object.assign(this, fields)
    this.refresh()
  }

  /** Rows of other clips, or another kind, are of no use; new ones are measured unasked where that is quick. */
  private refresh(): void {
    const now = JSON.stringify(this.wish)
    if (this.swept !== now) {
      this.rows = null
      this.at = null
      if (this.frames <= (quickFrames[this.kind] ?? 0)) void this.sweep()
    }
    this.tell()
  }

  /** First what is quick, then the times as well. */
  async sweep(): Promise<void> {
    const { wish } = this
    const era = ++this.era
    this.swept = JSON.stringify(wish)
    this.error = ''
    this.thresholds = thresholdsUpTo(graphs.table?.ceiling ?? 30)
    try {
      for (const quick of [true, false]) {
        const body = { ...wish, thresholds: this.thresholds, quick }
        const result = await resultOf<SweepResult>(() => api.sweepGraph(body), (job) => this.begin(era, job))
        if (era !== this.era) return
        if (!result) break
        this.rows = result.sweep
        this.tell()
      }
    } catch (cause) {
      if (era === this.era) this.error = messageOf(cause)
    }
    if (era === this.era) this.begin(era, 0)
  }

  private begin(era: number, job: number): void {
    if (era !== this.era) {
      if (job) void api.cancel(job).catch(() => undefined)
      return
    }
    this.job = job
    this.jobName = 'Measuring thresholds'
    this.tell()
  }

  async build(name: string): Promise<void> {
    const { wish, at, smooth } = this
    const body: GraphBody = { ...wish, name, ...(at !== null && { threshold: at, ...(smooth && { only_smooth: true }) }) }
    const cards = getState().cards
    const clips: Named[] = (wish.clips ?? []).flatMap((id) => cards.find((card) => card.id === id) ?? [])
    const line = commands.build(body, clips)
    const era = ++this.era
    await attempt(async () => {
      const begun = (job: number) => {
        this.begin(era, job)
        this.jobName = `Building ${name}`
        this.tell()
      }
      const built = await resultOf<Graph & { left_out: number }>(() => api.buildGraph(body), begun)
      if (!built) return
      const left = built.left_out ? `; ${built.left_out} clips with other joints are left out` : ''
      tell(`Graph ${name}: ${built.nodes} nodes, ${built.transitions} transitions${left}`)
      graphs.put(built, await api.clip(built.skeleton.id))
      showCommand(line)
      await graphs.load()
    })
    this.begin(era, 0)
  }

  /** The form is gone. */
  leave(): void {
    if (this.job) void api.cancel(this.job).catch(() => undefined)
    if (this.job) this.swept = ''
    this.era++
    this.job = 0
  }
}

export const building = new Building()
