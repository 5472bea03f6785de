// wish.ts - opening and closing the panel "Puppets", with what the library keeps or with two clips to learn from.
import { selectedVisible } from '../library/select'
import { withPart } from '../parts'
import { change, getState } from '../store'

/** `clips`: a puppet is to be taught by these two, the first being the main character. */
export function openPuppets(clips: readonly number[] = []): void {
  withPart('puppets', ({ puppets }) => {
    change({ making: 'puppets', compare: null, selected: new Set<number>(), segment: null, arrangement: 'overlaid' })
    void puppets.enter(clips)
  })
}

/** Key U; again: back to the library. */
export function togglePuppets(): void {
  const state = getState()
  const selected = state.filter.removed ? [] : selectedVisible(state).map((card) => card.id)
  if (state.making === 'puppets') change({ making: 'none' })
  else openPuppets(selected.length === 2 ? selected : [])
}
