// play_session.ts - a character that is steered: keys and the stick say where it is to go, the server sends its poses sixty
// times a second, and the viewer draws them with the input and what became of it. Other keys, buttons and clicks on the floor
// ask for actions and for motions of families, and send it to places. What was seen is played again when it is over, and saved.
import { api, type Clip, type Family, type FamilyRow, type Graph } from '../api'
import { attempt } from '../attempt'
import { perPicture } from '../changes'
import { arrowWays, hasModifier, isTyped } from '../controls'
import { padButtons, watchGamepad, type Pad } from '../gamepad'
import { askFor, haltSteering, sendCourse, steer, type Asked, type Played, type SteerScore, type SteerStart } from '../live'
import { actionMark, LiveBody, transitionMark, type Course } from '../live_body'
import { bareClip } from '../making/made'
import { nameFor, Session, showAlone } from '../making/session'
import { lineOf, showCommand } from '../operations'
import { placeOf, spotsOf, tidy, withPlace } from '../param/param_data'
import { player } from '../player'
import { change, changeView, getState, tell, type Spot } from '../store'
import { view } from '../timeline/view'
import { looking, turnCamera } from '../viewer/screen'
import { t } from '../words/words'
import { byFit, familyWord, firstValues } from './motions'
import { Going } from './play_goal'
import { Take } from './play_take'
import { graphs, ids } from './session'

/** Its number on the line. */
const number = 0
/** An input that changed less is not sent again. */
const nearly = { direction_rad: 0.015, speed_cm_s: 1 }
/** The shape is learned from so many frames; no more are in the timeline. */
const learned = 2

/** A command line with more inputs would be of no use. */
const mostInputs = 2000
/** Radians a second, of the camera. */
const camera_rad_s = 2
/** The first of what it does. */
const doButtons: readonly number[] = [padButtons.a, padButtons.b, padButtons.x, padButtons.y]
const fastButtons = [padButtons.leftBumper, padButtons.rightBumper, padButtons.leftTrigger, padButtons.rightTrigger]

/** What a character may be asked for: an action; or a motion of a family, once that is known with its numbers. */
export interface Doable {
  name: string
  row: FamilyRow | null
  family: Family | null
  values: readonly number[]
}

/** The feature of a family that is a place as the body sees it when it begins; -1: none is. */
export function pointOf(family: Family): number {
  return spotsOf(family).find((feature) => family.params[feature]!.from === 'start') ?? -1
}

/** A place of the floor as a body sees it that stands and faces so: to its left and ahead. */
export function asSeen([x, z]: Spot, from: { x_cm: number; z_cm: number; direction_rad: number }): [left: number, ahead: number] {
  const [dx, dz] = [x - from.x_cm, z - from.z_cm]
  const [cos, sin] = [Math.cos(from.direction_rad), Math.sin(from.direction_rad)]
  return [-dx * sin - dz * cos, dx * cos - dz * sin]
}

/** As short as it is sent, so that a script has the same numbers; directions from -pi to pi. */
function rounded({ direction_rad, speed_cm_s }: Course): Course {
  const around = Math.atan2(Math.sin(direction_rad), Math.cos(direction_rad))
  return { direction_rad: Number(around.toFixed(3)), speed_cm_s: Number(speed_cm_s.toFixed(1)) }
}

