// plants.ts - which foot or hand is planted when, in each clip and in the blend, over their common time: bars that are hollow
// match nothing in the other clips, and the blend goes without them.
import { useMemo } from 'preact/hooks'
import type { Contact, Registration } from '../api'
import { html } from '../html'
import { Problem } from '../making/parts'
import { usePaper, type Paper } from '../timeline/drawing'
import { rowJoints } from '../timeline/contact_state'
import { PlayLine } from '../timeline/playhead'
import { t } from '../words/words'
import { blend } from './session'

// Plants of the clips and of the blend on the registration's common time u.

/** Where a rising row passes a value, as a number between two of its places. */
function placeIn(row: readonly number[], value: number): number {
  const next = row.findIndex((each) => each >= value)
  if (next < 0) return row.length - 1
  if (next === 0) return 0
  const [low, high] = [row[next - 1]!, row[next]!]
  return next - 1 + (high > low ? (value - low) / (high - low) : 1)
}

function valueAt(row: readonly number[], place: number): number {
  const low = Math.max(0, Math.min(row.length - 1, Math.floor(place)))
  const high = Math.min(row.length - 1, low + 1)
  return row[low]! + (place - low) * (row[high]! - row[low]!)
}

/** u at a frame of a clip. */
function uOfFrame({ u, clips }: Registration, clip: number, frame: number): number {
  return valueAt(u, placeIn(clips[clip]!.times, frame))
}

/** When the blend is at each of the registration's u, in frames of its rate (eq. 6: du/dt is the weighted mean of the
 * clips' own du/dt). `weights` tells those at a frame of the blend. */
export function blendTimes({ u, clips }: Registration, weights: (frame: number) => readonly number[]): number[] {
  const times = [0]
  for (let k = 1; k < u.length; k++) {
    const before = times[k - 1]!
    const speed = weights(before).reduce((sum, weight, i) => {
      const row = clips[i]!.times
      return sum + weight / Math.max(1e-6, row[k]! - row[k - 1]!)
    }, 0)
    times.push(before + 1 / Math.max(1e-6, speed))
  }
  return times
}

export interface Span {
  start: number
  end: number
  /** It is in every clip, so the blend has it too. */
  matched: boolean
}

interface PlantRow {
  joint: string
  /** Place in the list of clips, or -1 for the blend. */
  clip: number
  spans: Span[]
}

function spansOf(of: Registration, clip: number, joint: string): Span[] {
  const { plants } = of.clips[clip]!
  return plants
    .filter((plant) => plant.joint === joint)
    .map(({ start, end, matched }) => ({ start: uOfFrame(of, clip, start), end: uOfFrame(of, clip, end), matched }))
    .filter(({ start, end }) => end > start)
}

/** The blend's own on u: its frames are brought there by `times`, or evenly where it has no timewarp. */
function blendSpans(of: Registration, contacts: readonly Contact[], joint: string, times: readonly number[]): Span[] {
  const at = (frame: number) => valueAt(of.u, placeIn(times, frame))
  return contacts
    .filter((plant) => plant.joint === joint)
    .map(({ start, end }) => ({ start: at(start), end: at(end), matched: true }))
}

/** For each joint a row of every clip, then one of the blend. */
export function plantRows(of: Registration, contacts: readonly Contact[], times: readonly number[]): PlantRow[] {
  const joints = rowJoints([...contacts, ...of.clips.flatMap(({ plants }) => plants)])
  return joints.flatMap((joint) => [
    ...of.clips.map((_, clip) => ({ joint, clip, spans: spansOf(of, clip, joint) })),
    { joint, clip: -1, spans: blendSpans(of, contacts, joint, times) },
  ])
}

/** Times that spread frames evenly over u, as untimed methods do. */
export function evenTimes({ u }: Registration, frames: number): number[] {
  return u.map((_, k) => (k * Math.max(0, frames - 1)) / Math.max(1, u.length - 1))
}

