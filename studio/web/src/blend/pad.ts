// pad.ts - weights by a point: on a segment between two clips, in a triangle of three, in a polygon of more.
import { useRef } from 'preact/hooks'
import { html } from '../html'
import { blend } from './session'
import { corners, normal, pointOf, rounded, weightsAt, type Point } from './weights'

/** Around the corners, for their numbers. */
const room = 1.22
const step = 0.04
const longStep = 0.2

const ways: Record<string, Point> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
}

function say(weights: readonly number[]): string {
  return blend.clips.map(({ clip }, i) => `${Math.round(100 * weights[i]!)} % ${clip.name}`).join(', ')
}

/** Beyond what the shares give there is no point; the nearest stands for it. */
function pressKey(event: KeyboardEvent): void {
  const count = blend.clips.length
  const polygon = corners(count)
  const weights = normal(blend.shownWeights)
  if (event.ctrlKey || event.metaKey || event.altKey) return
  const way = ways[event.key]
  const number = Number(event.key)
  if (way) {
    const by = event.shiftKey ? longStep : step
    const [x, y] = pointOf(polygon, weights)
    const along = count === 2 && way[0] === 0 ? [-way[1], 0] : way
    blend.setWeights(rounded(weightsAt(polygon, [x + by * along[0]!, y + by * along[1]!]), 4))
  } else if (event.key === '0' || event.key === 'Home') blend.setWeights(weights.map(() => 1 / count))
  else if (number >= 1 && number <= count) blend.setWeights(weights.map((_, i) => (i === number - 1 ? 1 : 0)))
  else return
  event.preventDefault()
  event.stopPropagation()
}

function Corner({ at: [x, y], number }: { at: Point; number: number }) {
  return html`<g class=${`of-clip-${number}`}>
    <circle cx=${x} cy=${y} r="0.13" />
    <text x=${x} y=${y} dy="0.055" text-anchor="middle">${number}</text>
  </g>`
}

export function WeightPad() {
  const pad = useRef<SVGSVGElement>(null)
  const count = blend.clips.length
  const polygon = corners(count)
  const weights = normal(blend.shownWeights)
  const [x, y] = pointOf(polygon, weights)
  const [top, bottom] = count === 2 ? [-0.3, 0.3] : [-room, Math.max(...polygon.map((each) => each[1])) + room - 1]
  const move = (event: PointerEvent) => {
    const box = pad.current!.getBoundingClientRect()
    const at: Point = [
      ((event.clientX - box.left) / box.width) * 2 * room - room,
      top + ((event.clientY - box.top) / box.height) * (bottom - top),
    ]
    blend.setWeights(rounded(weightsAt(polygon, at), 4))
  }
  const onPointerDown = (event: PointerEvent) => {
    if (event.button !== 0) return
    pad.current!.setPointerCapture(event.pointerId)
    pad.current!.focus({ preventScroll: true })
    event.preventDefault()
    move(event)
  }
  const onPointerMove = (event: PointerEvent) => {
    if (pad.current!.hasPointerCapture(event.pointerId)) move(event)
  }
  const outline = polygon.map((each) => each.join(',')).join(' ')
  return html`<svg
    ref=${pad}
    class=${`weight-pad${count === 2 ? ' is-segment' : ''}`}
    viewBox=${`${-room} ${top} ${2 * room} ${bottom - top}`}
    style=${{ aspectRatio: `${2 * room} / ${bottom - top}` }}
    role="application"
    aria-roledescription="weight pad"
    aria-label=${`Weights: ${say(weights)}. Arrow keys move, number keys take one clip, 0 makes even shares.`}
    tabindex="0"
    onPointerDown=${onPointerDown}
    onPointerMove=${onPointerMove}
    onKeyDown=${pressKey}
  >
    <title>Drag: the nearer to a corner, the more of its clip</title>
    <polygon class="weight-area" points=${outline} />
    ${count > 2 &&
    polygon.map(([cx, cy], i) => html`<line key=${i} class="weight-ray" x1=${cx} y1=${cy} x2=${x} y2=${y} />`)}
    ${polygon.map((each, i) => html`<${Corner} key=${i} at=${each} number=${i + 1} />`)}
    <circle class="weight-point" cx=${x} cy=${y} r="0.085" />
  </svg>`
}
