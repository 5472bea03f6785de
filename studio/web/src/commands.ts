// commands.ts - the command line that does what the page does. One function for every action; the tests run what these
// give and compare the libraries.
import { change, getState, type Segment } from './store'

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
