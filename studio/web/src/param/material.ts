// material.ts - what a family is built of: parts of clips, or matches of a search, whose alignments the server remembers. No
// DOM here.
import type { FamilyBody } from '../api'
import type { NamedPart, SearchWish } from '../commands'
import type { Segment } from '../store'
import { commands } from './param_commands'

export interface Material {
  /** The first one is what the others are aligned with. */
  parts: (NamedPart & { segment: Segment })[]
  found?: {
    /** Under which the server remembers it. */
    search: number
    /** Numbers of matches; null: all. */
    matches: number[] | null
    wish: SearchWish
  }
}

/** So many the server takes. */
export const mostExamples = 256

export function bodyOf({ parts, found }: Material, name: string, features: string[]): FamilyBody {
  if (found) return { name, feature: features, search: found.search, ...(found.matches && { matches: found.matches }) }
  return { name, feature: features, clips: parts.map(({ clip, segment }) => ({ clip: clip.id, ...segment })) }
}

/** Null: some of the matches, along the whole graph, is what no command builds. */
export function commandOf({ parts, found }: Material, name: string, features: string[]): string | null {
  if (!found) return commands.build(name, features, parts)
  const [query] = parts
  return found.matches || !query ? null : commands.find(name, features, query, found.wish)
}
