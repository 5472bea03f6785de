// opening.ts - opening and closing the search.
import type { Clip } from '../api'
import { isUnsaved, openClips } from '../open_clips'
import { withPart } from '../parts'
import { change, getState, tell, type Segment } from '../store'

/** A whole clip that is longer is hardly one movement. */
const longestWhole_s = 12

function enter(clip: Clip, segment: Segment): void {
  withPart('search', ({ searching }) => {
    if (getState().shown[0]?.clip.id !== clip.id) return
    change({ making: 'search', compare: null, selected: new Set<number>() })
    searching.enter(clip, segment)
  })
}

export function closeSearch(): void {
  if (getState().making === 'search') change({ making: 'none' })
}

/** More like the marked segment of the leading clip, or like all of it if that is short. */
export function findMore(): void {
  const { shown, segment } = getState()
  const clip = shown[0]?.clip
  if (!clip || isUnsaved(clip)) return tell('Open a clip and mark a segment to find more like it.')
  if (!segment && clip.seconds > longestWhole_s) {
    return tell('Mark a segment first: shift-drag on the timeline, or set in and out.')
  }
  enter(clip, segment ?? { start: 0, end: clip.frames })
}

/** Key M; again: back to the library. */
export function toggleSearch(): void {
  if (getState().making === 'search') closeSearch()
  else findMore()
}

/** More like a clip that is opened for it. */
export async function findMoreLike(id: number): Promise<void> {
  await openClips([id])
  if (getState().shown[0]?.clip.id === id) findMore()
}
