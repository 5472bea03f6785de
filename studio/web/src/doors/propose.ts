// propose.ts - clips to begin with, where none were chosen: by the words that the library has for them, and by their length.
import type { Card } from '../api'
import { allLabels } from '../library/select'

/** So much motion is opened, joined or mixed within seconds. */
const longest_s = 60
/** A graph of more frames is built while the user waits. */
const mostJoined = 8
const mostJoined_s = 150

/** What a clip is about; digits only number it. */
function wordsOf(card: Card): Set<string> {
  const all = [card.name, card.description, ...allLabels(card)].join(' ').toLowerCase()
  return new Set(all.split(/[^\p{L}]+/u).filter((word) => word.length > 2))
}

export function isAbout(card: Card, start: string): boolean {
  return [...wordsOf(card)].some((word) => word.startsWith(start))
}

/** How well two clips go together: same body, words in common, lengths alike. */
function together(a: Card, b: Card): number {
  const words = wordsOf(b)
  const shared = [...wordsOf(a)].filter((word) => words.has(word)).length
  const lengths = Math.min(a.seconds, b.seconds) / Math.max(a.seconds, b.seconds)
  return (a.skeleton === b.skeleton ? 4 : 0) + Math.min(3, shared) + lengths
}

function bestBy<T>(all: readonly T[], worth: (one: T) => number): T | null {
  const scored = all.map((one) => ({ one, score: worth(one) }))
  return scored.reduce<{ one: T; score: number } | null>((best, now) => (best && best.score >= now.score ? best : now), null)?.one ?? null
}

/** Those with the fewest words first: they are about one thing. */
function purest(cards: readonly Card[]): Card[] {
  const count = (card: Card) => new Set([...allLabels(card), ...wordsOf(card)]).size
  return [...cards].sort((a, b) => count(a) - count(b))
}

/** Two that could be mixed or compared; the first one may be known. */
export function proposePair(cards: readonly Card[], known?: Card): Card[] {
  const short = cards.filter(({ seconds }) => seconds > 0.5 && seconds < longest_s)
  const walks = purest(short.filter((card) => isAbout(card, 'walk')))
  const first = known ?? walks[0] ?? short[0] ?? cards[0]
  const others = (known || walks.length < 2 ? cards : walks).filter((card) => card !== first)
  const second = first && bestBy(others, (card) => together(first, card))
  return first ? [first, ...(second ? [second] : [])] : []
}

/** The one that plays when the studio opens: neither a moment nor an hour, and sound if there is one. */
export function firstToSee(cards: readonly Card[]): Card | null {
  return bestBy(cards, ({ seconds, findings, made, description }) => {
    const length = seconds > 3 && seconds < 40 ? 2 : 0
    return length + (findings ? 0 : 1) + (made && !description ? 0 : 0.5)
  })
}

let joined: { of: readonly Card[]; cards: Card[] } = { of: [], cards: [] }

/** Some that a character could walk through: walks and turns on one body, or else what there is. */
export function proposeJoined(cards: readonly Card[]): Card[] {
  if (joined.of !== cards) joined = { of: cards, cards: findJoined(cards) }
  return joined.cards
}

function findJoined(cards: readonly Card[]): Card[] {
  const going = cards.filter((card) => [...wordsOf(card)].some((word) => /^(walk|jog|run|turn)/.test(word)))
  const from = purest(going.length >= 2 ? going : cards)
  const body = from[0]?.skeleton
  const chosen: Card[] = []
  let sum = 0
  for (const card of from.filter(({ skeleton }) => skeleton === body)) {
    if (chosen.length >= mostJoined || (chosen.length > 1 && sum + card.seconds > mostJoined_s)) continue
    chosen.push(card)
    sum += card.seconds
  }
  return chosen
}
