// opening.ts - which comparison is wanted: opening and closing the panel, and its settings.
import { getState, change, tell, type Compare } from '../store'
import { openClips } from '../open_clips'
import { selectedVisible } from '../library/select'
import { workedOn } from '../making/opening'
import { withPart } from '../parts'

export const defaults: Compare = {
  metric: 'points',
  joints: 'equal',
  window: 0,
  attributes: [],
  count: 20,
  minima: true,
}

export function setCompare(fields: Partial<Compare>): void {
  const { compare } = getState()
  if (compare) change({ compare: { ...compare, ...fields } })
}

/** The library makes room for the panel, so nothing in it stays selected: keys would act on what cannot be seen. */
function enter(): void {
  withPart('compare', () => {
    if (getState().shown.length < 2) return
    const compare = getState().compare ?? defaults
    change({ compare, making: 'none', arrangement: 'aligned', selected: new Set<number>() })
  })
}

export function closeCompare(): void {
  if (getState().compare) change({ compare: null })
}

/** Compares two clips, which are opened for it, the first one leading. */
export async function compareClips(ids: readonly number[]): Promise<void> {
  await openClips(ids.slice(0, 2))
  if (getState().shown.length === 2) enter()
}

/** Those that are open, as they are. */
export function compareOpen(): void {
  if (getState().shown.length > 1) enter()
}

/** Key C: the two that are selected, or else the first two that are open; again: back to the library. */
export function toggleCompare(): void {
  const { compare, shown, making } = getState()
  const selected = selectedVisible(getState()).map((card) => card.id)
  if (compare) closeCompare()
  else if (selected.length === 2 && !getState().filter.removed) void compareClips(selected)
  else if (making !== 'none') void compareClips(workedOn())
  else if (shown.length > 1) enter()
  else tell('Select two clips to compare them.')
}
