// match_data.ts - what follows from the answer of a search: the way from the query to every match, which frames
// belong together along it, and how distances and names are written. No DOM here.
import type { Card, EdgePath, Match, MatchEdge, SearchAnswer, SearchBody } from '../api'

// How a search is asked for, as far as one can choose.

export interface Settings {
  /** 0: the query chooses it. */
  threshold: number
  /** So many, however far they are; 0: all up to the threshold. */
  nearest: number
  /** What is meant too, and what is not. */
  like: Spot[]
  unlike: Spot[]
  /** Bodies are compared as they are, not at one size. */
  ownSize: boolean
  /** What is done with the other side is found too. */
  mirror: boolean
  /** By the match webs of the library instead of poses. */
  web: boolean
  /** 2: also what is like the matches of the query, and so on. */
  tiers: number
  /** Only clips with this label; '': all. */
  label: string
  limit: number
  /** Shares of overlap: from which on two matches are one, 0 being the usual one, and up to which they are two. */
  same: number
  distinct: number
}

export const defaults: Settings = {
  threshold: 0,
  nearest: 0,
  like: [],
  unlike: [],
  ownSize: false,
  mirror: false,
  web: false,
  tiers: 0,
  label: '',
  limit: 200,
  same: 0,
  distinct: 0.2,
}

/** What is left out is the default. */
export function fieldsOf(settings: Settings): Omit<SearchBody, 'query'> & { limit: number } {
  const { threshold, nearest, like, unlike, ownSize, mirror, web, tiers, label, limit, same, distinct } = settings
  return {
    ...(threshold && { threshold }),
    ...(nearest && !web && { nearest }),
    ...(like.length && !web && { like }),
    ...(unlike.length && !web && { unlike }),
    ...(ownSize && !web && { own_size: true }),
    ...(mirror && !web && { mirror }),
    ...(web && { web }),
    // By webs the default is all of them.
    ...((tiers || web) && { tiers: tiers || 1 }),
    limit,
    ...(label && { label }),
    ...(same && { same }),
    ...(distinct !== defaults.distinct && { distinct }),
  }
}

// Segments that are meant again when the search is made anew: a match may begin a few frames earlier then.

export interface Spot {
  clip: number
  start: number
  end: number
}

export type Verdict = 'like' | 'unlike'

/** Shared frames over those of the shorter one. */
export function overlap(a: Spot, b: Spot): number {
  if (a.clip !== b.clip) return 0
  const shared = Math.min(a.end, b.end) - Math.max(a.start, b.start)
  return Math.max(0, shared) / Math.max(1, Math.min(a.end - a.start, b.end - b.start))
}

/** One of these is the same segment, more or less. */
export function overlapping(spots: readonly Spot[], match: Spot): boolean {
  return spots.some((spot) => overlap(spot, match) > 0.7)
}

/** The verdict on a motion: it takes the place of an earlier one on the same. Null: none any more. */
export function judged({ like, unlike }: Pick<Settings, 'like' | 'unlike'>, match: Spot, verdict: Verdict | null) {
  const { clip, start, end } = match
  // As the search has it: half of the shorter one makes them the same.
  const others = (spots: Spot[]) => spots.filter((spot) => overlap(spot, match) < 0.5)
  const said = { like: others(like), unlike: others(unlike) }
  return verdict ? { ...said, [verdict]: [...said[verdict], { clip, start, end }] } : said
}

/** The same segment in the next answer has the same key. */
export function keyOf({ clip, start, end }: Pick<Match, 'clip' | 'start' | 'end'>): string {
  return `${clip}:${start}-${end}`
}

type Frames = Pick<Match, 'start' | 'end'>

/** "120–180": the last frame is inside. */
export function framesText({ start, end }: Frames): string {
  return `${start}–${end - 1}`
}

/** Squared distances are shown as lengths. */
export function distanceText(distance: number, squared: boolean): string {
  return squared ? `${Math.sqrt(Math.max(0, distance)).toFixed(1)} cm` : String(Number(distance.toPrecision(3)))
}

/** The last step of the shortest way from the query. */
export interface Step {
  parent: number
  /** Number of the edge. */
  edge: number
}

function neighbours(count: number, edges: readonly MatchEdge[]): { to: number; edge: number; length: number }[][] {
  const lists = Array.from({ length: count }, () => [] as { to: number; edge: number; length: number }[])
  edges.forEach(({ from, to, distance }, edge) => {
    lists[from]?.push({ to, edge, length: distance })
    lists[to]?.push({ to: from, edge, length: distance })
  })
  return lists
}

