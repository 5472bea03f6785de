// panel.ts - the library: filters on top, the cards, and what to do with the selected ones.
import { useMemo, useState } from 'preact/hooks'
import { clearFilter, removeClips, restoreClips, setFilter } from '../actions'
import type { Card } from '../api'
import { Button, IconButton, Select, valueOf } from '../controls'
import { html } from '../html'
import type { IconName } from '../icons'
import { addToView, openClips } from '../open_clips'
import { compareClips, findMoreLike, make, makeRetarget, mostClips, openClusters, openDoctor, openGraphs } from '../opening'
import { parameterizeClips } from '../opening'
import { change, useStore, type SortKey, type State } from '../store'
import { plural, t } from '../words/words'
import { chooseFiles } from './drop'
import { ExaminingShare } from './examining'
import { ClipList } from './list'
import { isFiltered, labelCounts, skeletonsOf, visibleCards } from './select'
import './library.css'

// What can be done with the selected clips. It is always there: one that came with the first click would push the card away
// from under the second.

/** How many clips it is for, what it does, and what is said about it. */
type Act = [shown: boolean, icon: IconName, name: string, run: () => void, title: string]

/** Those that are only an icon. */
function actsFor(ids: number[], viewing: boolean): Act[] {
  const ask = (dialog: State['dialog']) => () => change({ dialog })
  const [one, two, some] = [ids.length === 1, ids.length === 2, ids.length >= 2]
  const blendable = some && ids.length <= mostClips
  return [
    [one, 'search', t('Find more'), () => void findMoreLike(ids[0]!), t('Find more like this clip (M, or mark a segment of it)')],
    [two, 'compare', t('Compare'), () => void compareClips(ids), t('Compare: how alike the frames of the two clips are (C)')],
    [two, 'transition', t('Transition'), () => void make('transition', ids), t('Transition: go from one clip over into the other (T)')],
    [blendable, 'blend', t('Blend'), () => void make('blend', ids), t('Blend: mix the clips (B)')],
    [
      one || two,
      'retarget',
      t('Retarget'),
      () => void makeRetarget(ids),
      t('Retarget: the motion of the clip on the body of another (H)'),
    ],
    [some, 'param', t('Family'), () => parameterizeClips(ids), t('Family: motions asked for by what they do (P)')],
    [some, 'graph', t('Motion graph'), () => openGraphs(ids), t('Motion graph: walks of any length out of these clips (G)')],
    [
      some,
      'clusters',
      t('Cluster graph'),
      () => openClusters({ clips: ids }),
      t('Cluster graph: these clips in small pieces, switched where they are alike (N)'),
    ],
    [viewing, 'plus', t('Add to view'), () => void addToView(ids), t('Add to view: show beside the clips that are open')],
    [true, 'export', t('Export…'), () => change({ dialog: 'export', exported: ids }), t('Export: write them as files for other programs')],
    [true, 'label', t('Labels…'), ask('labels'), t('Labels…')],
    [one, 'rename', t('Rename…'), ask('rename'), t('Rename…')],
    [true, 'note', t('Describe…'), ask('describe'), t('Describe: description and licence…')],
    [true, 'trash', t('Remove'), () => void removeClips(ids), t('Remove; it can be restored (Delete)')],
  ]
}

function PresentActs({ ids, viewing }: { ids: number[]; viewing: boolean }) {
  const open = () => void openClips(ids)
  return html`${ids.length === 1
      ? html`<${Button} icon="open" title="Open in the viewer (Enter)" onClick=${open}>Open<//>`
      : html`<${Button} icon="together" aria-label="Open together" title="Open all selected clips at once" onClick=${open}>
          Open
        <//>`}
    ${actsFor(ids, viewing).map(
      ([shown, icon, name, run, title]) =>
        shown &&
        html`<${IconButton}
          key=${name} icon=${icon} name=${name} title=${title} worded=${true} kind=${icon === 'trash' ? 'danger' : ''} onClick=${run}
        />`,
    )}`
}

function RemovedActs({ ids }: { ids: number[] }) {
  const purge = () => change({ dialog: 'purge' })
  return html`<${Button} icon="restore" title="Bring back" onClick=${() => void restoreClips(ids)}>Restore<//>
    <${Button} icon="trash" kind="danger" title="Delete for good" onClick=${purge}>Delete for good…<//>`
}

function SelectionBar({ cards }: { cards: readonly Card[] }) {
  const selected = useStore((state) => state.selected)
  const removed = useStore((state) => state.filter.removed)
  const open = useStore((state) => state.shown)
  const ids = cards.map((card) => card.id).filter((id) => selected.has(id))
  if (ids.length === 0) {
    const hint = removed ? t('Select clips to restore them') : t('Double-click opens, Ctrl and Shift select more')
    return html`<div class="selection-bar flex-row"><span class="hint dim">${hint}</span></div>`
  }
  const viewing = open.length > 0 && ids.some((id) => !open.some(({ clip }) => clip.id === id))
  const clear = () => change({ selected: new Set<number>() })
  return html`<div class="selection-bar flex-row" role="toolbar" aria-label="Selected clips">
    <span class="count" title=${plural(ids.length, 'clip')}>${ids.length} selected</span>
    ${removed ? html`<${RemovedActs} ids=${ids} />` : html`<${PresentActs} ids=${ids} viewing=${viewing} />`}
    <${IconButton} icon="close" name="Select none" title="Select none (Escape)" onClick=${clear} />
  </div>`
}

// What narrows and orders the list: sorting, labels, length, skeleton, and the way to what was removed.

const sorts: [SortKey, string][] = [
  ['name', t('Name')],
  ['length', t('Length')],
  ['newest', t('Newest first')],
  ['skeleton', t('Skeleton')],
]
const fewLabels = 8

