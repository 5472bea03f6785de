// threshold.ts - how far a match may be from the query: a slider on a scale of lengths, with a mark for every
// distance of the first tier, so that gaps between what is alike and what is not can be seen.
import { plural } from '../actions'
import { useChanges } from '../changes'
import { valueOf } from '../controls'
import { html } from '../html'
import { distanceText } from './match_data'
import { searching } from './session'

const scaleWidth = 1000
/** Steps of the slider, on the scale of roots. */
const steps = 400

function Marks({ most }: { most: number }) {
  const { spread, threshold } = searching
  const path = (some: number[]) =>
    some.map((distance) => `M${((Math.sqrt(distance) / most) * scaleWidth).toFixed(1)} 0v10`).join('')
  const box = `0 0 ${scaleWidth} 10`
  return html`<svg class="search-marks" viewBox=${box} preserveAspectRatio="none" aria-hidden="true">
    <path class="beyond" d=${path(spread.filter((each) => each > threshold))} />
    <path class="within" d=${path(spread.filter((each) => each <= threshold))} />
  </svg>`
}

export function Threshold() {
  useChanges(searching)
  const { threshold, ceiling, squared } = searching
  const most = Math.sqrt(ceiling)
  const text = distanceText(threshold, squared)
  const set = (event: Event) => {
    const root = (Number(valueOf(event)) / steps) * most
    searching.set({ threshold: Number((root * root).toPrecision(4)) })
  }
  return html`<div class="search-threshold">
    <label for="search-threshold">Threshold</label>
    <div class="search-scale">
      <${Marks} most=${most} />
      <input
        id="search-threshold"
        type="range"
        min="1"
        max=${steps}
        value=${Math.round((Math.sqrt(threshold) / most) * steps)}
        aria-valuetext=${squared ? `${text}, ${threshold} square centimetres` : text}
        title="How far apart poses may be on the average. Each mark is a match of the first tier"
        onInput=${set}
      />
    </div>
    <output for="search-threshold">
      ${text}${squared && html` <span class="dim">${Number(threshold.toPrecision(3))} cm²</span>`}
    </output>
  </div>`
}

/** What there is, and whether more may come. */
export function Findings() {
  useChanges(searching)
  const { answer, matches, busy, complete } = searching
  if (!answer) return html`<p class="search-findings dim" role="status">${busy ? 'Looking…' : ''}</p>`
  const clips = new Set(matches.slice(1).map(({ clip }) => clip)).size
  const found = matches.length - 1
  return html`<p class="search-findings" role="status" aria-busy=${String(busy)}>
    <strong>${found === 1 ? '1 match' : `${found} matches`}</strong>
    <span class="dim">
      ${found > 0 && ` in ${plural(clips, 'clip')}`}
      ${complete ? ` · ${plural(Math.max(...matches.map(({ tier }) => tier)), 'tier')}` : ' · looking further…'}
      ${` · ${(1000 * answer.seconds).toFixed(answer.seconds < 0.01 ? 1 : 0)} ms`}
    </span>
    ${answer.limited && html`<span class="search-note">limit reached</span>`}
    ${answer.past_ceiling && html`<span class="search-note">beyond the index: some may be missing</span>`}
  </p>`
}
