// panel.ts - "Search", in the library's place: everything that is like the marked segment, as film strips or as a
// graph, by a threshold that is moved; the chosen match closer; and what is done with those that are ticked.
import { useEffect, useState } from 'preact/hooks'
import { Choice, IconButton, leaveField, NumberField, Switch, useLabels } from '../controls'
import { html } from '../html'
import { PanelHead, Problem } from '../making/parts'
import { useSession } from '../making/session'
import { isUnsaved } from '../open_clips'
import { closeSearch } from '../opening'
import { getState, subscribe } from '../store'
import { ActBar } from './act_bar'
import { MatchCards } from './cards'
import { EdgeView } from './edge_view'
import { MatchGraph } from './graph'
import { IndexHint, NoIndex } from './index_view'
import { framesText } from './match_data'
import { forgetMotions } from './motions'
import { searching } from './session'
import type { Settings } from './settings'
import type { Watch } from './showing'
import { forgetStrips } from './strip'
import { Findings, Threshold } from './threshold'
import './closer.css'
import './search.css'

export { searching } from './session'

type Way = 'strips' | 'graph'

function Query() {
  const { query } = searching
  if (!query) return null
  const seconds = (query.end - query.start) / query.clip.fps
  const title = 'What is looked for: the marked segment. Drag its ends on the timeline'
  return html`<span class="search-query" title=${title}>
    <span class="match-name ellipsis">${query.clip.name}</span>
    <span>${framesText(query)}</span>
    <span class="dim">${seconds.toFixed(2)} s</span>
  </span>`
}

/** What is rarely needed. */
function MoreSettings() {
  const { limit, same, distinct } = searching.settings
  const share = (key: keyof Settings) => (percent: number) => searching.set({ [key]: percent / 100 })
  return html`<div class="search-more" id="search-more">
    <${NumberField}
      name="At most" about="Matches" value=${limit} least=${1} most=${5000}
      set=${(value: number) => searching.set({ limit: Math.round(value) })}
    />
    <${NumberField}
      name="Same from %" about="Overlap from which on two matches are one" value=${Math.round(100 * same)} least=${1}
      most=${100} set=${share('same')}
    />
    <${NumberField}
      name="Distinct to %" about="Overlap up to which they are two; movements that repeat, as steps do, need more"
      value=${Math.round(100 * distinct)} least=${1} most=${100} set=${share('distinct')}
    />
  </div>`
}

function SettingsRows() {
  const [more, setMore] = useState(false)
  return html`<div class="search-settings flex-row">
      <${Findings} />
      <${Choice}
        name="In" kind="search-label" title="Which clips are searched" value=${searching.settings.label}
        options=${[['', 'all clips'], ...useLabels()]} set=${(label: string) => searching.set({ label })}
      />
      <${IconButton}
        icon="filter" name="More settings" aria-expanded=${String(more)} aria-controls="search-more"
        onClick=${() => setMore(!more)}
      />
    </div>
    ${more && html`<${MoreSettings} />`}`
}

const ways: [Way, string][] = [
  ['strips', 'Strips'],
  ['graph', 'Graph'],
]

const watches: [Watch, string, string][] = [
  ['one', 'One', 'The view shows the query, and the chosen match with it'],
  ['together', 'Together', 'The view plays all ticked matches in one place, in step with the query'],
  ['tiles', 'Grid', 'The view plays every ticked match in a small view of its own'],
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
    <${Bar} way=${way} setWay=${setWay} />
    <div class="search-found boxed"><${Found} way=${way} /></div>
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
  const { index, error } = searching
  return html`<section class="compare flex-column making search-panel" aria-label="Search" onKeyDown=${leave}>
    <${PanelHead} title="Search" hint="M"><${Query} /><//>
    ${index === null && html`<${Problem} text=${error} />`}
    ${index !== null && (index.exists ? html`<${Working} />` : html`<${NoIndex} />`)}
  </section>`
}
