// list_command.ts - the command that lists what the library shows.
import { lineOf } from '../operations'
import type { Filter } from '../store'

/** Null where no command lists exactly this. */
export function listCommand({ text, labels, removed, skeleton, shortest_s, longest_s }: Filter): string | null {
  const words = text.split(/\s+/).filter(Boolean)
  const narrowed = skeleton !== '' || shortest_s > 0 || longest_s > 0
  if (narrowed || labels.length > 1 || (removed && words.length + labels.length > 0)) return null
  return lineOf('ls', { words, label: labels[0], removed })
}
