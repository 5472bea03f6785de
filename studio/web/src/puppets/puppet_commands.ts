// puppet_commands.ts - the command lines that do what the panel "Puppets" does; see commands.ts.
import { address, library, line, option, type Named } from '../commands'
import type { Place } from './mover'

const from = () => ['-L', library()]

/** What a puppet is taught by: files, ready-made ones, pairs of clips, and a kept behaviour whose demonstrations come first. */
interface Lesson {
  files: readonly string[]
  ready: readonly string[]
  clips: readonly (readonly [Named, Named])[]
  more: string | null
}

export interface Played {
  puppet: string
  start: Place
  /** Undefined: the default. */
  balance: number | undefined
  rough: boolean
}

function playing({ start, balance, rough }: Played): string[] {
  const place = [start.x, start.y, start.dir].map((value, k) => Number(value.toFixed(k < 2 ? 2 : 4))).join(',')
  return [
    ...option('--start', place),
    ...(balance === undefined ? [] : ['--balance', String(balance)]),
    ...(rough ? ['--rough'] : []),
  ]
}

/** What a file of that name is called. */
export function fileOf(name: string): string {
  return name.replace(/[/\\\0]/g, '_')
}

/** What was played with a puppet. */
export function playedFile(name: string): string {
  return `${fileOf(name)}-played.csv`
}

export const commands = {
  demonstrations: (name: string) => line('puppet show', [name], option('--csv', `${fileOf(name)}.csv`), from()),
  /** Null without anything to learn from. */
  train: (name: string, { files, ready, clips, more }: Lesson) => {
    if (files.length + ready.length + clips.length + (more ? 1 : 0) === 0) return null
    const all = [...(more ? [`${fileOf(more)}.csv`] : []), ...files]
    const pairs = clips.flatMap((two) => ['--clips', ...two.map((clip) => address(clip))])
    const after = [...ready.flatMap((each) => option('--ready', each)), ...pairs, ...option('-o', name)]
    const before = more ? `${commands.demonstrations(more)} && ` : ''
    return before + line('puppet train', all, after, from())
  },
  /** The main character's path is in the file that the page saves. */
  run: (played: Played) => {
    const { puppet } = played
    const after = [...option('-o', `${fileOf(puppet)}.csv`), ...playing(played)]
    return line('puppet run', [puppet, playedFile(puppet)], after, from())
  },
  /** Of the same, a body that goes there. */
  body: (played: Played, graph: string) => (newName: string) => {
    if (!library().endsWith('.marey')) return null
    const { puppet } = played
    const body = [...option('--graph', graph), '--body', `${library()}:${newName}`]
    const after = [...option('-o', `${fileOf(puppet)}.csv`), ...playing(played), ...body]
    return line('puppet run', [puppet, playedFile(puppet)], after, from())
  },
}
