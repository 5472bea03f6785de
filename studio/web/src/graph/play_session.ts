// play_session.ts - a character that is steered: keys and the stick say where it is to go, the server sends its poses sixty
// times a second, and the viewer draws them with the input and what became of it. Other keys, buttons and clicks on the floor
// ask for actions and for motions of families.
import { api, type Clip, type Family, type FamilyRow, type Graph } from '../api'
import { attempt } from '../attempt'
import { perPicture } from '../changes'
import { arrowWays, hasModifier, isTyped } from '../controls'
import { askFor, haltSteering, sendCourse, steer, type Asked, type SteerScore, type SteerStart } from '../live'
import { LiveBody, type Course } from '../live_body'
import { bareClip } from '../making/made'
import { nameFor, Session, showAlone } from '../making/session'
import { lineOf, showCommand } from '../operations'
import { placeOf, spotsOf, tidy, withPlace } from '../param/param_data'
import { change, changeView, getState, tell, type Spot } from '../store'
import { looking } from '../viewer/panel'
import { t } from '../words/words'
import { byFit, familyWord, firstValues } from './motions'
import { graphs, ids } from './session'

/** Its number on the line. */
const number = 0
/** An input that changed less is not sent again. */
const nearly = { direction_rad: 0.015, speed_cm_s: 1 }
/** The shape is learned from so many frames; no more are in the timeline. */
const learned = 2

