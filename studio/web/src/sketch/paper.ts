// paper.ts - the paper that a curve is drawn on, by mouse, pen or keys: time runs to the right, the value up. Its fragments
// have the colours that they have in what is found.
import { useRef, useState } from 'preact/hooks'
import { useChanges } from '../changes'
import { hasModifier, takeEvent } from '../controls'
import { html } from '../html'
import { useStore } from '../store'
import { usePaper, type Paper as Sheet } from '../timeline/drawing'
import { t } from '../words/words'
import { sketching } from './session'
import { colourOf, dofText, lift, scaleOf, sketchFps, stroke, ticks, unitText } from './sketch_data'
import type { Lane, Place } from './sketch_data'

interface Frame {
  left: number
  top: number
  width: number
  height: number
  seconds: number
  low: number
  high: number
}

function frameOf(lane: Lane, width: number, height: number, rem: number): Frame {
  const [left, top] = [Math.round(2.6 * rem), Math.round(0.4 * rem)]
  const below = Math.round(1.2 * rem)
  const { low, high } = scaleOf(lane.dof)
  return { left, top, width: width - left - 6, height: height - top - below, seconds: sketching.seconds, low, high }
}

const xOf = ({ left, width, seconds }: Frame, time_s: number) => left + (time_s / seconds) * width
const yOf = ({ top, height, low, high }: Frame, value: number) => top + (1 - (value - low) / (high - low)) * height

function drawAxes({ paint, rem, colour }: Sheet, frame: Frame, unit: string): void {
  const { left, top, width, height, seconds, low, high } = frame
  paint.font = `${0.66 * rem}px ${colour('--font')}`
  paint.fillStyle = colour('--field')
  paint.fillRect(left, top, width, height)
  paint.textBaseline = 'middle'
  paint.textAlign = 'right'
  for (const value of ticks(low, high, height / (2 * rem))) {
    const y = Math.round(yOf(frame, value)) + 0.5
    paint.fillStyle = colour('--line')
    paint.fillRect(left, y, width, 1)
    paint.fillStyle = colour('--text-dim')
    paint.fillText(`${value}${unit}`, left - 4, y)
  }
  paint.textBaseline = 'top'
  paint.textAlign = 'center'
  for (const time of ticks(0, seconds, width / (4 * rem))) {
    const x = Math.round(xOf(frame, time))
    paint.fillStyle = colour('--line')
    paint.fillRect(x, top, 1, height)
    paint.fillStyle = colour('--text-dim')
    paint.fillText(`${Number(time.toFixed(2))} s`, Math.min(x, left + width - rem), top + height + 3)
  }
}

/** The whole curve, faint where it is in no fragment. */
function drawCurve({ paint, colour }: Sheet, frame: Frame, { curve }: Lane): void {
  const { answer, asked } = sketching
  const trace = (from_s: number, to_s: number, style: string, thick: number) => {
    paint.strokeStyle = style
    paint.lineWidth = thick
    paint.beginPath()
    let up = true
    for (let i = Math.max(0, Math.floor(from_s * sketchFps)); i < curve.length && i / sketchFps <= to_s + 1e-6; i++) {
      const value = curve[i]!
      if (Number.isNaN(value)) continue
      const [x, y] = [xOf(frame, Math.max(from_s, i / sketchFps)), yOf(frame, value)]
      if (up) paint.moveTo(x, y)
      else paint.lineTo(x, y)
      up = false
    }
    paint.stroke()
  }
  paint.lineJoin = paint.lineCap = 'round'
  trace(0, Infinity, colour('--text-dim'), 2)
  if (!answer || !asked) return
  answer.fragments.forEach(({ start, end }, i) => {
    trace(sketching.timeOf(start), sketching.timeOf(end), colour(`--fragment-${colourOf(i)}`), 3)
  })
}

function drawPen({ paint, colour }: Sheet, frame: Frame, { curve }: Lane, at: number): void {
  const value = curve[at]!
  const [x, y] = [xOf(frame, at / sketchFps), yOf(frame, Number.isNaN(value) ? (frame.low + frame.high) / 2 : value)]
  paint.fillStyle = colour('--focus')
  paint.fillRect(x - 0.5, frame.top, 1, frame.height)
  paint.beginPath()
  paint.arc(x, y, 4, 0, 2 * Math.PI)
  paint.fill()
}

