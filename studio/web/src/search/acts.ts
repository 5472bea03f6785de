// acts.ts - what is done with the ticked matches: clips of their own, files, a blend, labels.
import { clearFilter, editClips, plural, refresh } from '../actions'
import { operate, type Kept, type Match } from '../api'
import { attempt } from '../attempt'
import { showCommand } from '../commands'
import { exportFile } from '../jobs'
import { blendParts, mostClips, parameterize } from '../opening'
import { exportOf, lineOf } from '../operations'
import { change, getState, tell } from '../store'
import { namesFor } from './match_data'
import { clipOf } from './motions'
import { searching } from './session'

/** As a command names it. */
function partOf({ clip, name, start, end }: Match) {
  return { clip: { id: clip, name }, segment: { start, end } }
}

/** Of all matches the search cuts itself. */
function cutCommand(matches: readonly Match[], body: object, prefix: string, labels: string[]): string | null {
  const all = searching.complete && matches.length === searching.matches.length
  return all ? lineOf('search', { ...searching.body, cut: prefix, add: labels }) : lineOf('cut', body)
}

/** Every match as a clip of its own, in one go. */
export async function cutIntoClips(matches: readonly Match[], prefix: string, labels: string[]): Promise<boolean> {
  return attempt(async () => {
    const names = namesFor(prefix, matches.length)
    const cuts = matches.map(({ clip, start, end }, i) => ({ clip, start, end, name: names[i]! }))
    const body = { cuts, label: labels }
    const command = cutCommand(matches, body, prefix, labels)
    const { clips } = await operate<{ clips: Kept[] }>('cut', body)
    showCommand(command)
    tell(`Cut into ${plural(clips.length, 'clip')}`, 'info', { label: 'Show them', run: () => showCut(clips) })
    refresh()
  })
}

/** In the library, selected. */
function showCut(clips: readonly { id: number }[]): void {
  const { text, labels, skeleton, shortest_s, longest_s } = getState().filter
  if (text || labels.length || skeleton || shortest_s || longest_s) clearFilter()
  change({ making: 'none', selected: new Set(clips.map(({ id }) => id)) })
}

/** Labels belong to clips, so the clips that matches are in get them. */
export async function labelClips(matches: readonly Match[], labels: string[]): Promise<boolean> {
  const ids = [...new Set(matches.map(({ clip }) => clip))]
  const done = await editClips(ids, { add: labels })
  if (done) tell(`Labelled ${plural(ids.length, 'clip')}`)
  return done
}

/** The parts in the panel "Blend", as many as it takes. */
export async function blendThem(matches: readonly Match[]): Promise<void> {
  await attempt(async () => {
    const some = matches.slice(0, mostClips)
    const clips = await Promise.all(some.map(({ clip }) => clipOf(clip)))
    if (matches.length > some.length) tell(`The nearest ${mostClips} of ${matches.length} are blended`)
    blendParts(some.map(({ start, end }, i) => ({ clip: clips[i]!, segment: { start, end } })))
  })
}

/** The ticked ones as examples of a family, aligned along the match graph. */
export function parameterizeThem(): void {
  const { query, answer, ticked, matches, settings, threshold } = searching
  if (!query || !answer) return
  const all = searching.complete && ticked.length === matches.length
  const numbers = ticked.map((match) => matches.indexOf(match))
  const found = { search: answer.search, matches: all ? null : numbers, settings: { ...settings, threshold } }
  parameterize({ parts: ticked.map(partOf), found })
}

/** One file after the other, under names of ours: several of one clip would all be called alike. `going` hears how many are
 *  done, and its false ends it. */
export async function exportThem(
  matches: readonly Match[],
  prefix: string,
  format: string,
  going: (done: number) => boolean,
): Promise<void> {
  await attempt(async () => {
    const names = namesFor(prefix, matches.length).map((name) => `${name}.${format}`)
    const exports = matches.map(({ clip, start, end }, i) => exportOf(clip, { start, end }, names[i]!))
    for (const [i, { start }] of exports.entries()) {
      if (!going(i)) return tell(`Stopped after ${plural(i, 'file')}`)
      await exportFile(start, names[i]!)
    }
    showCommand(exports.map(({ command }) => command).join(' && '))
    tell(`Exported ${plural(matches.length, 'file')}`)
  })
}
