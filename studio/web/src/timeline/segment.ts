// segment.ts - marking a segment of the leading clip: the one place that changes it, so that the player's
// range follows.
import { attempt } from '../attempt'
import { openClips } from '../open_clips'
import { act } from '../operations'
import { player } from '../player'
import { change, getState, tell, type Segment } from '../store'
import { t } from '../words/words'
import { clamp } from './scale'

export const segmentNameField = 'timeline-segment-name'

function leaderFrames(): number {
  return getState().shown[0]?.clip.frames ?? 0
}

/** Frames [start, end), in whichever order they come; at least one. */
export function markSegment(start: number, end: number): void {
  const frames = leaderFrames()
  if (frames < 1) return
  const low = clamp(Math.min(start, end), 0, frames - 1)
  const high = clamp(Math.max(start, end), low + 1, frames)
  const segment: Segment = { start: low, end: high }
  change({ segment })
  player.set({ rangeStart: low, rangeEnd: high })
}

export function clearSegment(): void {
  if (getState().segment) change({ segment: null })
  player.playWhole()
}

/** The segment begins at the playhead; one that ended before it now goes to the clip's end. */
export function segmentStartHere(): void {
  const segment = getState().segment
  const here = player.frame
  markSegment(here, segment && segment.end > here ? segment.end : leaderFrames())
}

/** The segment ends with the frame at the playhead. */
export function segmentEndHere(): void {
  const segment = getState().segment
  const here = player.frame
  markSegment(segment && segment.start <= here ? segment.start : 0, here + 1)
}

/** Goes to the field for its name; Enter there saves. */
export function saveSegment(): void {
  const field = document.getElementById(segmentNameField)
  if (field instanceof HTMLInputElement) {
    field.focus()
    field.select()
  } else tell(t('Mark a segment first: shift-drag on the timeline, or set in and out.'))
}

/** "walk-2" after "walk" and "walk-1": a name that the library does not have. */
export function freeName(name: string, taken: ReadonlySet<string>): string {
  for (let i = 1; ; i++) if (!taken.has(`${name}-${i}`)) return `${name}-${i}`
}

/** Makes a clip of the segment. The list follows by the live socket. */
export async function cutSegment(name: string): Promise<boolean> {
  const { segment, shown } = getState()
  const clip = shown[0]?.clip
  if (!segment || !clip) return false
  return attempt(async () => {
    const cut = { clip: clip.id, start: segment.start, end: segment.end, name }
    const { clips } = await act<{ clips: { id: number; name: string }[] }>('cut', { cuts: [cut] })
    const [made] = clips
    if (made) tell(t`Saved as ${made.name}`, 'info', { label: t('Open'), run: () => void openClips([made.id]) })
  })
}
