// reactor.ts - a character that reacts, on the page: where it is, what it follows, and what it did since it began. No DOM here.
import type { LiveBody } from '../live_body'
import { trail_s, type Pawn } from '../pawns'
import type { Answer } from './messages'
import type { Place } from './mover'
import { Trail } from './plan_view'
import { placeAt, type Row, type Sample } from './takes'

export const mostReactors = 8
/** Ten minutes are recorded, then no more. */
export const mostRows = 36000
/** Several of one kind stand around the main character, as seeds do in a flower. */
const around_rad = 2.4

export class Reactor {
  state: 'opening' | 'on' | 'failed' = 'opening'
  error = ''
  /** There was no line for it: it comes back with the line. */
  lost = false
  /** It was said that it is too slow. */
  warned = false
  place: Place | null = null
  answer: Answer | null = null
  live: LiveBody | null = null
  /** Where it began, and when. */
  start: Place | null = null
  since_s = 0
  readonly trail = new Trail(trail_s)
  rows: Sample[] = []

  constructor(
    readonly number: number,
    readonly puppet: string,
  ) {}

  /** As those of several clips, but for the third: it is too like the main character's. */
  get hue(): number {
    return this.number + (this.number < 2 ? 1 : 2)
  }

  get colour(): string {
    return `--clip-${this.hue}`
  }

  /** As it is in the view; null while it has not come. */
  get pawn(): Pawn | null {
    const { place, hue, live, trail } = this
    return place && { ...place, hue, bodily: live !== null && live.poses > 0, trail: trail.marks }
  }

  begin(start: Place, since_s: number): void {
    Object.assign(this, { state: 'on', error: '', start, place: start, since_s, answer: null })
    this.rows = [[since_s, start.x, start.y, start.dir]]
  }

  take(answer: Answer, time_s: number): void {
    const { x, y, dir } = answer
    this.answer = answer
    this.place = { x, y, dir }
    this.trail.put(time_s, answer)
    const last = this.rows[this.rows.length - 1]
    if (this.state === 'on' && this.rows.length < mostRows && last && time_s > last[0]) this.rows.push([time_s, x, y, dir])
    if (answer.values.length) this.live?.put(answer.values, x, -y)
  }
}

/** What was played with a character, from when it began: the main character's own times. */
export function playedRows({ rows, since_s }: Reactor, main: readonly Sample[]): Row[] {
  const until = rows[rows.length - 1]?.[0] ?? since_s
  const all: Row[] = []
  const first = placeAt(main, since_s)
  const begin = rows[0]
  if (begin && main.length) all.push([0, first.x, first.y, first.dir, begin[1], begin[2], begin[3]])
  for (const [time, x, y, dir] of main) {
    if (time <= since_s || time > until) continue
    const at = placeAt(rows, time)
    all.push([time - since_s, x, y, dir, at.x, at.y, at.dir])
  }
  return all
}

/** Where the so-manieth of a kind stands: as the demonstration begins, turned around the main character. */
export function startAround(main: Place, [, mx, my, md, rx, ry, rd]: Row, which: number): Place {
  const turn = main.dir - md + which * around_rad
  const [dx, dy] = [rx - mx, ry - my]
  const [cos, sin] = [Math.cos(turn), Math.sin(turn)]
  return { x: main.x + cos * dx - sin * dy, y: main.y + sin * dx + cos * dy, dir: rd + turn }
}
