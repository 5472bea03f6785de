// reactor.ts - a character that reacts, on the page: where it is, what it follows, and what it did since it began. No DOM here.
import { trail_s, type LiveBody, type Pawn } from '../live_body'
import type { Place } from './mover'
import { Trail } from './plan_draw'
import { placeAt, type Row, type Sample } from './takes'

// What those who react answer to where the main character went, as docs/studio-api.md lays it out ("Puppets").

/** Messages of reactors begin with this; smaller numbers are streams and steered characters. */
export const reactors = 512

const headBytes = 16
const rowBytes = 44
const perJoint = 7

/** One that reacts, now. */
export interface Answer {
  react: number
  /** The moment of the demonstrations that is followed. */
  run: number
  moment_s: number
  /** It goes on from what was done before, not from the situation alone. */
  coherent: boolean
  x: number
  y: number
  dir: number
  /** Of coherence. */
  weight: number
  /** Share of the steps led by the situation, over about the last second. */
  balance: number
  /** How far its body is from where it should be. */
  away_cm: number
  /** Seven for each joint of its body, place in cm and rotation (w, x, y, z); empty without one. Borrowed. */
  values: Float32Array
}

export interface Answers {
  time_s: number
  rows: Answer[]
}

/** Null: it is no such message, or half of one. */
export function readAnswers(message: ArrayBuffer): Answers | null {
  const view = new DataView(message)
  if (message.byteLength < headBytes || view.getUint32(0, true) !== reactors) return null
  const count = view.getUint32(4, true)
  const answers: Answers = { time_s: view.getFloat64(8, true), rows: [] }
  let at = headBytes
  for (let i = 0; i < count; i++) {
    if (at + rowBytes > message.byteLength) return null
    const joints = view.getUint32(at + 40, true)
    const next = at + rowBytes + 4 * perJoint * joints
    if (next > message.byteLength) return null
    answers.rows.push(readRow(view, at, new Float32Array(message, at + rowBytes, perJoint * joints)))
    at = next
  }
  return answers
}

function readRow(view: DataView, at: number, values: Float32Array): Answer {
  const whole = (by: number) => view.getUint32(at + by, true)
  const number = (by: number) => view.getFloat32(at + by, true)
  return {
    react: whole(0),
    run: whole(4),
    moment_s: number(8),
    coherent: whole(12) !== 0,
    x: number(16),
    y: number(20),
    dir: number(24),
    weight: number(28),
    balance: number(32),
    away_cm: number(36),
    values,
  }
}

// Where the main character went is sent as soon as few enough messages wait for their answers; until then it is collected.
// So a slow machine gets fewer messages with more in each, and never falls behind.

/** Of messages that were not answered yet. */
export const mostWaiting = 2
/** After so long no answer is to be had. */
const patience_ms = 3000
export const mostInOne = 64

export class Lockstep {
  private queue: Sample[] = []
  private waiting = 0
  private sent_ms = 0

  /** `send` gives false where there is no line. */
  constructor(private readonly send: (at: readonly Sample[]) => boolean) {}

  /** The main character is there now. */
  put(sample: Sample, now_ms: number, anybody: boolean): void {
    this.queue.push(sample)
    if (this.queue.length > mostInOne) this.queue.shift()
    if (now_ms - this.sent_ms > patience_ms) this.waiting = 0
    if (!anybody || this.waiting >= mostWaiting || !this.send(this.queue)) return
    this.queue = []
    this.waiting++
    this.sent_ms = now_ms
  }

  answered(): void {
    this.waiting = Math.max(0, this.waiting - 1)
  }

  reset(): void {
    this.queue = []
    this.waiting = 0
  }
}

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
