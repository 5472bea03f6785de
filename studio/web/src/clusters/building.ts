// building.ts - a new cluster graph: of which clips, how near frames must be to be in one node, and its name.
import { api, type ClusterBody, type ClusterBuilt } from '../api'
import { attempt } from '../attempt'
import { showCommand } from '../commands'
import { labelIn } from '../graph/build_form'
import { Session } from '../making/session'
import type { FromExample } from '../opening'
import { lineOf } from '../operations'
import { tell } from '../store'
import { clusters, mostNodes } from './session'

/** How many paths were to be told has no place there. */
function soughtFor({ body, take }: FromExample): Partial<ClusterBody> {
  const { query, curve, best: _best, limit: _limit, ...how } = body
  return { ...how, ...(query && { from_example: query }), ...(curve && { from_curve: curve }), count: take }
}

class Building extends Session {
  /** "all", "label NAME", "clips" that were selected, or the "example" that a sketch found. */
  source = 'all'
  /** '': the default. */
  link = ''
  /** Null: the default. */
  threshold: number | null = null

  get clips(): readonly number[] {
    const { material } = clusters
    return material && 'clips' in material ? material.clips : []
  }

  get example() {
    const { material } = clusters
    return material && 'example' in material ? material.example : null
  }

  enter(): void {
    if (this.example) this.source = 'example'
    else if (this.clips.length) this.source = 'clips'
    else if (this.source === 'clips' || this.source === 'example') this.source = 'all'
    this.tell()
  }

  private body(name: string): ClusterBody {
    const { source, link, threshold, example } = this
    const label = labelIn(source)
    return {
      name,
      ...(label && { label }),
      ...(source === 'clips' && { clips: [...this.clips] }),
      ...(source === 'example' && example && soughtFor(example)),
      ...(link && { link }),
      ...(threshold !== null && { threshold }),
    }
  }

  async build(name: string): Promise<void> {
    const body = this.body(name)
    const line = lineOf('cluster build', body)
    await attempt(async () => {
      const built = await this.runJob<ClusterBuilt>(`Building ${name}`, () => api.buildCluster(body))
      if (!built) return
      const left = built.left_out ? `; ${built.left_out} clips with other joints are left out` : ''
      tell(`Cluster graph ${name}: ${built.node_count} nodes of ${built.frames} frames${left}`)
      await clusters.put(await api.cluster(name, mostNodes))
      showCommand(line)
      await clusters.load()
    })
  }
}

export const building = new Building()
