// show_session.ts - teaching a puppet: demonstrations by mouse, of which the second pass is made while the first is seen again,
// or by two clips, a table, a ready-made one, or what a saved puppet has learned before.
import { Changes } from '../changes'
import { Pawns, trail_s } from '../live_body'
import { change, getState, tell } from '../store'
import { endOverlook, overlook } from '../viewer/screen'
import { t } from '../words/words'
import { watchFloor } from './bodies'
import { Clock } from './canvas'
import { Hand } from './hand'
import { asked, isComplete, lineFor, type ByMouse, type Demo } from './lessons'
import type { Place, Spot } from './mover'
import { frameOf, spotAt, type Frame } from './plan_draw'
import { puppets } from './session'
import { longest_s, placeAt, Recorder, secondsOf, shortest_s, type Sample } from './takes'

export type Who = 'main' | 'react'

const half_cm = 400
const keySpeed_cm_s = 170
const beside_cm = 120
/** Between one time of seeing both and the next. */
const rest_s = 0.8

class Showing extends Changes {
  readonly moves = new Changes()
  readonly hand = new Hand()
  readonly pawns = new Pawns()
  demos: Demo[] = []
  /** Of the demonstrations: what is on the plan. */
  chosen = 0
  /** Whose pass the next press begins; null: both are there and are seen. */
  next: Who | null = 'main'
  recorder: Recorder | null = null
  /** Of the pass that is made, or of what is seen. */
  time_s = 0
  frame: Frame = frameOf(1, 1, half_cm)
  /** By keys the pointer is this; it can be put somewhere before a pass begins. */
  pen: Spot = [0, 0]
  /** Arrow keys lead, or did last. */
  keyed = false
  private began = 0
  private readonly clock = new Clock((elapsed_s) => this.picture(elapsed_s))
  private stops: (() => void)[] = []

  enter(): void {
    this.stops = [this.hand.listen(() => this.leadByKeys()), watchFloor()]
    change({ pawns: this.pawns, shown: [] })
    overlook([0, 0], 2 * half_cm)
    this.clock.start()
    this.see()
  }

  leave(): void {
    this.clock.stop()
    this.recorder = null
    for (const stop of this.stops) stop()
    change({ pawns: null })
    endOverlook()
  }

  get byMouse(): ByMouse | null {
    const demo = this.demos[this.chosen]
    return demo?.what === 'mouse' ? demo : null
  }

  resize(width: number, height: number): void {
    this.frame = frameOf(width, height, half_cm)
  }

  // Demonstrations

  add(demo: Demo): void {
    this.demos = [...this.demos, demo]
    if (!this.byMouse) this.another()
    this.tell()
  }

  drop(index: number): void {
    this.demos = this.demos.filter((_, i) => i !== index)
    this.choose(this.chosen > index ? this.chosen - 1 : this.chosen)
  }

  /** With all that a saved puppet has learned, and more. */
  more(name: string): void {
    this.demos = [{ what: 'puppet', name }]
    this.another()
  }

  clear(): void {
    this.demos = []
    this.another()
  }

  /** Only what was shown by mouse can be seen; otherwise the next press begins one more. */
  choose(index: number): void {
    this.chosen = this.demos[index]?.what === 'mouse' ? index : this.demos.length
    const demo = this.byMouse
    this.next = !demo ? 'main' : demo.react.length ? null : 'react'
    this.placePen()
    this.see()
  }

  another(): void {
    this.choose(this.demos.length)
  }

  redo(who: Who): void {
    this.next = who
    this.placePen()
    this.see()
  }

  /** Who is led by keys begins where that one began before; who reacts at first beside the main character. */
  private placePen(): void {
    const { byMouse, next } = this
    const [own] = next ? (byMouse?.[next] ?? []) : []
    const [main] = byMouse?.main ?? []
    this.pen = own ? [own[1], own[2]] : main ? [main[1], main[2] - beside_cm] : [0, 0]
  }

  /** What cannot be taught by yet is left out. */
  get complete(): Demo[] {
    return this.demos.filter(isComplete)
  }

  async train(name: string, about: string): Promise<boolean> {
    const body = { name, demonstrations: this.complete.map(asked), ...(about && { about }) }
    return puppets.train(body, lineFor(this.demos, name))
  }

  // The plan

