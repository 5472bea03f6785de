// select.ts - which cards the list shows and in what order, and what clicks and keys do to the selection. No drawing.
import type { Card } from '../api'
import type { Filter, SortKey, State } from '../store'

const byText = new Intl.Collator('en', { numeric: true, sensitivity: 'base' }).compare

const orders: Record<SortKey, (a: Card, b: Card) => number> = {
  name: (a, b) => byText(a.name, b.name),
  length: (a, b) => a.seconds - b.seconds || byText(a.name, b.name),
  newest: (a, b) => b.id - a.id,
  skeleton: (a, b) => byText(a.skeleton, b.skeleton) || byText(a.name, b.name),
}

/** Those of a clip and of its frames, each once. */
export function allLabels({ labels, stretches }: Pick<Card, 'labels' | 'stretches'>): string[] {
  return [...new Set([...labels, ...stretches.map(({ label }) => label)])]
}

/** As the library's own search does: every word begins a word of the name, labels or description. */
function hasWords(card: Card, text: string): boolean {
  const words = [card.name, card.description, ...allLabels(card)].join(' ').toLowerCase().split(/[^\p{L}\p{N}]+/u)
  const wanted = text.toLowerCase().split(/[^\p{L}\p{N}]+/u).filter(Boolean)
  return wanted.every((start) => words.some((word) => word.startsWith(start)))
}

function matches(card: Card, filter: Filter, found: ReadonlySet<number> | null): boolean {
  if (filter.text.trim()) {
    // The library does not search what was removed, so the page does.
    if (filter.removed ? !hasWords(card, filter.text) : found && !found.has(card.id)) return false
  }
  if (filter.skeleton && card.skeleton !== filter.skeleton) return false
  if (card.seconds < filter.shortest_s) return false
  if (filter.longest_s > 0 && card.seconds > filter.longest_s) return false
  return filter.labels.every((label) => allLabels(card).includes(label))
}

export function visibleCards(state: Pick<State, 'cards' | 'removedCards' | 'filter' | 'found' | 'sort'>): Card[] {
  const from = state.filter.removed ? state.removedCards : state.cards
  return from.filter((card) => matches(card, state.filter, state.found)).sort(orders[state.sort])
}

/** The cards that an action is about: of those selected the ones in sight, for the others may have been forgotten. */
export function selectedVisible(state: Parameters<typeof visibleCards>[0] & Pick<State, 'selected'>): Card[] {
  return visibleCards(state).filter((card) => state.selected.has(card.id))
}

/** Labels and how many cards have each, the commonest first. */
export function labelCounts(cards: readonly Card[]): [string, number][] {
  const counts = new Map<string, number>()
  for (const card of cards) for (const label of allLabels(card)) counts.set(label, (counts.get(label) ?? 0) + 1)
  return [...counts].sort((a, b) => b[1] - a[1] || byText(a[0], b[0]))
}

/** Labels as they are typed: with commas between. */
export function labelsIn(text: string): string[] {
  const all = text.split(',').map((label) => label.trim())
  return [...new Set(all.filter(Boolean))]
}

export function skeletonsOf(cards: readonly Card[]): string[] {
  return [...new Set(cards.map((card) => card.skeleton))].sort(byText)
}

export function isFiltered(filter: Filter): boolean {
  return Boolean(
    filter.text.trim() || filter.labels.length || filter.skeleton || filter.shortest_s || filter.longest_s,
  )
}

/** Where the keyboard is, and where a range began. Ids, so that they survive sorting. */
export interface Cursor {
  active: number
  anchor: number
}

export interface How {
  toggle: boolean // Ctrl or Cmd
  range: boolean // Shift
}

/** The selection after a card was clicked or reached by keys, as in a file manager. */
export function selectCard(
  cards: readonly Card[],
  selected: ReadonlySet<number>,
  cursor: Cursor,
  id: number,
  how: How,
): { selected: Set<number>; cursor: Cursor } {
  if (how.range) {
    const to = cards.findIndex((card) => card.id === id)
    const from = Math.max(0, cards.findIndex((card) => card.id === cursor.anchor))
    const range = cards.slice(Math.min(from, to), Math.max(from, to) + 1).map((card) => card.id)
    const base = how.toggle ? selected : []
    return { selected: new Set([...base, ...range]), cursor: { active: id, anchor: cards[from]?.id ?? id } }
  }
  if (how.toggle) {
    const next = new Set(selected)
    if (!next.delete(id)) next.add(id)
    return { selected: next, cursor: { active: id, anchor: id } }
  }
  return { selected: new Set([id]), cursor: { active: id, anchor: id } }
}

/** The index that a key leads to from `index`, or -1 if the key means nothing here. */
export function indexAfterKey(key: string, index: number, count: number, columns: number, page: number): number {
  const moves: Record<string, number> = {
    ArrowDown: index + columns,
    ArrowUp: index - columns,
    PageDown: index + page * columns,
    PageUp: index - page * columns,
    Home: 0,
    End: count - 1,
    ...(columns > 1 && { ArrowRight: index + 1, ArrowLeft: index - 1 }),
  }
  const to = moves[key]
  if (to === undefined || count === 0) return -1
  return index < 0 ? 0 : Math.max(0, Math.min(count - 1, to))
}
