// sketch_commands.ts - the command lines that do what the panel "Sketch" does; see commands.ts.
import type { ExampleBody, ExampleMake } from '../api'
import { address, into, library, line, option, quote, type Named } from '../commands'

/** What is looked for: frames of a clip, or else the rows of a curve. */
export interface Query {
  body: ExampleBody
  clip: Named | null
}

const file = 'sketch.csv'

function settings({ dofs, k, noise, shape, label }: ExampleBody): string[] {
  return [
    ...option('--dof', dofs.join(',')),
    ...(k === undefined ? [] : ['--k', String(k)]),
    ...(noise === undefined ? [] : ['--noise', String(noise)]),
    ...(shape ? ['--shape'] : []),
    ...(label ? option('--label', label) : []),
  ]
}

/** A curve as the lines of its file: a time, and a value for each degree of freedom. */
function rowsOf({ values = [], fps = 1 }: ExampleBody): string[] {
  const count = values[0]?.length ?? 0
  return Array.from({ length: count }, (_, i) =>
    [Number((i / fps).toFixed(4)), ...values.map((row) => row?.[i] ?? 0)].join(','),
  )
}

/** The words that name the query and say how it is compared, and what has to come before the line. */
export function asked({ body, clip }: Query): { before: string; query: string; how: string[] } {
  const { start = 0, end = 0 } = body
  if (clip) return { before: '', query: address(clip, { start, end }), how: settings(body) }
  const rows = rowsOf(body).map(quote).join(' ')
  return { before: `printf '%s\\n' ${rows} >${file} && `, query: file, how: settings(body) }
}

export const commands = {
  find: (of: Query) => {
    const { before, query, how } = asked(of)
    const { best } = of.body
    const paths = best === undefined ? [] : ['--best', String(best)]
    return before + line('example', [library(), query], [...how, ...paths])
  },
  /** `only`: in this clip alone. Null: the command makes the best path, with the times of the query. */
  make: (of: Query, { path = 0, own_pace, clean = true }: ExampleMake, only: Named | null) => {
    const { before, query, how } = asked(of)
    const which = [...(only ? option('--in', address(only)) : []), ...(clean ? [] : ['--leave-feet'])]
    return (newName: string) => {
      const to = into(newName)
      if (!to || own_pace || (!only && path > 0)) return null
      return before + line('example', [library(), query], [...how, ...which, ...to])
    }
  },
}
