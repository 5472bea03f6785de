// panel.ts - "Motion graphs", in the library's place: a graph is chosen or built and explored; its character walks a path
// that is drawn on the floor, or is steered by keys.
import { Tabs } from '../controls'
import { html } from '../html'
import { Progress } from '../jobs'
import { Missing, PanelHead, Problem, SavedChoice } from '../making/parts'
import { useSession } from '../making/session'
import { t } from '../words/words'
import { GraphForm } from './building'
import { Overview } from './overview'
import { PathTab } from './path_tab'
import { PlayTab } from './play_tab'
import { graphs, type Tab } from './session'
import './graph.css'

export { buildForActions } from './building'
export { walk } from './path_session'
export { graphs } from './session'

const tabs: [Tab, string, string][] = [
  ['path', t('Walk'), t('Draw a path on the floor, or name actions, and the character walks them')],
  ['play', t('Play'), t('Steer the character with the arrow keys')],
  ['graph', t('Graph'), t('What it is made of and how well it is connected')],
]

const pages = { graph: Overview, path: PathTab, play: PlayTab }

function Working() {
  const { graph, tab } = graphs
  if (!graph) return null
  return html`<${Tabs}
      id="graph" name="What to do with it" tabs=${tabs} now=${tab} set=${(next: Tab) => graphs.update({ tab: next })}
    />
    <div class="graph-page" id="graph-page" role="tabpanel" aria-labelledby=${`graph-tab-${tab}`}>
      <${pages[tab]} key=${`${tab} ${graph.name}`} graph=${graph} />
    </div>`
}

export function Panel() {
  useSession(graphs)
  const { building, busyWith, job, jobName, error, table, graph } = graphs
  return html`<section class="compare flex-column making graph-panel" aria-label="Motion graphs">
    <${PanelHead} title="Motion graphs" hint="G">
      <${SavedChoice}
        field=${t('Graph')} kind=${t('graph')} stays=${t('clips')} names=${table?.graphs.map(({ name }) => name) ?? []}
        now=${building ? '' : (graph?.name ?? '')} remove=${(name: string) => void graphs.remove(name)}
        open=${(name: string) => (name ? void graphs.open(name) : graphs.showForm(false))}
      />
    <//>
    ${busyWith && html`<p class="dim" role="status">${busyWith}</p>`}
    ${job > 0 && html`<${Progress} number=${job} name=${jobName} />`}
    <${Problem} text=${error} />
    <${Missing}
      field=${t('Graph')} rows=${table?.graphs.map(({ name, made_of }) => ({ name, clips: made_of })) ?? []}
      open=${(name: string) => void graphs.open(name)}
    />
    ${building ? table && html`<${GraphForm} />` : html`<${Working} />`}
  </section>`
}
