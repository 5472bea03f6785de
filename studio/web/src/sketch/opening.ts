// opening.ts - opening and closing the panel "Sketch".
import { withPart } from '../parts'
import { change, getState } from '../store'

export function openSketch(): void {
  withPart('sketch', ({ sketching }) => {
    change({ making: 'sketch', compare: null, selected: new Set<number>(), arrangement: 'overlaid' })
    void sketching.enter()
  })
}

/** Key D; again: back to the library. */
export function toggleSketch(): void {
  if (getState().making === 'sketch') change({ making: 'none' })
  else openSketch()
}
