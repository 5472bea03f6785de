// panel.ts - the library: filters on top, the cards, and what to do with the selected ones.
import './library.css'
import { useMemo, useState } from 'preact/hooks'
import { clearFilter, setFilter } from '../actions'
import { Button, IconButton } from '../controls'
import { html } from '../html'
import type { IconName } from '../icons'
import { openClusters, openGraphs, openPuppets, openSketch, parameterize } from '../opening'
import { change, useStore } from '../store'
import { chooseFiles } from './drop'
import { Count, LabelFilter, MoreFilters, SortSelect } from './filters'
import { ClipList } from './list'
import { isFiltered, visibleCards } from './select'
import { SelectionBar } from './selection_bar'

const tools: [icon: IconName, name: string, open: () => void, title: string][] = [
  ['sketch', 'Sketch', openSketch, 'Sketch: draw how a joint moves and find clips that do (D)'],
  ['param', 'Families', () => parameterize(null), 'Families: motions by what they do (P)'],
  ['graph', 'Graphs', () => openGraphs(), 'Motion graphs: walk any path, steer with the keys (G)'],
  ['clusters', 'Clusters', () => openClusters(null), 'Cluster graphs: switch from clip to clip where they are alike (N)'],
  ['puppets', 'Puppets', () => openPuppets(), 'Puppets: show how a character reacts, and play with it (U)'],
]

/** What works on the whole library. */
function Tools() {
  return html`<div class="bar library-tools" role="group" aria-label="Work on the whole library">
    ${tools.map(
      ([icon, name, open, title]) =>
        html`<${Button} key=${name} icon=${icon} kind="quiet" title=${title} onClick=${open}>${name}<//>`,
    )}
  </div>`
}

function Head() {
  const removed = useStore((state) => state.filter.removed)
  const removedCount = useStore((state) => state.removedCards.length)
  const narrowed = useStore(
    ({ filter }) => filter.skeleton !== '' || filter.shortest_s > 0 || filter.longest_s > 0,
  )
  const [more, setMore] = useState(false)
  return html`<div class="library-head flex-column">
    <div class="bar">
      <h2>${removed ? 'Removed' : 'Library'}</h2>
      <${SortSelect} />
      <${IconButton}
        icon="filter" name="Filter by length and skeleton" kind=${narrowed ? 'narrowed' : ''} aria-expanded=${more}
        aria-controls="more-filters" onClick=${() => setMore(!more)}
      />
      ${(removedCount > 0 || removed) &&
      html`<${IconButton}
        icon="trash" name=${`Removed clips, ${removedCount}`} aria-pressed=${removed}
        title=${removed ? 'Back to the library' : `Removed clips (${removedCount})`}
        onClick=${() => setFilter({ removed: !removed })}
      />`}
      <${Button} icon="import" title="Import motion files" onClick=${chooseFiles}>Import…<//>
    </div>
    ${more && html`<${MoreFilters} />`}
    <${Tools} />
    <${LabelFilter} />
  </div>`
}

/** Why no card is there, and what to do about it. */
function Nothing() {
  const filter = useStore((state) => state.filter)
  const say = (text: string, button: string, act: () => void, children?: unknown) => html`<div class="nothing flex-row">
    <p>${text}</p>
    <${Button} onClick=${act}>${button}<//>${children}
  </div>`
  const setRemoved = (removed: boolean) => () => setFilter({ removed })
  if (isFiltered(filter)) return say('No clip is like that.', 'Show all clips', clearFilter)
  if (filter.removed) return say('Nothing was removed.', 'Back to the library', setRemoved(false))
  const how = html`<${Button} onClick=${() => change({ dialog: 'how' })}>Read how<//>`
  return say('All clips were removed.', 'Show removed clips', setRemoved(true), how)
}

export function LibraryPanel() {
  const cards = useStore((state) => state.cards)
  const removedCards = useStore((state) => state.removedCards)
  const filter = useStore((state) => state.filter)
  const found = useStore((state) => state.found)
  const sort = useStore((state) => state.sort)
  const loaded = useStore((state) => state.loaded)
  const visible = useMemo(
    () => visibleCards({ cards, removedCards, filter, found, sort }),
    [cards, removedCards, filter, found, sort],
  )
  return html`<section class="library flex-column" aria-label="Library">
    <${Head} />
    ${loaded && html`<div class="count-row"><${Count} shown=${visible.length} /></div>`}
    ${loaded && visible.length === 0 ? html`<${Nothing} />` : html`<${ClipList} cards=${visible} />`}
    <${SelectionBar} cards=${visible} />
  </section>`
}
