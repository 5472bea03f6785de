// map_data.ts - a cluster graph as a drawing: which nodes are shown, where, and how large. Nodes with similar poses are near
// each other; none covers another. The same nodes are always in the same places. No DOM here.
import { plural } from '../actions'
import type { Cluster, ClusterNode } from '../api'
import { arrowWays } from '../controls'

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
  const what = `${plural(frames, 'frame')}, ${plural(sequences, 'sequence')} of ${plural(clips, 'clip')}`
  return `node ${node}: ${what}${loops ? ', loops' : ''}`
}
