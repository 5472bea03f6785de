// bodies.ts - both bodies side by side, seen from the front, with a line for each pair of joints. A click on a joint and on one
// of the other body joins them.
import type { Clip } from '../api'
import { html } from '../html'
import { t } from '../words/words'
import { colours, retarget, type Side, type Standing } from './session'

const wide = 200
const high = 112
/** Around the bodies, and between them. */
const margin = 7

type Point = readonly [number, number]

/** The horizontal way from the body's right to its left: x on the picture, as seen from the front. */
function acrossOf({ roles }: Clip, places: Float64Array): Point {
  for (const part of ['hip', 'shoulder', 'knee']) {
    const [left, right] = [roles[`left_${part}`] ?? -1, roles[`right_${part}`] ?? -1]
    if (left < 0 || right < 0) continue
    const x = places[3 * left]! - places[3 * right]!
    const z = places[3 * left + 2]! - places[3 * right + 2]!
    const length = Math.hypot(x, z)
    if (length > 1) return [x / length, z / length]
  }
  return [1, 0]
}

/** Where the joints of a body are drawn. */
function pointsOf(side: Side, clip: Clip, { places }: Standing): Point[] {
  const [ax, az] = acrossOf(clip, places)
  const flat = clip.joints.map((_, j): Point => [ax * places[3 * j]! + az * places[3 * j + 2]!, places[3 * j + 1]!])
  const range = (at: 0 | 1): Point => [Math.min(...flat.map((p) => p[at])), Math.max(...flat.map((p) => p[at]))]
  const [left, right] = range(0)
  const [low, top] = range(1)
  const room = [wide / 2 - 2 * margin, high - 2 * margin] as const
  const scale = Math.min(room[0] / Math.max(1, right - left), room[1] / Math.max(1, top - low))
  const middle = wide * (0.25 + 0.5 * side)
  return flat.map(([x, y]) => [middle + scale * (x - (left + right) / 2), high - margin - scale * (y - low)])
}

function PairLine({ at, from, to }: { at: number; from: Point; to: Point }) {
  const conflict = retarget.conflicts[at]
  const reach = (to[0] - from[0]) / 3
  const kind = `map-line${at === retarget.chosen ? ' is-now' : ''}${conflict ? ' is-bad' : ''}`
  return html`<path
    class=${kind} d=${`M${from} C${from[0] + reach},${from[1]} ${to[0] - reach},${to[1]} ${to}`}
    onClick=${() => retarget.choose(at)}
  />`
}

function Body({ side, clip, points }: { side: Side; clip: Clip; points: Point[] }) {
  const { names } = retarget.bodies[side]!
  const bones = clip.joints.flatMap(({ parent }, j) => (parent < 0 ? [] : [`M${points[parent]}L${points[j]}`]))
  return html`<g class=${`map-body ${colours[side]}`}>
    <path class="map-bones" d=${bones.join('')} />
    ${points.map(([x, y], j) => {
      const at = retarget.pairOf(side, j)
      const held = retarget.held?.side === side && retarget.held.joint === j
      const kind = `map-joint${at < 0 ? ' is-alone' : ''}${held || (at >= 0 && at === retarget.chosen) ? ' is-now' : ''}`
      const words = at < 0 ? t`${names[j]}: no counterpart` : names[j]
      return html`<g
        key=${j} class=${`${kind}${retarget.conflicts[at] ? ' is-bad' : ''}`} data-joint=${names[j]}
        onClick=${() => retarget.press(side, j)}
      >
        <title>${words}</title>
        <circle class="map-room" cx=${x} cy=${y} r="2.6" />
        <circle cx=${x} cy=${y} r=${held ? 1.9 : 1.25} />
      </g>`
    })}
  </g>`
}

export function BothBodies() {
  const { clips, bodies, pairs, conflicts } = retarget
  const points = bodies.map((body, side) => pointsOf(side as Side, clips[side]!, body))
  const bad = conflicts.filter(Boolean).length
  return html`<svg
    class="map-picture boxed" viewBox=${`0 0 ${wide} ${high}`} role="img"
    aria-label=${t`${clips[0]!.name} and ${clips[1]!.name}: ${pairs.length} pairs of joints, ${bad} with a conflict`}
  >
    ${pairs.map(({ joints: [from, to] }, i) => html`<${PairLine} key=${i} at=${i} from=${points[0]![from]} to=${points[1]![to]} />`)}
    ${points.map((each, side) => html`<${Body} key=${side} side=${side} clip=${clips[side]} points=${each} />`)}
  </svg>`
}
