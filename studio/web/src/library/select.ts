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
export function allLabels({ labels, stretches }: Pick<Card, 'labels' | 'stretches'>): readonly string[] {
  return stretches.length ? [...new Set([...labels, ...stretches.map(({ label }) => label)])] : labels
}

/** Its words as the library's text search sees them: letters and digits without case and accents, each behind a blank. */
function wordsOf(text: string): string {
  // Most texts are plain, and there are tens of thousands of them.
  const plain = /^[\x20-\x7e]*$/.test(text)
  if (plain) return ` ${text.toLowerCase().replace(/[^a-z0-9]+/g, ' ')}`
  return ` ${text.normalize('NFD').replace(/\p{M}+/gu, '').toLowerCase().replace(/[^\p{L}\p{N}\p{Co}]+/gu, ' ')}`
}

/** What is looked for in: made once for each card, which is never changed in place. */
const texts = new WeakMap<Card, string>()

function textOf(card: Card): string {
  let text = texts.get(card)
  if (text === undefined) {
    const labels = allLabels(card).join(' ')
    text = [card.name, labels, card.description].map((part) => wordsOf(part)).join('\n')
    texts.set(card, text)
  }
  return text
}

/** Makes the texts of some cards while nothing else is to be done, so that the first search need not. */
export function prepareTexts(cards: readonly Card[]): void {
  const atOnce = 500
  let at = 0
  const some = () => {
    for (const card of cards.slice(at, at + atOnce)) textOf(card)
    at += atOnce
    if (at < cards.length) setTimeout(some)
  }
  setTimeout(some)
}

/** As the library's own search does: everything between blanks begins somewhere in the name, the labels or the description,
 *  its words one behind the other. */
function beginningsIn(text: string): string[] {
  return text.split(/\s+/).filter(Boolean).map((part) => wordsOf(part).trim()).filter(Boolean).map((words) => ` ${words}`)
}

/** Those in whose words all that is typed begins. */
export function cardsAbout(cards: readonly Card[], text: string): readonly Card[] {
  const beginnings = beginningsIn(text)
  return beginnings.length ? cards.filter((card) => beginnings.every((words) => textOf(card).includes(words))) : cards
}

function matches(card: Card, filter: Filter, beginnings: readonly string[]): boolean {
  if (filter.skeleton && card.skeleton !== filter.skeleton) return false
  if (card.seconds < filter.shortest_s) return false
  if (filter.longest_s > 0 && card.seconds > filter.longest_s) return false
  if (!filter.labels.every((label) => allLabels(card).includes(label))) return false
  return beginnings.every((words) => textOf(card).includes(words))
}

/** All cards in their order, which filters leave as it is. Of the list that was asked for last. */
let ordered: { from: readonly Card[]; sort: SortKey; cards: readonly Card[] } = { from: [], sort: 'name', cards: [] }

function inOrder(from: readonly Card[], sort: SortKey): readonly Card[] {
  if (ordered.from !== from || ordered.sort !== sort) ordered = { from, sort, cards: [...from].sort(orders[sort]) }
  return ordered.cards
}

export function visibleCards(state: Pick<State, 'cards' | 'removedCards' | 'filter' | 'sort'>): readonly Card[] {
  const { filter, sort } = state
  const cards = inOrder(filter.removed ? state.removedCards : state.cards, sort)
  const beginnings = beginningsIn(filter.text)
  return isFiltered(filter) ? cards.filter((card) => matches(card, filter, beginnings)) : cards
}

/** The cards that an action is about: of those selected the ones in sight, for the others may have been forgotten. */
export function selectedVisible(state: Parameters<typeof visibleCards>[0] & Pick<State, 'selected'>): Card[] {
  return visibleCards(state).filter((card) => state.selected.has(card.id))
}

/** Labels and how many cards have each, the commonest first. */
export function labelCounts(cards: readonly Card[]): [label: string, count: number][] {
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
