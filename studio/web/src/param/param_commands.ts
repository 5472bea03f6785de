// param_commands.ts - the command lines that do what the panel "Parameterize" does; see commands.ts.
import { address, each, finding, into, library, line, option, type NamedPart, type SearchWish } from '../commands'

/** The command takes no more matches. */
const mostFound = 255

function asking(at: readonly number[], clean: boolean): string[] {
  return [...option('--at', at.join(',')), ...(clean ? [] : ['--no-clean'])]
}

export const commands = {
  build: (name: string, features: string[], parts: readonly NamedPart[]) => {
    const clips = each('--clips', parts.map(({ clip, segment }) => address(clip, segment)))
    return line('param build', [library(), name], [...each('--feature', features), ...clips])
  },
  /** Of a part and everything that is like it. */
  find: (name: string, features: string[], { clip, segment }: NamedPart, wish: SearchWish) => {
    const limit = Math.min(mostFound, wish.limit)
    const query = option('--query', address(clip, segment))
    return line('param build', [library(), name], [...each('--feature', features), ...query, ...finding({ ...wish, limit })])
  },
  make: (name: string, at: readonly number[], clean: boolean) => (newName: string) => {
    const to = into(newName)
    return to && line('param make', [library(), name], [...asking(at, clean), ...to])
  },
  export: (name: string, at: readonly number[], clean: boolean, file: string) =>
    line('param make', [library(), name], [...asking(at, clean), '-o', file]),
  remove: (name: string) => line('param rm', [library(), name]),
}
