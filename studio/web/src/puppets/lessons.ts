// lessons.ts - what a puppet can be taught by: passes by mouse, two clips, a table, a ready-made demonstration, or what a
// saved puppet has learned before; as the server and as a command line want it. No DOM here.
import type { Demonstration } from '../api'
import type { Named } from '../commands'
import { commands, fileOf } from './puppet_commands'
import { secondsOf, together, type Sample } from './takes'

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
        ? `by mouse, ${Math.min(secondsOf(demo.main), secondsOf(demo.react)).toFixed(1)} s`
        : `by mouse, ${secondsOf(demo.main).toFixed(1)} s: no reaction yet`
    case 'clips':
      return `${demo.react.name} reacts to ${demo.main.name}`
    case 'csv':
      return demo.called
    case 'ready':
      return `ready-made: ${demo.name}`
    case 'puppet':
      return `all that ${demo.name} has learned`
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

/** The line that does the same, once the demonstrations by mouse were saved; null where none does. */
export function lineFor(demos: readonly Demo[], name: string): string | null {
  const kept = demos.flatMap((demo) => (demo.what === 'puppet' ? demo.name : []))
  if (kept.length > 1) return null
  const files = demos.flatMap((demo, i) => {
    if (demo.what === 'csv') return demo.called
    return demo.what === 'mouse' && isComplete(demo) ? fileFor(i, name) : []
  })
  const clips = demos.flatMap((demo) => (demo.what === 'clips' ? [[demo.main, demo.react] as const] : []))
  const ready = demos.flatMap((demo) => (demo.what === 'ready' ? demo.name : []))
  return commands.train(name, { files, ready, clips, more: kept[0] ?? null })
}
