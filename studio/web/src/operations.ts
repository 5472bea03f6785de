// operations.ts - what marey does, as the server lists it by its rows of parameters, and the command line that does the
// same as a body. Nothing here knows a single operation.
import { operate } from './api'
import { change, getState, type Segment } from './store'

// The command line that does what the page does. One function for every action; the tests run what these give and compare
// the libraries.

/** A clip as far as a command needs it. Number 0: only an example. */
export interface Named {
  id: number
  name: string
}

/** A word as a POSIX shell needs it. */
export function quote(word: string): string {
  if (/^[A-Za-z0-9_@%+=:,./-]+$/.test(word)) return word
  return `'${word.replaceAll("'", "'\\''")}'`
}

/** Operands are what a command is about. Where one begins like an option, "--" ends the options. */
export function line(command: string, operands: string[], after: string[] = [], before: string[] = []): string {
  const dashed = operands.some((word) => word.startsWith('-'))
  const words = dashed ? [...before, ...after, '--', ...operands] : [...before, ...operands, ...after]
  return ['marey', ...command.split(' '), ...words].map(quote).join(' ')
}

export function library(): string {
  return getState().about?.library.path ?? 'library.marey'
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

/** A value that begins like an option is joined to its name, so that it is not read as one. */
export function option(name: string, value: string): string[] {
  return value.startsWith('-') ? [`${name}=${value}`] : [name, value]
}

/** A clip of which perhaps only some frames are meant. */
export interface NamedPart {
  clip: Named
  segment: Segment | null
}

/** Shows clips, one of them with all that is known of it. */
export function showLine(clips: readonly Named[]): string {
  return line('info', addresses(clips), clips.length === 1 ? ['--long'] : [], ['-L', library()])
}

/** Puts a command line into the bar; null: none does the same. Call it when the action is done, or about to be. */
export function showCommand(command: string | null): void {
  change({ command: command ?? '' })
}

interface ParamRow {
  name: string
  type: string
  /** 0: an option; else operands, in order, -1 for all that are left; -2: of bodies only. */
  place: number
  needed: boolean
  help: string
  repeats?: boolean
  least?: number
  most?: number
  unit?: string
  default?: string
  only_if?: string
  words?: string[]
  /** Of a table: a command line may have its rows; otherwise they are a file's. */
  in_place?: boolean
}

export interface Operation {
  name: string
  summary: string
  /** How a command names the library: as its first operand, by -L, or not at all. */
  library: 'operand' | 'option' | 'none'
  /** A file that it writes is its last operand, not that of -o. */
  output_last: boolean
  /** Or that of another option. */
  clip_option: string | null
  makes_clip: boolean
  takes_long: boolean
  params: ParamRow[]
}

/** What is sent to an operation. */
export type Body = Record<string, unknown>

/** By its number, or its name. */
function clipWord(clip: unknown, segment: Segment | null = null): string {
  const card = [...getState().cards, ...getState().removedCards].find(({ id }) => id === clip)
  if (card) return address(card, segment)
  const name = typeof clip === 'number' ? `#${clip}` : String(clip)
  return segment ? `${name}#${segment.start}-${segment.end}` : name
}

function segmentWord(value: unknown): string {
  if (value === null || typeof value !== 'object') return clipWord(value)
  const { clip, start, end } = value as { clip: unknown; start?: number; end?: number }
  if (start === undefined) return clipWord(clip)
  return end === undefined ? `${clipWord(clip)}#${start}` : clipWord(clip, { start, end })
}

/** The words that a value becomes, one for each place it takes. */
function wordsOf({ type, repeats, in_place }: ParamRow, value: unknown): string[] {
  const list = Array.isArray(value) ? value : [value]
  switch (type) {
    case 'clip':
    case 'clips':
      return list.map((clip) => clipWord(clip))
    case 'segment':
    case 'segments':
      return list.map(segmentWord)
    case 'cuts':
      return list.flatMap((cut) => [segmentWord({ ...cut, name: undefined }), ...(cut.name ? [String(cut.name)] : [])])
    case 'document':
      return ['/dev/stdin']
    case 'table':
      return [in_place ? list.map((row) => row.join(',')).join(' ') : '/dev/stdin']
    case 'texts':
      return repeats ? list.map(String) : [list.join(',')]
    case 'range':
      return [Array.isArray(value) ? value.join('-') : String(value)]
    case 'pair':
    case 'numbers':
      return [list.map((number) => (number === null ? '' : String(number))).join(',')]
    default:
      return [String(value)]
  }
}

function optionWords(row: ParamRow, value: unknown): string[] {
  const name = `--${row.name.replaceAll('_', '-')}`
  if (row.type === 'switch') return value ? [name] : []
  const words = wordsOf(row, value)
  if (words.length === 1 && words[0] === row.default) return []
  return words.flatMap((word) => option(name, word))
}

/** The command line of a body. `into`: the name of the clip that is made, or a file's; null if there is no such command,
    since the library's file is called so that none puts a clip in under a name. */
export function commandOf(operation: Operation, body: Body, into?: { name: string } | { file: string }): string | null {
  const given = operation.params.filter(({ name, place }) => place !== -2 && body[name] !== undefined && body[name] !== null)
  const places = given.filter(({ place }) => place !== 0)
  places.sort((a, b) => (a.place < 0 ? 1 : b.place < 0 ? -1 : a.place - b.place))
  const operands = places.flatMap((row) => wordsOf(row, body[row.name]))
  const options = given.filter(({ place }) => place === 0).flatMap((row) => optionWords(row, body[row.name]))
  if (into && 'name' in into && !library().endsWith('.marey')) return null
  const output = into && ('name' in into ? `${library()}:${into.name}` : into.file)
  if (output && operation.output_last) operands.push(output)
  else if (output) options.push(operation.clip_option ? `--${operation.clip_option}` : '-o', output)
  if (operation.library === 'operand') operands.unshift(library())
  const before = operation.library === 'option' ? ['-L', library()] : []
  return given.map((row) => pipe(row, body[row.name])).join('') + line(operation.name, operands, options, before)
}

/** What is said before a command that reads a value as a file. */
function pipe({ type, in_place }: ParamRow, value: unknown): string {
  if (type === 'document') return `echo ${quote(JSON.stringify(value))} | `
  if (type !== 'table' || in_place) return ''
  return `printf '%s\\n' ${(value as number[][]).map((row) => quote(row.join(','))).join(' ')} | `
}

/** The same by an operation's name; null, too, while the server's list is not there. */
export function lineOf(name: string, body: object, into?: { name: string } | { file: string }): string | null {
  const operation = getState().operations.get(name)
  return operation ? commandOf(operation, body as Body, into) : null
}

/** One parameter of an operation. */
export function rowOf(operation: string, name: string): ParamRow | undefined {
  return getState().operations.get(operation)?.params.find((row) => row.name === name)
}

/** Does it, and shows the command line that does the same: by the names that clips had before. */
export async function act<T>(name: string, body: object): Promise<T> {
  const command = lineOf(name, body)
  const answer = await operate<T>(name, body)
  showCommand(command)
  return answer
}

/** Saves a generated clip under a name, or the next free one, and shows the command line. */
export async function actInto<T extends { name: string }>(operation: string, body: object, name: string): Promise<T> {
  const command = lineOf(operation, body, { name })
  const answer = await operate<T>(operation, { ...body, name })
  showCommand(command)
  return answer
}

/** Clips, or some frames of one, as files of one format each. Several of them come as one archive of this name; so do formats
 *  of two files. */
export function exportMany(clips: readonly number[], segment: Segment | null, to: string, name: string, options: object = {}) {
  const one = clips[0]!
  const parts = segment ? [{ clip: one, start: segment.start, end: segment.end }] : clips
  const body = { clips: parts, to, output: name, ...options }
  return { command: lineOf('convert', body), start: () => operate<{ job: number }>('convert', body) }
}

/** A file that a clip, or some frames of it, becomes: its name's ending says which. */
export function exportOf(clip: number, segment: Segment | null, file: string, options: object = {}) {
  const body = { clips: [segment ? { clip, start: segment.start, end: segment.end } : clip], ...options }
  const name = /\.(mp4|png)$/.test(file) ? 'render' : 'convert'
  return {
    command: lineOf(name, body, { file }),
    start: () => operate<{ job: number }>(name, { ...body, output: file }),
  }
}
