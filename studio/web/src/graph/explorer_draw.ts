// explorer_draw.ts - the drawing of a motion graph on a canvas.
import type { Graph, GraphArc, GraphDrawing, GraphSegment } from '../api'
import type { Paper } from '../timeline/drawing'
import { barHeight, curveOf, ends, isArc, lineY, nameOf, placeOf, type Frame } from './explorer_data'

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

export function drawGraph(
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
