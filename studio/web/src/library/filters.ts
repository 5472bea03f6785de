// filters.ts - what narrows and orders the list: sorting, labels, length, skeleton, and the way to what was removed.
import { useMemo, useState } from 'preact/hooks'
import { clearFilter, setFilter } from '../actions'
import { Button, Select, valueOf } from '../controls'
import { html } from '../html'
import { change, useStore, type SortKey } from '../store'
import { isFiltered, labelCounts, skeletonsOf } from './select'

const sorts: [SortKey, string][] = [
  ['name', 'Name'],
  ['length', 'Length'],
  ['newest', 'Newest first'],
  ['skeleton', 'Skeleton'],
]
const fewLabels = 8

export function SortSelect() {
  const sort = useStore((state) => state.sort)
  return html`<label class="sort">
    <span class="visually-hidden">Sort by</span>
    <${Select} value=${sort} options=${sorts} title="Sort by" set=${(key: SortKey) => change({ sort: key })} />
  </label>`
}

/** Chips of all labels; several chosen ones mean clips that have all of them. */
export function LabelFilter() {
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
      ${all ? 'fewer' : `${counts.length - fewLabels} more`}
    </button>`}
  </div>`
}

function LengthField({ name, what }: { name: 'shortest_s' | 'longest_s'; what: string }) {
  const value = useStore((state) => state.filter[name])
  return html`<input
    class="field number" type="number" min="0" step="any" inputmode="decimal" aria-label=${what} title=${what}
    placeholder=${name === 'shortest_s' ? '0' : 'any'} value=${value || ''}
    onInput=${(event: Event) => setFilter({ [name]: Math.max(0, Number(valueOf(event)) || 0) })}
  />`
}

export function MoreFilters() {
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
        value=${skeleton} options=${[['', 'any'], ...skeletons]} set=${(one: string) => setFilter({ skeleton: one })}
      />
    </label>
  </div>`
}

/** "12 of 40 clips", and a way back to all of them. */
export function Count({ shown }: { shown: number }) {
  const filter = useStore((state) => state.filter)
  const all = useStore((state) => (state.filter.removed ? state.removedCards : state.cards).length)
  const what = filter.removed ? 'removed' : all === 1 ? 'clip' : 'clips'
  return html`<span class="count-line flex-row">
    <span role="status">${shown === all ? `${all} ${what}` : `${shown} of ${all} ${what}`}</span>
    ${isFiltered(filter) &&
    html`<${Button} icon="close" kind="quiet" title="Show all again" onClick=${clearFilter}>Clear filter<//>`}
  </span>`
}
