// plants.ts - which foot is planted when, in each clip and in the blend, over their common time: bars that are hollow
// match nothing in the other clips, and the blend goes without them.
import { useMemo } from 'preact/hooks'
import type { Registration } from '../api'
import { html } from '../html'
import { Problem } from '../making/parts'
import { usePaper, type Paper } from '../timeline/drawing'
import { blendTimes, evenTimes, plantRows, shareOfFrame, type PlantRow } from './plant_data'
import { PlayLine } from '../timeline/playhead'
import { blend } from './session'

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
  return `Foot plants over common time. ${each.join(', ')}; the blend: ${own}.`
}

function Bars({ of, times }: { of: Registration; times: number[] }) {
  const facts = blend.made?.facts
  const rows = useMemo(() => plantRows(of, facts?.contacts ?? [], times), [of, facts, times])
  const canvas = usePaper((paper) => drawRows(paper, rows, of), [rows, of])
  const count = of.clips.length + 1
  const height = `${4 * count * row_rem + 4 * gap_rem}rem`
  return html`<div class="plant-bars">
    <div class="plant-names" aria-hidden="true" style=${{ height }}>
      ${['L heel', 'L toe', 'R heel', 'R toe'].map((name) => html`<span key=${name}>${name}</span>`)}
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
