// cluster_commands.ts - the command lines that do what the panel "Cluster graphs" does; see commands.ts.
import type { ClusterBody, ClusterLoopBody, StitchBody, StitchEnd } from '../api'
import { address, into, library, line, option, type Named } from '../commands'
import { asked } from '../sketch/sketch_commands'
import type { FromExample } from './wish'

function building({ link, threshold, label }: ClusterBody): string[] {
  return [
    ...(label ? option('--label', label) : []),
    ...(link ? ['--link', link] : []),
    ...(threshold === undefined ? [] : ['--threshold', String(threshold)]),
  ]
}

/** "walk", or "walk#30" with the frame that a stitch begins or ends with. */
function endText(end: StitchEnd, named: (id: number) => Named): string {
  return typeof end === 'number' ? address(named(end)) : `${address(named(end.clip))}#${end.start}`
}

export const commands = {
  /** `clips` are those of the body, with their names. */
  build: (body: ClusterBody, clips: readonly Named[], example: FromExample | null) => {
    const operands = [library(), body.name, ...clips.map((clip) => address(clip))]
    if (!example) return line('cluster build', operands, building(body))
    const { before, query, how } = asked({ body: example.body, clip: example.clip })
    const from = ['--from-example', query, '--count', String(example.take), ...how]
    return before + line('cluster build', operands, [...from, ...building(body)])
  },
  show: (name: string) => line('cluster show', [library(), name]),
  remove: (name: string) => line('cluster rm', [library(), name]),
  stitch: ({ cluster, a, b, leave, enter, within, nodes, leave_feet }: StitchBody, named: (id: number) => Named) => {
    const number = (name: string, value?: number) => (value === undefined ? [] : [name, String(value)])
    const how = [
      ...number('--leave', leave),
      ...number('--enter', enter),
      ...number('--within', within),
      ...(nodes ? ['--nodes', nodes.join(',')] : []),
      ...(leave_feet ? ['--leave-feet'] : []),
    ]
    const ends = [a, b].flatMap((end) => (end === undefined ? [] : endText(end, named)))
    return (newName: string) => {
      const to = into(newName)
      return to && line('cluster stitch', [library(), cluster, ...ends], [...how, ...to])
    }
  },
  loop: ({ cluster, at, leave_feet }: ClusterLoopBody, clip: Named) => {
    const how = [...(at ? ['--at', at.join(',')] : []), ...(leave_feet ? ['--leave-feet'] : [])]
    return (newName: string) => {
      const to = into(newName)
      return to && line('cluster loop', [library(), cluster, address(clip)], [...how, ...to])
    }
  },
}
