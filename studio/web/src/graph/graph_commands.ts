// graph_commands.ts - the command lines that do what the panel "Motion graphs" does; see commands.ts.
import type { GraphBody, WalkBody } from '../api'
import { address, into, library, line, option, quote, type Named } from '../commands'

function building({ kind, label, threshold, only_smooth, mu }: GraphBody): string[] {
  return [
    ...(kind === 'standard' ? [] : ['--kind', kind]),
    ...(label ? option('--label', label) : []),
    ...(threshold === undefined ? [] : ['--threshold', String(threshold)]),
    ...(threshold !== undefined && only_smooth ? ['--only-smooth'] : []),
    ...(mu === undefined || mu === 1 ? [] : ['--mu', String(mu)]),
  ]
}

/** Whole centimetres do for a path. */
function walking({ path, effort, style, leave_feet }: WalkBody): string[] {
  return [
    ...(path ? option('--path', path.map((point) => point.join(',')).join(' ')) : []),
    ...(effort === undefined ? [] : ['--effort', String(effort)]),
    ...(style ? option('--style', style.join(',')) : []),
    ...(leave_feet ? ['--leave-feet'] : []),
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
  /** `wishes`: seconds, direction and speed, for so long in all. */
  control: (name: string, wishes: readonly (readonly number[])[], seconds: number) => (newName: string) => {
    const to = into(newName)
    const rows = wishes.map((row) => quote(row.map((value) => Number(value.toFixed(3))).join(',')))
    const how = ['--script', '/dev/stdin', '--length', `${seconds.toFixed(2)}s`]
    return to && `printf '%s\\n' ${rows.join(' ')} | ${line('graph control', [library(), name], [...how, ...to])}`
  },
  walk: (body: WalkBody) => (newName: string) => {
    const to = into(newName)
    return to && line('graph walk', [library(), body.graph], [...walking(body), ...to])
  },
}
