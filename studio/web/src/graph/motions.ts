// motions.ts - motions of families that a character is asked for: as the command line writes them, where along a path they are
// done, and what came of them. No DOM here.
import type { Family, FamilyRow, Graph, Mark } from '../api'
import { madeMark } from '../making/made'
import { middleOf, missText, numberText, tidy, type Miss } from '../param/param_data'
import { t } from '../words/words'

/** One that is done on the way. */
export interface Motion {
  /** Its own as long as the page is open. */
  key: number
  family: Family
  values: readonly number[]
  /** Along the path; null: at its end. */
  along_cm: number | null
}

/** What the server says of each. */
export interface Performed extends Miss {
  family: string
  target: number[]
  reached: number[]
  /** Frames of the walk. */
  at: number
  length: number
  /** How far from its place on the path the body was when it began; null without a path. */
  away_cm: number | null
}

/** As many as are of use on a plan; the server takes more. */
export const mostMotions = 24

/** Those of the example in the middle. */
export function firstValues(family: Family): number[] {
  return middleOf(family).map((value, i) => tidy(family.axes[i]!, value))
}

const plainName = /^[A-Za-z][\w-]*$/

/** "kick(height=95)"; of several features all numbers, "walk(at=1.2,30)". */
export function familyWord({ name, params }: Pick<Family, 'name' | 'params'>, values: readonly number[]): string {
  const own = params.length === 1 ? (params[0]!.label ?? params[0]!.kind) : ''
  return `${name}(${plainName.test(own) ? own : 'at'}=${values.join(',')})`
}

export function motionWord({ family, values, along_cm }: Motion, onPath: boolean): string {
  const where = along_cm === null ? 'end' : String(along_cm)
  return familyWord(family, values) + (onPath ? `@${where}` : '')
}

/** In the order in which a path comes to them; those that are at its end keep theirs. */
export function inOrder(motions: readonly Motion[]): Motion[] {
  return [...motions].sort((a, b) => (a.along_cm === b.along_cm ? 0 : (a.along_cm ?? Infinity) - (b.along_cm ?? Infinity)))
}

/** The middle of the longest stretch of a path on which nothing is done. */
export function freePlace(motions: readonly Motion[], length_cm: number): number {
  const taken = [0, ...inOrder(motions).map(({ along_cm }) => along_cm ?? length_cm), length_cm]
  const gaps = taken.slice(1).map((end, i) => ({ long: end - taken[i]!, middle: (end + taken[i]!) / 2 }))
  return Math.round(gaps.reduce((best, gap) => (gap.long > best.long ? gap : best)).middle)
}

/** No place is beyond the end of the path. */
export function within(motions: readonly Motion[], length_cm: number): readonly Motion[] {
  const most = Math.floor(length_cm)
  if (motions.every(({ along_cm }) => (along_cm ?? 0) <= most)) return motions
  return motions.map((each) => ({ ...each, along_cm: each.along_cm === null ? null : Math.min(most, each.along_cm) }))
}

/** Some of its examples are in the graph: then it can most likely be entered there. */
export function isOfGraph({ examples }: Pick<FamilyRow, 'examples'>, { parts }: Pick<Graph, 'parts'>): boolean {
  return examples.some(({ id }) => parts.some((part) => part.id === id))
}

/** Those first that are most likely to be of use. */
export function byFit(rows: readonly FamilyRow[], graph: Pick<Graph, 'parts'>): FamilyRow[] {
  return [...rows].sort((a, b) => Number(isOfGraph(b, graph)) - Number(isOfGraph(a, graph)))
}

/** "95.0 cm: 0.1 cm off, 5 cm from its place" */
export function performedText({ reached, away_cm, ...miss }: Performed, family: Pick<Family, 'axes'>): string {
  const values = reached.map((value, i) => `${numberText(value)} ${family.axes[i]!.unit}`).join(', ')
  const away = away_cm === null ? '' : t`, ${Math.round(away_cm)} cm from its place`
  return `${values}: ${missText(miss)}${away}`
}

/** One for each, on the timeline. */
export function motionMarks(performed: readonly Performed[]): Mark[] {
  return performed.map((each) => ({
    kind: madeMark,
    about: `${each.family}, ${missText(each)}`,
    start: each.at,
    end: each.at + each.length,
  }))
}
