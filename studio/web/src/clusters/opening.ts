// opening.ts - opening and closing the panel "Cluster graphs", with clips for a new one, with those that a sketch found, or with
// the graphs that are kept.
import type { ExampleBody } from '../api'
import type { Named } from '../commands'
import { selectedVisible } from '../library/select'
import { withPart } from '../parts'
import { change, getState } from '../store'

/** What was sketched, and how many of the clips that were found are taken. */
export interface FromExample {
  body: ExampleBody
  /** Of which it is a segment. */
  clip: Named | null
  take: number
}

/** What a new one is to be made of. */
export type Material = { clips: readonly number[] } | { example: FromExample } | null

function open(material: Material): void {
  withPart('clusters', ({ clusters }) => {
    change({ making: 'clusters', compare: null, selected: new Set<number>(), segment: null, arrangement: 'overlaid' })
    void clusters.enter(material)
  })
}

export function openClusters(clips: readonly number[] = []): void {
  open(clips.length ? { clips } : null)
}

export function clustersOfExample(example: FromExample): void {
  open({ example })
}

/** Key N: of what is selected, or else what the library keeps; again: back to the library. */
export function toggleClusters(): void {
  const state = getState()
  const selected = state.filter.removed ? [] : selectedVisible(state).map((card) => card.id)
  if (state.making === 'clusters') change({ making: 'none' })
  else openClusters(selected.length > 1 ? selected : [])
}
