// play_session.ts - playing with those who react: the main character follows the pointer, where it went is sent with every
// picture of the screen, and the answers move all others. No clock but the page's own.
import { Changes } from '../changes'
import { watchGamepad, type Pad } from '../gamepad'
import { dismissReactor, onAnswers, onLibrary, openReactor, sendMain, type ReactStart } from '../live'
import { Pawns, trail_s } from '../live_body'
import { wantsLessMotion } from '../motion'
import { change, getState, tell } from '../store'
import { endOverlook, overlook } from '../viewer/screen'
import { t } from '../words/words'
import { bodyFor, showBodies, watchFloor } from './bodies'
import { Clock } from './canvas'
import { Hand } from './hand'
import { Mover, triple, type Place, type Spot } from './mover'
import { eased, frameOf, halfFor, least_cm, spotAt, Trail, type Frame } from './plan_draw'
import { Lockstep, mostReactors, mostRows, Reactor, readAnswers, startAround } from './reactor'
import { puppets } from './session'
import type { Sample } from './takes'

const calm_ms = 80
const seen_cm = 740
const home: Place = { x: 0, y: 0, dir: 0 }

class Playing extends Changes {
  /** Told with every picture, and some times a second. */
  readonly moves = new Changes()
  readonly calmMoves = new Changes()
  readonly hand = new Hand()
  readonly trail = new Trail(trail_s)
  readonly pawns = new Pawns()
  reactors: Reactor[] = []
  paused = false
  /** The pointer leads also when it is not pressed. */
  hover = true
  /** Null: the default. */
  balance: number | null = null
  rough = false
  /** Whose bodies go there; '' for none. */
  graph = ''
  main: Place = home
  time_s = 0
  /** Of the main character, since the beginning. */
  rows: Sample[] = []
  frame: Frame = frameOf(1, 1, least_cm)
  private half_cm = least_cm
  private readonly mover = new Mover()
  private readonly lockstep = new Lockstep(sendMain)
  /** The tab is open: otherwise no character is asked for. */
  private entered = false
  private calm = 0
  private padWay: Spot = [0, 0]
  private readonly clock = new Clock((elapsed_s, now) => this.picture(elapsed_s, now))
  private stops: (() => void)[] = []

  enter(): void {
    const again = this.reactors.map(({ puppet }) => puppet).filter((name) => puppets.has(name))
    this.reactors = []
    this.entered = true
    // Characters that react move by themselves: Go on, or an arrow key, begins it.
    if (wantsLessMotion()) this.paused = true
    const pad = watchGamepad((now) => this.takePad(now))
    this.stops = [this.hand.listen(() => this.goOn()), watchFloor(), onLibrary(() => this.comeBack()), pad]
    onAnswers((message) => this.take(message))
    change({ pawns: this.pawns, shown: [] })
    overlook([0, 0], seen_cm)
    this.reset()
    const first = puppets.has('follower') ? 'follower' : puppets.table?.puppets[0]?.name
    for (const name of again.length ? again : first ? [first] : []) this.add(name)
    this.clock.start()
    this.tell()
  }

  leave(): void {
    this.entered = false
    this.clock.stop()
    for (const stop of this.stops) stop()
    for (const { number } of this.reactors) dismissReactor(number)
    onAnswers(() => undefined)
    change({ pawns: null, ...(getState().making === 'puppets' && { shown: [] }) })
    endOverlook()
  }

  resize(width: number, height: number): void {
    this.frame = frameOf(width, height, this.half_cm)
  }

  // Who reacts

  /** Plays along when the tab is opened. */
  invite(puppet: string): void {
    if (!this.reactors.some((each) => each.puppet === puppet)) {
      this.reactors = [...this.reactors.slice(0, mostReactors - 1), new Reactor(0, puppet)]
    }
  }

  add(puppet: string): void {
    const taken = new Set(this.reactors.map(({ number }) => number))
    const number = [...Array(mostReactors).keys()].find((each) => !taken.has(each))
    if (number === undefined) return
    const same = this.reactors.filter((each) => each.puppet === puppet).length
    const reactor = new Reactor(number, puppet)
    this.reactors = [...this.reactors, reactor]
    this.open(reactor, this.around(puppet, same))
    this.tell()
  }

  remove(reactor: Reactor): void {
    dismissReactor(reactor.number)
    this.reactors = this.reactors.filter((each) => each !== reactor)
    showBodies(this.reactors)
    this.tell()
    this.draw()
  }

  private around(puppet: string, which: number): Place | null {
    const row = puppets.demonstrated(puppet)?.run_list[0]?.rows[0]
    return which && row ? startAround(this.main, row, which) : null
  }

