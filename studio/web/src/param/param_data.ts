// param_data.ts - the rules of families that need no page: features as text, which control moves which numbers, what can be
// reached, and errors in words. No DOM here.
import type { Axis, Family, FamilyBody, Feature, FeatureTable, LeftOut, Param } from '../api'
import { lineOf, type NamedPart } from '../operations'
import { fieldsOf, type Settings } from '../search/match_data'
import type { Segment } from '../store'
import { t } from '../words/words'

/** A feature as it is put together in the form. */
export interface Draft {
  kind: string
  joint: string
  when: string
  frame: number
  from: string
  amount: string
  label: string
}

export const newDraft: Draft = {
  kind: 'position',
  joint: 'right_wrist',
  when: 'apex',
  frame: 0,
  from: 'start',
  amount: 'mean',
  label: '',
}

/** The moment that is a number in the text. */
export const frameMoment = 'N'

/** What stands in the brackets of a feature: "JOINT", "WHEN" .. */
export function slotsOf({ form }: Pick<Feature, 'form'>): string[] {
  const inside = form.slice(form.indexOf('(') + 1, form.lastIndexOf(')'))
  return inside.split(',').flatMap((word) => word.trim() || [])
}

function slotText(slot: string, draft: Draft): string {
  if (slot === 'WHEN') return draft.when === frameMoment ? String(draft.frame) : draft.when
  if (slot === 'JOINT') return draft.joint
  if (slot === 'FROM') return draft.from
  return slot === 'AMOUNT' ? draft.amount : draft.label.trim()
}

/** 'position(right_wrist, apex, start)' */
export function featureText(draft: Draft, { features }: Pick<FeatureTable, 'features'>): string {
  const row = features.find(({ name }) => name === draft.kind)
  return `${draft.kind}(${row ? slotsOf(row).map((slot) => slotText(slot, draft)).join(', ') : ''})`
}

/** A feature's numbers are moved by a pad and sliders. A pad has its first number across and its second one upward. */
export type Control = { pad: [number, number]; depth: number | null } | { slider: number }

function dimsOf(family: Pick<Family, 'axes'>, feature: number): number[] {
  return family.axes.flatMap((dim, i) => (dim.feature === feature ? [i] : []))
}

/** Two numbers are a pad; of three the third is a slider beside it. */
export function controlsOf(family: Pick<Family, 'axes' | 'params'>): Control[] {
  if (family.axes.length === 2) return [{ pad: [0, 1], depth: null }]
  return family.params.flatMap((_, feature): Control[] => {
    const [a, b, c] = dimsOf(family, feature)
    if (a === undefined) return []
    if (b === undefined) return [{ slider: a }]
    return c === undefined ? [{ pad: [a, b], depth: null }] : [{ pad: [a, b], depth: c }, { slider: c }]
  })
}

/** Positions are relative to a body: their x grows to its left, so pads have it so too, seen from behind or above. */
export function growsLeft(dim: Axis, { from }: Param): boolean {
  return dim.axis === 'x' && from !== null && from !== 'world'
}

const sides: Record<string, string> = { x: t('left'), y: t('up'), z: t('ahead') }

/** "left", "up", "ahead" of a body; otherwise the axis, or what the feature is called. */
export function dimTitle(family: Pick<Family, 'axes' | 'params'>, number: number): string {
  const dim = family.axes[number]!
  const param = family.params[dim.feature]!
  const alone = dimsOf(family, dim.feature).length === 1
  if (alone) return param.label ?? (param.joint ? t`${param.kind} of ${param.joint}` : param.kind)
  return param.from === 'world' ? dim.axis : (sides[dim.axis] ?? dim.axis)
}

export interface Range {
  least: number
  greatest: number
}

/** A control goes a little farther than what can be reached, so that one can ask for more. */
export function rangeOf({ least, greatest }: Range): Range {
  const air = 0.15 * (greatest - least) || 1
  return { least: least - air, greatest: greatest + air }
}

/** Features that tell places can be seen in the view: their numbers, of three dimensions or on the floor. */
export function spotsOf({ params, axes }: Pick<Family, 'params' | 'axes'>): number[] {
  return params.flatMap((param, i) =>
    dimsOf({ axes }, i).length >= 2 && ['position', 'mass', 'place'].includes(param.kind) ? [i] : [],
  )
}

/** The place of some values; what is on the floor has no height of its own. */
export function placeOf(family: Pick<Family, 'axes'>, feature: number, values: readonly number[]): number[] {
  const place = [0, 0, 0]
  for (const i of dimsOf(family, feature)) place['xyz'.indexOf(family.axes[i]!.axis)] = values[i]!
  return place
}

/** The values with another place. */
export function withPlace(
  family: Pick<Family, 'axes'>,
  feature: number,
  values: readonly number[],
  place: readonly number[],
): number[] {
  const next = [...values]
  for (const i of dimsOf(family, feature)) next[i] = place['xyz'.indexOf(family.axes[i]!.axis)]!
  return next
}