function SortSelect() {
  const sort = useStore((state) => state.sort)
  return html`<label class="sort">
    <span class="visually-hidden">Sort by</span>
    <${Select} value=${sort} options=${sorts} title="Sort by" set=${(key: SortKey) => change({ sort: key })} />
  </label>`
}

/** Chips of all labels; several chosen ones mean clips that have all of them. */
function LabelFilter() {
  const filter = useStore((state) => state.filter)
  const cards = useStore((state) => (state.filter.removed ? state.removedCards : state.cards))
  const [all, setAll] = useState(false)
  const counts = useMemo(() => labelCounts(cards), [cards])
  if (counts.length === 0) return null
  const first = counts.filter(([label], at) => all || at < fewLabels || filter.labels.includes(label))
  const toggle = (label: string) => {
    const chosen = filter.labels.includes(label)
    setFilter({ labels: chosen ? filter.labels.filter((one) => one !== label) : [...filter.labels, label] })
  }
  return html`<div class="label-filter" role="group" aria-label="Filter by label">
    ${first.map(
      ([label, count]) => html`<button
        key=${label} type="button" class="chip" aria-pressed=${filter.labels.includes(label)} onClick=${() => toggle(label)}
      >
        ${label} <span class="count">${count}</span>
      </button>`,
    )}
    ${counts.length > fewLabels &&
    html`<button type="button" class="chip more" aria-expanded=${all} onClick=${() => setAll(!all)}>
      ${all ? t('fewer') : t`${counts.length - fewLabels} more`}
    </button>`}
  </div>`
}

function LengthField({ name, what }: { name: 'shortest_s' | 'longest_s'; what: string }) {
  const value = useStore((state) => state.filter[name])
  return html`<input
    class="field number" type="number" min="0" step="any" inputmode="decimal" aria-label=${what} title=${what}
    placeholder=${name === 'shortest_s' ? '0' : t('any')} value=${value || ''}
    onInput=${(event: Event) => setFilter({ [name]: Math.max(0, Number(valueOf(event)) || 0) })}
  />`
}

function MoreFilters() {
  const skeleton = useStore((state) => state.filter.skeleton)
  const cards = useStore((state) => state.cards)
  const skeletons = useMemo(() => skeletonsOf(cards), [cards])
  return html`<div class="more-filters boxed" id="more-filters">
    <div class="row" role="group" aria-label="Length in seconds">
      <span>Length</span>
      <${LengthField} name="shortest_s" what="Shortest length in seconds" />
      <span aria-hidden="true">–</span>
      <${LengthField} name="longest_s" what="Longest length in seconds" />
      <span class="dim">s</span>
    </div>
    <label class="row">
      <span>Skeleton</span>
      <${Select}
        value=${skeleton} options=${[['', t('any')], ...skeletons]} set=${(one: string) => setFilter({ skeleton: one })}
      />
    </label>
  </div>`
}

/** "12 of 40 clips", and a way back to all of them. */
function Count({ shown }: { shown: number }) {
  const filter = useStore((state) => state.filter)
  const all = useStore((state) => (state.filter.removed ? state.removedCards : state.cards).length)
  const what = filter.removed ? t('removed') : all === 1 ? t('clip') : t('clips')
  return html`<span class="count-line flex-row">
    <span role="status">${shown === all ? `${all} ${what}` : t`${shown} of ${all} ${what}`}</span>
    <${ExaminingShare} />
    <span class="making-space"></span>
    <${Button} icon="doctor" kind="quiet" title="Doctor: what is wrong with these clips, and repairing it (X)" onClick=${openDoctor}>
      Doctor
    <//>
    ${isFiltered(filter) &&
    html`<${Button} icon="close" kind="quiet" title="Show all again" onClick=${clearFilter}>Clear filter<//>`}
  </span>`
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
      <h2>${removed ? t('Removed') : t('Library')}</h2>
      <${SortSelect} />
      <${IconButton}
        icon="filter" name="Filter by length and skeleton" kind=${narrowed ? 'narrowed' : ''} aria-expanded=${more}
        aria-controls="more-filters" onClick=${() => setMore(!more)}
      />
      ${(removedCount > 0 || removed) &&
      html`<${IconButton}
        icon="trash" name=${t`Removed clips, ${removedCount}`} aria-pressed=${removed}
        title=${removed ? t('Back to the library') : t`Removed clips (${removedCount})`}
        onClick=${() => setFilter({ removed: !removed })}
      />`}
      <${Button} icon="import" title="Import motion files" onClick=${chooseFiles}>Import…<//>
    </div>
    ${more && html`<${MoreFilters} />`}
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
  if (isFiltered(filter)) return say(t('No clip is like that.'), t('Show all clips'), clearFilter)
  if (filter.removed) return say(t('Nothing was removed.'), t('Back to the library'), setRemoved(false))
  const how = html`<${Button} onClick=${() => change({ dialog: 'how' })}>Read how<//>`
  return say(t('All clips were removed.'), t('Show removed clips'), setRemoved(true), how)
}

export function LibraryPanel() {
  const cards = useStore((state) => state.cards)
  const removedCards = useStore((state) => state.removedCards)
  const filter = useStore((state) => state.filter)
  const sort = useStore((state) => state.sort)
  const loaded = useStore((state) => state.loaded)
  const visible = useMemo(
    () => visibleCards({ cards, removedCards, filter, sort }),
    [cards, removedCards, filter, sort],
  )
  return html`<section class="library flex-column" aria-label="Library">
    <${Head} />
    ${loaded && html`<div class="count-row"><${Count} shown=${visible.length} /></div>`}
    ${loaded && visible.length === 0 ? html`<${Nothing} />` : html`<${ClipList} cards=${visible} />`}
    <${SelectionBar} cards=${visible} />
  </section>`
}
