// names.ts - what clips are called wherever they are chosen or listed: the name, and what is known of them in words.
import type { Card } from './api'
import { html } from './html'
import { useStore } from './store'

type Words = Pick<Card, 'name' | 'description'>

/** A menu with longer lines is no longer read. */
const longest = 48

/** "02_04 · swordplay" */
export function titleOf({ name, description }: Words): string {
  if (!description || description === name) return name
  const about = description.length > longest ? `${description.slice(0, longest - 1).trimEnd()}…` : description
  return `${name} · ${about}`
}

/** Clips to choose from, for a Select. */
export function clipOptions(cards: readonly Card[], without: (id: number) => boolean): (readonly [number, string])[] {
  return cards.flatMap((card) => (without(card.id) ? [] : [[card.id, titleOf(card)] as const]))
}

/** Of the list that was asked last: there may be ten thousand cards, and a row of a list asks for each. */
let known: { cards: readonly Card[]; byId: ReadonlyMap<number, Card> } = { cards: [], byId: new Map() }

function cardOf(cards: readonly Card[], id: number): Card | undefined {
  if (known.cards !== cards) known = { cards, byId: new Map(cards.map((card) => [card.id, card])) }
  return known.byId.get(id)
}

/** What the library says of a clip; '' of one that is not in it. */
export function useAbout(id: number): string {
  return useStore(({ cards }) => cardOf(cards, id)?.description ?? '')
}

/** The name, and dimmed what it is about, as far as there is room. */
export function ClipName({ id, name, kind = '' }: { id: number; name: string; kind?: string }) {
  const about = useAbout(id)
  const known = about && about !== name
  return html`<span class=${`ellipsis ${kind}`} title=${known ? `${name} · ${about}` : name}
    >${name}${known && html`<span class="clip-about">${` · ${about}`}</span>`}</span
  >`
}
