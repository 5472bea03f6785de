// explorer.ts - the graph to look around in: bars are segments, arcs are transitions; a click plays what is under it, the
// wheel and + - zoom, arrow keys go from bar to bar and through the arcs that leave it.
import { useRef, useState } from 'preact/hooks'
import type { Graph, GraphArc, GraphDrawing, GraphSegment } from '../api'
import { hasModifier, takeEvent } from '../controls'
import { html } from '../html'
import { useStore } from '../store'
import { usePaper, type Paper } from '../timeline/drawing'
import { t } from '../words/words'
import { graphs } from './session'

// A motion graph as a drawing: segments are bars on a line, interpolated ones on a second line, and transitions arcs
// between them.

/** The part of the lines that is seen: shares of their length. */
export interface Span {
  start: number
  span: number
}

export const whole: Span = { start: 0, span: 1 }
const least = 0.002

export function zoomed({ start, span }: Span, factor: number, anchor: number): Span {
  const next = Math.max(least, Math.min(1, span * factor))
  const at = (anchor - start) / span
  return { start: Math.max(0, Math.min(1 - next, anchor - at * next)), span: next }
}

export function shifted({ start, span }: Span, by: number): Span {
  return { start: Math.max(0, Math.min(1 - span, start + by)), span }
}

export interface Lines {
  /** How many nodes are on the first line, and on the second. */
  originals: number
  made: number
}

export function linesOf({ parts }: Pick<Graph, 'parts'>, { segments }: GraphDrawing): Lines {
  const originals = parts.reduce((most, { node, nodes }) => Math.max(most, node + nodes), 1)
  const all = segments.reduce((most, { node, nodes }) => Math.max(most, node + nodes), originals)
  return { originals, made: all - originals }
}

/** Which line a node is on, and its share of it. */
export function placeOf({ originals, made }: Lines, node: number): { line: 0 | 1; at: number } {
  if (node < originals) return { line: 0, at: node / originals }
  return { line: 1, at: (node - originals) / Math.max(1, made) }
}

/** In a drawing of this size; y of the two lines. */
export interface Frame {
  width: number
  height: number
  span: Span
  lines: Lines
}

const barHeight = 14

export function lineY({ height, lines }: Frame, line: 0 | 1): number {
  if (lines.made === 0) return 0.58 * height
  return line === 0 ? 0.42 * height : 0.68 * height
}

export function xOf({ width, span }: Frame, share: number): number {
  return ((share - span.start) / span.span) * width
}

/** A curve of third degree: begin, two handles, end. */
export type Curve = [number, number, number, number, number, number, number, number]

/** Forward over the line, back under it; with a second line all over the first and under the second. */
export function curveOf(frame: Frame, [from, to]: GraphArc): Curve {
  const [a, b] = [placeOf(frame.lines, from), placeOf(frame.lines, to)]
  const [ax, bx] = [xOf(frame, a.at), xOf(frame, b.at)]
  const half = barHeight / 2
  if (a.line !== b.line) {
    const [ay, by] = [lineY(frame, a.line), lineY(frame, b.line)]
    const down = ay < by ? half : -half
    const middle = (ay + by) / 2
    return [ax, ay + down, ax, middle, bx, middle, bx, by - down]
  }
  const y = lineY(frame, a.line)
  const over = frame.lines.made === 0 ? to > from : a.line === 0
  const room = over ? y - half - 4 : frame.height - y - half - 4
  const high = 1.33 * room * Math.min(1, 0.12 + Math.sqrt(Math.abs(bx - ax) / frame.width))
  const handle = over ? y - half - high : y + half + high
  const foot = over ? y - half : y + half
  return [ax, foot, ax, handle, bx, handle, bx, foot]
}

const steps = 14

function offCurve([ax, ay, bx, by, cx, cy, dx, dy]: Curve, x: number, y: number): number {
  let best = Infinity
  for (let i = 0; i <= steps; i++) {
    const t = i / steps
    const s = 1 - t
    const px = s * s * s * ax + 3 * s * s * t * bx + 3 * s * t * t * cx + t * t * t * dx
    const py = s * s * s * ay + 3 * s * s * t * by + 3 * s * t * t * cy + t * t * t * dy
    best = Math.min(best, Math.hypot(px - x, py - y))
  }
  return best
}

