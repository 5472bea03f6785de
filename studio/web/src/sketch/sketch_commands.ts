// sketch_commands.ts - the command lines that do what the panel "Sketch" does; see commands.ts.
import type { DrawnCurve, ExampleBody, ExampleMake } from '../api'
import { address, into, library, line, option, quote, type Named } from '../commands'

/** What is looked for: frames of a clip, or else the rows of a curve. */
export interface Query {
  body: ExampleBody
  clip: Named | null
}

const file = 'sketch.csv'

function settings({ dof, k, noise, shape, label }: ExampleBody): string[] {
  return [
    ...option('--dof', dof.join(',')),
    ...(k === undefined ? [] : ['--k', String(k)]),
    ...(noise === undefined ? [] : ['--noise', String(noise)]),
    ...(shape ? ['--shape'] : []),
    ...(label ? option('--label', label) : []),
  ]
}

/** A curve as the lines of its file: a time, and a value for each degree of freedom. */
function rowsOf({ values, fps }: DrawnCurve): string[] {
  const count = values[0]?.length ?? 0
  return Array.from({ length: count }, (_, i) =>
    [Number((i / fps).toFixed(4)), ...values.map((row) => row?.[i] ?? 0)].join(','),
  )
}

/** The words that name the query and say how it is compared, and what has to come before the line. */
export function asked({ body, clip }: Query): { before: string; query: string; how: string[] } {
  if (clip && body.query) return { before: '', query: address(clip, body.query), how: settings(body) }
  const rows = rowsOf(body.curve ?? { fps: 1, values: [] }).map(quote).join(' ')
  return { before: `printf '%s\\n' ${rows} >${file} && `, query: file, how: settings(body) }
}

export const commands = {
  find: (of: Query) => {
    const { before, query, how } = asked(of)
    const { best } = of.body
    const paths = best === undefined ? [] : ['--best', String(best)]
    return before + line('example', [library(), query], [...how, ...paths])
  },
  /** `only`: in this clip alone. Null: the library has no name for a command line. */
  make: (of: Query, { path = 0, own_pace, leave_feet }: ExampleMake, only: Named | null) => {
    const { before, query, how } = asked(of)
    const which = [
      ...(only ? option('--in', address(only)) : []),
      ...(!only && path > 0 ? ['--path', String(path)] : []),
      ...(own_pace ? ['--own-pace'] : []),
      ...(leave_feet ? ['--leave-feet'] : [])]
    return (newName: string) => {
      const to = into(newName)
      return to && before + line('example', [library(), query], [...how, ...which, ...to])
    }
  },
}
