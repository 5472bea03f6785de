// panel.ts - "Cluster graphs", in the library's place: a graph is chosen or built, its nodes are looked into, and switches,
// routes and loops are made of them.
import { shortNumber } from '../compare/readout'
import { Button, Choice } from '../controls'
import { html } from '../html'
import { Figures, KeepForm, Missing, PanelHead, Problem, SavedChoice } from '../making/parts'
import { useSession } from '../making/session'
import { t } from '../words/words'
import { ClusterForm } from './building'
import { ClusterMap } from './map'
import { NodeView } from './node_view'
import { clusters } from './session'
import '../graph/graph.css'
import './clusters.css'

export { clusters } from './session'

function EndChoice({ which, name }: { which: 0 | 1; name: string }) {
  const all = new Map((clusters.cluster?.parts ?? []).map((clip) => [clip.id, clip.name]))
  return html`<${Choice}
    name=${name} value=${clusters.endOf(which)} options=${[...all]}
    set=${(clip: string) => clusters.setEnd(which, Number(clip))}
  />`
}

function Route() {
  const { route, busy } = clusters
  if (!route.length) return null
  return html`<div class="compare-fields cluster-route" role="group" aria-label="Route">
    <span class="dim">Route</span>
    ${route.map(
      (node, i) => html`<button
        key=${i} type="button" class="chip" title="Cut the route behind here" onClick=${() => clusters.cutRoute(i + 1)}
      >
        ${node}
      </button>`,
    )}
    <${EndChoice} which=${0} name=${t('from')} />
    <${EndChoice} which=${1} name=${t('to')} />
    <${Button} kind="quiet" onClick=${() => clusters.cutRoute(route.length - 1)}>Back<//>
    <${Button} kind="quiet" onClick=${() => clusters.cutRoute(0)}>Clear<//>
    <${Button}
      icon="open" kind="primary" disabled=${busy} title="A clip that passes through these nodes in this order"
      onClick=${() => clusters.want({ route })}
    >Make it<//>
  </div>`
}

interface StitchFacts {
  pieces?: { clip: string; start: number; end: number }[]
}

/** What was made, and keeping it. */
function Result() {
  const { wanted, made, kept, baseName, busy } = clusters
  if (!wanted) return null
  const { pieces = [] } = (made?.facts ?? {}) as StitchFacts
  const whole = (value: number) => Math.round(value)
  return html`<${Figures} facts=${made?.facts ?? null} busy=${busy}>
      ${pieces.length > 0 &&
      html`<ol class="cluster-pieces" aria-label="Pieces">
        ${pieces.map(
          ({ clip, start, end }, i) =>
            html`<li key=${i}>${clip} <span class="dim">${whole(start)}–${whole(end)}</span></li>`,
        )}
      </ol>`}
    <//>
    <${KeepForm} base=${baseName} kept=${kept} ready=${made !== null} keep=${(name: string) => clusters.keep(name)} />`
}

function Working() {
  const { cluster } = clusters
  if (!cluster) return null
  const { link, threshold, unit, clips, frames, sequence_count: sequences, looping, fps } = cluster
  return html`<p class="dim">
      ${clips} clips, ${frames.toLocaleString('en')} frames at ${fps} a second, ${sequences.toLocaleString('en')}
      ${' '}sequences, ${looping} looping nodes; ${link} link within ${shortNumber(threshold)} ${unit}
    </p>
    <${ClusterMap} key=${cluster.name} cluster=${cluster} />
    <${Route} />
    <${NodeView} />
    <${Result} />`
}

export function Panel() {
  useSession(clusters)
  const { building, busyWith, error, table, cluster } = clusters
  return html`<section class="compare flex-column making clusters-panel" aria-label="Cluster graphs">
    <${PanelHead} title="Cluster graphs" hint="N">
      <${SavedChoice}
        field=${t('Graph')} kind=${t('cluster graph')} stays=${t('clips')} names=${table?.clusters.map(({ name }) => name) ?? []}
        now=${building ? '' : (cluster?.name ?? '')} remove=${(name: string) => void clusters.remove(name)}
        open=${(name: string) => (name ? void clusters.open(name) : clusters.update({ building: true }))}
      />
    <//>
    ${busyWith && html`<p class="dim" role="status">${busyWith}</p>`}
    <${Problem} text=${error} />
    <${Missing}
      field=${t('Cluster graph')} rows=${table?.clusters.map(({ name, made_of }) => ({ name, clips: made_of })) ?? []}
      open=${(name: string) => void clusters.open(name)}
    />
    ${building ? table && html`<${ClusterForm} />` : html`<${Working} />`}
  </section>`
}
