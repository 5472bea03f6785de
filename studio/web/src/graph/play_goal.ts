// play_goal.ts - click-to-go: the input that brings a steered character to a place and stops it there. It is an input as any
// other, so what is saved goes there, too. No DOM here.
import type { Course } from '../live_body'
import type { Spot } from '../store'

/** Near enough, cm. */
export const near_cm = 35
/** How long a character goes on after it is asked to stand. */
const stopping_s = 0.75
/** Slower than this it is not asked to go. */
const slowest_cm_s = 45
/** One that gets no nearer for so long is going round its goal: it stands, and goes on from there. */
const patience_s = 1.5
const nearer_cm = 8
/** It stands so long before it tries again, and tries so often. */
const rest_s = 1.2
const mostTries = 4
/** Of the way that is left, in a second. */
const haste = 0.8

interface Body {
  x_cm: number
  z_cm: number
  does: Course
}

export class Going {
  arrived = false
  private least = Infinity
  private since_s = 0
  private restsFrom_s = -1
  private tries = 0

  constructor(readonly place: Spot) {}

  /** What it is to do now; `arrived` once it stands there, or as near as it can. */
  input({ x_cm, z_cm, does }: Body, at_s: number, fastest_cm_s: number): Course {
    const [dx, dz] = [this.place[0] - x_cm, this.place[1] - z_cm]
    const far = Math.hypot(dx, dz)
    const direction_rad = Math.atan2(-dz, dx)
    const stand = { direction_rad, speed_cm_s: 0 }
    if (this.restsFrom_s >= 0) {
      const rests = at_s - this.restsFrom_s < rest_s
      if (rests) return stand
      if (far < near_cm || this.tries >= mostTries) {
        this.arrived = true
        return stand
      }
      this.begin(at_s)
    }
    if (far < this.least - nearer_cm) {
      this.least = far
      this.since_s = at_s
    }
    // Where it will be when it stands, if it is asked to now: beyond the place, or near it, is where to stop.
    const towards = does.speed_cm_s * Math.cos(does.direction_rad - direction_rad)
    const circles = at_s - this.since_s > patience_s && Math.abs(towards) > 10
    const stuck = at_s - this.since_s > 3 * patience_s
    if (far < near_cm / 2 || far < towards * stopping_s || circles || stuck) {
      this.tries++
      this.restsFrom_s = at_s
      return stand
    }
    return { direction_rad, speed_cm_s: Math.max(slowest_cm_s, Math.min(fastest_cm_s, haste * far)) }
  }

  private begin(at_s: number): void {
    this.restsFrom_s = -1
    this.least = Infinity
    this.since_s = at_s
  }
}
