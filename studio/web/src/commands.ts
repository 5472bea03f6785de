// commands.ts - the command line that does what the page does. One function for every action; the tests run what these
// give and compare the libraries.
import type { Contact } from './api'
import { change, getState, type Compare, type Filter, type Segment } from './store'

/** A clip as far as a command needs it. Number 0: only an example. */
export interface Named {
  id: number
  name: string
}

export interface Edit {
  add?: string[]
  drop?: string[]
  describe?: string
  licence?: string
}

/** A word as a POSIX shell needs it. */
export function quote(word: string): string {
  if (/^[A-Za-z0-9_@%+=:,./-]+$/.test(word)) return word
  return `'${word.replaceAll("'", "'\\''")}'`
}

/** Operands are what a command is about. Where one begins like an option, "--" says that it is none. */
export function line(command: string, operands: string[], after: string[] = [], before: string[] = []): string {
  const dashed = operands.some((word) => word.startsWith('-'))
  const words = dashed ? [...before, ...after, '--', ...operands] : [...before, ...operands, ...after]
  return ['marey', ...command.split(' '), ...words].map(quote).join(' ')
}

export function library(): string {
  return getState().about?.library.path ?? 'library.marey'
}

function fromLibrary(): string[] {
  return ['-L', library()]
}

/** What names exactly these clips: their names, or "#34" where another clip, perhaps a removed one, has the same. */
function addresses(clips: readonly Named[]): string[] {
  const { cards, removedCards } = getState()
  const owners = new Map<string, number>()
  const shared = new Set<string>()
  for (const { id, name } of [...cards, ...removedCards]) {
    if (owners.has(name)) shared.add(name)
    owners.set(name, id)
  }
  return clips.map(({ id, name }) => {
    const taken = shared.has(name) || (owners.get(name) ?? id) !== id
    return id && taken ? `#${id}` : name
  })
}

/** "walk#120-300", or "walk" without a segment. */
export function address(clip: Named, segment: Segment | null = null): string {
  const [whole] = addresses([clip])
  return segment ? `${whole}#${segment.start}-${segment.end}` : whole!
}

export function each(option: string, values: string[] | undefined): string[] {
  return (values ?? []).flatMap((value) => [option, value])
}

/** Null where no command lists exactly this. */
function list(filter: Filter): string | null {
  const words = filter.text.split(/\s+/).filter(Boolean)
  const { labels, removed } = filter
  const narrowed = filter.skeleton !== '' || filter.shortest_s > 0 || filter.longest_s > 0
  if (narrowed || labels.length > 1 || (removed && words.length + labels.length > 0)) return null
  return line('ls', [library(), ...words], [...each('--label', labels), ...(removed ? ['--removed'] : [])])
}

function contacts(clip: Named, set: Contact[] | null): string {
  if (set === null) return line('contacts', [address(clip)], ['--forget'], fromLibrary())
  const said = quote(JSON.stringify({ contacts: set }))
  return `echo ${said} | ${line('contacts', [address(clip)], ['--set', '/dev/stdin'], fromLibrary())}`
}

function exported(clip: Named, format: string, segment: Segment | null): string {
  const file = `${clip.name}.${format}`
  return format === 'mp4' || format === 'png'
    ? line('render', [address(clip, segment)], ['-o', file], fromLibrary())
    : line('convert', [address(clip, segment), file], [], fromLibrary())
}

/** Options that are not the default. */
function comparing(how: Compare): string[] {
  const { metric, joints, window, attributes } = how
  return [
    ...(metric === 'points' ? [] : ['--metric', metric]),
    ...(joints === 'equal' ? [] : ['--joints', joints]),
    ...(window ? ['--window', String(window)] : []),
    ...(attributes.some((each) => each !== 1) ? ['--attributes', attributes.join(',')] : []),
  ]
}

export interface Seam {
  a: Named
  b: Named
  /** Frames of the two. */
  i: number
  j: number
  smooth: number
}

