// graph.ts - the match graph: the query in the middle, every match as far out as its way is long, edges between those
// that are alike. One stop for the Tab key; arrow keys go to the neighbour in that direction.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { Match, SearchAnswer } from '../api'
import { useChanges } from '../changes'
import { arrowWays, takeEvent } from '../controls'
import { html } from '../html'
import { roundNumbers } from '../timeline/scale'
import { describe } from './cards'
import { freeAngle, layout, nodeTowards, ringRadius, type Node } from './graph_layout'
import { distanceText, framesText, keyOf } from './match_data'
import { searching } from './session'
import { FigureDrawing, useStrip } from './strip'

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
  const far = number ? distanceText(match.path_distance, searching.squared) : 'the query'
  const choose = () => searching.choose(number)
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === ' ') searching.tick(match, !ticked)
    else if (event.key === 'Enter') choose()
    else return
    takeEvent(event)
  }
  return html`<g
    class=${`graph-node${kind}`} role="button" tabindex=${active ? 0 : -1} data-node=${number}
    aria-pressed=${String(chosen)} aria-label=${`${describe(match)}${ticked ? '' : ', unticked'}`}
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
  'Match graph: the query in the middle, the nearest matches around it. Arrow keys move, Enter chooses, Space ticks.'

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
