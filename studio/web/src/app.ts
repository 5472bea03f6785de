// app.ts - the page put together: header, library beside viewer and timeline, command bar, dialogs.
import './theme.css'
import './app.css'
import { CommandBar } from './command_bar'
import { Header } from './header'
import { html } from './html'
import { DropTarget } from './library/drop'
import { Greeting } from './library/greeting'
import { LibraryPanel } from './library/panel'
import { ConnectionBanner, Notices } from './notices'
import { partNow, usePart } from './parts'
import { Splitter } from './splitter'
import { useStore, type State } from './store'
import { TimelinePanel } from './timeline/panel'
import { ViewerPanel } from './viewer/panel'

function Dialogs() {
  const part = usePart('dialogs')
  return part && html`<${part.OpenDialog} />`
}

/** Once one is open, all are here. */
function OpenDialog() {
  const open = useStore((state) => state.dialog !== 'none')
  return open || partNow('dialogs') ? html`<${Dialogs} />` : null
}

type Tool = 'compare' | Exclude<State['making'], 'none'>

/** What the splitters beside the tools are called. The code of a tool is fetched before it is opened. */
const widths: Record<Tool, string> = {
  compare: 'Width of the comparison',
  transition: 'Width of the transition',
  blend: 'Width of the blend',
  search: 'Width of the search',
  param: 'Width of the parameters',
  graph: 'Width of the graph',
  sketch: 'Width of the sketch',
  clusters: 'Width of the cluster graph',
  puppets: 'Width of the puppets',
}

/** What has the library's place. */
function toolOf({ compare, making }: State): Tool | null {
  if (making !== 'none') return making
  return compare ? 'compare' : null
}

/** The library, or what works on some of its clips; each has a width of its own. */
function LeftSide() {
  const tool = useStore(toolOf)
  return html`<div class="slot of-library" hidden=${tool !== null}><${LibraryPanel} /></div>
    ${tool && html`<div class="slot of-library"><${partNow(tool)?.Panel} key=${tool} /></div>`}
    <${Splitter}
      key=${String(tool)}
      name=${tool ? widths[tool] : 'Width of the library'}
      property=${tool ? '--compare-width' : '--library-width'}
      direction="upright"
      start=${tool ? 42 : 30}
      least=${tool ? 32 : 18}
      most=${60}
    />`
}

function Workspace() {
  const tool = useStore(toolOf)
  return html`<main class=${`workspace${tool ? ' comparing' : ''}`}>
    <${LeftSide} />
    <div class="slot of-viewer"><${ViewerPanel} /></div>
    <${Splitter}
      name="Height of the timeline"
      property="--timeline-height"
      direction="level"
      start=${34}
      least=${18}
      most=${65}
    />
    <div class="slot of-timeline"><${TimelinePanel} /></div>
    <${Notices} />
  </main>`
}

export function App() {
  const empty = useStore(
    ({ loaded, cards, removedCards }) => loaded && cards.length === 0 && removedCards.length === 0,
  )
  return html`<div class="app">
    <${Header} />
    <${ConnectionBanner} />
    ${empty ? html`<${Greeting} /><${Notices} />` : html`<${Workspace} />`}
    <${CommandBar} />
    <${OpenDialog} />
    <${DropTarget} />
  </div>`
}
