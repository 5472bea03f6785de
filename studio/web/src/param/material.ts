// material.ts - what a family is built of: parts of clips, or matches of a search, whose alignments the server remembers. No
// DOM here.
import type { FamilyBody } from '../api'
import type { NamedPart } from '../commands'
import { lineOf } from '../operations'
import { defaults, type Settings } from '../search/settings'
import type { Segment } from '../store'

export interface Material {
  /** The first one is what the others are aligned with. */
  parts: (NamedPart & { segment: Segment })[]
  found?: {
    /** Under which the server remembers it. */
    search: number
    /** Numbers of matches; null: all. */
    matches: number[] | null
    settings: Settings
  }
}

/** The command takes no more matches. */
const mostFound = 255

/** So many the server takes. */
export const mostExamples = 256

export function bodyOf({ parts, found }: Material, name: string, features: string[]): FamilyBody {
  if (found) return { name, feature: features, search: found.search, ...(found.matches && { matches: found.matches }) }
  return { name, feature: features, clips: parts.map(({ clip, segment }) => ({ clip: clip.id, ...segment })) }
}

/** Null: some of the matches, along the whole graph, is what no command builds. */
export function commandOf({ parts, found }: Material, name: string, features: string[]): string | null {
  if (!found) return lineOf('param build', bodyOf({ parts }, name, features))
  const [query] = parts
  if (found.matches || !query) return null
  const { threshold, label, limit, same, distinct } = found.settings
  return lineOf('param build', {
    name,
    feature: features,
    query: { clip: query.clip.id, ...query.segment },
    threshold,
    limit: Math.min(mostFound, limit),
    ...(label && { label }),
    ...(same !== defaults.same && { same }),
    ...(distinct !== defaults.distinct && { distinct }),
  })
}
