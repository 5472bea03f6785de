// build_form.ts - a new cluster graph: its clips, how frames are linked, its threshold and its name.
import { useEffect } from 'preact/hooks'
import { plural } from '../actions'
import { useChanges } from '../changes'
import { Choice, NumberField } from '../controls'
import { labelIn, SourceChoice } from '../graph/build_form'
import { html } from '../html'
import { Progress } from '../jobs'
import { BuildForm } from '../making/parts'
import { building } from './building'
import { clusters } from './session'

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
    ...(example ? [['example', `the best ${plural(example.take, 'clip')} of the sketch`] as const] : []),
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
