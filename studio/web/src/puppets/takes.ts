// takes.ts - demonstrations by mouse: one pass for the main character, one for who reacts to it, each at the pace of the hand;
// and both together as rows. No DOM here.
import { left, wrapped, turnSpeed_rad_s, type Place, type Spot } from './mover'

/** Seconds, x, y, where it looks. */
export type Sample = readonly [number, number, number, number]
/** Seconds, then x, y and look of the main character and of who reacts. */
export type Row = readonly [number, number, number, number, number, number, number]

/** A hand is faster than a character can follow. */
const most_cm_s = 450
/** A way that is shorter has no direction. */
const least_cm = 4
const turning_s = 0.09
/** Samples that are nearer in time tell nothing new. */
const apart_s = 0.004
export const rate = 60
/** A pass ends by itself then. */
export const longest_s = 120
export const shortest_s = 1

export interface Looks {
  /** It stands and looks at the pointer. */
  looking: boolean
  /** As for movers. */
  turn: number
  ahead: boolean
}

/** Writes down where the pointer leads a character. */
export class Recorder {
  readonly samples: Sample[] = []
  private heading: number
  private aside = 0
  /** Where the direction was read last. */
  private from: Spot
  private goal: number

  constructor(start: Place) {
    this.samples.push([0, start.x, start.y, start.dir])
    this.heading = this.goal = start.dir
    this.from = [start.x, start.y]
  }

  get seconds(): number {
    return this.samples[this.samples.length - 1]![0]
  }

  get place(): Place {
    const [, x, y, dir] = this.samples[this.samples.length - 1]!
    return { x, y, dir }
  }

  /** The pointer is there `time_s` after the beginning. False: that is as good as now. */
  move(time_s: number, pointer: Spot, { looking, turn, ahead }: Looks): boolean {
    const elapsed = time_s - this.seconds
    if (elapsed < apart_s || time_s > longest_s) return false
    const { x, y } = this.place
    const [dx, dy] = [pointer[0] - x, pointer[1] - y]
    const share = looking ? 0 : Math.min(1, (most_cm_s * elapsed) / Math.max(1e-6, Math.hypot(dx, dy)))
    const [nx, ny] = [x + share * dx, y + share * dy]
    if (ahead) this.aside = 0
    this.aside = wrapped(this.aside + turn * turnSpeed_rad_s * elapsed)
    if (looking) this.goal = Math.atan2(dy, dx) - this.aside
    else this.read(nx, ny)
    this.heading += wrapped(this.goal - this.heading) * (1 - left(elapsed, turning_s))
    this.samples.push([time_s, nx, ny, wrapped(this.heading + this.aside)])
    return true
  }

  private read(x: number, y: number): void {
    const [dx, dy] = [x - this.from[0], y - this.from[1]]
    if (Math.hypot(dx, dy) < least_cm) return
    this.goal = Math.atan2(dy, dx)
    this.from = [x, y]
  }
}

/** Where a character is then; before and behind the pass as at its ends. */
export function placeAt(samples: readonly Sample[], time_s: number): Place {
  let [low, high] = [0, samples.length - 1]
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if (samples[middle]![0] <= time_s) low = middle
    else high = middle
  }
  const [a, b] = [samples[low]!, samples[high]!]
  const share = b[0] > a[0] ? Math.max(0, Math.min(1, (time_s - a[0]) / (b[0] - a[0]))) : 0
  const between = (k: 1 | 2) => a[k] + share * (b[k] - a[k])
  return { x: between(1), y: between(2), dir: wrapped(a[3] + share * wrapped(b[3] - a[3])) }
}

export function secondsOf(samples: readonly Sample[]): number {
  return samples.length ? samples[samples.length - 1]![0] : 0
}

/** Both passes at the same times, for as long as both last. */
export function together(main: readonly Sample[], react: readonly Sample[]): Row[] {
  const seconds = Math.min(secondsOf(main), secondsOf(react))
  return Array.from({ length: Math.floor(seconds * rate + 1e-6) + 1 }, (_, i) => {
    const [a, b] = [placeAt(main, i / rate), placeAt(react, i / rate)]
    return [i / rate, a.x, a.y, a.dir, b.x, b.y, b.dir] as const
  })
}

const mainNames = 'time,main_x,main_y,main_dir'
const decimals = [4, 2, 2, 4, 2, 2, 4]

/** The table that the program reads and writes, with or without who reacts. */
export function csvOf(rows: readonly (readonly number[])[]): string {
  const names = (rows[0]?.length ?? 4) > 4 ? `${mainNames},react_x,react_y,react_dir` : mainNames
  const lines = rows.map((row) => row.map((value, k) => String(Number(value.toFixed(decimals[k])))).join(','))
  return `${[names, ...lines].join('\n')}\n`
}
