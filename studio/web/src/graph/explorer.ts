// explorer.ts - the graph to look around in: bars are segments, arcs are transitions; a click plays what is under it, the
// wheel and + - zoom, arrow keys go from bar to bar and through the arcs that leave it.
import { useRef, useState } from 'preact/hooks'
import type { Graph, GraphArc, GraphDrawing, GraphSegment } from '../api'
import { hasModifier, takeEvent } from '../controls'
import { html } from '../html'
import { useStore } from '../store'
import { usePaper } from '../timeline/drawing'
import { drawGraph } from './explorer_draw'
import { arcsFrom, isArc, linesOf, segmentOf, shifted, textOf, under, whole, zoomed } from './explorer_data'
import type { Frame, Span } from './explorer_data'
import { graphs } from './session'

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
    onPointerUp: (event: PointerEvent) => {
      const { x, y } = place(event)
      const one = !from.current?.moved && under(frame, drawing, x, y)
      from.current = null
      if (!one) return
      choose(one)
      play(one)
    },
    onWheel: (event: WheelEvent) => {
      event.preventDefault()
      const box = (event.currentTarget as HTMLElement).getBoundingClientRect()
      const anchor = span.start + ((event.clientX - box.left) / box.width) * span.span
      set(zoomed(span, Math.exp(0.0015 * event.deltaY), anchor))
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
  const all = `${drawing.segment_count} segments, ${drawing.arc_count} transitions`
  return html`<section class="explorer flex-column" aria-label="Segments and transitions">
    <canvas
      ref=${canvas} tabindex="0" role="application" aria-roledescription="graph"
      aria-label=${`${text || all}. Left and right: segments; up and down: transitions from it; Enter plays it.`}
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
