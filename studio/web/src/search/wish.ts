// wish.ts - opening and closing the search, and letting its query follow the segment that is marked.
import type { Clip } from '../api'
import { isUnsaved, openClips } from '../open_clips'
import { change, getState, subscribe, tell, type Segment } from '../store'
import { searching } from './session'

/** A whole clip that is longer is hardly one movement. */
const longestWhole_s = 12

function enter(clip: Clip, segment: Segment): void {
  change({ making: 'search', compare: null, selected: new Set<number>() })
  searching.enter(clip, segment)
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

/** The query is what is marked, while the panel is there; and without its clip there is no query. */
export function followSegment(): () => void {
  return subscribe(() => {
    const { making, segment, shown, cards } = getState()
    const { query } = searching
    if (making !== 'search' || !query) return
    const clip = shown[0]?.clip
    if (!clip || !cards.some(({ id }) => id === query.clip.id)) closeSearch()
    else if (segment && !isUnsaved(clip)) searching.setQuery({ clip, ...segment })
  })
}
