// map.ts - the cluster graph to look around in: a click opens a node or adds it to the route, the wheel and + - zoom, dragging
// shifts, arrow keys go from node to node.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { Cluster } from '../api'
import { Check, hasModifier, Range, takeEvent, valueOf } from '../controls'
import { html } from '../html'
import { useStore } from '../store'
import { usePaper } from '../timeline/drawing'
import { beside, defaults, fit, layOut, nodeText, shownNodes, under, zoomed } from './map_data'
import type { Filter, Spot, View } from './map_data'
import { drawMap } from './map_draw'
import { clusters } from './session'

const zoomStep = 1.25

interface Look {
  spots: readonly Spot[]
  view: View
  set: (view: View) => void
  now: Spot | null
  rest: (spot: Spot | null) => void
  size: { width: number; height: number }
}

function pick({ node }: Spot, toRoute: boolean): void {
  if (toRoute || clusters.routing) clusters.addToRoute(node.node)
  else void clusters.choose(node.node)
}

/** Brings a spot into sight. */
function reveal(view: View, spot: Spot, { width, height }: Look['size']): View {
  const [x, y] = [Math.abs(spot.x - view.x) * view.zoom, Math.abs(spot.y - view.y) * view.zoom]
  return x > 0.5 * width - 20 || y > 0.5 * height - 20 ? { ...view, x: spot.x, y: spot.y } : view
}

function press(event: KeyboardEvent, { spots, view, set, now, rest, size }: Look): void {
  if (hasModifier(event)) return
  const { width, height } = size
  const zoom = (factor: number) => set(zoomed(view, factor, width / 2, height / 2, width, height))
  if (event.key.startsWith('Arrow')) {
    const next = beside(spots, now, event.key)
    rest(next)
    if (next) set(reveal(view, next, size))
  } else if (event.key === '+' || event.key === '=') zoom(zoomStep)
  else if (event.key === '-') zoom(1 / zoomStep)
  else if (event.key === '0') set(fit(spots, width, height))
  else if (event.key === 'Enter' && now) pick(now, event.shiftKey)
  else return
  takeEvent(event)
}

function usePointer({ spots, view, set, rest, size }: Look) {
  const from = useRef<{ x: number; y: number; view: View; moved: boolean } | null>(null)
  const { width, height } = size
  const place = (event: MouseEvent) => {
    const box = (event.currentTarget as HTMLElement).getBoundingClientRect()
    return { x: event.clientX - box.left, y: event.clientY - box.top }
  }
  return {
    onPointerDown: (event: PointerEvent) => {
      if (event.button !== 0) return
      from.current = { ...place(event), view, moved: false }
      ;(event.currentTarget as HTMLElement).setPointerCapture(event.pointerId)
    },
    onPointerMove: (event: PointerEvent) => {
      const { x, y } = place(event)
      const drag = from.current
      if (!drag) return rest(under(spots, view, x, y, width, height))
      if (Math.hypot(x - drag.x, y - drag.y) > 4) drag.moved = true
      if (!drag.moved) return
      const { zoom } = drag.view
      set({ zoom, x: drag.view.x - (x - drag.x) / zoom, y: drag.view.y - (y - drag.y) / zoom })
    },
    onPointerUp: (event: PointerEvent) => {
      const { x, y } = place(event)
      const spot = from.current && !from.current.moved ? under(spots, view, x, y, width, height) : null
      from.current = null
      if (spot) pick(spot, event.shiftKey)
    },
    onPointerLeave: () => !from.current && rest(null),
    onWheel: (event: WheelEvent) => {
      event.preventDefault()
      const { x, y } = place(event)
      set(zoomed(view, Math.exp(-0.0015 * event.deltaY), x, y, width, height))
    },
  }
}

function Filters({ filter, set, cluster, shown }: {
  filter: Filter
  set: (filter: Filter) => void
  cluster: Cluster
  shown: number
}) {
  const top = Math.min(200, Math.max(10, cluster.nodes.length))
  return html`<div class="compare-fields">
    <${Range}
      name="Nodes" min="5" max=${top} step="5" value=${Math.min(filter.most, top)}
      set=${(most: number) => set({ ...filter, most })}
    >${shown} of ${cluster.node_count.toLocaleString('en')}<//>
    <${Check}
      name="Shared by several clips" title="Only nodes in which one can get from one clip to another" on=${filter.shared}
      set=${(shared: boolean) => set({ ...filter, shared })}
    />
    <${Check}
      name="Loops" title="Only nodes that a clip comes to several times" on=${filter.loops}
      set=${(loops: boolean) => set({ ...filter, loops })}
    />
    <${Check}
      name="Route" title="Clicks add nodes to the route; Shift does so too" on=${clusters.routing}
      set=${(routing: boolean) => clusters.update({ routing })}
    />
    <${GoTo} cluster=${cluster} />
  </div>`
}

/** By its number, as the program tells it; also one that the map does not show. */
function GoTo({ cluster }: { cluster: Cluster }) {
  const open = (event: Event) => {
    const node = Number(valueOf(event))
    if (Number.isInteger(node) && node >= 0 && node < cluster.node_count) void clusters.choose(node)
  }
  return html`<label class="compare-field flex-row cluster-goto">
    <span>Open node</span>
    <input
      class="field" type="number" min="0" max=${cluster.node_count - 1} value=${clusters.chosen ?? ''} onChange=${open}
    />
  </label>`
}

export function ClusterMap({ cluster }: { cluster: Cluster }) {
  const [filter, setFilter] = useState(defaults)
  const [size, setSize] = useState({ width: 0, height: 0 })
  const [view, set] = useState<View>({ x: 0, y: 0, zoom: 1 })
  const [now, rest] = useState<Spot | null>(null)
  const theme = useStore((state) => state.theme)
  const { drawings, chosen, route, routing } = clusters
  const aspect = size.height ? Math.max(0.8, Math.min(2.5, size.width / size.height)) : 1.4
  const steady = Math.round(4 * aspect) / 4
  const nodes = useMemo(() => shownNodes(cluster, filter), [cluster, filter])
  const spots = useMemo(() => layOut(nodes, steady), [nodes, steady])
  useEffect(() => {
    if (size.width) set(fit(spots, size.width, size.height))
    rest(null)
  }, [spots, size.width, size.height])
  const canvas = usePaper(
    (paper) => {
      const { width, height } = paper
      if (width !== size.width || height !== size.height) setSize({ width, height })
      drawMap(paper, { cluster, spots, drawings, view, now, chosen, route })
    },
    [cluster, spots, drawings, view, now, chosen, route, theme, size],
  )
  const look: Look = { spots, view, set, now, rest, size }
  const said = now ?? spots.find(({ node }) => node.node === chosen) ?? null
  const text = said ? nodeText(said.node) : ''
  const keys = 'Arrow keys: from node to node; Enter opens it, Shift and Enter add it to the route; + and - zoom.'
  return html`<section class="cluster-map" aria-label="Nodes">
    <${Filters} filter=${filter} set=${setFilter} cluster=${cluster} shown=${spots.length} />
    <canvas
      ref=${canvas} class=${routing ? 'routing' : ''} tabindex="0" role="application" aria-roledescription="graph"
      aria-label=${`${text || `${spots.length} nodes`}. ${keys}`} ...${usePointer(look)}
      onKeyDown=${(event: KeyboardEvent) => press(event, look)}
    ></canvas>
    <p class="explorer-text">
      ${text || html`<span class="dim">Click a node to look into it, Shift-click for a route; the wheel zooms.</span>`}
    </p>
  </section>`
}
