// opening.ts - opening and closing the panel "Motion graphs", with clips for a new graph or with those that are kept.
import { selectedVisible } from '../library/select'
import { withPart } from '../parts'
import { change, getState } from '../store'

/** `clips`: a new graph is to be made of these. */
export function openGraphs(clips: readonly number[] = []): void {
  withPart('graph', ({ graphs }) => {
    change({ making: 'graph', compare: null, selected: new Set<number>(), segment: null, arrangement: 'overlaid' })
    void graphs.enter(clips)
  })
}

export function graphOfClips(ids: readonly number[]): void {
  openGraphs(ids)
}

/** Key G: of what is selected, or else what the library keeps; again: back to the library. */
export function toggleGraph(): void {
  const state = getState()
  const selected = state.filter.removed ? [] : selectedVisible(state).map((card) => card.id)
  if (state.making === 'graph') change({ making: 'none' })
  else openGraphs(selected.length > 1 ? selected : [])
}
