// panel.ts - "Puppets", in the library's place: show by mouse how one character reacts to another, and play with those who
// learned it (Young, Igarashi & Sharlin, Puppet Master).
import { useEffect } from 'preact/hooks'
import { html } from '../html'
import { onLibrary } from '../live'
import { PanelHead } from '../making/parts'
import { useChanges } from '../timeline/view'
import { KeptTab } from './kept_tab'
import { PlayTab } from './play_tab'
import { puppets, type Tab } from './session'
import { ShowTab } from './show_tab'
import '../graph/graph.css'
import './puppets.css'

export { puppets } from './session'

const tabs: [Tab, string, string][] = [
  ['play', 'Play', 'Move, and see how they react'],
  ['show', 'Show', 'Demonstrate a behaviour by mouse'],
  ['kept', 'Kept', 'Behaviours of this library'],
]

const pages = { play: PlayTab, show: ShowTab, kept: KeptTab }

/** Arrow keys go from tab to tab, as everywhere. */
function pressTab(event: KeyboardEvent): void {
  const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key]
  if (!by) return
  event.preventDefault()
  event.stopPropagation()
  const at = tabs.findIndex(([tab]) => tab === puppets.tab)
  const [next] = tabs[(at + by + tabs.length) % tabs.length]!
  puppets.setTab(next)
  requestAnimationFrame(() => document.getElementById(`puppet-tab-${next}`)?.focus())
}

function Tabs() {
  return html`<div class="graph-tabs" role="tablist" aria-label="What to do with puppets" onKeyDown=${pressTab}>
    ${tabs.map(
      ([tab, name, title]) => html`<button
        key=${tab} id=${`puppet-tab-${tab}`} type="button" role="tab" class="button quiet" title=${title}
        aria-selected=${String(puppets.tab === tab)} aria-controls="puppet-page" tabindex=${puppets.tab === tab ? 0 : -1}
        onClick=${() => puppets.setTab(tab)}
      >
        ${name}
      </button>`,
    )}
  </div>`
}

export function PuppetsPanel() {
  useChanges(puppets)
  useEffect(() => {
    const stop = onLibrary(() => void puppets.load())
    return () => {
      stop()
      puppets.leave()
    }
  }, [])
  const { tab, table, error } = puppets
  return html`<section class="compare making puppets-panel" aria-label="Puppets">
    <${PanelHead} title="Puppets" hint="U" />
    ${error && html`<p class="making-error" role="alert">${error}</p>`}
    <${Tabs} />
    <div class="graph-page" id="puppet-page" role="tabpanel" aria-labelledby=${`puppet-tab-${tab}`}>
      ${table && html`<${pages[tab]} key=${tab} />`}
    </div>
  </section>`
}
