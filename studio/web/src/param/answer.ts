// answer.ts - what the server answers about a motion of a family, and where its playhead belongs. No DOM here.
import type { Standing } from '../api'
import type { Made, MadeFacts } from '../making/made'
import type { PlayerState } from '../player'

export interface Answer extends MadeFacts {
  target: number[]
  reached: number[]
  error: number
  table_error: number
  error_unit: string
  outside: boolean
  /** One of each example of the family. */
  weights: number[]
  nearest: number
  /** Of each feature: a frame, not a whole one; null: all. */
  moments: (number | null)[]
  places: (Standing | null)[]
}

export function factsOf(made: Made): Answer {
  return made.facts as Answer
}

const slack_s = 0.03

function lengthOf({ frames, fps }: Pick<Answer, 'frames' | 'fps'>): number {
  return Math.max(1, frames - 1) / fps
}

/** Where the playhead belongs in a motion. */
export type TimeFor = (answer: Pick<Answer, 'frames' | 'fps'>, moment_s: number | null) => number

/** A playhead at the moment stays at the moment, in the next motion too; elsewhere it keeps its share of the
 * whole. */
export function timeFor(
  { time, playing }: Pick<PlayerState, 'time' | 'playing'>,
  moment_s: number | null,
  before: Pick<Answer, 'frames' | 'fps'> | null,
): TimeFor {
  const there = !before || (!playing && moment_s !== null && Math.abs(time - moment_s) < slack_s)
  const share = before ? time / lengthOf(before) : 0
  return (answer, moment) => (there && moment !== null ? moment : share * lengthOf(answer))
}
