// settings.ts - how a search is asked for, as far as one can choose. No DOM here.

export interface Settings {
  threshold: number
  /** Only clips with this label; '': all. */
  label: string
  limit: number
  /** Shares of overlap: from which on two matches are one, and up to which they are two. */
  same: number
  distinct: number
}

export const defaults: Settings = { threshold: 0, label: '', limit: 200, same: 0.8, distinct: 0.2 }