const reach = 9

/** What is under the pointer: a bar before any arc. */
export function under(frame: Frame, drawing: GraphDrawing, x: number, y: number): GraphSegment | GraphArc | null {
  for (const segment of drawing.segments) {
    const { line } = placeOf(frame.lines, segment.node)
    if (Math.abs(y - lineY(frame, line)) > barHeight / 2) continue
    const [left, right] = ends(frame, segment)
    if (x >= left && x < right) return segment
  }
  let [best, least]: [GraphArc | null, number] = [null, reach]
  for (const arc of drawing.arcs) {
    const off = offCurve(curveOf(frame, arc), x, y)
    if (off < least) [best, least] = [arc, off]
  }
  return best
}

export function ends(frame: Frame, { node, nodes }: GraphSegment): [number, number] {
  const { line, at } = placeOf(frame.lines, node)
  const long = nodes / (line === 0 ? frame.lines.originals : Math.max(1, frame.lines.made))
  return [xOf(frame, at), xOf(frame, at + long)]
}

function isArc(one: GraphSegment | GraphArc): one is GraphArc {
  return Array.isArray(one)
}

export function segmentOf({ segments }: GraphDrawing, node: number): GraphSegment | undefined {
  return segments.find((each) => node >= each.node && node < each.node + each.nodes)
}

/** Those that leave a segment, the best first. */
function arcsFrom({ arcs }: GraphDrawing, { node, nodes }: GraphSegment): GraphArc[] {
  return arcs.filter(([from]) => from >= node && from < node + nodes)
}

function nodeText(graph: Graph, drawing: GraphDrawing, node: number): string {
  const segment = segmentOf(drawing, node)
  if (!segment) return t`node ${node}`
  const share = (node - segment.node) / Math.max(1, segment.nodes)
  const frame = Math.round(segment.start + share * (segment.end - segment.start))
  const mixed = segment.other === undefined ? '' : t(' (interpolated)')
  return `${nameOf(graph, segment.clip)} ${frame}${mixed}`
}

export function nameOf({ parts }: Pick<Graph, 'parts'>, id: number): string {
  return parts.find((part) => part.id === id)?.name ?? `#${id}`
}

/** In words, for people and for assistive technology. */
export function textOf(graph: Graph, drawing: GraphDrawing, one: GraphSegment | GraphArc): string {
  if (isArc(one)) {
    const [from, to, distance, jump] = one
    const [a, b] = [nodeText(graph, drawing, from), nodeText(graph, drawing, to)]
    return t`${a} → ${b}: distance ${distance.toFixed(1)} ${graph.unit}, jump ${jump.toFixed(2)}×`
  }
  const { clip, start, end, core, other, weight } = one
  const mixed = other === undefined ? '' : `, ${Math.round(100 * (weight ?? 0))} % ${nameOf(graph, other)}`
  return `${nameOf(graph, clip)} ${start}–${end - 1}${mixed}: ${Math.round(100 * core)} % reachable`
}

// The drawing of a motion graph on a canvas.

interface Marked {
  /** Under the pointer, or where the keys are. */
  now: GraphSegment | GraphArc | null
  /** What plays. */
  played: GraphSegment | GraphArc | null
}

interface Colours {
  bar: string
  outside: string
  arc: string
  rough: string
  now: string
  text: string
  barText: string
}

function coloursOf(colour: Paper['colour']): Colours {
  return {
    bar: colour('--accent'),
    outside: colour('--line'),
    arc: colour('--left'),
    rough: colour('--right'),
    now: colour('--text'),
    text: colour('--text-dim'),
    barText: colour('--accent-text'),
  }
}

type Pen = CanvasRenderingContext2D

function stroke(pen: Pen, frame: Frame, arc: GraphArc, colour: string, width: number, alpha: number): void {
  const [ax, ay, bx, by, cx, cy, dx, dy] = curveOf(frame, arc)
  if (Math.max(ax, dx) < 0 || Math.min(ax, dx) > frame.width) return
  pen.globalAlpha = alpha
  pen.strokeStyle = colour
  pen.lineWidth = width
  pen.beginPath()
  pen.moveTo(ax, ay)
  pen.bezierCurveTo(bx, by, cx, cy, dx, dy)
  pen.stroke()
}

