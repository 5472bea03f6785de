// targets.ts - the places of a family for the view: its examples, its samples, what is wanted and what is reached. No DOM
// here.
import type { Family } from '../api'
import type { Targets } from '../store'
import type { Answer } from './answer'
import { placeOf, withPlace } from './param_data'
import { atZero } from './standing'

interface Cloud {
  family: Family
  feature: number
  examples: number[][]
  samples: number[][]
}

/** Only what is wanted changes while it is dragged; the viewer knows the others by their identity. */
let last: Cloud | null = null

function cloudOf(family: Family, feature: number): Cloud {
  if (last?.family === family && last.feature === feature) return last
  const place = (values: readonly number[]) => placeOf(family, feature, values)
  const examples = family.examples.map(({ values }) => place(values))
  last = { family, feature, examples, samples: family.sample_values.map(place) }
  return last
}

export function targetsOf(
  family: Family,
  feature: number,
  at: readonly number[],
  answer: Answer | null,
  move: (at: number[]) => void,
): Targets | null {
  const { kind, from } = family.params[feature]!
  const standing = answer?.places[feature] ?? atZero
  const { examples, samples } = cloudOf(family, feature)
  return {
    examples,
    samples,
    wanted: placeOf(family, feature, at),
    reached: answer ? placeOf(family, feature, answer.reached) : null,
    // Motion told from its start was brought to zero.
    from: from === 'start' ? { ...atZero, y_cm: standing.y_cm } : standing,
    flat: kind === 'place',
    move: (place) => move(withPlace(family, feature, at, place)),
  }
}
