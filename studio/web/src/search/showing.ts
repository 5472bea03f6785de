// showing.ts - matches in the viewer, brought to where and when the query is: the chosen one beside it, all in one
// place, or each in a small view of its own.
import type { Match } from '../api'
import { player } from '../player'
import { change, getState, type Shown } from '../store'
import { keyOf, pairsFrom, warpOf, wayTo, type Pairs } from './match_data'
import { asShown, motionOf } from './motions'
import type { Search } from './session'

export type Watch = 'one' | 'together' | 'tiles'

/** Besides the query. More figures in one place, or smaller views, cannot be distinguished. */
const mostWatched: Record<Watch, number> = { one: 1, together: 15, tiles: 24 }

/** Of the last showing: what an earlier one fetched comes too late. */
let showNumber = 0
let nextId = -100
/** Made for one query; the same buffer again is the same figure in the viewer. */
let made = new Map<string, Shown>()
let madeFor = ''

/** The matches that are to be seen, the nearest first; without the query, which leads. */
export function watched(search: Search): Match[] {
  const { watch, chosen, matches } = search
  if (watch === 'one') return chosen > 0 ? [matches[chosen]!] : []
  return matches.filter((match, i) => i > 0 && search.isTicked(match)).slice(0, mostWatched[watch])
}

/** Frames of the match for those of the query, by the alignments on its way; evenly if they cannot be had. */
async function timesOf(search: Search, match: Match): Promise<number[]> {
  const { query, matches, steps } = search
  const way = wayTo(steps, matches.indexOf(match))
  try {
    const paths = await Promise.all(way.map(({ edge }) => search.edge(edge)))
    let from = 0
    const all: Pairs[] = paths.map((path, i) => {
      const pairs = pairsFrom(path, from)
      from = way[i]!.to
      return pairs
    })
    if (all.length) return warpOf(query!, match, all)
  } catch {
    // The server has forgotten that search; a newer answer is on its way.
  }
  const count = query!.end - query!.start
  const scale = (match.end - 1 - match.start) / Math.max(1, count - 1)
  return Array.from({ length: count }, (_, i) => match.start + i * scale)
}

async function shownOf(search: Search, match: Match): Promise<Shown> {
  const key = keyOf(match)
  const before = made.get(key)
  if (before) return before
  const of = made
  const [motion, times] = await Promise.all([motionOf(match), timesOf(search, match)])
  const shown = of.get(key) ?? asShown(nextId--, match, motion, times, search.query!.clip.fps)
  of.set(key, shown)
  return shown
}

function isShown(next: readonly Shown[], arrangement: string): boolean {
  const { shown, arrangement: now } = getState()
  const same = (one: Shown, i: number) => one.motion === shown[i]?.motion && one.clip.id === shown[i]?.clip.id
  return now === arrangement && next.length === shown.length && next.every(same)
}

/** Puts them beside the query, which plays its segment. */
export async function showMatches(search: Search): Promise<void> {
  const number = ++showNumber
  const { query, watch } = search
  if (!query || getState().making !== 'search') return
  const queryKey = keyOf({ ...query, clip: query.clip.id })
  if (queryKey !== madeFor) {
    made = new Map()
    madeFor = queryKey
  }
  const answers = await Promise.allSettled(watched(search).map((match) => shownOf(search, match)))
  // Something newer is to be shown, the panel was left, or another clip opened.
  const leader = getState().shown[0]
  if (number !== showNumber || leader?.clip.id !== query.clip.id || getState().making !== 'search') return
  const others = answers.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  const shown = [{ clip: leader.clip, alignFrame: query.start }, ...others]
  const arrangement = others.length === 0 ? 'overlaid' : watch === 'tiles' ? 'tiles' : 'aligned'
  if (isShown(shown, arrangement)) return
  change({ shown, arrangement })
  const { frame } = player
  if (frame < query.start || frame >= query.end) player.seekFrame(query.start)
}

/** The query's clip alone again. */
export function showQueryAlone(): void {
  showNumber++
  const [leader, ...others] = getState().shown
  if (!leader || leader.clip.id < 0 || !others.some(({ clip }) => clip.id < 0)) return
  change({ shown: [{ clip: leader.clip, alignFrame: 0 }], arrangement: 'overlaid' })
}
