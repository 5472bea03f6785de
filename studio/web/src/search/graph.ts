// graph.ts - the match graph: the query in the middle, every match as far out as its way is long, edges between those
// that are alike. One stop for the Tab key; arrow keys go to the neighbour in that direction.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { Match, SearchAnswer } from '../api'
import { useChanges } from '../changes'
import { arrowWays, takeEvent } from '../controls'
import { html } from '../html'
import { roundNumbers } from '../timeline/scale'
import { t } from '../words/words'
import { describe } from './cards'
import { distanceText, framesText, keyOf, type Step } from './match_data'
import { searching } from './session'
import { FigureDrawing, useStrip } from './strip'

// Where the nodes of a match graph lie: the query in the middle, every match as far out as its path is long, behind the
// match through which it was found.

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
function freeAngle(nodes: readonly Node[]): number {
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
function ringRadius(distance: number, farthest: number): number {
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

/** More are drawn as dots. */
const mostFigures = 60
/** Of more only those on the way to a match are drawn, and the chosen one's: all would be one dark spot. */
const mostEdges = 400
/** Wider than high as far as its place is, but not so much that one would not take it for circles. */
const widest = 1.9

interface Room {
  width: number
  height: number
}

/** The middle, and how far the outermost nodes are from it. */
interface Frame {
  x: number
  y: number
  across: number
  down: number
}

function useRoom() {
  const element = useRef<SVGSVGElement>(null)
  const [room, set] = useState<Room>({ width: 0, height: 0 })
  useEffect(() => {
    const here = element.current!
    const watcher = new ResizeObserver(() => set({ width: here.clientWidth, height: here.clientHeight }))
    watcher.observe(here)
    return () => watcher.disconnect()
  }, [])
  return { element, room }
}

function frameOf({ width, height }: Room, size: number): Frame {
  const down = Math.max(1, height / 2 - size - 4)
  const across = Math.max(1, Math.min(width / 2 - size - 4, widest * down))
  return { x: width / 2, y: height / 2, across, down: Math.min(down, widest * across) }
}

function Rings({ frame, farthest, nodes }: { frame: Frame; farthest: number; nodes: readonly Node[] }) {
  const angle = freeAngle(nodes)
  const { squared } = searching
  const most = squared ? Math.sqrt(farthest) : farthest
  const rings = roundNumbers(0, most).filter((each) => each > 0)
  return html`${rings.map((value) => {
    const out = ringRadius(squared ? value * value : value, farthest)
    const x = frame.x + out * frame.across * Math.sin(angle)
    const y = frame.y - out * frame.down * Math.cos(angle)
    return html`<g key=${value} class="graph-ring">
      <ellipse cx=${frame.x} cy=${frame.y} rx=${out * frame.across} ry=${out * frame.down} />
      <text x=${x} y=${y + 4}>${value}${squared ? ' cm' : ''}</text>
    </g>`
  })}`
}

type Place = (node: number) => [number, number]

function Edges({ answer, at }: { answer: SearchAnswer; at: Place }) {
  const { steps, chosen } = searching
  const tree = new Set(steps.flatMap((step) => (step ? [step.edge] : [])))
  const path = (which: (edge: number, from: number, to: number) => boolean) =>
    answer.edges
      .flatMap(({ from, to }, edge) => (which(edge, from, to) ? `M${at(from).join(' ')}L${at(to).join(' ')}` : []))
      .join('')
  const few = answer.edges.length <= mostEdges
  const own = (from: number, to: number) => chosen >= 0 && (from === chosen || to === chosen)
  return html`<path class="graph-edge" d=${path((edge) => few && !tree.has(edge))} />
    <path class="graph-edge is-way" d=${path((edge) => tree.has(edge))} />
    <path class="graph-edge is-chosen" d=${path((_, from, to) => own(from, to))} />`
}

interface NodeProps {
  match: Match
  number: number
  place: [number, number]
  size: number
  figure: boolean
  active: boolean
  onFocus: () => void
}

function GraphNode({ match, number, place, size, figure, active, onFocus }: NodeProps) {
  const strip = useStrip(match, figure)
  const chosen = searching.chosen === number
  const middle = strip?.drawings[Math.floor(strip.drawings.length / 2)]
  const scale = strip ? (1.5 * size) / strip.height_cm : 1
  const ticked = searching.isTicked(match)
  const kind = `${number ? '' : ' is-query'}${chosen ? ' is-chosen' : ''}${ticked ? '' : ' is-off'}`
  const far = number ? distanceText(match.path_distance, searching.squared) : t('the query')
  const choose = () => searching.choose(number)
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === ' ') searching.tick(match, !ticked)
    else if (event.key === 'Enter') choose()
    else return
    takeEvent(event)
  }
  return html`<g
    class=${`graph-node${kind}`} role="button" tabindex=${active ? 0 : -1} data-node=${number}
    aria-pressed=${String(chosen)} aria-label=${`${describe(match)}${ticked ? '' : t(', unticked')}`}
    transform=${`translate(${place[0].toFixed(1)} ${place[1].toFixed(1)})`} onClick=${choose} onFocus=${onFocus}
    onKeyDown=${onKeyDown}
  >
    <title>${match.name} ${framesText(match)}, ${far}</title>
    <circle r=${figure ? size : size * 0.45} />
    ${middle &&
    html`<g transform=${`translate(0 ${0.72 * size}) scale(${scale.toFixed(4)})`}>
      <${FigureDrawing} drawing=${middle} />
    </g>`}
  </g>`
}

