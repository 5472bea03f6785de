// app.ts - the page put together: header, library beside viewer and timeline, command bar, dialogs.
import './theme.css'
import './app.css'
import type { ComponentType } from 'preact'
import { BlendPanel } from './blend/panel'
import { CommandBar } from './command_bar'
import { ComparePanel } from './compare/panel'
import { HowDialog } from './dialogs/how_dialog'
import { ImportDialog } from './dialogs/import_dialog'
import { KeysDialog } from './dialogs/keys_dialog'
import { LabelsDialog } from './dialogs/labels_dialog'
import { CleanDialog, LoopDialog } from './dialogs/make_dialogs'
import { DescribeDialog, PurgeDialog, RenameDialog } from './dialogs/name_dialogs'
import { GraphPanel } from './graph/panel'
import { Header } from './header'
import { html } from './html'
import { DropTarget } from './library/drop'
import { Greeting } from './library/greeting'
import { LibraryPanel } from './library/panel'
import { ConnectionBanner, Notices } from './notices'
import { ParamPanel } from './param/panel'
import { SearchPanel } from './search/panel'
import { Splitter } from './splitter'
import { useStore, type State } from './store'
import { ExportDialog } from './timeline/export_menu'
import { TimelinePanel } from './timeline/panel'
import { TransitionPanel } from './transition/panel'
import { ViewerPanel } from './viewer/panel'

const dialogs: Record<Exclude<State['dialog'], 'none'>, ComponentType> = {
  keys: KeysDialog,
  how: HowDialog,
  import: ImportDialog,
  labels: LabelsDialog,
  rename: RenameDialog,
  describe: DescribeDialog,
  purge: PurgeDialog,
  export: ExportDialog,
  loop: LoopDialog,
  clean: CleanDialog,
}

function OpenDialog() {
  const open = useStore((state) => state.dialog)
  return open === 'none' ? null : html`<${dialogs[open]} key=${open} />`
}

type Tool = 'compare' | 'transition' | 'blend' | 'search' | 'param' | 'graph'

const tools: Record<Tool, { panel: ComponentType; name: string }> = {
  compare: { panel: ComparePanel, name: 'Width of the comparison' },
  transition: { panel: TransitionPanel, name: 'Width of the transition' },
  blend: { panel: BlendPanel, name: 'Width of the blend' },
  search: { panel: SearchPanel, name: 'Width of the search' },
  param: { panel: ParamPanel, name: 'Width of the parameters' },
  graph: { panel: GraphPanel, name: 'Width of the graph' },
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
    ${tool && html`<div class="slot of-library"><${tools[tool].panel} key=${tool} /></div>`}
    <${Splitter}
      key=${String(tool)}
      name=${tool ? tools[tool].name : 'Width of the library'}
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
