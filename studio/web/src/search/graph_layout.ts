// graph_layout.ts - where the nodes of a match graph lie: the query in the middle, every match as far out as its path
// is long, behind the match through which it was found. No DOM here.
import type { Match } from '../api'
import type { Step } from './match_data'

export interface Node {
  match: number
  /** From -1 to 1; the query is at 0, 0. */
  x: number
  y: number
}

/** Squared distances by their root, as on the threshold's scale. */
function radiusOf(distance: number, farthest: number): number {
  if (!(farthest > 0)) return 0
  return Math.sqrt(Math.max(0, Math.min(1, distance / farthest)))
}

/** No match lies on the query, however alike the two are. */
const least = 0.2

function childrenOf(matches: readonly Match[], steps: readonly (Step | null)[]): number[][] {
  const children = matches.map(() => [] as number[])
  steps.forEach((step, i) => children[i === 0 ? 0 : (step?.parent ?? 0)]!.push(i))
  children[0] = children[0]!.filter((i) => i !== 0)
  // Matches of one clip lie side by side.
  const order = (a: number, b: number) => matches[a]!.clip - matches[b]!.clip || matches[a]!.start - matches[b]!.start
  return children.map((list) => list.sort(order))
}

/** Leaves share the circle evenly; a node with children is in the middle of them. */
function anglesOf(children: number[][]): number[] {
  const angles = children.map(() => 0)
  const leaves = Math.max(1, children.filter((list, i) => i > 0 && list.length === 0).length)
  let next = 0
  const place = (at: number): number => {
    const own = children[at]!
    if (own.length === 0) return (angles[at] = (2 * Math.PI * next++) / leaves)
    const placed = own.map(place)
    return (angles[at] = placed.reduce((sum, angle) => sum + angle, 0) / placed.length)
  }
  place(0)
  return angles
}

/** Turns nodes that would lie on each other apart; each stays as far out as it is. */
function spread(angles: number[], out: readonly number[], apart: number): void {
  const rounds = angles.length > 300 ? 4 : 24
  for (let round = 0; round < rounds; round++) {
    let moved = false
    for (let a = 1; a < angles.length; a++) {
      for (let b = a + 1; b < angles.length; b++) {
        const between = Math.atan2(Math.sin(angles[b]! - angles[a]!), Math.cos(angles[b]! - angles[a]!))
        const mean = (out[a]! + out[b]!) / 2
        const reach = Math.hypot(out[a]! - out[b]!, mean * between)
        if (reach >= apart) continue
        const push = (0.3 * (apart - reach)) / mean
        angles[a]! -= between >= 0 ? push : -push
        angles[b]! += between >= 0 ? push : -push
        moved = true
      }
    }
    if (!moved) return
  }
}

/** `apart`: how far from each other the middles of two nodes should be. */
export function layout(
  matches: readonly Match[],
  steps: readonly (Step | null)[],
  farthest: number,
  apart = 0,
): Node[] {
  const angles = anglesOf(childrenOf(matches, steps))
  const out = matches.map(({ path_distance }, i) => (i === 0 ? 0 : ringRadius(path_distance, farthest)))
  spread(angles, out, apart)
  // The first one is at the top, the others follow clockwise.
  return matches.map((_, match) => ({
    match,
    x: out[match]! * Math.sin(angles[match]!),
    y: -out[match]! * Math.cos(angles[match]!),
  }))
}

/** The direction in which there is most room, for what is written on the rings. */
export function freeAngle(nodes: readonly Node[]): number {
  const taken = nodes.slice(1).map(({ x, y }) => Math.atan2(x, -y)).sort((a, b) => a - b)
  if (taken.length === 0) return 0
  let best = 0
  let widest = -1
  taken.forEach((angle, i) => {
    const next = taken[i + 1] ?? taken[0]! + 2 * Math.PI
    if (next - angle <= widest) return
    widest = next - angle
    best = (angle + next) / 2
  })
  return best
}

/** How far out a distance's ring is. */
export function ringRadius(distance: number, farthest: number): number {
  return least + (1 - least) * radiusOf(distance, farthest)
}

/** The node that the arrow keys go to: the nearest one in that direction; itself if there is none. */
export function nodeTowards(nodes: readonly Node[], from: number, dx: number, dy: number): number {
  const here = nodes[from]
  if (!here) return 0
  let found = from
  let best = Infinity
  nodes.forEach(({ x, y }, i) => {
    const ahead = (x - here.x) * dx + (y - here.y) * dy
    if (i === from || ahead <= 1e-6) return
    const aside = Math.abs((x - here.x) * dy - (y - here.y) * dx)
    const cost = ahead + 2 * aside
    if (cost < best) {
      best = cost
      found = i
    }
  })
  return found
}
