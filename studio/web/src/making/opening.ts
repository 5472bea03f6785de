// opening.ts - opening and closing the panels that make motion of several clips.
import { api, type Clip } from '../api'
import { attempt } from '../attempt'
import { selectedVisible } from '../library/select'
import { partNow, withPart } from '../parts'
import { change, getState, tell, type State } from '../store'

export type Making = Extract<State['making'], 'transition' | 'blend'>

/** As many as the server registers at once. */
export const mostClips = 9

const hints: Record<Making, string> = {
  transition: 'Select two clips to go from one to the other.',
  blend: `Select two to ${mostClips} clips to blend them.`,
}

/** The clips of the library that are being worked on: those of an open panel, or else those in the viewer. */
export function workedOn(): number[] {
  const { making, shown } = getState()
  if (making === 'transition') return partNow('transition')?.transition.clips.map(({ id }) => id) ?? []
  if (making === 'blend') return partNow('blend')?.blend.clips.map(({ clip }) => clip.id) ?? []
  return shown.map(({ clip }) => clip.id).filter((id) => id > 0)
}

function fits(kind: Making, count: number): boolean {
  return kind === 'transition' ? count === 2 : count >= 2 && count <= mostClips
}

/** The library makes room for the panel, so nothing in it stays selected. */
function enter(kind: Making, clips: Clip[]): void {
  const open = () =>
    change({ making: kind, compare: null, selected: new Set<number>(), segment: null, arrangement: 'overlaid' })
  if (kind === 'transition') {
    withPart('transition', ({ transition }) => {
      open()
      transition.enter([clips[0]!, clips[1]!])
    })
  } else {
    withPart('blend', ({ blend }) => {
      open()
      blend.enter(clips)
    })
  }
}

export async function make(kind: Making, ids: readonly number[]): Promise<void> {
  if (!fits(kind, ids.length)) return tell(hints[kind])
  await attempt(async () => {
    enter(kind, await Promise.all(ids.map((id) => api.clip(id))))
  })
}

export function closeMaking(): void {
  change({ making: 'none' })
}

/** Keys T and B: of what is selected, or else open; again: back to the library. */
export function toggleMaking(kind: Making): void {
  const state = getState()
  const selected = state.filter.removed ? [] : selectedVisible(state).map((card) => card.id)
  if (state.making === kind) closeMaking()
  else if (fits(kind, selected.length)) void make(kind, selected)
  else void make(kind, kind === 'transition' ? workedOn().slice(0, 2) : workedOn().slice(0, mostClips))
}
