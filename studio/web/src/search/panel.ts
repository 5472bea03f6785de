// panel.ts - "Search", in the library's place: everything that is like the marked segment, as film strips or as a
// graph, by a threshold that is moved; the chosen match closer; and what is done with those that are ticked.
import { useEffect, useState } from 'preact/hooks'
import { useChanges } from '../changes'
import { Button, Check, Choice, IconButton, leaveField, NumberField, Switch, useLabels, valueOf } from '../controls'
import { html } from '../html'
import { PanelHead } from '../making/parts'
import { useSession } from '../making/session'
import { ClipName } from '../names'
import { isUnsaved } from '../open_clips'
import { closeSearch } from '../opening'
import { getState, subscribe } from '../store'
import { plural, t } from '../words/words'
import { ActBar } from './act_bar'
import { MatchCards } from './cards'
import { EdgeView } from './edge_view'
import { Elsewhere } from './elsewhere'
import { MatchGraph } from './graph'
import { IndexHint } from './index_view'
import { distanceText, framesText, keyOf, type Settings, type Spot, type Verdict } from './match_data'
import { forgetMotions } from './motions'
import { searching } from './session'
import type { Watch } from './showing'
import { forgetStrips } from './strip'
import './closer.css'
import './search.css'

// How far a match may be from the query: a slider on a scale of lengths, with a mark for every distance of the first tier,
// so that gaps between what is alike and what is not can be seen.

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

/** Whose threshold it is; a way back to the query's. */
function Chosen() {
  const { threshold, nearest, web } = searching.settings
  const crossed = searching.settings.unlike.length > 0
  if (searching.byQuery) {
    return html`<p class="search-chosen dim">chosen by the query${crossed && t(' and what is not meant')}</p>`
  }
  if (nearest && !web) return html`<p class="search-chosen dim">as far as the nearest ${nearest} take</p>`
  if (!threshold) return null
  const title = t('As far as the query says by itself: clearly nearer to it than a body that stands still')
  return html`<p class="search-chosen">
    <${Button} kind="quiet" title=${title} onClick=${() => searching.set({ threshold: 0 })}>Let the query choose<//>
  </p>`
}

export function Threshold() {
  useChanges(searching)
  const { threshold, ceiling, squared } = searching
  const most = Math.sqrt(ceiling)
  const text = threshold ? distanceText(threshold, squared) : ''
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
        aria-valuetext=${squared ? t`${text}, ${threshold} square centimetres` : text}
        title="How far apart poses may be on the average. Each mark is a match of the first tier"
        onInput=${set}
      />
    </div>
    <output for="search-threshold">
      ${text}${text && squared && html` <span class="dim">${Number(threshold.toPrecision(3))} cm²</span>`}
    </output>
    <${Chosen} />
  </div>`
}

/** What there is, and whether more may come. */
export function Findings() {
  useChanges(searching)
  const { answer, matches, busy, complete } = searching
  if (!answer) return html`<p class="search-findings dim" role="status">${busy ? t('Looking…') : ''}</p>`
  const clips = new Set(matches.slice(1).map(({ clip }) => clip)).size
  const found = matches.length - 1
  return html`<p class="search-findings" role="status" aria-busy=${String(busy)}>
    <strong>${plural(found, 'match', 'matches')}</strong>
    <span class="dim">
      ${found > 0 && t` in ${plural(clips, 'clip')}`}
      ${complete ? ` · ${plural(Math.max(...matches.map(({ tier }) => tier)), 'tier')}` : t(' · looking further…')}
      ${` · ${(1000 * answer.seconds).toFixed(answer.seconds < 0.01 ? 1 : 0)} ms`}
    </span>
    ${answer.limited && html`<span class="search-note">limit reached</span>`}
    ${answer.past_ceiling && html`<span class="search-note">beyond the webs: some may be missing</span>`}
  </p>`
}

export { searching } from './session'

type Way = 'strips' | 'graph'

function Query() {
  const { query } = searching
  if (!query) return null
  const seconds = (query.end - query.start) / query.clip.fps
  const title = t('What is looked for: the marked segment. Drag its ends on the timeline')
  return html`<span class="search-query" title=${title}>
    <${ClipName} id=${query.clip.id} name=${query.clip.name} kind="match-name" />
    <span>${framesText(query)}</span>
    <span class="dim">${seconds.toFixed(2)} s</span>
  </span>`
}

/** What is rarely needed. */
function MoreSettings() {
  const { nearest, tiers, limit, same, distinct, ownSize, mirror, web } = searching.settings
  const share = (key: keyof Settings) => (percent: number) => searching.set({ [key]: percent / 100 })
  return html`<div class="search-more" id="search-more">
    <${NumberField}
      name="At most" about="Matches" value=${limit} least=${1} most=${5000}
      set=${(value: number) => searching.set({ limit: Math.round(value) })}
    />
    ${!web &&
    html`<${NumberField}
      name="Nearest" about="So many matches, however far they are; 0: all up to the threshold" value=${nearest}
      least=${0} most=${5000} set=${(value: number) => searching.set({ nearest: Math.round(value) })}
    />`}
    <${NumberField}
      name="Tiers" about="2: also what is like the matches of the query, and so on; 0: as many as bring more of the same" value=${tiers} least=${0}
      most=${1000} set=${(value: number) => searching.set({ tiers: Math.round(value) })}
    />
    <${NumberField}
      name="Same from %" about="Overlap from which on two matches are one"
      value=${Math.round(100 * (same || (web ? 0.8 : 0.5)))} least=${1} most=${100} set=${share('same')}
    />
    <${NumberField}
      name="Distinct to %" about="Overlap up to which they are two; movements that repeat, as steps do, need more"
      value=${Math.round(100 * distinct)} least=${1} most=${100} set=${share('distinct')}
    />
    ${!web &&
    html`<${Check}
      name="Own size" title="Compare bodies as they are; otherwise everybody has legs of 80 cm" on=${ownSize}
      set=${(on: boolean) => searching.set({ ownSize: on })}
    />
    <${Check}
      name="Both sides" title="Also what is done with the other side: kicks with the left foot for one with the right"
      on=${mirror} set=${(on: boolean) => searching.set({ mirror: on })}
    />`}
    ${searching.index?.web &&
    html`<${Check}
      name="By match webs" title="With the metric that the webs of this library were made with" on=${web}
      set=${(on: boolean) => searching.set({ web: on })}
    />`}
  </div>`
}

function SettingsRows() {
  const [more, setMore] = useState(false)
  return html`<div class="search-settings flex-row">
      <${Findings} />
      <${Choice}
        name="In" kind="search-label" title="Which clips are searched" value=${searching.settings.label}
        options=${[['', t('all clips')], ...useLabels()]} set=${(label: string) => searching.set({ label })}
      />
      <${IconButton}
        icon="filter" name="More settings" aria-expanded=${String(more)} aria-controls="search-more"
        onClick=${() => setMore(!more)}
      />
    </div>
    ${more && html`<${MoreSettings} />`}`
}

/** What was said of matches; a way to take each back. */
function Said() {
  const { like, unlike, web } = searching.settings
  if (web || like.length + unlike.length === 0) return null
  const nameOf = (clip: number) => getState().cards.find(({ id }) => id === clip)?.name ?? `#${clip}`
  const chip = (verdict: Verdict) => (spot: Spot) => {
    const words = `${nameOf(spot.clip)} ${framesText(spot)}`
    const [sign, about] = verdict === 'like' ? ['✓', t('is meant')] : ['✗', t('is not meant')]
    return html`<button
      type="button" key=${verdict + keyOf(spot)} class=${`chip said-${verdict}`} title="Take it back"
      aria-label=${t`${words} ${about}; take it back`} onClick=${() => searching.judge(spot, null)}
    >${sign} ${words}</button>`
  }
  return html`<div class="search-said flex-row" role="group" aria-label="What you said of matches">
    ${like.map(chip('like'))} ${unlike.map(chip('unlike'))}
    <${Button} kind="quiet" onClick=${() => searching.set({ like: [], unlike: [] })}>Take all back<//>
  </div>`
}

