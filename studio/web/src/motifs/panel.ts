// panel.ts - "Motifs", in the library's place: what repeats in it, as film strips, the longest and most frequent first. A
// motif that is chosen plays, and shows where it occurs; from there one goes on to a search.
import type { Match } from '../api'
import { Button, Choice, useLabels } from '../controls'
import { html } from '../html'
import { Progress } from '../jobs'
import { PanelHead, Problem } from '../making/parts'
import { useSession } from '../making/session'
import { ClipName } from '../names'
import { framesText, keyOf } from '../search/match_data'
import { Strip } from '../search/strip'
import { plural, t } from '../words/words'
import { motifs, type Motif } from './session'
import '../search/matches.css'
import './motifs.css'

export { motifs } from './session'

/** More are found by a search. */
const mostShown = 60

function MotifCard({ motif, number }: { motif: Motif; number: number }) {
  const example = motif.occurrences[0]!
  const chosen = motifs.chosen === number
  const where = t`${example.name}, frames ${framesText(example)}`
  return html`<li class=${`match${chosen ? ' is-chosen' : ''}`}>
    <button
      type="button" class="match-main boxed" aria-pressed=${String(chosen)} data-motif=${number}
      title=${t`${motif.count} times, in ${plural(motif.clips, 'clip')}; the example is ${where}`}
      onClick=${() => motifs.choose(number)}
    >
      <${Strip} match=${example} />
      <span class="match-words flex-row">
        <strong>${motif.count}×</strong>
        <span>${motif.seconds.toFixed(1)} s</span>
        <${ClipName} id=${example.clip} name=${example.name} kind="match-name dim" />
        <span class="dim">${plural(motif.clips, 'clip')}</span>
      </span>
    </button>
  </li>`
}

function OccurrenceCard({ match, number }: { match: Match; number: number }) {
  return html`<li class=${`match${number ? '' : ' is-query'}`}>
    <button
      type="button" class="match-main boxed" title=${t`Play ${match.name}, frames ${framesText(match)}`}
      onClick=${() => void motifs.play(match)}
    >
      <${Strip} match=${match} />
      <span class="match-words flex-row">
        <${ClipName} id=${match.clip} name=${match.name} kind="match-name" />
        <span class="dim">${framesText(match)}</span>
        <span class="match-far">${number ? `${Math.sqrt(match.distance).toFixed(1)} cm` : 'example'}</span>
      </span>
    </button>
  </li>`
}

function Occurrences({ motif, number }: { motif: Motif; number: number }) {
  const shown = motif.occurrences.slice(0, mostShown)
  return html`<section class="motif-closer flex-column" aria-label=${t`Occurrences of motif ${number + 1}`}>
    <div class="flex-row">
      <strong>Motif ${number + 1}</strong>
      <span class="dim">
        ${motif.count > shown.length ? t`the nearest ${shown.length} of ${motif.count}` : plural(motif.count, 'occurrence')}
      </span>
      <span class="making-space"></span>
      <${Button}
        icon="search" title="Search for everything that is like the example, with a threshold to move"
        onClick=${() => void motifs.search(motif.occurrences[0]!)}
      >Find more<//>
    </div>
    <ul class="match-list boxed" aria-label="Occurrences">
      ${shown.map((match, i) => html`<${OccurrenceCard} key=${keyOf(match)} match=${match} number=${i} />`)}
    </ul>
  </section>`
}

function Found({ list }: { list: readonly Motif[] }) {
  const chosen = list[motifs.chosen]
  if (list.length === 0) return html`<p class="search-empty dim" role="status">Nothing repeats in these clips.</p>`
  return html`<p class="dim" role="status">
      ${plural(list.length, 'motif')}, the longest and most frequent first
    </p>
    <ul class="match-list boxed motif-list" aria-label="Motifs">
      ${list.map((motif, i) => html`<${MotifCard} key=${keyOf(motif.occurrences[0]!)} motif=${motif} number=${i} />`)}
    </ul>
    ${chosen && html`<${Occurrences} motif=${chosen} number=${motifs.chosen} />`}`
}

export function Panel() {
  useSession(motifs)
  const { motifs: list, job, jobName, error, stale } = motifs
  return html`<section class="compare flex-column making motifs-panel" aria-label="Motifs">
    <${PanelHead} title="What repeats here?" hint="Y">
      <${Choice}
        name="In" title="Which clips are looked at" value=${motifs.label} options=${[['', t('all clips')], ...useLabels()]}
        set=${(label: string) => motifs.setLabel(label)}
      />
    <//>
    ${job > 0 && html`<${Progress} number=${job} name=${jobName} />`}
    <${Problem} text=${error} />
    ${(stale || (!list && !job)) &&
    html`<div class="flex-row">
      ${stale && html`<span class="dim">Clips came or went since.</span>`}
      <${Button} icon="loop" onClick=${() => void motifs.find()}>Find again<//>
    </div>`}
    ${list && html`<${Found} list=${list} />`}
  </section>`
}