/** "kick" of "kick(height=95)" */
function nameIn(text: string): string {
  return text.replace(/\(.*$/s, '')
}

class Steering extends Session {
  graph: Graph | null = null
  running = false
  starting = false
  live: LiveBody | null = null
  score: SteerScore | null = null
  speeds: number[] = []
  /** What steers it: the first of the server's controllers needs a policy, matching needs none. */
  controller = 'graph'
  /** Of the speeds: what the keys ask for. */
  pace = 0
  /** In the order of their keys: actions first. A family counts more than an action of its name. */
  doables: readonly Doable[] = []
  /** The name of what it was asked for and has not begun, and of what it does; '': nothing. */
  pending = ''
  doing = ''
  /** What the server said of the last request. */
  answered: (Asked & { name: string }) | null = null
  refused: { name: string; message: string } | null = null
  /** The family that a click on the floor asks for; '': none. */
  aimed = ''
  /** What `graph control` makes the same motion of; null: nothing was played. */
  played: Played | null = null
  /** The place it goes to, and once it is there how far off it stands. */
  going: Going | null = null
  missed_cm: number | null = null
  /** The name of the gamepad that is connected; '': none is. */
  padName = ''
  private padWay: readonly [number, number] = [0, 0]
  private padFast = false
  private stopPad: () => void = () => undefined
  private take: Take | null = null
  private lastAsked = ''
  /** The stick, or null: to the right and ahead, up to 1. */
  private stick: readonly [number, number] | null = null
  private readonly down = new Set<string>()
  private fast = false
  private sent = { direction_rad: 0, speed_cm_s: 0 }
  private rate = 60
  private skeleton: Clip | null = null
  private motion: ArrayBuffer | null = null

  enter(graph: Graph): void {
    this.graph = graph
    this.error = ''
    this.score = null
    this.live = null
    this.played = null
    this.speeds = graph.policy?.speeds ?? []
    this.forgetAsked()
    void this.loadDoables(graph)
    window.addEventListener('keydown', this.press, true)
    window.addEventListener('keyup', this.release, true)
    window.addEventListener('blur', this.letGo)
    this.stopPad = watchGamepad((pad, elapsed_s) => this.takePad(pad, elapsed_s))
    this.tell()
  }

  leave(): void {
    window.removeEventListener('keydown', this.press, true)
    window.removeEventListener('keyup', this.release, true)
    window.removeEventListener('blur', this.letGo)
    this.letGo()
    this.stopPad()
    if (this.running || this.starting) haltSteering(number)
    if (this.running) this.showTake()
    this.running = this.starting = false
    this.take = null
    this.graph = null
    this.aimed = ''
    this.going = null
    this.heedFloor()
  }

  // What it is asked for

  private async loadDoables(graph: Graph): Promise<void> {
    await attempt(async () => {
      const { spaces } = await api.families()
      if (this.graph !== graph) return
      const actions = graph.actions.filter((label) => !spaces.some(({ name }) => name === label))
      const plain = { row: null, family: null, values: [] }
      this.doables = [
        ...actions.map((name) => ({ ...plain, name })),
        ...byFit(spaces, graph).map((row) => ({ ...plain, name: row.name, row })),
      ]
      this.tell()
      for (const { name } of spaces) {
        const family = await api.family(name)
        if (this.graph !== graph) return
        this.putDoable(name, { family, values: firstValues(family) })
      }
    })
  }

  private putDoable(name: string, fields: Partial<Doable>): void {
    this.doables = this.doables.map((each) => (each.name === name ? { ...each, ...fields } : each))
    this.tell()
  }

  setValues(name: string, values: readonly number[]): void {
    this.putDoable(name, { values })
  }

  private forgetAsked(): void {
    this.pending = this.doing = ''
    this.answered = this.refused = null
  }

  ask(name: string): void {
    const doable = this.doables.find((each) => each.name === name)
    if (!doable || !this.running || this.controller !== 'graph') return
    const { family, row, values } = doable
    const text = family ? familyWord(family, values) : row ? `${name}()` : name
    this.refused = this.answered = null
    this.lastAsked = text
    this.pending = askFor(number, text) ? name : ''
    this.tell()
  }

  /** The next clicks on the floor ask for this family; the one that is aimed at already: no more. */
  aim(name: string): void {
    this.aimed = name === this.aimed ? '' : name
    this.going = null
    this.heedFloor()
    this.tell()
  }

  /** What a click on the floor does from here on. No place is marked any more. */
  private heedFloor(): void {
    const click = (place: Spot) => (this.aimed ? this.askAt(place) : this.goTo(place))
    change({ floorClick: this.running ? click : null, floorPath: null })
  }

  /** It goes there and stands there, unless keys, a stick or a request lead it elsewhere. */
  goTo(place: Spot): void {
    if (!this.running) return
    this.going = new Going(place)
    this.missed_cm = null
    this.mark(place, (to) => this.goTo(to))
    this.inputSoon()
    this.tell()
  }

  private endGoing(): void {
    if (!this.going) return
    this.going = null
    change({ floorPath: null })
    this.tell()
  }

  /** The family's motion that gets there, as the body sees that place now. */
  private askAt(place: Spot): void {
    const { live, aimed } = this
    const { family, values } = this.doables.find(({ name }) => name === aimed) ?? {}
    if (!live || !family || !values) return
    const feature = pointOf(family)
    const [left, ahead] = asSeen(place, { ...live, direction_rad: live.does.direction_rad })
    const [, height] = placeOf(family, feature, values)
    const next = withPlace(family, feature, values, [left, height!, ahead])
    this.setValues(aimed, next.map((value, i) => tidy(family.axes[i]!, value)))
    this.mark(place, (to) => this.askAt(to))
    this.ask(aimed)
  }

  /** The place on the floor, which can be dragged. */
  private mark(place: Spot, put: (to: Spot) => void): void {
    const move = (_: number, to: Spot, over: boolean) => (over ? put(to) : this.mark(to, put))
    change({ floorPath: { points: [place], own: 1, obstacles: [], curve: [], followed: [], drawing: false, move, draw: () => undefined } })
  }

  private takeAsked(asked: Asked): void {
    this.answered = { ...asked, name: nameIn(asked.do) }
    this.tell()
  }

  private takeDoing(text: string | null): void {
    this.doing = text === null ? '' : nameIn(text)
    const { live } = this
    if (live && text !== null) live.marks.push({ kind: actionMark, about: text, start: live.tick, end: live.tick + 1 })
    if (text === this.lastAsked) this.pending = ''
    if (text === null && !this.pending && !this.going) change({ floorPath: null })
    this.tell()
  }

  private refuseAsked(text: string, message: string): void {
    this.refused = { name: nameIn(text), message }
    this.pending = ''
    this.tell()
  }

  async train(): Promise<void> {
    const { graph } = this
    if (!graph) return
    const { name } = graph
    await attempt(async () => {
      if (!(await this.runJob(t`Training ${name}`, () => api.trainGraph(name)))) return
      showCommand(lineOf('graph train', { name }))
      const next = await api.graph(name)
      if (this.graph === graph) this.graph = next
      graphs.noteGraph(next)
      tell(t`${name} can be steered now`)
    })
  }

  /** It can be steered as it is. */
  get ready(): boolean {
    return this.controller !== 'graph' || this.graph?.policy != null
  }

  setController(controller: string): void {
    if (this.running || this.starting) return
    this.controller = controller
    this.tell()
  }

  /** Where it begins the server says; the shape of its bones is that of a clip. */
  async start(): Promise<void> {
    const { graph } = this
    if (!graph || this.starting) return
    this.starting = true
    this.error = ''
    this.score = this.played = this.kept = null
    this.tell()
    await this.trying(async () => {
      this.skeleton = await api.clip(graph.skeleton.id)
      this.motion = await api.frames(graph.skeleton.id, 0, Math.min(learned, this.skeleton.frames))
      if (this.graph !== graph) return
      const listener = {
        begin: (start: SteerStart) => this.begin(start),
        pose: (message: ArrayBuffer) => this.takePose(message),
        end: (score: SteerScore | null) => this.end(score),
        failed: (message: string) => this.refuse(message),
        asked: (asked: Asked) => this.takeAsked(asked),
        doing: (text: string | null) => this.takeDoing(text),
        refused: (text: string, message: string) => this.refuseAsked(text, message),
      }
      if (!steer(number, graph.name, this.controller, listener)) this.refuse(t('there is no line to the studio'))
    })
    if (this.error) this.starting = false
  }

  private begin(start: SteerStart): void {
    const { skeleton, motion } = this
    if (!skeleton || !motion || !this.graph || getState().making !== 'graph') return haltSteering(number)
    this.starting = false
    this.running = true
    this.speeds = start.speeds
    this.pace = Math.max(1, Math.min(start.speeds.length - 1, this.pace || Math.floor(start.speeds.length / 2)))
    this.live = new LiveBody(start.joints)
    this.rate = start.rate
    this.take = new Take(skeleton, start.rate)
    this.missed_cm = null
    this.forgetAsked()
    this.sent = { direction_rad: 0, speed_cm_s: 0 }
    const frames = Math.min(learned, skeleton.frames)
    const clip = bareClip(skeleton, ids.steered, this.graph.name, frames, start.rate)
    changeView({ follow: true })
    showAlone([{ clip, alignFrame: 0, motion, live: this.live }])
    this.heedFloor()
    this.inputSoon()
    this.tell()
  }

  private takePose(message: ArrayBuffer): void {
    const { live, take } = this
    if (!live || !take || !this.running) return
    const before = live.transitions
    live.take(message)
    take.put(live.tick, live.values)
    if (live.transitions > before) live.marks.push({ kind: transitionMark, start: live.tick, end: live.tick + 1 })
    const actions = live.marks.filter(({ kind }) => kind === actionMark)
    if (this.doing && actions.length > 0) actions[actions.length - 1]!.end = live.tick + 1
    this.countSoon()
  }

  /** The timeline is as long as what was played. */
  private readonly countSoon = perPicture(() => {
    const { running, take, rate } = this
    if (!running || !take) return
    player.grow(take.frames, rate)
    view.grow(take.frames, rate)
  })

  /** All that was seen, to be played again. */
  private showTake(): void {
    const { take, skeleton, live, graph } = this
    if (!take || !skeleton || !live || !graph || getState().making !== 'graph' || live.poses === 0) return
    const bare = bareClip(skeleton, ids.played, graph.name, take.frames, take.rate)
    showAlone([{ clip: { ...bare, marks: live.marks }, alignFrame: 0, motion: take.motion() }])
  }

  /** Saves what was played: the same steps, with feet held. */
  async keep(name: string): Promise<boolean> {
    return this.played !== null && this.keepAs(name, 'graph control', this.played)
  }

  stop(): void {
    this.letGo()
    haltSteering(number)
  }

  private end(score: SteerScore | null): void {
    this.running = this.starting = false
    this.score = score
    this.pending = this.doing = ''
    this.aimed = ''
    this.going = null
    this.heedFloor()
    this.showTake()
    this.played = score?.played ?? null
    const { played } = this
    if (played) {
      showCommand(played.script.length > mostInputs ? null : lineOf('graph control', played, { name: nameFor('way') }))
    }
    if (!score) this.error = t('the line to the studio broke')
    this.tell()
  }

  private refuse(message: string): void {
    this.starting = false
    this.fail(message)
  }

  setPace(pace: number): void {
    this.pace = pace
    this.inputSoon()
    this.tell()
  }

  setStick(to: readonly [number, number] | null): void {
    this.stick = to
    if (to) this.endGoing()
    this.inputSoon()
  }

  // Keys

  private press = (event: KeyboardEvent): void => {
    if (!this.running || hasModifier(event) || isTyped(event.target)) return
    this.fast = event.shiftKey
    if (event.key === 'Shift') return this.inputSoon()
    const asked = /^[1-9]$/.test(event.key) && this.doables[Number(event.key) - 1]
    if (asked) {
      event.preventDefault()
      event.stopPropagation()
      if (!event.repeat) this.ask(asked.name)
      return
    }
    if (!arrowWays[event.key]) return
    event.preventDefault()
    event.stopPropagation()
    this.down.add(event.key)
    this.endGoing()
    this.inputSoon()
  }

  private release = (event: KeyboardEvent): void => {
    this.fast = event.shiftKey
    if (this.down.delete(event.key) || event.key === 'Shift') this.inputSoon()
  }

  private letGo = (): void => {
    this.down.clear()
    this.stick = null
    this.fast = false
    this.inputSoon()
  }

  // A gamepad

  private takePad(pad: Pad | null, elapsed_s: number): void {
    const name = pad?.name ?? ''
    if (name !== this.padName) {
      this.padName = name
      this.tell()
    }
    const before = this.padWay
    this.padWay = pad?.left ?? [0, 0]
    this.padFast = pad !== null && fastButtons.some((button) => pad.down.has(button))
    if (pad) {
      for (const button of pad.pressed) this.pressPad(button)
      const [around, over] = pad.right
      if (around || over) turnCamera(-camera_rad_s * elapsed_s * around, camera_rad_s * elapsed_s * over)
    }
    const [right, ahead] = this.padWay
    if (right || ahead) this.endGoing()
    if (right || ahead || before[0] || before[1]) this.inputSoon()
  }

  private pressPad(button: number): void {
    if (button === padButtons.start) {
      if (this.running) this.stop()
      else if (this.ready) void this.start()
      return
    }
    const asked = this.doables[doButtons.indexOf(button)]
    if (asked) this.ask(asked.name)
  }

  /** To the right and ahead, as one sees it. */
  get way(): readonly [number, number] {
    if (this.stick) return this.stick
    if (this.padWay[0] || this.padWay[1]) return this.padWay
    let [right, ahead] = [0, 0]
    for (const key of this.down) {
      right += arrowWays[key]![0]
      ahead -= arrowWays[key]![1]
    }
    const long = Math.hypot(right, ahead)
    return long > 0 ? [right / long, ahead / long] : [0, 0]
  }

  private get input(): Course {
    if (this.going) return this.inputOf(this.going)
    const [right, ahead] = this.way
    const long = Math.min(1, Math.hypot(right, ahead))
    const fastest = this.speeds[this.speeds.length - 1] ?? 0
    const pace = this.fast || this.padFast ? fastest : (this.speeds[this.pace] ?? 0)
    // Standing keeps its direction: the body does not turn for it.
    if (long < 0.1 || pace === 0) return { ...this.sent, speed_cm_s: 0 }
    return { direction_rad: looking() + Math.atan2(ahead, right) - Math.PI / 2, speed_cm_s: pace * long }
  }

  /** To the place; it stands where it is once that is over. */
  private inputOf(going: Going): Course {
    const { live } = this
    if (!live) return { ...this.sent, speed_cm_s: 0 }
    const at_s = live.tick / this.rate
    const course = going.input(live, at_s, this.fast ? (this.speeds.at(-1) ?? 0) : (this.speeds[this.pace] ?? 0))
    if (going.arrived) {
      this.missed_cm = Math.hypot(going.place[0] - live.x_cm, going.place[1] - live.z_cm)
      this.endGoing()
    }
    return course.speed_cm_s > 0 ? course : { ...this.sent, speed_cm_s: 0 }
  }

  /** While something is held down also when the eye turned. */
  private readonly inputSoon = perPicture(() => {
    if (!this.running) return
    const next = rounded(this.input)
    const turned = Math.abs(Math.sin((next.direction_rad - this.sent.direction_rad) / 2)) > nearly.direction_rad / 2
    if (turned || Math.abs(next.speed_cm_s - this.sent.speed_cm_s) > nearly.speed_cm_s) {
      this.sent = next
      sendCourse(number, next.direction_rad, next.speed_cm_s)
    }
    if (next.speed_cm_s > 0 || this.going) this.inputSoon()
  })
}

export const steering = new Steering()
