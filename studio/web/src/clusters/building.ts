// building.ts - a new cluster graph: of which clips, how near frames must be to be in one node, and its name.
import { useEffect } from 'preact/hooks'
import { api, type ClusterBody, type ClusterBuilt } from '../api'
import { attempt } from '../attempt'
import { useChanges } from '../changes'
import { Choice, NumberField } from '../controls'
import { labelIn, SourceChoice } from '../graph/building'
import { html } from '../html'
import { Progress } from '../jobs'
import { fitsText } from '../making/fits'
import { BuildForm } from '../making/parts'
import { Session } from '../making/session'
import type { FromExample } from '../opening'
import { lineOf, showCommand } from '../operations'
import { tell } from '../store'
import { plural, t } from '../words/words'
import { clusters, mostNodes } from './session'

// A new cluster graph: of which clips, how near frames must be to be in one node, and its name.

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
      const built = await this.runJob<ClusterBuilt>(t`Building ${name}`, () => api.buildCluster(body))
      if (!built) return
      tell(t`Cluster graph ${name}: ${built.node_count} nodes of ${built.frames} frames${fitsText(built)}`)
      await clusters.put(await api.cluster(name, mostNodes))
      showCommand(line)
      await clusters.load()
    })
  }
}

export const building = new Building()

export function ClusterForm() {
  useChanges(building)
  const { material, table } = clusters
  useEffect(() => building.enter(), [material])
  useEffect(() => () => building.dropJob(), [])
  const { source, clips, example, job, jobName, threshold } = building
  const links = table?.links ?? []
  const link = links.find(({ name }) => name === building.link) ?? links[0]
  const usual = table?.threshold ?? 100
  const others = [
    ...(example ? [['example', t`the best ${plural(example.take, 'clip')} of the sketch`] as const] : []),
    ...(clips.length ? [['clips', plural(clips.length, 'selected clip')] as const] : []),
  ]
  return html`<${BuildForm}
    name="New cluster graph" kind="graph-build" button="Build it" ready=${job === 0}
    suggested=${labelIn(source) || (source === 'example' ? 'sketched' : 'clusters')}
    taken=${table?.clusters.map(({ name }) => name) ?? []} build=${(name: string) => void building.build(name)}
    foot=${job > 0 && html`<${Progress} number=${job} name=${jobName} />`}
  >
    <p class="dim">
      Frames that are alike become one node, whatever clip they are from. Inside a node the motion can switch from any
      of its clips to any other, so clips are used again in pieces of half a dozen frames.
    </p>
    <div class="compare-fields">
      <${SourceChoice} now=${source} others=${others} set=${(next: string) => building.update({ source: next })} />
      <${Choice}
        name="Link" title=${link?.about} value=${link?.name ?? ''} options=${links.map(({ name }) => name)}
        set=${(name: string) => building.update({ link: name === links[0]?.name ? '' : name })}
      />
      <${NumberField}
        name="Threshold" about="How far apart frames of one node may be: a lower one makes more and smaller nodes"
        kind="cluster-threshold" least=${0} step="any" value=${threshold ?? usual}
        set=${(value: number) => value > 0 && building.update({ threshold: value === usual ? null : value })}
      ><span>${table?.unit}</span><//>
    </div>
    ${link && html`<p class="dim">${link.name}: ${link.about}.</p>`}
  <//>`
}
