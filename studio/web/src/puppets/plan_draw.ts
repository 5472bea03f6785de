// plan_draw.ts - the plan seen from above: metres, trails that fade, and every character as a puck with where it looks.
import type { Paper } from '../timeline/drawing'
import type { Place, Spot } from './mover'

// How much of the plan is seen, and where on the canvas a place of it is; and trails, what a character leaves behind for
// some seconds.

/** The canvas in pixels, and the pixels of a centimetre. The middle of the plan is in the middle. */
export interface Frame {
  width: number
  height: number
  scale: number
}

/** From the middle to the nearer edges, in cm. */
export const least_cm = 320
export const most_cm = 1300
const air_cm = 60
/** How fast the plan is seen from farther away, and from nearer: not while a character just passes by. */
const away_s = 0.25
const back_s = 2.5

export function frameOf(width: number, height: number, half_cm: number): Frame {
  return { width, height, scale: Math.min(width, height) / (2 * half_cm) }
}

export function xOf({ width, scale }: Frame, x: number): number {
  return width / 2 + scale * x
}

export function yOf({ height, scale }: Frame, y: number): number {
  return height / 2 - scale * y
}

export function spotAt({ width, height, scale }: Frame, px: number, py: number): Spot {
  return [(px - width / 2) / scale, (height / 2 - py) / scale]
}

/** So much has to be seen for all of these to be inside. */
export function halfFor(places: readonly { x: number; y: number }[], width: number, height: number): number {
  const side = Math.min(width, height) || 1
  let half = least_cm
  for (const { x, y } of places) {
    half = Math.max(half, ((Math.abs(x) + air_cm) * side) / (width || 1), ((Math.abs(y) + air_cm) * side) / (height || 1))
  }
  return Math.min(most_cm, half)
}

/** On the way from one extent to another. */
export function eased(half: number, wanted: number, elapsed_s: number): number {
  return wanted + (half - wanted) * Math.exp(-elapsed_s / (wanted > half ? away_s : back_s))
}

/** Lines of the grid between two places: every metre, or every so many. */
export function metres(low_cm: number, high_cm: number, every_m: number): number[] {
  const step = 100 * every_m
  const first = Math.ceil(low_cm / step)
  const count = Math.floor(high_cm / step) - first + 1
  return Array.from({ length: Math.max(0, count) }, (_, i) => (first + i) * step)
}

export interface Mark {
  time_s: number
  x: number
  y: number
  dir: number
}

const apart_s = 1 / 30

export class Trail {
  readonly marks: Mark[] = []

  constructor(readonly seconds: number) {}

  put(time_s: number, { x, y, dir }: { x: number; y: number; dir: number }): void {
    const { marks, seconds } = this
    const last = marks[marks.length - 1]
    if (last && time_s < last.time_s + apart_s) return
    marks.push({ time_s, x, y, dir })
    let old = 0
    while (old < marks.length && marks[old]!.time_s < time_s - seconds) old++
    if (old) marks.splice(0, old)
  }

  clear(): void {
    this.marks.length = 0
  }
}

/** A character that is drawn. */
export interface Puck {
  place: Place
  /** Of a style: '--clip-1'. */
  colour: string
  name: string
  radius_cm: number
  trail: readonly Mark[]
  /** A hollow one is there only to be seen. */
  hollow?: boolean
}

const sight_cm = 85
const sight_rad = 0.5
/** Trails are drawn in so many shades. */
const shades = 8

export function drawGrid({ paint, width, height, rem, colour }: Paper, frame: Frame): void {
  const { scale } = frame
  const every = scale * 100 > 22 ? 1 : 5
  const [right, up] = [width / 2 / scale, height / 2 / scale]
  paint.fillStyle = colour('--line')
  const lines = (low: number, high: number, put: (at: number) => void) => {
    for (const at of metres(low, high, every)) {
      paint.globalAlpha = at === 0 ? 0.9 : 0.4
      put(at)
    }
  }
  lines(-right, right, (x) => paint.fillRect(Math.round(xOf(frame, x)), 0, 1, height))
  lines(-up, up, (y) => paint.fillRect(0, Math.round(yOf(frame, y)), width, 1))
  paint.globalAlpha = 1
  const long = 100 * every * scale
  const [x, y] = [0.6 * rem, height - 0.6 * rem]
  paint.fillStyle = colour('--text-dim')
  paint.fillRect(x, y, long, 2)
  paint.font = `${0.66 * rem}px ${colour('--font')}`
  paint.textBaseline = 'bottom'
  paint.textAlign = 'left'
  paint.fillText(`${every} m`, x, y - 2)
}

