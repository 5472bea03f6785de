// spots.ts - segments that are meant again when the search is made anew: a match may begin a few frames earlier then.
// No DOM here.

export interface Spot {
  clip: number
  start: number
  end: number
}

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
