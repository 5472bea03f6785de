// mover.ts - the main character while it is played: it goes after the pointer or where the arrow keys say, not faster than
// a person can, and looks where it goes unless it has to look elsewhere. No DOM here.

/** A place on the plan, in cm: x to the right, y up. */
export type Spot = readonly [number, number]

/** A character on the plan; where they look is counter-clockwise from x. */
export interface Place {
  x: number
  y: number
  dir: number
}

export function triple({ x, y, dir }: Place): [number, number, number] {
  return [x, y, dir]
}

/** What a character is to do. */
export interface Input {
  /** It is to be there; null: the keys alone count. */
  target: Spot | null
  /** By the keys: right and up, each from -1 to 1. */
  way: Spot
  /** It stands and looks there. */
  lookAt: Spot | null
  /** Its look is turned away from where it goes: 1 to the left, -1 to the right. */
  turn: number
  /** It looks ahead again. */
  ahead: boolean
}

export const nothing: Input = { target: null, way: [0, 0], lookAt: null, turn: 0, ahead: false }

/** As fast as a playing person runs. */
export const topSpeed_cm_s = 240
const keySpeed_cm_s = 170
/** Of what is missing, in a second; with the inertia it is neither late nor beyond. */
const haste = 3
const inertia_s = 0.08
const turning_s = 0.12
export const turnSpeed_rad_s = 2.6
/** Slower than this it cannot be seen where it goes. */
const still_cm_s = 8
/** The room ends there, on all sides. */
export const room_cm = 900

/** From -pi to pi. */
export function wrapped(angle: number): number {
  return Math.atan2(Math.sin(angle), Math.cos(angle))
}

/** What is left of a difference after a time. */
export function left(elapsed_s: number, constant_s: number): number {
  return Math.exp(-elapsed_s / constant_s)
}

function within(value: number): number {
  return Math.max(-room_cm, Math.min(room_cm, value))
}

export class Mover {
  x = 0
  y = 0
  private vx = 0
  private vy = 0
  private heading = 0
  private aside = 0

  get place(): Place {
    return { x: this.x, y: this.y, dir: wrapped(this.heading + this.aside) }
  }

  get speed_cm_s(): number {
    return Math.hypot(this.vx, this.vy)
  }

  /** Stands there. */
  put({ x, y, dir }: Place): void {
    Object.assign(this, { x, y, vx: 0, vy: 0, heading: dir, aside: 0 })
  }

  step(input: Input, elapsed_s: number): Place {
    const [wx, wy] = this.wanted(input)
    const rest = left(elapsed_s, inertia_s)
    this.vx = wx + (this.vx - wx) * rest
    this.vy = wy + (this.vy - wy) * rest
    this.x = within(this.x + this.vx * elapsed_s)
    this.y = within(this.y + this.vy * elapsed_s)
    this.look(input, elapsed_s)
    return this.place
  }

  private wanted({ target, way, lookAt }: Input): Spot {
    const [right, up] = way
    const long = Math.hypot(right, up)
    const fast = keySpeed_cm_s * Math.min(1, long)
    if (long > 0) return [(fast * right) / long, (fast * up) / long]
    if (lookAt || !target) return [0, 0]
    const [dx, dy] = [target[0] - this.x, target[1] - this.y]
    const speed = Math.min(topSpeed_cm_s / Math.max(1e-6, Math.hypot(dx, dy)), haste)
    return [speed * dx, speed * dy]
  }

  private look({ lookAt, turn, ahead }: Input, elapsed_s: number): void {
    if (ahead) this.aside = 0
    this.aside = wrapped(this.aside + turn * turnSpeed_rad_s * elapsed_s)
    const goal = lookAt ? Math.atan2(lookAt[1] - this.y, lookAt[0] - this.x) - this.aside : this.goes()
    if (goal === null) return
    this.heading += wrapped(goal - this.heading) * (1 - left(elapsed_s, turning_s))
  }

  private goes(): number | null {
    return this.speed_cm_s > still_cm_s ? Math.atan2(this.vy, this.vx) : null
  }
}