/** A command line with more would be of no use. */
const mostInputs = 200

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
  /** What was asked for last; when each was; and all that began. */
  private lastAsked = ''
  private readonly askedAt_s = new Map<string, number>()
  private begun: { text: string; at_s: number }[] = []
  /** The stick, or null: to the right and ahead, up to 1. */
  private stick: readonly [number, number] | null = null
  private readonly down = new Set<string>()
  private fast = false
  private sent = { direction_rad: 0, speed_cm_s: 0 }
  private rate = 60
  /** Seconds, direction and speed: the input since it began. */
  private inputs: [number, number, number][] = []
  private skeleton: Clip | null = null
  private motion: ArrayBuffer | null = null

  enter(graph: Graph): void {
    this.graph = graph
    this.error = ''
    this.score = null
    this.live = null
    this.speeds = graph.policy?.speeds ?? []
    this.forgetAsked()
    void this.loadDoables(graph)
    window.addEventListener('keydown', this.press, true)
    window.addEventListener('keyup', this.release, true)
    window.addEventListener('blur', this.letGo)
    this.tell()
  }

  leave(): void {
    window.removeEventListener('keydown', this.press, true)
    window.removeEventListener('keyup', this.release, true)
    window.removeEventListener('blur', this.letGo)
    this.letGo()
    if (this.running || this.starting) haltSteering(number)
    this.running = this.starting = false
    this.graph = null
    this.aim('')
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
    this.begun = []
  }

  ask(name: string): void {
    const doable = this.doables.find((each) => each.name === name)
    if (!doable || !this.running || this.controller !== 'graph') return
    const { family, row, values } = doable
    const text = family ? familyWord(family, values) : row ? `${name}()` : name
    this.refused = this.answered = null
    this.lastAsked = text
    this.askedAt_s.set(text, (this.live?.tick ?? 0) / this.rate)
    this.pending = askFor(number, text) ? name : ''
    this.tell()
  }

  /** The next clicks on the floor ask for this family; the one that is aimed at already: no more. */
  aim(name: string): void {
    this.aimed = name === this.aimed ? '' : name
    const click = (place: Spot) => this.askAt(place)
    change({ floorClick: this.aimed ? click : null, floorPath: null })
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
    this.mark(place)
    this.ask(aimed)
  }

  /** The place on the floor, which can be dragged. */
  private mark(place: Spot): void {
    const move = (_: number, to: Spot, over: boolean) => (over ? this.askAt(to) : this.mark(to))
    change({ floorPath: { points: [place], own: 1, obstacles: [], curve: [], followed: [], drawing: false, move, draw: () => undefined } })
  }

  private takeAsked(asked: Asked): void {
    this.answered = { ...asked, name: nameIn(asked.do) }
    this.tell()
  }

  private takeDoing(text: string | null): void {
    this.doing = text === null ? '' : nameIn(text)
    if (text !== null) this.begun.push({ text, at_s: this.askedAt_s.get(text) ?? 0 })
    if (text === this.lastAsked) this.pending = ''
    if (text === null && !this.pending) change({ floorPath: null })
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
    this.score = null
    this.tell()
    await this.trying(async () => {
      this.skeleton = await api.clip(graph.skeleton.id)
      this.motion = await api.frames(graph.skeleton.id, 0, Math.min(learned, this.skeleton.frames))
      if (this.graph !== graph) return
      const listener = {
        begin: (start: SteerStart) => this.begin(start),
        pose: (message: ArrayBuffer) => this.live?.take(message),
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
    this.inputs = []
    this.forgetAsked()
    this.sent = { direction_rad: 0, speed_cm_s: 0 }
    const frames = Math.min(learned, skeleton.frames)
    const clip = bareClip(skeleton, ids.steered, this.graph.name, frames)
    changeView({ follow: true })
    showAlone([{ clip, alignFrame: 0, motion, live: this.live }])
    this.inputSoon()
    this.tell()
  }

  private note({ direction_rad, speed_cm_s }: Course): void {
    const at = (this.live?.tick ?? 0) / this.rate
    // The times of a script rise; of two inputs for one pose the second counts.
    if (this.inputs[this.inputs.length - 1]?.[0] === at) this.inputs.pop()
    if (this.inputs.length < mostInputs) this.inputs.push([at, direction_rad, speed_cm_s])
  }

  stop(): void {
    this.letGo()
    haltSteering(number)
  }

  private end(score: SteerScore | null): void {
    this.running = this.starting = false
    this.score = score
    this.pending = this.doing = ''
    if (this.aimed) this.aim('')
    const { graph, inputs, live, begun } = this
    if (score && graph && live && inputs.length + begun.length > 0) {
      // It stands until there is an input.
      const all = inputs[0]?.[0] === 0 ? inputs : [[0, 0, 0], ...inputs]
      const script = all.map((row) => row.map((value) => Number(value.toFixed(3))))
      const length = `${(live.tick / this.rate).toFixed(2)}s`
      const by = this.controller === 'graph' ? {} : { controller: this.controller }
      const does = begun.map(({ text, at_s }) => `${text}@${at_s.toFixed(3)}s`)
      const body = { graph: graph.name, script, ...(does.length > 0 && { do: does }), ...by, length }
      showCommand(lineOf('graph control', body, { name: nameFor('way') }))
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

  /** To the right and ahead, as one sees it. */
  get way(): readonly [number, number] {
    if (this.stick) return this.stick
    let [right, ahead] = [0, 0]
    for (const key of this.down) {
      right += arrowWays[key]![0]
      ahead -= arrowWays[key]![1]
    }
    const long = Math.hypot(right, ahead)
    return long > 0 ? [right / long, ahead / long] : [0, 0]
  }

  private get input(): Course {
    const [right, ahead] = this.way
    const long = Math.min(1, Math.hypot(right, ahead))
    const fastest = this.speeds[this.speeds.length - 1] ?? 0
    const pace = this.fast ? fastest : (this.speeds[this.pace] ?? 0)
    // Standing keeps its direction: the body does not turn for it.
    if (long < 0.1 || pace === 0) return { ...this.sent, speed_cm_s: 0 }
    return { direction_rad: looking() + Math.atan2(ahead, right) - Math.PI / 2, speed_cm_s: pace * long }
  }

  /** While something is held down also when the eye turned. */
  private readonly inputSoon = perPicture(() => {
    if (!this.running) return
    const next = this.input
    const turned = Math.abs(Math.sin((next.direction_rad - this.sent.direction_rad) / 2)) > nearly.direction_rad / 2
    if (turned || Math.abs(next.speed_cm_s - this.sent.speed_cm_s) > nearly.speed_cm_s) {
      this.sent = next
      this.note(next)
      sendCourse(number, next.direction_rad, next.speed_cm_s)
    }
    if (next.speed_cm_s > 0) this.inputSoon()
  })
}

export const steering = new Steering()
