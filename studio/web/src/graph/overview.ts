// overview.ts - the tab "Graph": how well the graph is connected, the closure as a picture, and all of it to look around in.
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Graph, GraphPart } from '../api'
import { useChanges } from '../changes'
import { shortNumber } from '../compare/readout'
import { Button, shareUnder } from '../controls'
import { html } from '../html'
import { useStore } from '../store'
import { t } from '../words/words'
import { measures, valueText } from './building'
import { Explorer } from './explorer'
import { graphs } from './session'

// Which frames can be reached from which, as a picture: rows are from, columns to. A full square is a graph without dead
// ends.

const headBytes = 16

interface Closure {
  side: number
  frames: number
  /** 0 none .. 255 all. */
  shares: Uint8Array
}

/** Throws if these bytes are no closure. */
function readClosure(bytes: ArrayBuffer): Closure {
  const view = new DataView(bytes)
  const known = bytes.byteLength >= headBytes && view.getUint32(0, false) === 0x4d525943
  if (!known || view.getUint32(4, true) !== 1) throw new Error(t('the studio sent something that is no closure'))
  const side = view.getUint32(8, true)
  if (bytes.byteLength < headBytes + side * side) throw new Error(t('the studio sent half a closure'))
  return { side, frames: view.getUint32(12, true), shares: new Uint8Array(bytes, headBytes, side * side) }
}

/** The clip that an original belongs to, and its frame there. */
export function frameOf(clips: readonly GraphPart[], node: number): { name: string; frame: number } | null {
  const clip = clips.find((each) => node >= each.node && node < each.node + each.nodes)
  if (!clip) return null
  const frame = clip.start + Math.floor(((node - clip.node) * (clip.end - clip.start)) / clip.nodes)
  return { name: clip.name, frame }
}

function colour(name: string): [number, number, number] {
  const probe = document.createElement('canvas').getContext('2d')!
  probe.fillStyle = getComputedStyle(document.documentElement).getPropertyValue(name).trim()
  probe.fillRect(0, 0, 1, 1)
  const [r, g, b] = probe.getImageData(0, 0, 1, 1).data
  return [r!, g!, b!]
}

function paint(canvas: HTMLCanvasElement, { side, shares }: Closure): void {
  const [none, all] = [colour('--surface-2'), colour('--accent')]
  const image = new ImageData(side, side)
  shares.forEach((share, i) => {
    for (let k = 0; k < 3; k++) image.data[4 * i + k] = none[k]! + ((all[k]! - none[k]!) * share) / 255
    image.data[4 * i + 3] = 255
  })
  canvas.width = canvas.height = side
  canvas.getContext('2d')!.putImageData(image, 0, 0)
}

/** What is under the pointer, in words. */
function describe({ side, frames, shares }: Closure, clips: readonly GraphPart[], row: number, col: number): string {
  const node = (at: number) => Math.floor((at * frames) / side)
  const [from, to] = [frameOf(clips, node(row)), frameOf(clips, node(col))]
  if (!from || !to) return ''
  const share = Math.round((100 * shares[row * side + col]!) / 255)
  return `${from.name} ${from.frame} → ${to.name} ${to.frame}: ${share} %`
}

function ClosurePicture({ graph }: { graph: Graph }) {
  useChanges(graphs)
  const canvas = useRef<HTMLCanvasElement>(null)
  const theme = useStore((state) => state.theme)
  const [under, setUnder] = useState('')
  const { closure, closureError } = graphs
  const read = closure ? readClosure(closure) : null
  useEffect(() => {
    if (canvas.current && closure) paint(canvas.current, readClosure(closure))
  }, [closure, theme])
  if (closureError) return html`<p class="dim">${closureError}</p>`
  const point = (event: PointerEvent) => {
    const cell = (share: number) => Math.max(0, Math.min(read!.side - 1, Math.floor(share * read!.side)))
    const [col, row] = shareUnder(canvas.current!, event).map(cell)
    setUnder(describe(read!, graph.parts, row!, col!))
  }
  const whole = graph.measured ? t`, ${graph.connectivity_percent.toFixed(0)} % of all pairs` : ''
  return html`<figure class="closure">
    <figcaption>Which frames can be reached <span class="dim">from ↓ to →</span></figcaption>
    ${read
      ? html`<canvas
          ref=${canvas} role="img" aria-label=${t`Which frames can be reached from which${whole}`}
          onPointerMove=${point} onPointerLeave=${() => setUnder('')}
        ></canvas>`
      : html`<div class="closure-empty dim">Looking…</div>`}
    <p class="closure-under ellipsis dim">${under || ' '}</p>
  </figure>`
}

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
      ${count(graph.nodes)} <span class="dim">${reduced ? t`of ${count(graph.nodes_before)}` : `${fps} fps`}</span>
    <//>
    <${Row} name="Transitions" title="Ways from one sequence of frames into another">${count(graph.transitions)}<//>
    <${Row} name="Threshold" title="Transitions cost less than this">${shortNumber(settings.threshold)} ${unit}<//>
    <${Row} name="Dwell" title="Walks and characters stay at least so long in a piece">${shortNumber(settings.dwell_s)} s<//>
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