/** Null if the library's file is called so that no command puts a clip in under a name. */
function stitch({ a, b, i, j, smooth }: Seam): (newName: string) => string | null {
  const clips = addresses([a, b])
  const into = library()
  const how = ['--at', `${i},${j}`, ...(smooth ? ['--smooth', String(smooth)] : [])]
  return (newName) =>
    into.endsWith('.marey') ? line('similar', clips, [...how, '--cut', `${into}:${newName}`], fromLibrary()) : null
}

/** A value that begins like an option is written so that it is none. */
export function option(name: string, value: string): string[] {
  return value.startsWith('-') ? [`${name}=${value}`] : [name, value]
}

/** Where a made clip goes. Null if the library's file is called so that no command puts a clip in under a name. */
export function into(newName: string): string[] | null {
  return library().endsWith('.marey') ? ['-o', `${library()}:${newName}`] : null
}

/** The line of something that is made under a name. */
function making(command: string, operands: string[], how: string[], before = ''): (newName: string) => string | null {
  const from = fromLibrary()
  return (newName) => {
    const to = into(newName)
    return to && before + line(command, operands, [...how, ...to], from)
  }
}

/** How clips are combined, as far as it is not the default. */
function combining({ method, clean }: { method: string; clean: boolean }): string[] {
  return [...(method === 'registered' ? [] : ['--method', method]), ...(clean ? [] : ['--no-clean'])]
}

export interface Passage {
  a: Named
  b: Named
  /** Frames of the two. */
  i: number
  j: number
  half: number
  method: string
  clean: boolean
}

function transition({ a, b, i, j, half, ...how }: Passage): (newName: string) => string | null {
  const [first, second] = addresses([a, b])
  return making('transition', [`${first}#${i}`, `${second}#${j}`], ['--half', String(half), ...combining(how)])
}

export interface CutsWish {
  half: number
  near: [number, number] | null
  /** Whatever they cost. */
  all: boolean
  count: number
}

function cuts(a: Named, b: Named, { half, near, all, count }: CutsWish): string {
  const how = [
    '--half',
    String(half),
    ...(near ? ['--near', near.join(',')] : []),
    ...(all ? ['--below', 'inf'] : []),
    '--count',
    String(count),
  ]
  return line('transition', addresses([a, b]), how, fromLibrary())
}

/** A clip of which perhaps only some frames are meant. */
export interface NamedPart {
  clip: Named
  segment: Segment | null
}

export interface Mix {
  parts: readonly NamedPart[]
  /** The kept registration in the place of the clips. */
  curve: string | null
  weights: number[]
  /** Rows of seconds and weights, in the place of the weights. */
  keys: number[][] | null
  method: string
  clean: boolean
  place: number
  slope: number
}

/** Two is the default. */
function sloping(slope: number): string[] {
  return slope === 2 ? [] : ['--slope', String(slope)]
}

function blend({ parts, curve, weights, keys, place, slope, ...how }: Mix): (newName: string) => string | null {
  const operands = curve === null ? parts.map(({ clip, segment }) => address(clip, segment)) : []
  const rows = keys?.map((row) => row.join(','))
  const words = [
    ...(curve === null ? [] : option('--curve', curve)),
    ...(rows ? ['--weights-file', '/dev/stdin'] : ['--weights', weights.join(',')]),
    ...combining(how),
    ...(place ? ['--place', String(place)] : []),
    ...sloping(slope),
  ]
  const before = rows ? `printf '%s\\n' ${rows.map(quote).join(' ')} | ` : ''
  return making('blend', operands, words, before)
}

export interface SearchWish {
  threshold: number
  label: string
  limit: number
  same: number
  distinct: number
}

function search(clip: Named, segment: Segment, wish: SearchWish, cut?: { name: string; labels: string[] }): string {
  const how = [
    ...finding(wish),
    ...(cut ? [...option('--cut', cut.name), ...each('--add', cut.labels)] : []),
  ]
  return line('search', [library(), address(clip, segment)], how)
}

