// strip.ts - a match as a film strip: a few poses of its segment, drawn when it comes into view.
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Clip, Joint, Match } from '../api'
import { AS_CAPTURED, Pose, type ClipFrames } from '../frames'
import { html } from '../html'
import { sidesOf, type Side } from '../library/preview'
import { Figure } from '../viewer/figure'
import { keyOf } from './match_data'
import { motionOf, posesOf } from './motions'

// Poses of a segment as small drawings seen from the side: left bones blue, right ones orange. All segments are seen as the
// body faces at their beginning, so that they can be compared.

/** In cm; y grows downwards and the floor is at 0. */
export interface Drawing {
  left: string
  right: string
  middle: string
  /** The middle of the head; null without one. */
  head: [number, number] | null
}

interface FilmStrip {
  drawings: Drawing[]
  /** Of the one who is drawn. */
  height_cm: number
}

type Point = (joint: number) => [number, number]

function bonesOf(joints: readonly Joint[], sides: readonly Side[], which: Side, at: Point): string {
  let path = ''
  joints.forEach(({ parent }, joint) => {
    if (parent < 0 || sides[joint] !== which) return
    const [x0, y0] = at(parent)
    const [x1, y1] = at(joint)
    path += `M${x0.toFixed(1)} ${y0.toFixed(1)}L${x1.toFixed(1)} ${y1.toFixed(1)}`
  })
  return path
}

/** How a strip looks at a segment: the direction that runs to the right, and the lowest that a joint comes. */
interface Look {
  across: [number, number]
  floor_cm: number
}

function drawPose(clip: Clip, sides: readonly Side[], head: number, pose: Pose, { across, floor_cm }: Look): Drawing {
  const { places } = pose
  const root = Math.max(0, clip.roles['hips'] ?? 0)
  const flat = (joint: number) => places[3 * joint]! * across[0] + places[3 * joint + 2]! * across[1]
  const middle = flat(root)
  const at: Point = (joint) => [flat(joint) - middle, floor_cm - places[3 * joint + 1]!]
  const bones = (side: Side) => bonesOf(clip.joints, sides, side, at)
  return { left: bones('left'), right: bones('right'), middle: bones('middle'), head: head < 0 ? null : at(head) }
}

function lowest(poses: readonly Pose[]): number {
  let least = Infinity
  for (const { places } of poses) for (let y = 1; y < places.length; y += 3) least = Math.min(least, places[y]!)
  return Number.isFinite(least) ? least : 0
}

function highest(poses: readonly Pose[]): number {
  let most = -Infinity
  for (const { places } of poses) for (let y = 1; y < places.length; y += 3) most = Math.max(most, places[y]!)
  return Number.isFinite(most) ? most : 170
}

/** `count` poses spread over the segment. */
function filmStrip(clip: Clip, frames: ClipFrames, count: number): FilmStrip {
  const poses = Array.from({ length: count }, (_, i) => {
    const pose = new Pose(clip.joints.length)
    frames.pose((frames.length_s * (i + 0.5)) / count, AS_CAPTURED, pose)
    return pose
  })
  const heading = new Figure(clip).heading(poses[0]!)
  const sides = sidesOf(clip.joints, clip.roles)
  const head = clip.roles['head'] ?? clip.joints.findIndex(({ name }) => /head$/i.test(name))
  // A little from the front, so that both arms and both legs are seen.
  const turn = heading + 0.35
  const look: Look = { across: [Math.sin(turn), Math.cos(turn)], floor_cm: lowest(poses) }
  const drawings = poses.map((pose) => drawPose(clip, sides, head, pose, look))
  return { drawings, height_cm: Math.max(60, highest(poses) - look.floor_cm) }
}

const posesEach = 7
/** Room for one pose, as a share of its height. */
const cellShare = 0.66
const bone_cm = 7
const head_cm = 11

const drawn = new Map<string, FilmStrip>()
const mostDrawn = 600

export function forgetStrips(): void {
  drawn.clear()
}

async function draw(match: Match): Promise<FilmStrip> {
  const before = drawn.get(keyOf(match))
  if (before) return before
  const motion = await motionOf(match)
  const strip = filmStrip(motion.clip, await posesOf(motion), posesEach)
  for (const oldest of drawn.keys()) if (drawn.size >= mostDrawn) drawn.delete(oldest)
  drawn.set(keyOf(match), strip)
  return strip
}

/** The strip once it is there; `wanted` is false while it is out of sight. */
export function useStrip(match: Match, wanted: boolean): FilmStrip | null {
  const key = keyOf(match)
  const [strip, set] = useState<{ key: string; strip: FilmStrip } | null>(null)
  useEffect(() => {
    if (!wanted) return
    let gone = false
    // A strip that cannot be had is no loss worth a message; the name and the frames stay.
    draw(match).then((next) => gone || set({ key, strip: next }), () => undefined)
    return () => {
      gone = true
    }
  }, [key, wanted])
  return drawn.get(key) ?? (strip?.key === key ? strip.strip : null)
}

export function FigureDrawing({ drawing, x = 0 }: { drawing: Drawing; x?: number }) {
  const { left, middle, right, head } = drawing
  // Seen so, the right side is the nearer one.
  return html`<g class="figure" transform=${`translate(${x} 0)`}>
    <path class="of-left" d=${left} stroke-width=${bone_cm} />
    <path class="of-middle" d=${middle} stroke-width=${bone_cm} />
    ${head && html`<circle class="of-head" cx=${head[0]} cy=${head[1] - head_cm} r=${head_cm} />`}
    <path class="of-right" d=${right} stroke-width=${bone_cm} />
  </g>`
}

/** Whether an element is, or nearly is, on the screen; once seen it stays so. */
function useSeen() {
  const element = useRef<HTMLDivElement>(null)
  const [seen, set] = useState(false)
  useEffect(() => {
    if (seen || !element.current) return
    const watcher = new IntersectionObserver((entries) => entries.some((one) => one.isIntersecting) && set(true), {
      rootMargin: '200px',
    })
    watcher.observe(element.current)
    return () => watcher.disconnect()
  }, [seen])
  return { element, seen }
}

export function Strip({ match }: { match: Match }) {
  const { element, seen } = useSeen()
  const strip = useStrip(match, seen)
  const high = strip ? strip.height_cm + 2 * head_cm : 1
  const wide = high * cellShare
  return html`<div class="match-film" ref=${element}>
    ${strip &&
    html`<svg viewBox=${`0 ${-high} ${wide * posesEach} ${high + 6}`} aria-hidden="true">
      <path class="ground" d=${`M0 3H${wide * posesEach}`} />
      ${strip.drawings.map(
        (drawing, i) => html`<${FigureDrawing} key=${i} drawing=${drawing} x=${(i + 0.5) * wide} />`,
      )}
    </svg>`}
  </div>`
}