/** Near ones are strong, those near the threshold faint. */
function drawArcs(pen: Pen, frame: Frame, graph: Graph, { arcs }: GraphDrawing, colours: Colours): void {
  const limit = graph.settings.threshold || 1
  const crowd = Math.min(1, 6 / Math.sqrt(arcs.length + 1))
  for (let i = arcs.length - 1; i >= 0; i--) {
    const arc = arcs[i]!
    const near = 1 - Math.min(1, arc[2] / limit)
    const rough = arc[3] > graph.settings.jump
    stroke(pen, frame, arc, rough ? colours.rough : colours.arc, 1, (0.3 + 0.65 * near) * (0.15 + 0.85 * crowd))
  }
}

function drawBar(pen: Pen, frame: Frame, graph: Graph, segment: GraphSegment, colours: Colours): void {
  const { line } = placeOf(frame.lines, segment.node)
  const [left, right] = ends(frame, segment)
  if (right < 0 || left > frame.width) return
  const y = lineY(frame, line) - barHeight / 2
  const width = Math.max(1, right - left - 1)
  pen.globalAlpha = 1
  pen.fillStyle = colours.outside
  pen.fillRect(left, y, width, barHeight)
  pen.globalAlpha = 0.25 + 0.75 * segment.core
  pen.fillStyle = colours.bar
  if (segment.core > 0) pen.fillRect(left, y, width, barHeight)
  const name = nameOf(graph, segment.clip)
  pen.globalAlpha = 1
  const from = Math.max(0, left)
  if (line === 1 || pen.measureText(name).width > Math.min(frame.width, right) - from - 8) return
  pen.fillStyle = segment.core > 0.4 ? colours.barText : colours.text
  pen.fillText(name, from + 4, y + barHeight / 2 + 0.5)
}

function mark(pen: Pen, frame: Frame, one: GraphSegment | GraphArc | null, colour: string): void {
  if (!one) return
  if (isArc(one)) return stroke(pen, frame, one, colour, 2.5, 1)
  const { line } = placeOf(frame.lines, one.node)
  const [left, right] = ends(frame, one)
  pen.globalAlpha = 1
  pen.strokeStyle = colour
  pen.lineWidth = 2
  pen.strokeRect(left - 1, lineY(frame, line) - barHeight / 2 - 1, Math.max(2, right - left + 1), barHeight + 2)
}

function drawGraph(
  { paint: pen, colour }: Paper,
  frame: Frame,
  graph: Graph,
  drawing: GraphDrawing,
  { now, played }: Marked,
): void {
  const colours = coloursOf(colour)
  pen.font = `10px ${colour('font-family')}`
  pen.textBaseline = 'middle'
  drawArcs(pen, frame, graph, drawing, colours)
  for (const segment of drawing.segments) drawBar(pen, frame, graph, segment, colours)
  mark(pen, frame, played, colours.rough)
  mark(pen, frame, now, colours.now)
}

const zoomStep = 1.25
type Thing = GraphSegment | GraphArc

function play(one: Thing): void {
  if (isArc(one)) graphs.playArc(one)
  else void graphs.playSegment(one)
}

/** Left and right: bars. Up and down: arcs that leave the bar, the best first. */
function next(drawing: GraphDrawing, now: Thing | null, key: string): Thing | null {
  const { segments } = drawing
  const bar = now === null ? undefined : isArc(now) ? segmentOf(drawing, now[0]) : now
  if (!bar) return segments[0] ?? null
  const at = segments.indexOf(bar)
  if (key === 'ArrowLeft') return segments[Math.max(0, at - 1)]!
  if (key === 'ArrowRight') return segments[Math.min(segments.length - 1, at + 1)]!
  const arcs = arcsFrom(drawing, bar)
  const arc = now && isArc(now) ? arcs.indexOf(now) : -1
  if (key === 'ArrowDown') return arcs[Math.min(arcs.length - 1, arc + 1)] ?? bar
  return arc > 0 ? arcs[arc - 1]! : bar
}

interface Look {
  span: Span
  set: (span: Span) => void
  now: Thing | null
  choose: (one: Thing | null) => void
}