/** How far on u a frame of the blend is, from 0 to 1: for the playhead. */
export function shareOfFrame(times: readonly number[], frame: number): number {
  return placeIn(times, frame) / Math.max(1, times.length - 1)
}

const row_rem = 0.55
const gap_rem = 0.3

function colourOf(clip: number, joint: string, colour: Paper['colour']): string {
  if (clip < 0) return colour(joint.startsWith('left') ? '--left' : '--right')
  return colour(`--clip-${(clip % 9) + 1}`)
}

function drawRows({ paint, width, rem, colour }: Paper, rows: readonly PlantRow[], of: Registration): void {
  const { first, last } = of
  const x = (u: number) => ((u - first) / Math.max(1e-9, last - first)) * width
  let y = 0
  rows.forEach(({ clip, joint, spans }) => {
    const high = row_rem * rem
    paint.fillStyle = colour('--surface-2')
    paint.fillRect(0, y + 1, width, high - 2)
    for (const { start, end, matched } of spans) {
      const [left, right] = [x(start), Math.max(x(start) + 2, x(end))]
      paint.fillStyle = paint.strokeStyle = colourOf(clip, joint, colour)
      if (matched) paint.fillRect(left, y + 1, right - left, high - 2)
      else paint.strokeRect(left + 0.5, y + 1.5, Math.max(1, right - left - 1), high - 3)
    }
    y += high + (clip < 0 ? gap_rem * rem : 0)
  })
}

function describe(rows: readonly PlantRow[], of: Registration): string {
  const own = rows.filter(({ clip }) => clip < 0).reduce((sum, { spans }) => sum + spans.length, 0)
  const each = of.clips.map(({ plants }, i) => `${blend.clips[i]?.clip.name}: ${plants.length}`)
  return t`Foot plants over common time. ${each.join(', ')}; the blend: ${own}.`
}

function Bars({ of, times }: { of: Registration; times: number[] }) {
  const facts = blend.made?.facts
  const rows = useMemo(() => plantRows(of, facts?.contacts ?? [], times), [of, facts, times])
  const canvas = usePaper((paper) => drawRows(paper, rows, of), [rows, of])
  const count = of.clips.length + 1
  const joints = rows.filter(({ clip }) => clip < 0).map(({ joint }) => joint)
  const height = `${joints.length * (count * row_rem + gap_rem)}rem`
  return html`<div class="plant-bars">
    <div class="plant-names" aria-hidden="true" style=${{ height }}>
      ${joints.map((joint) => html`<span key=${joint}>${joint.replace('left_', 'L ').replace('right_', 'R ')}</span>`)}
    </div>
    <div class="plant-area" style=${{ height }}>
      <canvas ref=${canvas} role="img" aria-label=${describe(rows, of)}></canvas>
      <${PlayLine} share=${(frame: number) => shareOfFrame(times, frame)} />
    </div>
  </div>`
}

export function PlantBars() {
  const { registration, registrationError, made, settings } = blend
  const times = useMemo(() => {
    if (!registration) return []
    if (settings.method !== 'registered') return evenTimes(registration, made?.facts.frames ?? 2)
    const scale = (made?.facts.fps ?? registration.fps) / registration.fps
    return blendTimes(registration, (frame) => blend.weightsAtFrame(frame * scale)).map((time) => time * scale)
  }, [registration, made, settings.method])
  const fits = registration && registration.clips.length === blend.clips.length
  return html`<section class="blend-part flex-column" aria-label="Foot plants">
    <div class="cut-row flex-row">
      <h3>Foot plants</h3>
      <span class="making-space"></span>
      ${fits && html`<span class="dim">${registration.matches.length} matched, ${registration.dropped} alone</span>`}
    </div>
    <${Problem} text=${registrationError} />
    ${!registration && !registrationError && html`<p class="dim" role="status">Aligning…</p>`}
    ${fits && html`<${Bars} of=${registration} times=${times} />`}
  </section>`
}
