// explorer_data.ts - a motion graph as a drawing: segments are bars on a line, interpolated ones on a second line, and
// transitions arcs between them. No DOM here.
import type { Graph, GraphArc, GraphDrawing, GraphSegment } from '../api'

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

export const barHeight = 14

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

export function isArc(one: GraphSegment | GraphArc): one is GraphArc {
  return Array.isArray(one)
}

export function segmentOf({ segments }: GraphDrawing, node: number): GraphSegment | undefined {
  return segments.find((each) => node >= each.node && node < each.node + each.nodes)
}

/** Those that leave a segment, the best first. */
export function arcsFrom({ arcs }: GraphDrawing, { node, nodes }: GraphSegment): GraphArc[] {
  return arcs.filter(([from]) => from >= node && from < node + nodes)
}

function nodeText(graph: Graph, drawing: GraphDrawing, node: number): string {
  const segment = segmentOf(drawing, node)
  if (!segment) return `node ${node}`
  const share = (node - segment.node) / Math.max(1, segment.nodes)
  const frame = Math.round(segment.start + share * (segment.end - segment.start))
  const mixed = segment.other === undefined ? '' : ' (interpolated)'
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
    return `${a} → ${b}: distance ${distance.toFixed(1)} ${graph.unit}, jump ${jump.toFixed(2)}×`
  }
  const { clip, start, end, core, other, weight } = one
  const mixed = other === undefined ? '' : `, ${Math.round(100 * (weight ?? 0))} % ${nameOf(graph, other)}`
  return `${nameOf(graph, clip)} ${start}–${end - 1}${mixed}: ${Math.round(100 * core)} % reachable`
}