/** Fainter the older it is. */
export function drawTrail({ paint, colour }: Paper, frame: Frame, trail: readonly Mark[], style: string, wide: number): void {
  if (trail.length < 2) return
  paint.strokeStyle = colour(style)
  paint.lineWidth = wide
  paint.lineCap = 'butt'
  paint.lineJoin = 'round'
  const part = (trail.length - 1) / shades
  for (let shade = 0; shade < shades; shade++) {
    const [from, to] = [Math.floor(shade * part), Math.floor((shade + 1) * part)]
    if (to <= from) continue
    paint.globalAlpha = 0.06 + 0.62 * ((shade + 1) / shades) ** 1.7
    paint.beginPath()
    for (let i = from; i <= to; i++) paint.lineTo(xOf(frame, trail[i]!.x), yOf(frame, trail[i]!.y))
    paint.stroke()
  }
  paint.globalAlpha = 1
}

/** Ways of a demonstration, all of them alike. */
export function drawWay({ paint, colour }: Paper, frame: Frame, spots: readonly Spot[], style: string, alpha: number): void {
  paint.strokeStyle = colour(style)
  paint.lineWidth = 1.5
  paint.lineCap = paint.lineJoin = 'round'
  paint.globalAlpha = alpha
  paint.beginPath()
  for (const [x, y] of spots) paint.lineTo(xOf(frame, x), yOf(frame, y))
  paint.stroke()
  paint.globalAlpha = 1
}

function drawSight({ paint }: Paper, frame: Frame, { x, y, dir }: Place, tint: string): void {
  const [px, py] = [xOf(frame, x), yOf(frame, y)]
  const far = sight_cm * frame.scale
  const shade = paint.createRadialGradient(px, py, 0, px, py, far)
  shade.addColorStop(0, tint)
  // Nothing of the same colour: plain "transparent" is a black one.
  shade.addColorStop(1, `${tint}00`)
  paint.fillStyle = shade
  paint.globalAlpha = 0.42
  paint.beginPath()
  paint.moveTo(px, py)
  paint.arc(px, py, far, -dir - sight_rad, -dir + sight_rad)
  paint.fill()
  paint.globalAlpha = 1
}

export function drawPuck(paper: Paper, frame: Frame, { place, colour: style, name, radius_cm, hollow }: Puck): void {
  const { paint, rem, colour } = paper
  const tint = colour(style)
  const [px, py] = [xOf(frame, place.x), yOf(frame, place.y)]
  const radius = Math.max(0.42 * rem, radius_cm * frame.scale)
  drawSight(paper, frame, place, tint)
  paint.beginPath()
  paint.arc(px, py, radius, 0, 2 * Math.PI)
  paint.fillStyle = hollow ? colour('--bg') : tint
  paint.fill()
  paint.lineWidth = 2
  paint.strokeStyle = hollow ? tint : colour('--bg')
  paint.stroke()
  const [ahead, beside] = [Math.cos(place.dir), -Math.sin(place.dir)]
  const nose = (far: number, aside: number) => {
    paint.lineTo(px + radius * (far * ahead - aside * beside), py + radius * (far * beside + aside * ahead))
  }
  paint.beginPath()
  nose(0.85, 0)
  nose(-0.25, 0.55)
  nose(0.02, 0)
  nose(-0.25, -0.55)
  paint.fillStyle = hollow ? tint : colour('--bg')
  paint.fill()
  paint.font = `600 ${0.69 * rem}px ${colour('--font')}`
  paint.textAlign = 'center'
  paint.textBaseline = 'top'
  paint.lineWidth = 3
  paint.strokeStyle = colour('--bg')
  paint.strokeText(name, px, py + radius + 3)
  paint.fillStyle = tint
  paint.fillText(name, px, py + radius + 3)
}

/** What to do, where nothing is drawn yet. */
export function drawHint({ paint, width, height, rem, colour }: Paper, lines: readonly string[]): void {
  paint.textAlign = 'center'
  paint.textBaseline = 'middle'
  paint.fillStyle = colour('--text-dim')
  lines.forEach((line, i) => {
    paint.font = `${i ? '' : '600 '}${(i ? 0.8 : 1) * rem}px ${colour('--font')}`
    paint.fillText(line, width / 2, height / 2 + (i - (lines.length - 1) / 2) * 1.5 * rem)
  })
}

/** Where the pointer wants a character to be. */
export function drawTarget({ paint, colour }: Paper, frame: Frame, [x, y]: Spot, style: string): void {
  const [px, py] = [xOf(frame, x), yOf(frame, y)]
  paint.strokeStyle = colour(style)
  paint.lineWidth = 1.5
  paint.globalAlpha = 0.75
  paint.beginPath()
  paint.arc(px, py, 5, 0, 2 * Math.PI)
  paint.stroke()
  paint.globalAlpha = 1
}
