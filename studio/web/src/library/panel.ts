// panel.ts - the library: filters on top, the cards, and what to do with the selected ones.
import './library.css'
import { useMemo, useState } from 'preact/hooks'
import { clearFilter, setFilter } from '../actions'
import { openClusters } from '../clusters/opening'
import { openGraphs } from '../graph/opening'
import { html } from '../html'
import { Icon, type IconName } from '../icons'
import { parameterize } from '../param/opening'
import { openPuppets } from '../puppets/wish'
import { openSketch } from '../sketch/opening'
import { change, useStore } from '../store'
import { chooseFiles } from './drop'
import { Count, LabelFilter, MoreFilters, SortSelect } from './filters'
import { ClipList } from './list'
import { isFiltered, visibleCards } from './select'
import { SelectionBar } from './selection_bar'

const tools: { icon: IconName; name: string; title: string; open: () => void }[] = [
  { icon: 'sketch', name: 'Sketch', title: 'Sketch: draw how a joint moves and find clips that do (D)', open: openSketch },
  { icon: 'param', name: 'Families', title: 'Families: motions by what they do (P)', open: () => parameterize(null) },
  { icon: 'graph', name: 'Graphs', title: 'Motion graphs: walk any path, steer with the keys (G)', open: () => openGraphs() },
  {
    icon: 'clusters',
    name: 'Clusters',
    title: 'Cluster graphs: switch from clip to clip where they are alike (N)',
    open: () => openClusters(),
  },
  { icon: 'puppets', name: 'Puppets', title: 'Puppets: show how a character reacts, and play with it (U)', open: () => openPuppets() },
]

/** What works on the whole library. */
function Tools() {
  return html`<div class="bar library-tools" role="group" aria-label="Work on the whole library">
    ${tools.map(
      ({ icon, name, title, open }) =>
        html`<button key=${name} type="button" class="button quiet" title=${title} onClick=${open}>
          <${Icon} name=${icon} />${name}
        </button>`,
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
  return html`<div class="library-head">
    <div class="bar">
      <h2>${removed ? 'Removed' : 'Library'}</h2>
      <${SortSelect} />
      <button
        type="button"
        class=${`button quiet icon${narrowed ? ' narrowed' : ''}`}
        aria-label="Filter by length and skeleton"
        title="Filter by length and skeleton"
        aria-expanded=${more}
        aria-controls="more-filters"
        onClick=${() => setMore(!more)}
      >
        <${Icon} name="filter" />
      </button>
      ${(removedCount > 0 || removed) &&
      html`<button
        type="button"
        class="button quiet icon"
        aria-pressed=${removed}
        aria-label=${`Removed clips, ${removedCount}`}
        title=${removed ? 'Back to the library' : `Removed clips (${removedCount})`}
        onClick=${() => setFilter({ removed: !removed })}
      >
        <${Icon} name="trash" />
      </button>`}
      <button type="button" class="button" title="Import motion files" onClick=${chooseFiles}>
        <${Icon} name="import" />Import…
      </button>
    </div>
    ${more && html`<${MoreFilters} />`}
    <${Tools} />
    <${LabelFilter} />
  </div>`
}

/** Why no card is there, and what to do about it. */
function Nothing() {
  const filter = useStore((state) => state.filter)
  if (isFiltered(filter)) {
    return html`<div class="nothing">
      <p>No clip is like that.</p>
      <button type="button" class="button" onClick=${clearFilter}>Show all clips</button>
    </div>`
  }
  if (filter.removed) {
    return html`<div class="nothing">
      <p>Nothing was removed.</p>
      <button type="button" class="button" onClick=${() => setFilter({ removed: false })}>Back to the library</button>
    </div>`
  }
  return html`<div class="nothing">
    <p>All clips were removed.</p>
    <button type="button" class="button" onClick=${() => setFilter({ removed: true })}>Show removed clips</button>
    <button type="button" class="button" onClick=${() => change({ dialog: 'how' })}>Read how</button>
  </div>`
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
  return html`<section class="library" aria-label="Library">
    <${Head} />
    ${loaded && html`<div class="count-row"><${Count} shown=${visible.length} /></div>`}
    ${loaded && visible.length === 0 ? html`<${Nothing} />` : html`<${ClipList} cards=${visible} />`}
    <${SelectionBar} cards=${visible} />
  </section>`
}
