// play_session.ts - a character that is steered: keys and the stick say where it is to go, the server sends its poses sixty
// times a second, and the viewer draws them with the input and what became of it.
import { api, type Clip, type Graph } from '../api'
import { attempt } from '../attempt'
import { perPicture } from '../changes'
import { arrowWays, hasModifier, isTyped } from '../controls'
import { haltSteering, sendCourse, steer, type SteerScore, type SteerStart } from '../live'
import { LiveBody, type Course } from '../live_body'
import { bareClip } from '../making/made'
import { nameFor, Session, showAlone } from '../making/session'
import { lineOf, showCommand } from '../operations'
import { changeView, getState, tell } from '../store'
import { looking } from '../viewer/panel'
import { graphs, ids } from './session'

/** Its number on the line. */
const number = 0
/** An input that changed less is not sent again. */
const nearly = { direction_rad: 0.015, speed_cm_s: 1 }
/** The shape is learned from so many frames; no more are in the timeline. */
const learned = 2

/** A command line with more would be of no use. */
const mostInputs = 200

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
  }

  async train(): Promise<void> {
    const { graph } = this
    if (!graph) return
    const { name } = graph
    await attempt(async () => {
      if (!(await this.runJob(`Training ${name}`, () => api.trainGraph(name)))) return
      showCommand(lineOf('graph train', { name }))
      const next = await api.graph(name)
      if (this.graph === graph) this.graph = next
      graphs.noteGraph(next)
      tell(`${name} can be steered now`)
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
      }
      if (!steer(number, graph.name, this.controller, listener)) this.refuse('there is no line to the studio')
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
    const { graph, inputs, live } = this
    if (score && graph && live && inputs.length) {
      const script = inputs.map((row) => row.map((value) => Number(value.toFixed(3))))
      const length = `${(live.tick / this.rate).toFixed(2)}s`
      const by = this.controller === 'graph' ? {} : { controller: this.controller }
      const body = { graph: graph.name, script, ...by, length }
      showCommand(lineOf('graph control', body, { name: nameFor('way') }))
    }
    if (!score) this.error = 'the line to the studio broke'
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
