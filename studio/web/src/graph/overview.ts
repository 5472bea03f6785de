// overview.ts - the tab "Graph": how well the graph is connected, the closure as a picture, and all of it to look around in.
import type { Graph } from '../api'
import { useChanges } from '../changes'
import { shortNumber } from '../compare/readout'
import { Button } from '../controls'
import { html } from '../html'
import { ClosurePicture } from './closure'
import { Explorer } from './explorer'
import { graphs } from './session'
import { measures, valueText } from './sweep_data'

function bytesText(bytes: number): string {
  return bytes < 1e6 ? `${Math.round(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`
}

function Row({ name, title, children }: { name: string; title: string; children?: unknown }) {
  return html`<div title=${title}><dt>${name}</dt><dd>${children}</dd></div>`
}

function Stats({ graph }: { graph: Graph }) {
  const { settings, unit, fps } = graph
  const count = (value: number) => value.toLocaleString('en')
  if (!graph.measured) {
    return html`<p class="graph-unmeasured flex-row">
      <span class="dim">It is large, so it was not measured.</span>
      <${Button} onClick=${() => void graphs.measure()}>Measure<//>
    </p>`
  }
  const reduced = graph.nodes_before > graph.nodes
  return html`<dl class="graph-stats" aria-label="Figures of the graph">
    ${measures.map(
      ({ key, name, title, unit: of }) => html`<${Row} key=${key} name=${name} title=${title}>
        <b>${valueText(graph[key], of)}</b>
      <//>`,
    )}
    ${graph.local_maneuverability_s !== null &&
    html`<${Row} name="Time to any action" title="Local maneuverability: from anywhere to whatever label is wanted">
      <b>${valueText(graph.local_maneuverability_s, 's')}</b>
    <//>`}
    <${Row} name="Nodes" title="Captured frames, and all nodes with interpolated ones">
      ${count(graph.nodes)} <span class="dim">${reduced ? `of ${count(graph.nodes_before)}` : `${fps} fps`}</span>
    <//>
    <${Row} name="Transitions" title="Ways from one sequence of frames into another">${count(graph.transitions)}<//>
    <${Row} name="Threshold" title="Transitions cost less than this">${shortNumber(settings.threshold)} ${unit}<//>
    <${Row} name="Worst jump" title="How much faster a joint gets at a transition than around it; up to 1.1 is smooth">
      ${graph.worst_jump.toFixed(2)}×
    <//>
    <${Row} name="Memory" title="Without the clips">${bytesText(graph.bytes)}<//>
  </dl>`
}

export function Overview({ graph }: { graph: Graph }) {
  useChanges(graphs)
  const { drawing } = graphs
  return html`<div class="graph-top">
      <${ClosurePicture} graph=${graph} />
      <div class="graph-facts">
        <p class="dim">${graph.kind} graph of ${graph.clips} clips, ${graph.metric} with joints ${graph.joints}</p>
        <${Stats} graph=${graph} />
        <${Button}
          title="Build a graph at another threshold, and see first what that is worth"
          onClick=${() => graphs.showForm(true)}
        >Another threshold…<//>
      </div>
    </div>
    ${drawing ? html`<${Explorer} graph=${graph} drawing=${drawing} />` : html`<p class="dim">Drawing it…</p>`}`
}
