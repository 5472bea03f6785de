// pad.ts - weights by a point: on a segment between two clips, in a triangle of three, in a polygon of more.
import { arrowWays, dragging, hasModifier, shareUnder, takeEvent } from '../controls'
import { html } from '../html'
import { t } from '../words/words'
import { blend } from './session'
import { corners, normal, pointOf, rounded, weightsAt, type Point } from './weights'

/** Around the corners, for their numbers. */
const room = 1.22
const step = 0.04
const longStep = 0.2

function say(weights: readonly number[]): string {
  return blend.clips.map(({ clip }, i) => `${Math.round(100 * weights[i]!)} % ${clip.name}`).join(', ')
}

/** Beyond what the shares give there is no point; the nearest stands for it. */
function pressKey(event: KeyboardEvent): void {
  const count = blend.clips.length
  const polygon = corners(count)
  const weights = normal(blend.shownWeights)
  if (hasModifier(event)) return
  const way = arrowWays[event.key]
  const number = Number(event.key)
  if (way) {
    const by = event.shiftKey ? longStep : step
    const [x, y] = pointOf(polygon, weights)
    const along = count === 2 && way[0] === 0 ? [-way[1], 0] : way
    blend.setWeights(rounded(weightsAt(polygon, [x + by * along[0]!, y + by * along[1]!]), 4))
  } else if (event.key === '0' || event.key === 'Home') blend.setWeights(weights.map(() => 1 / count))
  else if (number >= 1 && number <= count) blend.setWeights(weights.map((_, i) => (i === number - 1 ? 1 : 0)))
  else return
  takeEvent(event)
}

function Corner({ at: [x, y], number }: { at: Point; number: number }) {
  return html`<g class=${`of-clip-${number}`}>
    <circle cx=${x} cy=${y} r="0.13" />
    <text x=${x} y=${y} dy="0.055" text-anchor="middle">${number}</text>
  </g>`
}

export function WeightPad() {
  const count = blend.clips.length
  const polygon = corners(count)
  const weights = normal(blend.shownWeights)
  const [x, y] = pointOf(polygon, weights)
  const [top, bottom] = count === 2 ? [-0.3, 0.3] : [-room, Math.max(...polygon.map((each) => each[1])) + room - 1]
  const drag = dragging((event, pad) => {
    const [across, down] = shareUnder(pad, event)
    const at: Point = [2 * room * across - room, top + down * (bottom - top)]
    blend.setWeights(rounded(weightsAt(polygon, at), 4))
  })
  const outline = polygon.map((each) => each.join(',')).join(' ')
  return html`<svg
    class=${`weight-pad${count === 2 ? ' is-segment' : ''}`} viewBox=${`${-room} ${top} ${2 * room} ${bottom - top}`}
    style=${{ aspectRatio: `${2 * room} / ${bottom - top}` }} role="application" aria-roledescription="weight pad"
    aria-label=${t`Weights: ${say(weights)}. Arrow keys move, number keys take one clip, 0 makes even shares.`}
    tabindex="0" ...${drag} onKeyDown=${pressKey}
  >
    <title>Drag: the nearer to a corner, the more of its clip</title>
    <polygon class="weight-area" points=${outline} />
    ${count > 2 &&
    polygon.map(([cx, cy], i) => html`<line key=${i} class="weight-ray" x1=${cx} y1=${cy} x2=${x} y2=${y} />`)}
    ${polygon.map((each, i) => html`<${Corner} key=${i} at=${each} number=${i + 1} />`)}
    <circle class="weight-point" cx=${x} cy=${y} r="0.085" />
  </svg>`
}
