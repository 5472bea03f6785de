// map.ts - the cluster graph to look around in: a click opens a node or adds it to the route, the wheel and + - zoom, dragging
// shifts, arrow keys go from node to node.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { Cluster, ClusterNode } from '../api'
import { arrowWays, Check, hasModifier, Range, takeEvent, valueOf } from '../controls'
import { html } from '../html'
import { useStore } from '../store'
import { usePaper } from '../timeline/drawing'
import { plural, t } from '../words/words'
import { drawMap } from './map_draw'
import { clusters } from './session'

// A cluster graph as a drawing: which nodes are shown, where, and how large. Nodes with similar poses are near each other;
// none covers another. The same nodes are always in the same places.

export interface Filter {
  /** So many, the largest first. */
  most: number
  /** Only nodes with frames of several clips. */
  shared: boolean
  loops: boolean
}

export const defaults: Filter = { most: 60, shared: false, loops: false }

/** A node on the map. */
export interface Spot {
  node: ClusterNode
  x: number
  y: number
  r: number
}

const radii = { least: 25, most: 55 }
/** How much of the map nodes cover. */
const cover = 0.5
const rounds = 160
const gap = 5

/** Those that bring clips together first, then the largest. */
export function shownNodes({ nodes }: Pick<Cluster, 'nodes'>, { most, shared, loops }: Filter): ClusterNode[] {
  return nodes
    .filter((node) => (!shared || node.clips > 1) && (!loops || node.loops))
    .sort((a, b) => Number(b.clips > 1) - Number(a.clips > 1) || b.frames - a.frames || a.node - b.node)
    .slice(0, most)
}

function push(a: Spot, b: Spot, turn: number): boolean {
  let [dx, dy] = [b.x - a.x, b.y - a.y]
  let far = Math.hypot(dx, dy)
  const wanted = a.r + b.r + gap
  if (far >= wanted) return false
  // Two in one place part in a direction of their own.
  if (far < 1e-6) [dx, dy, far] = [Math.cos(turn), Math.sin(turn), 1]
  // The smaller one gives way.
  const share = (b.r * b.r) / (a.r * a.r + b.r * b.r)
  const by = ((wanted - Math.hypot(b.x - a.x, b.y - a.y)) / far) * 0.9
  a.x -= dx * by * share
  a.y -= dy * by * share
  b.x += dx * by * (1 - share)
  b.y += dy * by * (1 - share)
  return true
}

/** `aspect`: how much wider than high the map is. */
export function layOut(nodes: readonly ClusterNode[], aspect: number): Spot[] {
  const largest = Math.max(1, ...nodes.map(({ frames }) => frames))
  // Not by the area: where the body rests there are a hundred times as many frames as anywhere else.
  const radius = (frames: number) => Math.max(radii.least, radii.most * Math.cbrt(frames / largest))
  const area = nodes.reduce((sum, { frames }) => sum + Math.PI * (radius(frames) + gap) ** 2, 0)
  const half = Math.sqrt(area / cover) / 2
  const [wide, high] = [half * Math.sqrt(aspect), half / Math.sqrt(aspect)]
  // Ranks instead of values: poses come in crowds, and a map that is mostly empty shows little.
  const ranked = (key: 'x' | 'y') => {
    const order = [...nodes].sort((a, b) => a[key] - b[key] || a.node - b.node)
    return new Map(order.map((node, i) => [node, nodes.length > 1 ? (2 * i) / (nodes.length - 1) - 1 : 0]))
  }
  const [across, down] = [ranked('x'), ranked('y')]
  const spots = nodes.map((node) => ({
    node,
    x: wide * (0.6 * across.get(node)! + 0.4 * node.x),
    y: -high * (0.6 * down.get(node)! + 0.4 * node.y),
    r: radius(node.frames),
  }))
  for (let round = 0; round < rounds; round++) {
    let moved = false
    for (let i = 0; i < spots.length; i++) {
      for (let j = i + 1; j < spots.length; j++) moved = push(spots[i]!, spots[j]!, 2.4 * (i + j)) || moved
    }
    if (!moved) break
  }
  return spots
}