function press(event: KeyboardEvent, drawing: GraphDrawing, { span, set, now, choose }: Look): void {
  if (hasModifier(event)) return
  const middle = span.start + span.span / 2
  if (event.key.startsWith('Arrow')) choose(next(drawing, now, event.key))
  else if (event.key === '+' || event.key === '=') set(zoomed(span, 1 / zoomStep, middle))
  else if (event.key === '-') set(zoomed(span, zoomStep, middle))
  else if (event.key === '0') set(whole)
  else if ((event.key === 'Enter' || event.key === ' ') && now) play(now)
  else return
  takeEvent(event)
}

/** Dragging shifts what is seen; a click that did not drag plays. */
function usePointer(frame: Frame, drawing: GraphDrawing, { span, set, choose }: Look) {
  const from = useRef<{ x: number; span: Span; moved: boolean } | null>(null)
  const place = (event: PointerEvent) => {
    const box = (event.currentTarget as HTMLElement).getBoundingClientRect()
    return { x: event.clientX - box.left, y: event.clientY - box.top, width: box.width }
  }
  return {
    onPointerDown: (event: PointerEvent) => {
      if (event.button !== 0) return
      from.current = { x: place(event).x, span, moved: false }
      ;(event.currentTarget as HTMLElement).setPointerCapture(event.pointerId)
    },
    onPointerMove: (event: PointerEvent) => {
      const { x, y, width } = place(event)
      const drag = from.current
      if (!drag) return choose(under(frame, drawing, x, y))
      if (Math.abs(x - drag.x) > 3) drag.moved = true
      if (drag.moved) set(shifted(drag.span, ((drag.x - x) / width) * drag.span.span))
    },
    onPointerCancel: () => {
      from.current = null
    },
    onPointerUp: (event: PointerEvent) => {
      const { x, y } = place(event)
      const one = from.current && !from.current.moved && under(frame, drawing, x, y)
      from.current = null
      if (!one) return
      choose(one)
      play(one)
    },
    onWheel: (event: WheelEvent) => {
      event.preventDefault()
      const box = (event.currentTarget as HTMLElement).getBoundingClientRect()
      const anchor = span.start + ((event.clientX - box.left) / box.width) * span.span
      set(zoomed(span, Math.exp((event.ctrlKey ? 0.01 : 0.0015) * event.deltaY), anchor))
    },
  }
}

export function Explorer({ graph, drawing }: { graph: Graph; drawing: GraphDrawing }) {
  const [span, set] = useState(whole)
  const [now, choose] = useState<Thing | null>(null)
  const theme = useStore((state) => state.theme)
  const { picked } = graphs
  const played = picked && ('arc' in picked ? picked.arc : picked.segment)
  const frame = useRef<Frame>({ width: 1, height: 1, span, lines: { originals: 1, made: 0 } })
  const canvas = usePaper(
    (paper) => {
      frame.current = { width: paper.width, height: paper.height, span, lines: linesOf(graph, drawing) }
      drawGraph(paper, frame.current, graph, drawing, { now, played })
    },
    [span, drawing, now, played, theme],
  )
  const look = { span, set, now, choose }
  const said = now ?? played
  const text = said ? textOf(graph, drawing, said) : ''
  const more = drawing.arc_count - drawing.arcs.length
  const all = t`${drawing.segment_count} segments, ${drawing.arc_count} transitions`
  return html`<section class="explorer flex-column" aria-label="Segments and transitions">
    <canvas
      ref=${canvas} tabindex="0" data-pinch role="application" aria-roledescription="graph"
      aria-label=${t`${text || all}. Left and right: segments; up and down: transitions from it; Enter plays it.`}
      ...${usePointer(frame.current, drawing, look)}
      onKeyDown=${(event: KeyboardEvent) => press(event, drawing, look)}
    ></canvas>
    <p class="explorer-text">
      ${text || html`<span class="dim">Click a bar or an arc to play it; the wheel zooms, dragging shifts.</span>`}
      ${more > 0 &&
      !text &&
      html` <span class="dim">The best ${drawing.arcs.length} of ${drawing.arc_count} transitions.</span>`}
    </p>
  </section>`
}
