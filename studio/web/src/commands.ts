// commands.ts - the command line that does what the page does. One function for every action; the tests run what these
// give and compare the libraries.
import type { Contact } from './api'
import { change, getState, type Segment } from './store'

/** A word as a POSIX shell needs it. */
export function quote(word: string): string {
  if (/^[A-Za-z0-9_@%+=:,./-]+$/.test(word)) return word
  return `'${word.replaceAll("'", "'\\''")}'`
}

function line(...words: string[]): string {
  return ['marey', ...words].map(quote).join(' ')
}

function library(): string {
  return getState().about?.library.path ?? 'library.marey'
}

/** "walk#120-300", or "walk" without a segment. */
function address(name: string, segment: Segment | null): string {
  return segment ? `${name}#${segment.start}-${segment.end}` : name
}

function each(option: string, values: string[] | undefined): string[] {
  return (values ?? []).flatMap((value) => [option, value])
}

export const commands = {
  add: (paths: string[], labels: string[]) => line('add', library(), ...paths, ...each('--label', labels)),
  demo: () => line('add', library(), '--demo'),
  list: (text: string, labels: string[]) =>
    line('ls', library(), ...text.split(/\s+/).filter(Boolean), ...each('--label', labels.slice(0, 1))),
  label: (
    names: string[],
    how: { add?: string[]; drop?: string[]; description?: string; licence?: string },
  ) =>
    line(
      'label',
      library(),
      ...names,
      ...each('--drop', how.drop),
      ...each('--add', how.add),
      ...(how.description === undefined ? [] : ['--describe', how.description]),
      ...(how.licence === undefined ? [] : ['--licence', how.licence]),
    ),
  rename: (name: string, newName: string) => line('rename', library(), name, newName),
  cut: (name: string, segment: Segment, newName: string) => line('cut', library(), address(name, segment), newName),
  remove: (names: string[]) => line('rm', library(), ...names),
  restore: (names: string[]) => line('restore', library(), ...names),
  purge: (names: string[]) => line('rm', library(), '--purge', ...names),
  contacts: (name: string, contacts: Contact[] | null) =>
    contacts === null
      ? line('contacts', '-L', library(), name, '--forget')
      : `echo ${quote(JSON.stringify({ contacts }))} | ${line('contacts', '-L', library(), name, '--set', '/dev/stdin')}`,
  show: (name: string) => line('info', '-L', library(), name, '--long'),
  showAll: (names: string[]) => line('info', '-L', library(), ...names),
  export: (name: string, format: string, segment: Segment | null) => {
    const file = `${name}.${format}`
    return format === 'mp4' || format === 'png'
      ? line('render', '-L', library(), address(name, segment), '-o', file)
      : line('convert', '-L', library(), address(name, segment), file)
  },
}

/** Puts a command line into the bar. Call it when the action is done, or about to be. */
export function showCommand(command: string): void {
  change({ command })
}