type Point = readonly [number, number]

function turn(a: Point, b: Point, c: Point): number {
  return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
}

function halfHull(sorted: readonly Point[]): Point[] {
  const hull: Point[] = []
  for (const point of sorted) {
    while (hull.length > 1 && turn(hull[hull.length - 2]!, hull[hull.length - 1]!, point) <= 0) hull.pop()
    hull.push(point)
  }
  return hull.slice(0, -1)
}

/** The corners of what lies around all points (Andrew's monotone chain). */
export function hullOf(points: readonly Point[]): Point[] {
  const sorted = [...points].sort((a, b) => a[0] - b[0] || a[1] - b[1])
  if (sorted.length < 3) return sorted
  return [...halfHull(sorted), ...halfHull([...sorted].reverse())]
}

/** Samples that can be had without moving the other numbers much: within this share of their ranges. */
const nearShare = 0.12

type Values = readonly number[]

/** `own` are the numbers that may be anything. */
export function isNear(dims: readonly Axis[], values: Values, at: Values, own: readonly number[]): boolean {
  return dims.every(({ least, greatest }, i) => {
    return own.includes(i) || Math.abs(values[i]! - at[i]!) <= nearShare * (greatest - least)
  })
}

/** The middle example: where one begins. */
export function middleOf({ examples, axes }: Pick<Family, 'examples' | 'axes'>): number[] {
  const mean = axes.map((_, i) => examples.reduce((sum, { values }) => sum + values[i]!, 0) / examples.length)
  const off = (values: readonly number[]) =>
    axes.reduce((sum, { least, greatest }, i) => sum + ((values[i]! - mean[i]!) / (greatest - least || 1)) ** 2, 0)
  return [...examples].sort((a, b) => off(a.values) - off(b.values))[0]?.values ?? mean
}

/** As many figures as say something: a thousandth of what can be reached or less. */
export function tidy({ least, greatest }: Range, value: number): number {
  const places = Math.max(0, Math.min(6, 3 - Math.floor(Math.log10(greatest - least || 1))))
  return Number(value.toFixed(places)) + 0
}

export function numberText(value: number): string {
  const size = Math.abs(value)
  return value.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : 2)
}

export interface Miss {
  error: number
  error_unit: string
  outside: boolean
}

/** "0.1 cm off", "outside what can be reached: 12 cm off" */
export function missText({ error, error_unit: unit, outside }: Miss): string {
  const off = error < 0.05 ? t`less than 0.1 ${unit}` : `${error >= 10 ? error.toFixed(0) : error.toFixed(1)} ${unit}`
  return outside ? t`outside what can be reached: ${off.trimEnd()} off` : t`${off.trimEnd()} off`
}

// What a family is built of: parts of clips, or matches of a search, whose alignments the server remembers.

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
  /** Taken although they would be left out. */
  keep?: (NamedPart & { segment: Segment })[]
  /** Frames that belong together: 'walk#30,run#41'. */
  through?: string[]
}

/** The command takes no more matches. */
const mostFound = 255

function segmentsOf(parts: Material['parts']): NonNullable<FamilyBody['clips']> {
  return parts.map(({ clip, segment }) => ({ clip: clip.id, ...segment }))
}

/** What is asked besides the examples. */
function extrasOf({ keep, through }: Material): Pick<FamilyBody, 'keep' | 'through'> {
  return { ...(keep && { keep: segmentsOf(keep) }), ...(through?.length && { through }) }
}

/** Pins as they are written in the form, with a semicolon or a line between them. */
export function pinsOf(text: string): string[] {
  return text.split(/[;\n]/).flatMap((pin) => pin.replace(/\s+/g, '') || [])
}

export function bodyOf(material: Material, name: string, features: string[]): FamilyBody {
  const { parts, found } = material
  const asked = { name, feature: features, ...extrasOf(material) }
  if (found) return { ...asked, search: found.search, ...(found.matches && { matches: found.matches }) }
  return { ...asked, clips: segmentsOf(parts) }
}

/** What is left out, by why: the reason with the most first. */
export function reasonsOf(list: readonly LeftOut[]): { about: string; list: LeftOut[] }[] {
  const abouts = [...new Set(list.map(({ about }) => about))]
  return abouts
    .map((about) => ({ about, list: list.filter((one) => one.about === about) }))
    .sort((a, b) => b.list.length - a.list.length)
}

/** Null: some of the matches, along the whole graph, is what no command builds. */
export function commandOf(material: Material, name: string, features: string[]): string | null {
  const { parts, found } = material
  if (!found) return lineOf('param build', bodyOf(material, name, features))
  const [query] = parts
  if (found.matches || !query) return null
  // Nothing that is mirrored becomes an example.
  const { mirror: _, ...fields } = fieldsOf(found.settings)
  return lineOf('param build', {
    name,
    feature: features,
    query: { clip: query.clip.id, ...query.segment },
    ...fields,
    limit: Math.min(mostFound, fields.limit),
    ...extrasOf(material),
  })
}
