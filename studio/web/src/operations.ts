// operations.ts - what marey does, as the server lists it by its rows of parameters, and the command line that does the
// same as a body. Nothing here knows a single operation.
import { operate } from './api'
import { address, library, line, option, quote, showCommand } from './commands'
import { getState, type Segment } from './store'

export interface ParamRow {
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

/** A file that a clip, or some frames of it, becomes: its name's ending says which. */
export function exportOf(clip: number, segment: Segment | null, file: string) {
  const body = { clips: [segment ? { clip, start: segment.start, end: segment.end } : clip] }
  const name = /\.(mp4|png)$/.test(file) ? 'render' : 'convert'
  return {
    command: lineOf(name, body, { file }),
    start: () => operate<{ job: number }>(name, { ...body, output: file }),
  }
}
