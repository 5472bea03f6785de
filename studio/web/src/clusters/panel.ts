// panel.ts - "Cluster graphs", in the library's place: a graph is chosen or built, its nodes are looked into, and switches,
// routes and loops are made of them.
import { useEffect } from 'preact/hooks'
import { shortNumber } from '../compare/readout'
import { html } from '../html'
import { Icon } from '../icons'
import { onLibrary } from '../live'
import { Figures, KeepForm, PanelHead, valueOf } from '../making/parts'
import { useStore } from '../store'
import { useChanges } from '../timeline/view'
import { BuildForm } from './build_form'
import { ClusterMap } from './map'
import { NodeView } from './node_view'
import { clusters } from './session'
import '../graph/graph.css'
import './clusters.css'

export { clusters } from './session'

function Choice() {
  const { table, cluster, building } = clusters
  const writable = useStore((state) => state.about?.library.writable ?? true)
  const now = building ? '' : (cluster?.name ?? '')
  const open = (event: Event) => {
    const name = valueOf(event)
    if (name) void clusters.open(name)
    else clusters.showForm()
  }
  return html`<label class="compare-field">
      <span>Graph</span>
      <select class="field graph-choice" value=${now} onChange=${open}>
        <option value="" selected=${now === ''}>new…</option>
        ${table?.clusters.map(
          ({ name }) => html`<option key=${name} value=${name} selected=${name === now}>${name}</option>`,
        )}
      </select>
    </label>
    ${writable &&
    now &&
    html`<button
      type="button" class="button quiet icon" aria-label=${`Remove the cluster graph ${now}`}
      title=${`Remove ${now}: its clips stay`} onClick=${() => void clusters.remove(now)}
    >
      <${Icon} name="trash" />
    </button>`}`
}

function EndChoice({ which, name }: { which: 0 | 1; name: string }) {
  const now = clusters.endOf(which)
  const all = new Map((clusters.cluster?.parts ?? []).map((clip) => [clip.id, clip.name]))
  return html`<label class="compare-field">
    <span>${name}</span>
    <select
      class="field" value=${now} onChange=${(event: Event) => clusters.setEnd(which, Number(valueOf(event)))}
    >
      ${[...all].map(([id, clip]) => html`<option key=${id} value=${id} selected=${id === now}>${clip}</option>`)}
    </select>
  </label>`
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
    <${EndChoice} which=${0} name="from" />
    <${EndChoice} which=${1} name="to" />
    <button type="button" class="button quiet" onClick=${() => clusters.cutRoute(route.length - 1)}>Back</button>
    <button type="button" class="button quiet" onClick=${() => clusters.cutRoute(0)}>Clear</button>
    <button
      type="button" class="button primary" disabled=${busy}
      title="A clip that passes through these nodes in this order" onClick=${() => clusters.want({ route })}
    >
      <${Icon} name="open" />Make it
    </button>
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

export function ClustersPanel() {
  useChanges(clusters)
  useEffect(() => {
    const stop = onLibrary(() => void clusters.load())
    return () => {
      stop()
      clusters.leave()
    }
  }, [])
  const { building, busyWith, error, table } = clusters
  return html`<section class="compare making clusters-panel" aria-label="Cluster graphs">
    <${PanelHead} title="Cluster graphs" hint="N"><${Choice} /><//>
    ${busyWith && html`<p class="dim" role="status">${busyWith}</p>`}
    ${error && html`<p class="making-error" role="alert">${error}</p>`}
    ${building ? table && html`<${BuildForm} />` : html`<${Working} />`}
  </section>`
}