/** What is seen of the map: its middle, and pixels to a unit. */
export interface View {
  x: number
  y: number
  zoom: number
}

/** All of it. */
export function fit(spots: readonly Spot[], width: number, height: number): View {
  const edge = 12
  const xs = spots.flatMap(({ x, r }) => [x - r, x + r])
  const ys = spots.flatMap(({ y, r }) => [y - r, y + r])
  if (!xs.length) return { x: 0, y: 0, zoom: 1 }
  const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)]
  const zoom = Math.min((width - 2 * edge) / (right - left), (height - 2 * edge) / (bottom - top), 2)
  return { x: (left + right) / 2, y: (top + bottom) / 2, zoom: Math.max(0.02, zoom) }
}

/** Nearer or farther, what is under (px, py) of a picture stays there. */
export function zoomed(view: View, factor: number, px: number, py: number, width: number, height: number): View {
  const zoom = Math.max(0.05, Math.min(8, view.zoom * factor))
  const [dx, dy] = [px - width / 2, py - height / 2]
  return { x: view.x + dx / view.zoom - dx / zoom, y: view.y + dy / view.zoom - dy / zoom, zoom }
}

export function under(
  spots: readonly Spot[],
  view: View,
  px: number,
  py: number,
  width: number,
  height: number,
): Spot | null {
  const [x, y] = [view.x + (px - width / 2) / view.zoom, view.y + (py - height / 2) / view.zoom]
  return spots.find((spot) => Math.hypot(spot.x - x, spot.y - y) <= spot.r) ?? null
}

/** The next one in the direction of an arrow key: near, and not far off to the side. */
export function beside(spots: readonly Spot[], from: Spot | null, key: string): Spot | null {
  const way = arrowWays[key]
  if (!from || !way) return spots[0] ?? null
  let [best, least]: [Spot, number] = [from, Infinity]
  for (const spot of spots) {
    const [dx, dy] = [spot.x - from.x, spot.y - from.y]
    const ahead = dx * way[0] + dy * way[1]
    if (spot === from || ahead <= 1e-6) continue
    const cost = ahead + 2.5 * Math.abs(dx * way[1] - dy * way[0])
    if (cost < least) [best, least] = [spot, cost]
  }
  return best
}

/** In words. */
export function nodeText({ node, frames, sequences, clips, loops }: ClusterNode): string {
  const what = t`${plural(frames, 'frame')}, ${plural(sequences, 'sequence')} of ${plural(clips, 'clip')}`
  return t`node ${node}: ${what}${loops ? t(', loops') : ''}`
}

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
    onPointerCancel: () => {
      from.current = null
    },
    onPointerLeave: () => !from.current && rest(null),
    onWheel: (event: WheelEvent) => {
      event.preventDefault()
      const { x, y } = place(event)
      set(zoomed(view, Math.exp((event.ctrlKey ? -0.01 : -0.0015) * event.deltaY), x, y, width, height))
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
  const keys = t('Arrow keys: from node to node; Enter opens it, Shift and Enter add it to the route; + and - zoom.')
  return html`<section class="cluster-map" aria-label="Nodes">
    <${Filters} filter=${filter} set=${setFilter} cluster=${cluster} shown=${spots.length} />
    <canvas
      ref=${canvas} class=${routing ? 'routing' : ''} tabindex="0" data-pinch role="application" aria-roledescription="graph"
      aria-label=${`${text || plural(spots.length, 'node')}. ${keys}`} ...${usePointer(look)}
      onKeyDown=${(event: KeyboardEvent) => press(event, look)}
    ></canvas>
    <p class="explorer-text">
      ${text || html`<span class="dim">Click a node to look into it, Shift-click for a route; the wheel zooms.</span>`}
    </p>
  </section>`
}
