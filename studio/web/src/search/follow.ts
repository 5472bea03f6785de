// follow.ts - the search's query follows the segment that is marked.
import { isUnsaved } from '../open_clips'
import { getState, subscribe } from '../store'
import { searching } from './session'
import { closeSearch } from './opening'

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
