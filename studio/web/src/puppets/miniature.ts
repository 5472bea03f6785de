// miniature.ts - a demonstration in small: the ways of both, and where a moment of it is.
import type { Puppet, Run } from '../api'
import { Changes } from '../changes'
import { html } from '../html'
import type { Paper } from '../timeline/drawing'
import { useMoving } from './canvas'
import { drawWay, xOf, yOf, type Frame } from './plan_draw'

/** All that happens in a run, and as much air around it. The middle is not that of the plan. */
interface Inset extends Frame {
  x: number
  y: number
}

export function insetOf(run: Run, width: number, height: number): Inset {
  let [left, right, low, high] = [Infinity, -Infinity, Infinity, -Infinity]
  for (const [, mx, my, , rx, ry] of run.rows) {
    left = Math.min(left, mx, rx)
    right = Math.max(right, mx, rx)
    low = Math.min(low, my, ry)
    high = Math.max(high, my, ry)
  }
  if (!(right >= left)) return { width, height, scale: 0.05, x: 0, y: 0 }
  const scale = Math.min((width - 10) / Math.max(50, right - left), (height - 10) / Math.max(50, high - low))
  return { width, height, scale, x: (left + right) / 2, y: (low + high) / 2 }
}

/** The last row that is not later. They are evenly apart, but for the last one, which may be nearer. */
export function rowAt({ rows }: Run, time_s: number): number {
  const last = rows.length - 1
  if (last < 1 || time_s >= rows[last]![0] - 1e-6) return Math.max(0, last)
  const [from, next] = [rows[0]![0], rows[1]![0]]
  return Math.max(0, Math.min(last - 1, Math.floor((time_s - from) / (next - from) + 1e-6)))
}

/** The few seconds that are followed are bright. */
const bright_s = 1.5

function drawRun(paper: Paper, run: Run, style: string, moment_s: number | null): void {
  const { paint, width, height, colour } = paper
  const inset = insetOf(run, width, height)
  const main = run.rows.map(([, x, y]) => [x - inset.x, y - inset.y] as const)
  const react = run.rows.map(([, , , , x, y]) => [x - inset.x, y - inset.y] as const)
  const calm = moment_s === null ? 0.75 : 0.32
  drawWay(paper, inset, main, '--text-dim', 0.6 * calm)
  drawWay(paper, inset, react, style, calm)
  if (moment_s === null) return
  const at = rowAt(run, moment_s)
  const from = rowAt(run, moment_s - bright_s)
  drawWay(paper, inset, main.slice(from, at + 1), '--wanted', 1)
  drawWay(paper, inset, react.slice(from, at + 1), style, 1)
  for (const [spot, tint] of [[main[at]!, '--wanted'], [react[at]!, style]] as const) {
    paint.beginPath()
    paint.arc(xOf(inset, spot[0]), yOf(inset, spot[1]), 3, 0, 2 * Math.PI)
    paint.fillStyle = colour(tint)
    paint.fill()
  }
}

const still = new Changes()

interface MiniatureProps {
  puppet: Puppet | null
  colour: string
  moves?: Changes
  /** What is followed now. */
  now?: () => { run: number; moment_s: number } | null
}

export function Miniature({ puppet, colour, moves = still, now = () => null }: MiniatureProps) {
  const canvas = useMoving(
    moves,
    (paper) => {
      const moment = now()
      const run = puppet?.run_list[moment?.run ?? 0]
      if (run) drawRun(paper, run, colour, moment && moment.moment_s)
    },
    [puppet, colour],
  )
  return html`<canvas ref=${canvas} class="puppet-miniature" aria-hidden="true"></canvas>`
}