/** What the pointer draws. Strokes end where the paper does. */
function usePen(lane: Lane, frame: () => Frame | null) {
  const last = useRef<Place | null>(null)
  const place = (event: PointerEvent): Place | null => {
    const to = frame()
    if (!to) return null
    const box = (event.target as HTMLElement).getBoundingClientRect()
    const x = Math.max(0, Math.min(1, (event.clientX - box.left - to.left) / to.width))
    const y = Math.max(0, Math.min(1, (event.clientY - box.top - to.top) / to.height))
    return { time_s: x * to.seconds, value: to.high - y * (to.high - to.low) }
  }
  const draw = (event: PointerEvent) => {
    const here = place(event)
    if (!here) return
    stroke(lane.curve, last.current ?? here, here)
    last.current = here
  }
  return {
    onPointerDown: (event: PointerEvent) => {
      if (event.button !== 0) return
      ;(event.currentTarget as HTMLElement).setPointerCapture(event.pointerId)
      last.current = null
      draw(event)
      sketching.drawn()
    },
    onPointerMove: (event: PointerEvent) => {
      if (!last.current) return
      const all = event.getCoalescedEvents?.() ?? []
      for (const each of all.length ? all : [event]) draw(each)
      sketching.drawn()
    },
    onPointerUp: () => (last.current = null),
    onPointerCancel: () => (last.current = null),
  }
}

/** Left and right: the pen. Up and down: the curve under it. */
function press(event: KeyboardEvent, { dof, curve }: Lane, at: number, go: (at: number) => void): void {
  if (hasModifier(event)) return
  const step = event.shiftKey ? 10 : 2
  const { low, high } = scaleOf(dof)
  const by = (event.shiftKey ? 0.15 : 0.04) * (high - low)
  const end = curve.length - 1
  if (event.key === 'ArrowLeft') go(Math.max(0, at - step))
  else if (event.key === 'ArrowRight') go(Math.min(end, at + step))
  else if (event.key === 'Home') go(0)
  else if (event.key === 'End') go(end)
  else if (event.key === 'ArrowUp' || event.key === 'ArrowDown') {
    lift(curve, at, event.key === 'ArrowUp' ? by : -by, (low + high) / 2)
    sketching.drawn()
  } else if (event.key === 'Delete' || event.key === 'Backspace') {
    curve.fill(NaN)
    sketching.drawn()
  } else return
  takeEvent(event)
}

export function Paper({ lane, main }: { lane: Lane; main: boolean }) {
  const [pen, setPen] = useState(0)
  const [focused, setFocused] = useState(false)
  const theme = useStore((state) => state.theme)
  const rem = useRef(16)
  const size = useRef({ width: 0, height: 0 })
  useChanges(sketching)
  const at = Math.min(pen, lane.curve.length - 1)
  const frame = () => (size.current.width ? frameOf(lane, size.current.width, size.current.height, rem.current) : null)
  const canvas = usePaper((sheet) => {
    size.current = { width: sheet.width, height: sheet.height }
    rem.current = sheet.rem
    const to = frameOf(lane, sheet.width, sheet.height, sheet.rem)
    drawAxes(sheet, to, unitText(lane.dof))
    drawCurve(sheet, to, lane)
    if (focused) drawPen(sheet, to, lane, at)
  }, [lane, sketching.version, at, focused, theme])
  const value = lane.curve[at]!
  const told = Number.isNaN(value) ? t('nothing drawn there') : `${value.toFixed(1)}${unitText(lane.dof)}`
  const keys = t('Left and right move the pen, up and down the curve; Delete clears it.')
  return html`<canvas
    ref=${canvas} class=${`sketch-paper${main ? ' is-main' : ''}`} tabindex="0" role="application"
    aria-roledescription="curve"
    aria-label=${t`${dofText(lane.dof)}: pen at ${(at / sketchFps).toFixed(2)} s, ${told}. ${keys}`}
    onFocus=${() => setFocused(true)} onBlur=${() => setFocused(false)} ...${usePen(lane, frame)}
    onKeyDown=${(event: KeyboardEvent) => press(event, lane, at, setPen)}
  ></canvas>`
}
