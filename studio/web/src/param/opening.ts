// opening.ts - opening and closing the panel "Parameterize", with what a family is to be built of or with those that are kept.
import { selectedVisible } from '../library/select'
import { withPart } from '../parts'
import { change, getState, tell } from '../store'
import { mostExamples, type Material } from './material'

export function parameterize(material: Material | null): void {
  const parts = material?.parts.length ?? 0
  if (parts > mostExamples) return tell(`A family has at most ${mostExamples} examples; these are ${parts}.`)
  withPart('param', ({ parameters }) => {
    change({ making: 'param', compare: null, selected: new Set<number>(), segment: null, arrangement: 'overlaid' })
    void parameters.enter(material)
  })
}

/** Whole clips as examples. */
export function parameterizeClips(ids: readonly number[]): void {
  const { cards } = getState()
  const known = ids.flatMap((id) => cards.find((card) => card.id === id) ?? [])
  const whole = (frames: number) => ({ start: 0, end: frames })
  parameterize({ parts: known.map(({ id, name, frames }) => ({ clip: { id, name }, segment: whole(frames) })) })
}

/** Key P: of what is selected, or else what the library keeps; again: back to the library. */
export function toggleParam(): void {
  const state = getState()
  const selected = state.filter.removed ? [] : selectedVisible(state).map((card) => card.id)
  if (state.making === 'param') change({ making: 'none' })
  else if (selected.length > 1) parameterizeClips(selected)
  else parameterize(null)
}
