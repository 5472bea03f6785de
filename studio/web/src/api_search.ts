// api_search.ts - what the server is asked and answers about searching, as types; see api.ts.

/** What searches read: the poses of all clips and, if they were made, the webs of all pairs of clips. */
export interface IndexState {
  exists: boolean
  /** There are webs; only then the fields of a metric and pairs_missing are there. */
  web?: boolean
  fps?: number
  metric?: string
  clips?: number
  /** Above 0: the poses of these are made anew by every search. */
  clips_missing?: number
  pairs?: number
  /** Above 0: clips came since, and are not found by webs until they are made again. */
  pairs_missing?: number
  bytes?: number
  /** Distances above it are not in the webs. Null: there is no limit. */
  ceiling?: number | null
  /** Of distances: 'cm2', or '' for none. */
  unit?: string
  /** The one that is used if none is given. Null: one must be. */
  threshold?: number | null
}

/** Frames [start, end) of a clip. */
interface Part {
  clip: number
  start: number
  end: number
}

export interface SearchBody {
  query: Part
  threshold?: number
  nearest?: number
  /** What is meant too, and what is not. */
  like?: Part[]
  unlike?: Part[]
  own_size?: boolean
  mirror?: boolean
  web?: boolean
  /** Only in clips with this label. */
  label?: string
  tiers?: number
  limit?: number
  same?: number
  distinct?: number
}

/** Frames [start, end) of a clip. */
export interface Match {
  clip: number
  name: string
  start: number
  end: number
  /** Of the edge by which it was found first. */
  distance: number
  /** Least sum of edges from the query. */
  path_distance: number
  /** 0: the query itself. */
  tier: number
  /** It is done with the other side. */
  mirrored: boolean
}

/** Two matches, by their numbers, that are alike. */
export interface MatchEdge {
  from: number
  to: number
  distance: number
}

export interface SearchAnswer {
  /** Under which the server remembers it. */
  search: number
  /** The query first, then by path_distance. */
  matches: Match[]
  edges: MatchEdge[]
  /** 'poses', or the metric of the webs. */
  metric: string
  threshold: number
  /** By poses, of standing still in the query's best pose; its default threshold is less. */
  still_cost?: number
  ceiling: number | null
  past_ceiling: boolean
  tiers: number
  limited: boolean
  /** Another request wanted to search: there may be more. */
  stopped: boolean
  clips_missing: number
  fps: number
  seconds: number
}

/** As the server sends it: a match has its clip's name and number. */
export interface FoundAnswer extends Omit<SearchAnswer, 'matches'> {
  matches: (Omit<Match, 'clip' | 'name'> & { id: number; clip: string })[]
}

/** A match of one of several libraries. */
export interface FoundElsewhere {
  clip: string
  id: number
  start: number
  end: number
  distance: number
  /** Null: the query, where it is in none. */
  library: string | null
}

/** The time alignment of two matches. */
export interface EdgePath extends MatchEdge {
  /** Frames of the two clips, `from` first. */
  cells: [number, number][]
  /** One for each cell; null where the metric has none for a single pair. */
  costs: (number | null)[]
  /** Frames [start, end) of the two clips that the grid around the alignment shows. */
  rows: [number, number]
  cols: [number, number]
}


/** What repeats in a library, the longest and most frequent first. */
export interface MotifsAnswer {
  motifs: {
    count: number
    seconds: number
    /** The example first, then the nearest to it. */
    occurrences: { clip: string; id: number; start: number; end: number; distance: number }[]
  }[]
}
