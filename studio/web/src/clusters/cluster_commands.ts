// cluster_commands.ts - the command lines that do what the panel "Cluster graphs" does; see commands.ts.
import type { ClusterBody, ClusterLoopBody, StitchBody } from '../api'
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

/** Where a stitch begins or ends: with this frame, or that of the clip. */
export interface End {
  clip: Named
  frame: number | undefined
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
  /** From a frame of one clip, if there is one, to a frame of another. */
  stitch: ({ cluster, leave, enter, within_s, nodes, clean = true }: StitchBody, a: End, b: End) => {
    const number = (name: string, value?: number) => (value === undefined ? [] : [name, String(value)])
    const how = [
      ...number('--leave', leave),
      ...number('--enter', enter),
      ...number('--within', within_s),
      ...(nodes ? ['--nodes', nodes.join(',')] : []),
      ...(clean ? [] : ['--leave-feet']),
    ]
    const clips = [a, b].map(({ clip, frame }) => address(clip) + (frame === undefined ? '' : `#${frame}`))
    return (newName: string) => {
      const to = into(newName)
      return to && line('cluster stitch', [library(), cluster, ...clips], [...how, ...to])
    }
  },
  /** The command makes the best loop, or the best that is as long: from so many seconds to so many. */
  loop: ({ cluster, clean = true }: ClusterLoopBody, clip: Named, length: [number, number] | null) => {
    const seconds = (value: number) => String(Number(value.toFixed(4)))
    const how = [
      ...(length ? ['--shortest', seconds(length[0]), '--longest', seconds(length[1])] : []),
      ...(clean ? [] : ['--leave-feet']),
    ]
    return (newName: string) => {
      const to = into(newName)
      return to && line('cluster loop', [library(), cluster, address(clip)], [...how, ...to])
    }
  },
}