const ways: [Way, string][] = [
  ['strips', t('Strips')],
  ['graph', t('Graph')],
]

const watches: [Watch, string, string][] = [
  ['one', t('One'), t('The view shows the query, and the chosen match with it')],
  ['together', t('Together'), t('The view plays all ticked matches in one place, in step with the query')],
  ['tiles', t('Grid'), t('The view plays every ticked match in a small view of its own')],
]

function Bar({ way, setWay }: { way: Way; setWay: (way: Way) => void }) {
  return html`<div class="search-bar flex-row">
    <${Switch} name="Matches as" value=${way} options=${ways} set=${setWay} />
    <span class="making-space"></span>
    <${Switch}
      name="In the view" value=${searching.watch} options=${watches} set=${(watch: Watch) => searching.setWatch(watch)}
    ><span class="dim">View</span><//>
  </div>`
}

function Found({ way }: { way: Way }) {
  const { matches, error, complete } = searching
  if (error) return html`<p class="search-empty making-error" role="alert">${error}</p>`
  if (matches.length === 1 && complete && way === 'strips') {
    return html`<${MatchCards} /><p class="search-empty dim">Nothing is that much like it. Move the threshold up.</p>`
  }
  return way === 'graph' ? html`<${MatchGraph} />` : html`<${MatchCards} />`
}

function Working() {
  const [way, setWay] = useState<Way>('strips')
  return html`<${Threshold} />
    <${SettingsRows} />
    <${IndexHint} />
    <${Said} />
    <${Bar} way=${way} setWay=${setWay} />
    <div class="search-found boxed"><${Found} way=${way} /></div>
    <${Elsewhere} />
    <${EdgeView} />
    <${ActBar} />`
}

/** The query is what is marked, while the panel is there; and without its clip there is no query. */
function followSegment(): () => void {
  return subscribe(() => {
    const { making, segment, shown, cards } = getState()
    const { query } = searching
    if (making !== 'search' || !query) return
    const clip = shown[0]?.clip
    if (!clip || !cards.some(({ id }) => id === query.clip.id)) closeSearch()
    else if (segment && !isUnsaved(clip)) searching.setQuery({ clip, ...segment })
  })
}

/** Clips may have come, changed or gone. */
function forget(): void {
  forgetMotions()
  forgetStrips()
}

const leave = leaveField('.match-main[tabindex="0"], .graph-node[tabindex="0"]')

export function Panel() {
  useSession(searching, forget)
  useEffect(followSegment, [])
  return html`<section class="compare flex-column making search-panel" aria-label="Search" onKeyDown=${leave}>
    <${PanelHead} title="Search" hint="M"><${Query} /><//>
    <${Working} />
  </section>`
}