/** One line for each, and the labels of all in the end. */
function cutMany(parts: readonly NamedPart[], labels: string[]): (newNames: string[]) => string {
  const from = parts.map(({ clip, segment }) => address(clip, segment))
  return (newNames) =>
    line('cut', [library(), ...newNames.flatMap((name, i) => [from[i]!, name])], each('--label', labels))
}

function exportMany(parts: readonly NamedPart[], files: readonly string[]): string {
  return parts
    .map(({ clip, segment }, i) =>
      /\.(mp4|png)$/.test(files[i]!)
        ? line('render', [address(clip, segment)], ['-o', files[i]!], fromLibrary())
        : line('convert', [address(clip, segment), files[i]!], [], fromLibrary()),
    )
    .join(' && ')
}

export function finding({ threshold, label, limit, same, distinct }: SearchWish): string[] {
  return [
    '--threshold',
    String(threshold),
    ...(label ? option('--label', label) : []),
    '--limit',
    String(limit),
    ...(same === 0.8 ? [] : ['--same', String(same)]),
    ...(distinct === 0.2 ? [] : ['--distinct', String(distinct)]),
  ]
}

/** Of `rename` and `cut` only the server's answer says the new name; the old one is looked up before. */
export const commands = {
  add: (paths: string[], labels: string[]) => line('add', [library(), ...paths], each('--label', labels)),
  demo: () => line('add', [library()], ['--demo']),
  list,
  label: (clips: readonly Named[], how: Edit) =>
    line(
      'label',
      [library(), ...addresses(clips)],
      [
        ...each('--drop', how.drop),
        ...each('--add', how.add),
        ...(how.describe === undefined ? [] : ['--describe', how.describe]),
        ...(how.licence === undefined ? [] : ['--licence', how.licence]),
      ],
    ),
  rename: (clip: Named) => {
    const before = address(clip)
    return (newName: string) => line('rename', [library(), before, newName])
  },
  cut: (clip: Named, segment: Segment) => {
    const part = address(clip, segment)
    return (newName: string) => line('cut', [library(), part, newName])
  },
  remove: (clips: readonly Named[]) => line('rm', [library(), ...addresses(clips)]),
  restore: (clips: readonly Named[]) => line('restore', [library(), ...addresses(clips)]),
  purge: (clips: readonly Named[]) => line('rm', [library(), ...addresses(clips)], ['--purge']),
  contacts,
  show: (clips: readonly Named[]) =>
    line('info', addresses(clips), clips.length === 1 ? ['--long'] : [], fromLibrary()),
  export: exported,
  grid: (a: Named, b: Named, how: Compare) => line('grid', addresses([a, b]), comparing(how), fromLibrary()),
  similar: (a: Named, b: Named, how: Compare) =>
    line(
      'similar',
      addresses([a, b]),
      [...comparing(how), '--count', String(how.count), ...(how.minima ? ['--minima'] : [])],
      fromLibrary(),
    ),
  stitch,
  cuts,
  transition,
  blend,
  align: (parts: readonly NamedPart[], slope: number, name: string | null) => {
    const clips = parts.map(({ clip, segment }) => address(clip, segment))
    return line('align', clips, [...sloping(slope), ...(name === null ? [] : option('--save', name))], fromLibrary())
  },
  curves: () => line('curves', [library()]),
  index: () => line('index', [library()]),
  search,
  cutMany,
  exportMany,
  removeCurve: (name: string) => line('curves', [library()], option('--rm', name)),
  /** The best loop, or a certain one. */
  loop: (clip: Named, inPlace: boolean, at?: { start: number; end: number }) =>
    making(
      'loop',
      [address(clip)],
      [...(at ? ['--at', `${at.start},${at.end}`] : []), ...(inPlace ? ['--in-place'] : [])],
    ),
  clean: (clip: Named) => making('clean', [address(clip)], []),
}

/** Puts a command line into the bar; null: none does the same. Call it when the action is done, or about to be. */
export function showCommand(command: string | null): void {
  change({ command: command ?? '' })
}