  private open(reactor: Reactor, start: Place | null): void {
    const { balance, rough, graph, main, time_s } = this
    if (!this.entered) return
    const request = {
      puppet: reactor.puppet,
      main: triple(main),
      time_s,
      ...(start && { start: triple(start) }),
      ...(balance !== null && { balance }),
      ...(rough && { rough }),
      ...(graph && { graph }),
    }
    Object.assign(reactor, { state: 'opening', lost: false })
    const listener = {
      begin: (begun: ReactStart) => void this.begin(reactor, begun, time_s),
      failed: (message: string) => this.fail(reactor, message),
      lost: () => this.lose(reactor, t('the line to the studio broke')),
    }
    if (!openReactor(reactor.number, request, listener)) this.lose(reactor, t('there is no line to the studio'))
  }

  private async begin(reactor: Reactor, { start, skeleton, joints }: ReactStart, since_s: number): Promise<void> {
    const [x, y, dir] = start
    reactor.begin({ x, y, dir }, since_s)
    reactor.live = null
    this.tell()
    if (skeleton && joints) await bodyFor(reactor, skeleton, joints, (message) => this.fail(reactor, message, true))
    if (this.entered && this.reactors.includes(reactor)) showBodies(this.reactors)
    this.tell()
    this.draw()
  }

  private lose(reactor: Reactor, message: string): void {
    reactor.lost = true
    this.fail(reactor, message, true)
  }

  /** The line may be there again. */
  private comeBack(): void {
    for (const reactor of this.reactors) if (reactor.lost) this.again(reactor)
  }

  /** One that plays goes on: it was only too slow for a moment. That is said once, not whenever it happens. */
  private fail(reactor: Reactor, message: string, over = reactor.state !== 'on'): void {
    if (!over) {
      if (!reactor.warned) tell(`${reactor.puppet}: ${message}`, 'error')
      reactor.warned = true
      return
    }
    Object.assign(reactor, { state: 'failed', error: message })
    this.lockstep.reset()
    this.tell()
  }

  // How they react

  set(fields: Partial<Pick<Playing, 'balance' | 'rough' | 'graph'>>): void {
    Object.assign(this, fields)
    for (const reactor of this.reactors) this.open(reactor, reactor.place)
    this.tell()
  }

  again(reactor: Reactor): void {
    this.open(reactor, reactor.place)
    this.tell()
  }

  restart(): void {
    this.reset()
    const seen = new Map<string, number>()
    for (const reactor of this.reactors) {
      const which = seen.get(reactor.puppet) ?? 0
      seen.set(reactor.puppet, which + 1)
      reactor.trail.clear()
      this.open(reactor, this.around(reactor.puppet, which))
    }
    this.goOn()
    this.tell()
  }

  private reset(): void {
    this.mover.put(home)
    this.main = home
    this.time_s = 0
    this.lockstep.reset()
    this.rows = [[0, 0, 0, 0]]
    this.trail.clear()
    this.draw()
  }

  // Time

  pause(): void {
    this.paused = !this.paused
    this.clock.request()
    this.tell()
  }

  private goOn(): void {
    if (this.paused) this.pause()
  }

  private picture(elapsed_s: number, now: number): boolean {
    if (elapsed_s > 0 && !this.paused) this.step(elapsed_s, now)
    this.draw()
    if (now - this.calm > calm_ms) {
      this.calm = now
      this.calmMoves.tell()
    }
    return !this.paused
  }

  /** The left stick of a gamepad leads in place of the pointer, as the arrow keys do. */
  private takePad(pad: Pad | null): void {
    this.padWay = pad?.left ?? [0, 0]
    if (!this.padWay[0] && !this.padWay[1]) return
    this.hand.at = null
    this.goOn()
  }

  private step(elapsed_s: number, now: number): void {
    this.time_s += elapsed_s
    const input = this.hand.input(this.target)
    const [right, up] = this.padWay
    this.main = this.mover.step(right || up ? { ...input, way: this.padWay } : input, elapsed_s)
    const { x, y, dir } = this.main
    this.trail.put(this.time_s, this.main)
    if (this.rows.length < mostRows) this.rows.push([this.time_s, x, y, dir])
    this.lockstep.put([this.time_s, x, y, dir], now, this.reactors.some(({ state }) => state !== 'failed'))
    const places = [this.main, ...this.reactors.flatMap(({ place }) => place ?? [])]
    const { width, height } = this.frame
    this.half_cm = eased(this.half_cm, halfFor(places, width, height), elapsed_s)
    this.frame = frameOf(width, height, this.half_cm)
  }

  private take(message: ArrayBuffer): void {
    const answers = readAnswers(message)
    if (!answers) return
    this.lockstep.answered()
    for (const row of answers.rows) {
      this.reactors.find(({ number, state }) => number === row.react && state === 'on')?.take(row, answers.time_s)
    }
    if (this.paused) this.draw()
  }

  get target(): Spot | null {
    const { at, pressed } = this.hand
    return at && (this.hover || pressed) ? spotAt(this.frame, at[0], at[1]) : null
  }

  private draw(): void {
    const { x, y, dir } = this.main
    const led = { x, y, dir, hue: 0, bodily: false, trail: this.trail.marks }
    this.pawns.set([led, ...this.reactors.flatMap(({ pawn }) => pawn ?? [])], this.time_s)
    this.moves.tell()
  }
}

export const playing = new Playing()
