// panel.ts - "Puppets", in the library's place: show by mouse how one character reacts to another, and play with those who
// learned it (Young, Igarashi & Sharlin, Puppet Master).
import { Tabs } from '../controls'
import { html } from '../html'
import { PanelHead, Problem } from '../making/parts'
import { useSession } from '../making/session'
import { t } from '../words/words'
import { PlayTab } from './play_tab'
import { SavedTab } from './saved_tab'
import { puppets, type Tab } from './session'
import { ShowTab } from './show_tab'
import '../graph/graph.css'
import './puppets.css'

export { playing } from './play_session'
export { puppets } from './session'

const tabs: [Tab, string, string][] = [
  ['play', t('Play'), t('Move, and see how they react')],
  ['show', t('Show'), t('Demonstrate a behaviour by mouse')],
  ['saved', t('Saved'), t('Behaviours of this library')],
]

const pages = { play: PlayTab, show: ShowTab, saved: SavedTab }

export function Panel() {
  useSession(puppets)
  const { tab, table, error } = puppets
  return html`<section class="compare flex-column making puppets-panel" aria-label="Puppets">
    <${PanelHead} title="Puppets" hint="U" />
    <${Problem} text=${error} />
    <${Tabs}
      id="puppet" name="What to do with puppets" tabs=${tabs} now=${tab} set=${(next: Tab) => puppets.update({ tab: next })}
    />
    <div class="graph-page" id="puppet-page" role="tabpanel" aria-labelledby=${`puppet-tab-${tab}`}>
      ${table && html`<${pages[tab]} key=${tab} />`}
    </div>
  </section>`
}
