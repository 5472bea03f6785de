// panel.ts - "Motion graphs", in the library's place: a graph is chosen or built and explored; its character walks a path
// that is drawn on the floor, or is steered by keys.
import { useEffect } from 'preact/hooks'
import { html } from '../html'
import { Icon } from '../icons'
import { onLibrary } from '../live'
import { PanelHead, valueOf } from '../making/parts'
import { useStore } from '../store'
import { useChanges } from '../timeline/view'
import { BuildForm } from './build_form'
import { Overview } from './overview'
import { PathTab } from './path_tab'
import { PlayTab } from './play_tab'
import { graphs, type Tab } from './session'
import './graph.css'

export { graphs } from './session'

function GraphChoice() {
  const { table, graph, building } = graphs
  const writable = useStore((state) => state.about?.library.writable ?? true)
  const now = building ? '' : (graph?.name ?? '')
  const open = (event: Event) => {
    const name = valueOf(event)
    if (name) void graphs.open(name)
    else graphs.showForm(false)
  }
  return html`<label class="compare-field">
      <span>Graph</span>
      <select class="field graph-choice" value=${now} onChange=${open}>
        <option value="" selected=${now === ''}>new…</option>
        ${table?.graphs.map(({ name }) => html`<option key=${name} value=${name} selected=${name === now}>${name}</option>`)}
      </select>
    </label>
    ${writable &&
    now &&
    html`<button
      type="button" class="button quiet icon" aria-label=${`Remove the graph ${now}`}
      title=${`Remove ${now}: its clips stay`} onClick=${() => void graphs.remove(now)}
    >
      <${Icon} name="trash" />
    </button>`}`
}

const tabs: [Tab, string, string][] = [
  ['graph', 'Graph', 'What it is made of and how well it is connected'],
  ['path', 'Path', 'Draw a path on the floor, and the character walks it'],
  ['play', 'Play', 'Steer the character with the arrow keys'],
]

/** Arrow keys go from tab to tab, as everywhere. */
function pressTab(event: KeyboardEvent): void {
  const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key]
  if (!by) return
  event.preventDefault()
  event.stopPropagation()
  const at = tabs.findIndex(([tab]) => tab === graphs.tab)
  const [next] = tabs[(at + by + tabs.length) % tabs.length]!
  graphs.setTab(next)
  requestAnimationFrame(() => document.getElementById(`graph-tab-${next}`)?.focus())
}

function Tabs() {
  return html`<div class="graph-tabs" role="tablist" aria-label="What to do with it" onKeyDown=${pressTab}>
    ${tabs.map(
      ([tab, name, title]) => html`<button
        key=${tab} id=${`graph-tab-${tab}`} type="button" role="tab" class="button quiet" title=${title}
        aria-selected=${String(graphs.tab === tab)} aria-controls="graph-page" tabindex=${graphs.tab === tab ? 0 : -1}
        onClick=${() => graphs.setTab(tab)}
      >
        ${name}
      </button>`,
    )}
  </div>`
}

const pages = { graph: Overview, path: PathTab, play: PlayTab }

function Working() {
  const { graph, tab } = graphs
  if (!graph) return null
  return html`<${Tabs} />
    <div class="graph-page" id="graph-page" role="tabpanel" aria-labelledby=${`graph-tab-${tab}`}>
      <${pages[tab]} key=${`${tab} ${graph.name}`} graph=${graph} />
    </div>`
}

export function GraphPanel() {
  useChanges(graphs)
  useEffect(() => {
    const stop = onLibrary(() => void graphs.load())
    return () => {
      stop()
      graphs.leave()
    }
  }, [])
  const { building, busyWith, error, table } = graphs
  return html`<section class="compare making graph-panel" aria-label="Motion graphs">
    <${PanelHead} title="Motion graphs" hint="G"><${GraphChoice} /><//>
    ${busyWith && html`<p class="dim" role="status">${busyWith}</p>`}
    ${error && html`<p class="making-error" role="alert">${error}</p>`}
    ${building ? table && html`<${BuildForm} />` : html`<${Working} />`}
  </section>`
}
