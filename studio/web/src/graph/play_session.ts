// play_session.ts - a character that is steered: keys and the stick say where it shall go, the server sends its poses sixty
// times a second, and the viewer draws them with the wish and what became of it.
import { api, type Clip, type Graph } from '../api'
import { attempt } from '../attempt'
import { showCommand } from '../commands'
import { haltSteering, sendWish, steer, type SteerScore, type SteerStart } from '../live'
import { LiveBody, type Course } from '../live_body'
import { messageOf, nameFor } from '../making/parts'
import { lineOf } from '../operations'
import { player } from '../player'
import { change, changeView, getState, tell } from '../store'
import { Changes } from '../timeline/view'
import { isTyped } from '../typed'
import { looking } from '../viewer/panel'
import { commands } from './graph_commands'
import { resultOf } from './job'
import { graphs, ids } from './session'

/** Its number on the line. */
const number = 0
/** A wish that changed less is not sent again. */
const nearly = { direction_rad: 0.015, speed_cm_s: 1 }
/** The shape is learned from so many frames; no more are in the timeline. */
const learned = 2

/** A command line with more would be of no use. */
const mostWishes = 200

/** To the right and ahead, as one sees it. */
const keyWays: Record<string, [number, number]> = {
  ArrowUp: [0, 1],
  ArrowDown: [0, -1],
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
}

class Steering extends Changes {
  graph: Graph | null = null
  running = false
  starting = false
  live: LiveBody | null = null
  score: SteerScore | null = null
  speeds: number[] = []
  /** Of the speeds: what the keys wish for. */
  pace = 0
  error = ''
  job = 0
  /** The stick, or null: to the right and ahead, up to 1. */
  private stick: readonly [number, number] | null = null
  private readonly down = new Set<string>()
  private fast = false
  private sent = { direction_rad: 0, speed_cm_s: 0 }
  private due = 0
  private rate = 60
  /** Seconds, direction and speed: what was wished since it began. */
  private wishes: [number, number, number][] = []
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
    const line = commands.train(graph.name)
    await attempt(async () => {
      const begun = (job: number) => {
        this.job = job
        this.tell()
      }
      const trained = await resultOf(() => api.trainGraph(graph.name), begun)
      if (trained) {
        showCommand(line)
        const next = await api.graph(graph.name)
        if (this.graph === graph) this.graph = next
        graphs.noteGraph(next)
        tell(`${graph.name} can be steered now`)
      }
    })
    this.job = 0
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
    try {
      this.skeleton = await api.clip(graph.skeleton.id)
      this.motion = await api.frames(graph.skeleton.id, 0, Math.min(learned, this.skeleton.frames))
      if (this.graph !== graph) return
      const listener = {
        begin: (start: SteerStart) => this.begin(start),
        pose: (message: ArrayBuffer) => this.live?.take(message),
        end: (score: SteerScore | null) => this.end(score),
        failed: (message: string) => this.fail(message),
      }
      if (!steer(number, graph.name, listener)) this.fail('there is no line to the studio')
    } catch (cause) {
      this.fail(messageOf(cause))
    }
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
    this.wishes = []
    this.sent = { direction_rad: 0, speed_cm_s: 0 }
    const frames = Math.min(learned, skeleton.frames)
    const plain = { labels: [], description: '', source: '', made: true, marks: [], contacts: [], has_channels: false }
    const clip = { ...skeleton, ...plain, id: ids.steered, name: this.graph.name, frames, seconds: frames / skeleton.fps }
    player.set({ playing: false })
    changeView({ follow: true })
    change({ shown: [{ clip, alignFrame: 0, motion, live: this.live }], arrangement: 'overlaid', segment: null })
    player.load(frames, skeleton.fps)
    this.wishSoon()
    this.tell()
  }

  private note({ direction_rad, speed_cm_s }: Course): void {
    const at = (this.live?.tick ?? 0) / this.rate
    // The times of a script rise; of two wishes for one pose the second counts.
    if (this.wishes[this.wishes.length - 1]?.[0] === at) this.wishes.pop()
    if (this.wishes.length < mostWishes) this.wishes.push([at, direction_rad, speed_cm_s])
  }

  stop(): void {
    this.letGo()
    haltSteering(number)
  }

  private end(score: SteerScore | null): void {
    this.running = this.starting = false
    this.score = score
    const { graph, wishes, live } = this
    if (score && graph && live && wishes.length) {
      const script = wishes.map((row) => row.map((value) => Number(value.toFixed(3))))
      const body = { graph: graph.name, script, length: `${(live.tick / this.rate).toFixed(2)}s` }
      showCommand(lineOf('graph control', body, { name: nameFor('way') }))
    }
    if (!score) this.error = 'the line to the studio broke'
    this.tell()
  }

  private fail(message: string): void {
    this.starting = false
    this.error = message
    this.tell()
  }

  setPace(pace: number): void {
    this.pace = pace
    this.wishSoon()
    this.tell()
  }

  setStick(to: readonly [number, number] | null): void {
    this.stick = to
    this.wishSoon()
  }

  // Keys

  private press = (event: KeyboardEvent): void => {
    if (!this.running || event.altKey || event.ctrlKey || event.metaKey || isTyped(event.target)) return
    this.fast = event.shiftKey
    if (event.key === 'Shift') return this.wishSoon()
    if (!keyWays[event.key]) return
    event.preventDefault()
    event.stopPropagation()
    this.down.add(event.key)
    this.wishSoon()
  }

  private release = (event: KeyboardEvent): void => {
    this.fast = event.shiftKey
    if (this.down.delete(event.key) || event.key === 'Shift') this.wishSoon()
  }

  private letGo = (): void => {
    this.down.clear()
    this.stick = null
    this.fast = false
    this.wishSoon()
  }

  /** To the right and ahead, as one sees it. */
  get way(): readonly [number, number] {
    if (this.stick) return this.stick
    let [right, ahead] = [0, 0]
    for (const key of this.down) {
      right += keyWays[key]![0]
      ahead += keyWays[key]![1]
    }
    const long = Math.hypot(right, ahead)
    return long > 0 ? [right / long, ahead / long] : [0, 0]
  }

  private get wished(): Course {
    const [right, ahead] = this.way
    const long = Math.min(1, Math.hypot(right, ahead))
    const fastest = this.speeds[this.speeds.length - 1] ?? 0
    const pace = this.fast ? fastest : (this.speeds[this.pace] ?? 0)
    // Standing keeps its direction: the body does not turn for it.
    if (long < 0.1 || pace === 0) return { ...this.sent, speed_cm_s: 0 }
    return { direction_rad: looking() + Math.atan2(ahead, right) - Math.PI / 2, speed_cm_s: pace * long }
  }

  /** With the next picture; while something is held down also when the eye turned. */
  private wishSoon(): void {
    if (!this.running) return
    this.due ||= requestAnimationFrame(() => {
      this.due = 0
      if (!this.running) return
      const next = this.wished
      const turned = Math.abs(Math.sin((next.direction_rad - this.sent.direction_rad) / 2)) > nearly.direction_rad / 2
      if (turned || Math.abs(next.speed_cm_s - this.sent.speed_cm_s) > nearly.speed_cm_s) {
        this.sent = next
        this.note(next)
        sendWish(number, next.direction_rad, next.speed_cm_s)
      }
      if (next.speed_cm_s > 0) this.wishSoon()
    })
  }
}

export const steering = new Steering()