function goOn(event: KeyboardEvent, nodes: readonly Node[], from: number): void {
  const way = arrowWays[event.key]
  if (!way) return
  takeEvent(event)
  const next = nodeTowards(nodes, from, ...way)
  ;(event.currentTarget as Element).querySelector<SVGElement>(`[data-node="${next}"]`)?.focus()
}

/** Half of a node's width, so that neighbours on a full circle hardly touch. */
function sizeFor(count: number, { width, height }: Room): number {
  const most = Math.min(26, Math.min(width, height) / 9)
  return Math.max(8, Math.min(most, (2.2 * Math.min(width, height)) / Math.max(8, count)))
}

const hint =
  t('Match graph: the query in the middle, the nearest matches around it. Arrow keys move, Enter chooses, Space ticks.')

function Graph({ answer }: { answer: SearchAnswer }) {
  const { element, room } = useRoom()
  const [wanted, setActive] = useState(0)
  const { matches } = answer
  const active = Math.min(wanted, matches.length - 1)
  const farthest = Math.max(searching.threshold / 4, ...matches.map(({ path_distance }) => path_distance))
  const size = sizeFor(matches.length, room)
  const frame = frameOf(room, size)
  const apart = (2.1 * size) / frame.down
  const nodes = useMemo(() => layout(matches, searching.steps, farthest, apart), [answer, apart])
  const at: Place = (node) => [frame.x + nodes[node]!.x * frame.across, frame.y + nodes[node]!.y * frame.down]
  return html`<svg
    ref=${element} class="match-graph" role="group" aria-label=${hint}
    onKeyDown=${(event: KeyboardEvent) => goOn(event, nodes, active)}
  >
    ${room.width > 0 &&
    html`<${Rings} frame=${frame} farthest=${farthest} nodes=${nodes} />
      <${Edges} answer=${answer} at=${at} />
      ${matches.map(
        (match, i) => html`<${GraphNode}
          key=${keyOf(match)} match=${match} number=${i} place=${at(i)} size=${size}
          figure=${matches.length <= mostFigures} active=${i === active} onFocus=${() => setActive(i)}
        />`,
      )}`}
  </svg>`
}

export function MatchGraph() {
  useChanges(searching)
  const { answer } = searching
  return answer && html`<${Graph} answer=${answer} />`
}
