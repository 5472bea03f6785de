// panel.ts - "Search", in the library's place: everything that is like the marked segment, as film strips or as a
// graph, by a threshold that is moved; the chosen match closer; and what is done with those that are ticked.
import { useEffect, useState } from 'preact/hooks'
import { html } from '../html'
import { Icon } from '../icons'
import { onLibrary } from '../live'
import { PanelHead, valueOf } from '../making/parts'
import { useStore } from '../store'
import { useChanges } from '../timeline/view'
import { useTyped } from '../typed'
import { ActBar } from './act_bar'
import { MatchCards } from './cards'
import { EdgeView } from './edge_view'
import { followSegment } from './follow'
import { MatchGraph } from './graph'
import { IndexHint, NoIndex } from './index_view'
import { framesText } from './match_data'
import { forgetMotions } from './motions'
import { searching } from './session'
import type { Settings } from './settings'
import { showQueryAlone, type Watch } from './showing'
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
    <span class="match-name">${query.clip.name}</span>
    <span>${framesText(query)}</span>
    <span class="dim">${seconds.toFixed(2)} s</span>
  </span>`
}

function LabelChoice() {
  const cards = useStore((state) => state.cards)
  const labels = [...new Set(cards.flatMap((card) => card.labels))].sort()
  const { label } = searching.settings
  return html`<label class="compare-field">
    <span>In</span>
    <select
      class="field search-label"
      title="Which clips are searched"
      value=${label}
      onChange=${(event: Event) => searching.set({ label: valueOf(event) })}
    >
      <option value="">all clips</option>
      ${labels.map((each) => html`<option key=${each} value=${each} selected=${each === label}>${each}</option>`)}
    </select>
  </label>`
}

interface NumberProps {
  name: string
  title: string
  value: number
  least: number
  most: number
  set: (value: number) => void
}

function NumberField({ name, title, value, least, most, set }: NumberProps) {
  const typed = useTyped(value, (wanted) => wanted >= least && wanted <= most && wanted !== value && set(wanted))
  return html`<label class="compare-field" title=${title}>
    <span>${name}</span>
    <input class="field" type="number" min=${least} max=${most} ...${typed} />
  </label>`
}

/** What is rarely needed. */
function MoreSettings() {
  const { limit, same, distinct } = searching.settings
  const share = (key: keyof Settings) => (percent: number) => searching.set({ [key]: percent / 100 })
  return html`<div class="search-more" id="search-more">
    <${NumberField}
      name="At most" title="Matches" value=${limit} least=${1} most=${5000}
      set=${(value: number) => searching.set({ limit: Math.round(value) })}
    />
    <${NumberField}
      name="Same from %" title="Overlap from which on two matches are one" value=${Math.round(100 * same)} least=${1}
      most=${100} set=${share('same')}
    />
    <${NumberField}
      name="Distinct to %" title="Overlap up to which they are two; movements that repeat, as steps do, need more"
      value=${Math.round(100 * distinct)} least=${1} most=${100} set=${share('distinct')}
    />
  </div>`
}

function SettingsRows() {
  const [more, setMore] = useState(false)
  return html`<div class="search-settings">
      <${Findings} />
      <${LabelChoice} />
      <button
        type="button"
        class="button quiet icon"
        aria-label="More settings"
        title="More settings"
        aria-expanded=${String(more)}
        aria-controls="search-more"
        onClick=${() => setMore(!more)}
      >
        <${Icon} name="filter" />
      </button>
    </div>
    ${more && html`<${MoreSettings} />`}`
}

const watches: [Watch, string, string][] = [
  ['one', 'One', 'The view shows the query, and the chosen match with it'],
  ['together', 'Together', 'The view plays all ticked matches in one place, in step with the query'],
  ['tiles', 'Grid', 'The view plays every ticked match in a small view of its own'],
]

function Bar({ way, setWay }: { way: Way; setWay: (way: Way) => void }) {
  const press = (name: string, on: boolean, act: () => void, title?: string) => html`<button
    type="button" class="button quiet" aria-pressed=${String(on)} title=${title} onClick=${act}
  >${name}</button>`
  return html`<div class="search-bar">
    <div class="making-switch" role="group" aria-label="Matches as">
      ${press('Strips', way === 'strips', () => setWay('strips'))}
      ${press('Graph', way === 'graph', () => setWay('graph'))}
    </div>
    <span class="making-space"></span>
    <div class="making-switch" role="group" aria-label="In the view">
      <span class="dim">View</span>
      ${watches.map(([watch, name, title]) =>
        press(name, searching.watch === watch, () => searching.setWatch(watch), title),
      )}
    </div>
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
    <div class="search-found"><${Found} way=${way} /></div>
    <${EdgeView} />
    <${ActBar} />`
}

/** Escape leaves a field for what was found; the next one leaves the panel. */
function leaveField(event: KeyboardEvent): void {
  const field = event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement
  if (event.key !== 'Escape' || !field) return
  event.preventDefault()
  const goals = '.match-main[tabindex="0"], .graph-node[tabindex="0"]'
  ;(event.currentTarget as HTMLElement).querySelector<HTMLElement>(goals)?.focus()
}

/** Clips may have come, changed or gone. */
function followLibrary(): () => void {
  return onLibrary(() => {
    forgetMotions()
    forgetStrips()
    void searching.lookAtIndex()
  })
}

export function SearchPanel() {
  useChanges(searching)
  useEffect(() => {
    const stops = [followSegment(), followLibrary()]
    return () => {
      stops.forEach((stop) => stop())
      searching.leave()
      showQueryAlone()
    }
  }, [])
  const { index, error } = searching
  return html`<section class="compare making search-panel" aria-label="Search" onKeyDown=${leaveField}>
    <${PanelHead} title="Search" hint="M"><${Query} /><//>
    ${index === null && (error ? html`<p class="making-error" role="alert">${error}</p>` : null)}
    ${index !== null && (index.exists ? html`<${Working} />` : html`<${NoIndex} />`)}
  </section>`
}
