// graph_commands.ts - the command lines that do what the panel "Motion graphs" does; see commands.ts.
import type { GraphBody } from '../api'
import { address, library, line, option, type Named } from '../commands'

function building({ kind, label, threshold, only_smooth, mu }: GraphBody): string[] {
  return [
    ...(kind === 'standard' ? [] : ['--kind', kind]),
    ...(label ? option('--label', label) : []),
    ...(threshold === undefined ? [] : ['--threshold', String(threshold)]),
    ...(threshold !== undefined && only_smooth ? ['--only-smooth'] : []),
    ...(mu === undefined || mu === 1 ? [] : ['--mu', String(mu)]),
  ]
}

export const commands = {
  /** `clips` are those of the body, with their names. */
  build: (body: GraphBody, clips: readonly Named[]) => {
    const named = clips.map((clip) => address(clip))
    return line('graph build', [library(), body.name, ...named], building(body))
  },
  stats: (name: string) => line('graph stats', [library(), name]),
  train: (name: string) => line('graph train', [library(), name]),
  remove: (name: string) => line('graph rm', [library(), name]),
}
