// lessons.ts - what a puppet can be taught by: passes by mouse, two clips, a table, a ready-made demonstration, or what a
// saved puppet has learned before; as the server and as a command line want it. No DOM here.
import type { Demonstration } from '../api'
import { address, library, line, option, type Named } from '../operations'
import { t } from '../words/words'
import type { Place } from './mover'
import { secondsOf, together, type Sample } from './takes'

// The command lines that do what the panel "Puppets" does; see commands.ts.

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
  /** A body that goes there. The main character's path is in no file: its rows come before the command. */
  body: (played: Played, graph: string, main: readonly (readonly number[])[]) => (newName: string) => {
    if (!library().endsWith('.marey')) return null
    const { puppet } = played
    const rows = ['time,main_x,main_y,main_dir', ...main.map((row) => row.map(shortNumber).join(','))]
    const body = [...option('--graph', graph), '--body', `${library()}:${newName}`]
    const after = [...option('-o', `${fileOf(puppet)}.csv`), ...playing(played), ...body]
    return `printf '%s\\n' ${rows.join(' ')} | ${line('puppet run', [puppet, '/dev/stdin'], after, from())}`
  },
}

/** As exact as the server reads them from the page. */
function shortNumber(value: number): string {
  return String(Number(value.toFixed(4)))
}

export interface ByMouse {
  what: 'mouse'
  main: Sample[]
  /** Empty: no character reacts yet. */
  react: Sample[]
}

export type Demo =
  | ByMouse
  | { what: 'clips'; main: Named; react: Named }
  | { what: 'csv'; text: string; called: string }
  | { what: 'ready'; name: string }
  | { what: 'puppet'; name: string }

/** It can be taught by. */
export function isComplete(demo: Demo): boolean {
  return demo.what !== 'mouse' || demo.react.length > 0
}

export function wordsFor(demo: Demo): string {
  switch (demo.what) {
    case 'mouse':
      return demo.react.length
        ? t`by mouse, ${Math.min(secondsOf(demo.main), secondsOf(demo.react)).toFixed(1)} s`
        : t`by mouse, ${secondsOf(demo.main).toFixed(1)} s: no reaction yet`
    case 'clips':
      return t`${demo.react.name} reacts to ${demo.main.name}`
    case 'csv':
      return demo.called
    case 'ready':
      return t`ready-made: ${demo.name}`
    case 'puppet':
      return t`all that ${demo.name} has learned`
  }
}

export function asked(demo: Demo): Demonstration {
  if (demo.what === 'mouse') return { samples: together(demo.main, demo.react) }
  if (demo.what === 'clips') return { clips: [demo.main.id, demo.react.id] }
  if (demo.what === 'csv') return { csv: demo.text, called: demo.called }
  return demo.what === 'ready' ? { ready: demo.name } : { puppet: demo.name }
}

/** What the so-manieth demonstration by mouse is saved as. */
export function fileFor(index: number, name: string): string {
  return `${fileOf(name)}-${index + 1}.csv`
}

/** The line that does the same; null where none does. What was shown by mouse is in no file: the library has it once it was
 *  trained, so it is written there first. */
export function lineFor(demos: readonly Demo[], name: string): string | null {
  if (demos.some((demo) => demo.what === 'mouse' && isComplete(demo))) {
    return commands.train(name, { files: [], ready: [], clips: [], more: name })
  }
  const kept = demos.flatMap((demo) => (demo.what === 'puppet' ? demo.name : []))
  if (kept.length > 1) return null
  const files = demos.flatMap((demo) => (demo.what === 'csv' ? demo.called : []))
  const clips = demos.flatMap((demo) => (demo.what === 'clips' ? [[demo.main, demo.react] as const] : []))
  const ready = demos.flatMap((demo) => (demo.what === 'ready' ? demo.name : []))
  return commands.train(name, { files, ready, clips, more: kept[0] ?? null })
}