  get pointer(): Spot {
    const { at } = this.hand
    return at ? spotAt(this.frame, at[0], at[1]) : this.pen
  }

  /** A press on the plan, or Enter: a pass begins. */
  begin(): void {
    if (!this.next || this.recorder) return
    const [x, y] = this.pointer
    this.pen = [x, y]
    this.recorder = new Recorder({ x, y, dir: this.next === 'react' ? Math.PI : 0 })
    this.began = performance.now()
    this.time_s = 0
    this.clock.request()
    this.tell()
  }

  /** The pass is not wanted. */
  dropPass(): void {
    if (!this.recorder) return
    this.recorder = null
    this.placePen()
    this.see()
  }

  private leadByKeys(): void {
    this.keyed = true
    this.clock.request()
  }

  /** The pointer is somewhere else. */
  lead(now_ms: number): void {
    this.recorder?.move((now_ms - this.began) / 1000, this.pointer, this.hand.looks)
  }

  end(): void {
    const { recorder, next } = this
    if (!recorder || !next) return
    this.lead(performance.now())
    this.recorder = null
    if (recorder.seconds < shortest_s) {
      tell(t`That was too short: ${shortest_s} s is the least.`)
    } else if (next === 'main') {
      this.put({ what: 'mouse', main: recorder.samples, react: [] })
    } else if (this.byMouse) {
      this.put({ ...this.byMouse, react: recorder.samples })
    }
    this.choose(this.chosen)
  }

  private put(demo: ByMouse): void {
    const all = [...this.demos]
    all[this.chosen] = demo
    this.demos = all
  }

  /** Where both are now; null: not there. */
  get places(): Record<Who, Place | null> {
    const { byMouse, recorder, next, time_s } = this
    const seen = (who: Who) => {
      if (recorder && next === who) return recorder.place
      const pass = byMouse?.[who] ?? []
      return pass.length && next !== who && (who === 'main' || next !== 'main') ? placeAt(pass, time_s) : null
    }
    return { main: seen('main'), react: seen('react') }
  }

  private see(): void {
    this.time_s = 0
    this.clock.request()
    this.tell()
  }

  private picture(elapsed_s: number): boolean {
    this.movePen(elapsed_s)
    if (this.recorder) this.record()
    else this.replay(elapsed_s)
    this.draw()
    const moves = this.keyed && this.hand.way.some((each) => each !== 0)
    return this.recorder !== null || this.byMouse !== null || moves
  }

  private movePen(elapsed_s: number): void {
    const [right, up] = this.hand.way
    const far = keySpeed_cm_s * elapsed_s
    const { width, height, scale } = this.frame
    const inside = (value: number, side: number) => Math.max(-side / 2 / scale, Math.min(side / 2 / scale, value))
    const [x, y] = this.pen
    this.pen = this.hand.at ? this.pointer : [inside(x + far * right, width), inside(y + far * up, height)]
  }

  private record(): void {
    const now = performance.now()
    this.lead(now)
    this.time_s = (now - this.began) / 1000
    const until = this.next === 'react' && this.byMouse ? secondsOf(this.byMouse.main) : longest_s
    if (this.time_s >= until) this.end()
  }

  private replay(elapsed_s: number): void {
    const seconds = secondsOf(this.byMouse?.main ?? [])
    this.time_s = this.time_s > seconds + rest_s ? 0 : this.time_s + elapsed_s
  }

  /** Of a pass. */
  samplesOf(who: Who): readonly Sample[] {
    const { recorder, next, byMouse } = this
    return recorder && next === who ? recorder.samples : (byMouse?.[who] ?? [])
  }

  private trailOf(who: Who) {
    const { time_s } = this
    const some = this.samplesOf(who).filter(([time]) => time <= time_s && time > time_s - trail_s)
    return some.map(([time, x, y]) => ({ time_s: time, x, y }))
  }

  draw(): void {
    if (getState().making !== 'puppets') return
    const { main, react } = this.places
    const pawn = (who: Who, place: Place | null) => {
      const hue = who === 'main' ? 0 : 1
      return place ? [{ ...place, hue, bodily: false, trail: this.trailOf(who) }] : []
    }
    this.pawns.set([...pawn('main', main), ...pawn('react', react)], this.time_s)
    this.moves.tell()
  }
}

export const showing = new Showing()