/** For every match the way to it; null for the query, and for whatever has none. */
export function stepsOf({ matches, edges }: Pick<SearchAnswer, 'matches' | 'edges'>): (Step | null)[] {
  const lists = neighbours(matches.length, edges)
  const far = matches.map((_, i) => (i === 0 ? 0 : Infinity))
  const steps: (Step | null)[] = matches.map(() => null)
  const open = new Set(matches.keys())
  while (open.size) {
    let here = -1
    for (const i of open) if (here < 0 || far[i]! < far[here]!) here = i
    open.delete(here)
    for (const { to, edge, length } of lists[here]!) {
      const next = far[here]! + length
      if (!open.has(to) || !(next < far[to]!)) continue
      far[to] = next
      steps[to] = { parent: here, edge }
    }
  }
  return steps
}

/** The edges from the query to a match, in this order. */
export function wayTo(steps: readonly (Step | null)[], match: number): { edge: number; to: number }[] {
  const way: { edge: number; to: number }[] = []
  for (let at = match, step = steps[at]; step; at = step.parent, step = steps[at]) {
    way.unshift({ edge: step.edge, to: at })
  }
  return way
}

/** The edge that says most about a match: the one with the query itself if there is one, else the last of its way. */
export function edgeOf(
  { edges }: Pick<SearchAnswer, 'edges'>,
  steps: readonly (Step | null)[],
  match: number,
): number {
  const direct = edges.findIndex(({ from, to }) => (from === 0 && to === match) || (to === 0 && from === match))
  return direct >= 0 ? direct : (steps[match]?.edge ?? -1)
}

export type Pairs = readonly (readonly [number, number])[]

/** An alignment with the frames of `first` in front. */
export function pairsFrom({ from, cells }: Pick<EdgePath, 'from' | 'cells'>, first: number): Pairs {
  return from === first ? cells : cells.map(([i, j]) => [j, i] as const)
}

/** Where the second motion is when the first is at `frame`; several at once give their mean. */
export function along(pairs: Pairs, frame: number): number {
  const [first] = pairs
  const last = pairs[pairs.length - 1]
  if (!first || !last) return frame
  if (frame <= first[0]) return first[1] + (frame - first[0])
  if (frame >= last[0]) return last[1] + (frame - last[0])
  let low = 0
  while (pairs[low + 1]![0] < frame) low++
  let high = low + 1
  let sum = 0
  let count = 0
  for (; pairs[high]?.[0] === frame; high++, count++) sum += pairs[high]![1]
  if (count) return sum / count
  const [a, b] = [pairs[low]!, pairs[low + 1]!]
  return a[1] + ((frame - a[0]) / (b[0] - a[0])) * (b[1] - a[1])
}

/** For each frame of the query the match's, along all alignments on the way; never outside the match, never back. */
export function warpOf(query: Frames, match: Frames, way: readonly Pairs[]): number[] {
  let least = match.start
  return Array.from({ length: query.end - query.start }, (_, i) => {
    const frame = way.reduce((at, pairs) => along(pairs, at), query.start + i)
    least = Math.max(least, Math.min(match.end - 1, frame))
    return least
  })
}

/** "kick-1", "kick-2" ..; where one is taken the library gives the next free one. */
export function namesFor(prefix: string, count: number): string[] {
  return Array.from({ length: count }, (_, i) => `${prefix}-${i + 1}`)
}

/** "kick" of "kick-3", which is one of such a set, and else the whole name: what a set of clips like this might be called. */
export function prefixOf(name: string): string {
  return name.replace(/-\d+$/, '') || name
}

/** What a query's frames are called so far, or else its clip: a name for what is found by it. */
export function actionOf({ labels, stretches, name }: Pick<Card, 'labels' | 'stretches' | 'name'>, query: { start: number; end: number }): string {
  const inside = stretches.find(({ start, end }) => start < query.end && query.start < end)
  return inside?.label ?? (labels.length === 1 ? labels[0]! : prefixOf(name))
}

/** "3 s", "2 min": how long something still takes. */
export function timeText(seconds: number): string {
  if (seconds < 90) return `${Math.max(1, Math.round(seconds))} s`
  return `${Math.round(seconds / 60)} min`
}
