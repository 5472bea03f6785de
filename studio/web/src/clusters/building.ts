// building.ts - a new cluster graph: of which clips, how near frames must be to be in one node, and its name.
import { api as common, type ClusterBody, type ClusterBuilt } from '../api'
import { attempt } from '../attempt'
import { showCommand } from '../commands'
import { resultOf } from '../graph/job'
import { lineOf } from '../operations'
import { tell } from '../store'
import { Changes } from '../timeline/view'
import { api } from './cluster_api'
import { clusters, mostNodes } from './session'
import type { FromExample } from './opening'

/** All clips, those with a label, those that were selected, or those that a sketch found. */
export type Of = { what: 'all' } | { what: 'label'; label: string } | { what: 'clips' } | { what: 'example' }

/** How many paths were to be told has no place there. */
function soughtFor({ body, take }: FromExample): Partial<ClusterBody> {
  const { query, curve, best: _best, limit: _limit, ...how } = body
  return { ...how, ...(query && { from_example: query }), ...(curve && { from_curve: curve }), count: take }
}

class Building extends Changes {
  of: Of = { what: 'all' }
  /** '': the default. */
  link = ''
  /** Null: the default. */
  threshold: number | null = null
  job = 0
  private era = 0

  get clips(): readonly number[] {
    const { material } = clusters
    return material && 'clips' in material ? material.clips : []
  }

  get example() {
    const { material } = clusters
    return material && 'example' in material ? material.example : null
  }

  enter(): void {
    if (this.example) this.of = { what: 'example' }
    else if (this.clips.length) this.of = { what: 'clips' }
    else if (this.of.what === 'clips' || this.of.what === 'example') this.of = { what: 'all' }
    this.tell()
  }

  set(fields: Partial<Pick<Building, 'of' | 'link' | 'threshold'>>): void {
    Object.assign(this, fields)
    this.tell()
  }

  private body(name: string): ClusterBody {
    const { of, link, threshold, example } = this
    return {
      name,
      ...(of.what === 'label' && { label: of.label }),
      ...(of.what === 'clips' && { clips: [...this.clips] }),
      ...(of.what === 'example' && example && soughtFor(example)),
      ...(link && { link }),
      ...(threshold !== null && { threshold }),
    }
  }

  async build(name: string): Promise<void> {
    const body = this.body(name)
    const line = lineOf('cluster build', body)
    const era = ++this.era
    await attempt(async () => {
      const built = await resultOf<ClusterBuilt>(() => api.build(body), (job) => this.begin(era, job))
      if (!built || era !== this.era) return
      const left = built.left_out ? `; ${built.left_out} clips with other joints are left out` : ''
      tell(`Cluster graph ${name}: ${built.node_count} nodes of ${built.frames} frames${left}`)
      await clusters.put(await api.open(name, mostNodes))
      showCommand(line)
      await clusters.load()
    })
    this.begin(era, 0)
  }

  private begin(era: number, job: number): void {
    if (era !== this.era) {
      if (job) void common.cancel(job).catch(() => undefined)
      return
    }
    this.job = job
    this.tell()
  }

  /** The form is gone. */
  leave(): void {
    if (this.job) void common.cancel(this.job).catch(() => undefined)
    this.era++
    this.job = 0
  }
}

export const building = new Building()
