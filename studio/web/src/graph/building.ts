// building.ts - a new motion graph: of which clips, of which kind, and at which threshold. What each threshold is worth is
// measured before one is chosen.
import { api, type Graph, type GraphBody, type GraphSettings, type GraphStats, type SweepResult } from '../api'
import { attempt } from '../attempt'
import { showCommand } from '../commands'
import { Session } from '../making/session'
import { lineOf } from '../operations'
import { getState, tell } from '../store'
import { labelIn } from './build_form'
import { graphs } from './session'
import { thresholdsUpTo } from './sweep_data'

/** More frames at the graph's rate than this are swept only if the user confirms. */
const quickFrames: Record<string, number> = { standard: 12000, connected: 1000 }
const graphFps = 30

class Building extends Session {
  /** "all", "clips" that were selected, or "label NAME". */
  source = 'all'
  kind = 'standard'
  mu = 1
  /** Null: the largest that is smooth. */
  at: number | null = null
  smooth = true
  thresholds: number[] = []
  rows: GraphStats[] | null = null
  /** What the rows are of. */
  private swept = ''

  enter(): void {
    const { clips, again } = graphs
    if (again) Object.assign(this, { kind: again.kind, mu: again.settings.mu ?? 1 })
    if (clips.length) this.source = 'clips'
    else if (this.source === 'clips') this.source = 'all'
    this.refresh()
    if (again) this.set({ at: again.settings.threshold, smooth: again.settings.only_smooth })
  }

  get clips(): readonly number[] {
    return graphs.clips
  }

  private get settings(): GraphSettings {
    const { source, clips, kind, mu } = this
    const label = labelIn(source)
    return {
      kind,
      ...(label && { label }),
      ...(source === 'clips' && { clips: [...clips] }),
      ...(kind === 'connected' && mu !== 1 && { mu }),
    }
  }

  /** Of those that are chosen, about. */
  get frames(): number {
    const { source, clips } = this
    const label = labelIn(source)
    const some = getState().cards.filter(({ id, labels }) => {
      if (label) return labels.includes(label)
      return source === 'all' || clips.includes(id)
    })
    return Math.round(graphFps * some.reduce((sum, { seconds }) => sum + seconds, 0))
  }

  set(fields: Partial<Pick<Building, 'source' | 'kind' | 'mu' | 'at' | 'smooth'>>): void {
    Object.assign(this, fields)
    this.refresh()
  }

  /** Rows of other clips, or another kind, are of no use; new ones are measured unasked where that is quick. */
  private refresh(): void {
    const now = JSON.stringify(this.settings)
    if (this.swept !== now) {
      this.rows = null
      this.at = null
      if (this.frames <= (quickFrames[this.kind] ?? 0)) void this.sweep()
    }
    this.tell()
  }

  /** First what is quick, then the times as well. */
  async sweep(): Promise<void> {
    const { settings } = this
    this.swept = JSON.stringify(settings)
    this.error = ''
    this.thresholds = thresholdsUpTo(graphs.table?.ceiling ?? 30)
    await this.trying(async () => {
      for (const quick of [true, false]) {
        const body = { ...settings, thresholds: this.thresholds, quick }
        const result = await this.runJob<SweepResult>('Measuring thresholds', () => api.sweepGraph(body))
        if (!result) return
        this.rows = result.sweep
        this.tell()
      }
    })
  }

  async build(name: string): Promise<void> {
    const { settings, at, smooth } = this
    const body: GraphBody = { ...settings, name, ...(at !== null && { threshold: at, ...(smooth && { only_smooth: true }) }) }
    const line = lineOf('graph build', body)
    await attempt(async () => {
      const built = await this.runJob<Graph & { left_out: number }>(`Building ${name}`, () => api.buildGraph(body))
      if (!built) return
      const left = built.left_out ? `; ${built.left_out} clips with other joints are left out` : ''
      tell(`Graph ${name}: ${built.nodes} nodes, ${built.transitions} transitions${left}`)
      graphs.put(built, await api.clip(built.skeleton.id))
      showCommand(line)
      await graphs.load()
    })
  }

  /** The form is gone. */
  leave(): void {
    if (this.job) this.swept = ''
    this.dropJob()
  }
}

export const building = new Building()
