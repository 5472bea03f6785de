// path_session.ts - what the character of a graph walks: a path on the floor, places at times, or actions one after the other;
// and what it goes round. While something is dragged the walk follows with little search; when it rests it is searched for with more, and walked from its beginning.
import { api, type Clip, type Graph, type Stretch, type WalkBody } from '../api'
import { perPicture } from '../changes'
import { AS_CAPTURED, ClipFrames, Pose } from '../frames'
import { Latest } from '../making/latest'
import { asShownClip, framesFrom, readMade, type Made, type MadeFacts } from '../making/made'
import { nameFor, Session, showMade } from '../making/session'
import { lineOf, showCommand } from '../operations'
import { player } from '../player'
import { change, changeView, getState, type Obstacle, type Spot } from '../store'
import { overlook } from '../viewer/panel'
import { edgesOf, firstGoals, goalWord, middleOf, mostGoals, mostObstacles, obstacleWord, withGoal, type Goal, type GoalReached } from './goals'
import { graphs, ids } from './session'

// Paths on the floor: what was drawn by hand becomes a few points, and these a smooth curve.

/** A path has at most so many points that can be moved. */
export const mostPoints = 24
/** What is drawn may be so far from the curve. */
const slack_cm = 10
/** The curve's own points are about so far apart; the server takes 1024. */
const step_cm = 25
const mostCurve = 600
const shortest_cm = 60

export function apart([ax, az]: Spot, [bx, bz]: Spot): number {
  return Math.hypot(ax - bx, az - bz)
}

export function lengthOf(path: readonly Spot[]): number {
  return path.slice(1).reduce((sum, point, i) => sum + apart(path[i]!, point), 0)
}

/** How far a point is from the straight way between two others. */
function offWay([x, z]: Spot, [ax, az]: Spot, [bx, bz]: Spot): number {
  const [dx, dz] = [bx - ax, bz - az]
  const long = dx * dx + dz * dz
  const share = long > 0 ? Math.max(0, Math.min(1, ((x - ax) * dx + (z - az) * dz) / long)) : 0
  return Math.hypot(x - ax - share * dx, z - az - share * dz)
}

/** Without those that are nearly on the way between their neighbours (Douglas & Peucker 1973). */
function thinned(path: readonly Spot[], slack: number): Spot[] {
  if (path.length < 3) return [...path]
  const [first, last] = [path[0]!, path[path.length - 1]!]
  let [at, most] = [0, 0]
  path.forEach((point, i) => {
    const off = offWay(point, first, last)
    if (off > most) [at, most] = [i, off]
  })
  if (most <= slack) return [first, last]
  return [...thinned(path.slice(0, at + 1), slack).slice(0, -1), ...thinned(path.slice(at), slack)]
}

/** Points for what was drawn; null: that is too short to walk. */
export function pointsOf(drawn: readonly Spot[]): Spot[] | null {
  if (drawn.length < 2 || lengthOf(drawn) < shortest_cm) return null
  for (let slack = slack_cm; ; slack *= 1.5) {
    const points = thinned(drawn, slack)
    if (points.length <= mostPoints) return points.map(rounded)
  }
}

export function rounded([x, z]: Spot): Spot {
  return [Math.round(x), Math.round(z)]
}

/** Between b and c, with a and d beside them (Catmull & Rom 1974). */
function between(a: Spot, b: Spot, c: Spot, d: Spot, t: number): Spot {
  const one = (k: 0 | 1) =>
    0.5 *
    (2 * b[k] +
      (c[k] - a[k]) * t +
      (2 * a[k] - 5 * b[k] + 4 * c[k] - d[k]) * t * t +
      (3 * b[k] - a[k] - 3 * c[k] + d[k]) * t * t * t)
  return [one(0), one(1)]
}

/** The smooth way through all points, in whole centimetres. */
export function curveOf(points: readonly Spot[]): Spot[] {
  const step = Math.max(step_cm, lengthOf(points) / mostCurve)
  const curve: Spot[] = []
  for (let i = 0; i + 1 < points.length; i++) {
    const [b, c] = [points[i]!, points[i + 1]!]
    const count = Math.max(1, Math.round(apart(b, c) / step))
    for (let k = 0; k < count; k++) {
      curve.push(rounded(between(points[i - 1] ?? b, b, c, points[i + 2] ?? c, k / count)))
    }
  }
  if (points.length) curve.push(rounded(points[points.length - 1]!))
  return curve.filter((point, i) => i === 0 || apart(point, curve[i - 1]!) > 0)
}

/** One more point, behind `at`: half way to the next, or as far beyond the end. */
export function withPoint(points: readonly Spot[], at: number): Spot[] {
  const here = points[at]!
  const next = points[at + 1]
  const before = points[at - 1] ?? here
  const place: Spot = next
    ? [(here[0] + next[0]) / 2, (here[1] + next[1]) / 2]
    : [2 * here[0] - before[0], 2 * here[1] - before[1]]
  return [...points.slice(0, at + 1), rounded(place), ...points.slice(at + 1)]
}

/** A bend to begin with, some metres long. */
const firstPath: readonly Spot[] = [
  [0, 0],
  [0, 200],
  [80, 360],
  [240, 420],
  [400, 340],
]

export interface Box {
  middle: Spot
  /** Of a square around all. */
  span: number
}

export function boxOf(path: readonly Spot[]): Box {
  const xs = path.map(([x]) => x)
  const zs = path.map(([, z]) => z)
  const [left, right] = [Math.min(...xs), Math.max(...xs)]
  const [far, near] = [Math.min(...zs), Math.max(...zs)]
  return { middle: [(left + right) / 2, (far + near) / 2], span: Math.max(300, right - left, near - far) }
}

/** Steps of the search while something is dragged, and when it rests. */
const efforts = { quick: 3000, whole: 60000 }
const rest_ms = 350

/** Frames of a clip that a walk goes through, from frame `at` of the walk on. */
interface Piece {
  at: number
  length: number
  clip: string
  id: number
  start: number
  end: number
  /** What is done in most of it. */
  label: string | null
}

/** What the server says of a walk. */
export interface WalkFacts extends MadeFacts {
  transitions: number
  mean_quality: number
  arrived: boolean
  path_cm: number | null
  path_worst_cm: number | null
  /** Of walks to places. */
  goals: GoalReached[]
  /** How near the hips come to the edge of an obstacle. */
  clearance_cm: number | null
  /** How often it was searched for; again where an eye saw something. */
  searches: number
  pieces: Piece[]
}

/** What is done in which frames of a walk: pieces with one label that follow each other are one. */
export function stretchesOf(pieces: readonly Pick<Piece, 'at' | 'length' | 'label'>[]): Stretch[] {
  const all: Stretch[] = []
  for (const { at, length, label } of pieces) {
    const last = all[all.length - 1]
    if (label && last?.label === label && last.end === at) last.end = at + length
    else if (label) all.push({ label, start: at, end: at + length })
  }
  return all
}

/** What a walk follows. */
export type Way = 'path' | 'goals' | 'through'

interface Question {
  body: WalkBody
  /** It rests: walk it. */
  whole: boolean
}

class PathWalk extends Session {
  way: Way = 'path'
  /** Labels of actions, in their order. */
  through: readonly string[] = []
  points: readonly Spot[] = firstPath
  curve: readonly Spot[] = curveOf(firstPath)
  goals: readonly Goal[] = firstGoals
  obstacles: readonly Obstacle[] = []
  /** What the plan shows; it stays while something is dragged. */
  box: Box = boxOf(this.curve)
  drawing = false
  /** Which of `spots`. */
  chosen = 0
  style = ''
  clean = true
  /** Null: the graph's own. */
  dwell_s: number | null = null
  /** Where the body went, on the floor. */
  walked: readonly Spot[] = []
  private graph: Graph | null = null
  private body: WalkBody | null = null
  private rest = 0
  private followed = true
  private readonly asking = new Latest<Question, Made>(
    async ({ body }) => readMade(await api.walkGraph({ ...body, fps: this.graph?.fps })),
    (made, question, last) => this.take(made, question, last),
    this.fail,
  )

  /** What can be taken and moved: the points of the path, or the places, and behind them the middles of obstacles. */
  get spots(): readonly Spot[] {
    const own = this.way === 'path' ? this.points : this.goals.map(({ place }) => place)
    return [...own, ...this.obstacles.map(({ place }) => place)]
  }

  /** Of the chosen one; -1: it is none. */
  get chosenObstacle(): number {
    return Math.max(-1, this.chosen - (this.spots.length - this.obstacles.length))
  }

  /** The line that is drawn from the first point to the last. */
  get line(): readonly Spot[] {
    return this.way === 'path' ? this.curve : this.goals.map(({ place }) => place)
  }

  get busy(): boolean {
    return this.asking.busy
  }

  get facts(): WalkFacts | null {
    return this.made && (this.made.facts as WalkFacts)
  }

  enter(graph: Graph): void {
    this.graph = graph
    if (!graph.labels.includes(this.style)) this.style = ''
    this.through = this.through.filter((label) => graph.labels.includes(label))
    if (this.way === 'through' && this.through.length === 0) this.way = 'path'
    this.dwell_s = null
    this.made = this.kept = null
    this.walked = []
    this.error = ''
    this.followed = getState().view.follow
    player.set({ playing: false })
    this.begin()
  }

  /** The next graph that is entered does these. */
  plan(through: readonly string[]): void {
    this.way = 'through'
    this.through = through
  }

  setWay(way: Way): void {
    this.way = way
    this.chosen = 0
    this.asking.forget()
    this.drawing = false
    this.made = this.kept = null
    this.walked = []
    this.error = ''
    this.begin()
  }

  /** A path is seen whole from above; through actions the view goes with the body. */
  private begin(): void {
    changeView({ follow: this.way === 'through' })
    this.publish()
    if (this.way !== 'through') this.showAll()
    this.remake(true)
  }

  addAction(label: string): void {
    this.through = [...this.through, label]
    this.remake(true)
  }

  dropAction(at: number): void {
    this.through = this.through.filter((_, i) => i !== at)
    this.remake(true)
  }

  leave(): void {
    clearTimeout(this.rest)
    this.asking.forget()
    this.graph = null
    this.drawing = false
    change({ floorPath: null })
    changeView({ follow: this.followed })
  }

  /** The whole path from above. */
  showAll(): void {
    const walked = this.way === 'through' && this.walked.length > 1
    this.box = boxOf(walked ? this.walked : [...this.line, ...edgesOf(this.obstacles)])
    overlook(this.box.middle, 1.25 * this.box.span)
    this.tell()
  }

  setDrawing(on: boolean): void {
    this.drawing = on
    this.publish()
  }

  set(fields: Partial<Pick<PathWalk, 'style' | 'clean' | 'dwell_s'>>): void {
    Object.assign(this, fields)
    this.remake(true)
  }

  choose(point: number): void {
    this.chosen = Math.max(0, Math.min(this.spots.length - 1, point))
    this.tell()
  }

  /** Moving by keys has no end of its own: `later` waits for a pause. */
  move(point: number, place: Spot, over: boolean | 'later'): void {
    this.chosen = point
    const at = this.chosenObstacle
    const moved = <T extends { place: Spot }>(all: readonly T[], which: number): T[] =>
      all.map((each, i) => (i === which ? { ...each, place: rounded(place) } : each))
    if (at >= 0) this.putFloor({ obstacles: moved(this.obstacles, at) })
    else if (this.way === 'goals') this.putFloor({ goals: moved(this.goals, point) })
    else this.put(this.points.map((each, i) => (i === point ? rounded(place) : each)))
    this.remake(over === true)
    if (over === 'later') this.restSoon()
  }

  /** A place behind the last one; it can be moved at once. */
  addGoal(place: Spot): boolean {
    if (this.goals.length >= mostGoals) return false
    this.chosen = this.goals.length
    this.putFloor({ goals: withGoal(this.goals, rounded(place)) })
    this.remake(false)
    return true
  }

  setTime(at_s: number): void {
    this.putFloor({ goals: this.goals.map((each, i) => (i === this.chosen ? { ...each, at_s } : each)) })
    this.remake(true)
  }

  /** In the middle of the way. */
  addObstacle(): void {
    if (this.obstacles.length >= mostObstacles) return
    const place = middleOf(this.spots.slice(0, this.spots.length - this.obstacles.length))
    this.putFloor({ obstacles: [...this.obstacles, { place: rounded(place), radius_cm: 40 }] })
    this.chosen = this.spots.length - 1
    this.remake(true)
  }

  setRadius(radius_cm: number, over: boolean): void {
    const at = this.chosenObstacle
    this.putFloor({ obstacles: this.obstacles.map((each, i) => (i === at ? { ...each, radius_cm: Math.round(radius_cm) } : each)) })
    this.remake(over)
  }

  private putFloor(fields: Partial<Pick<PathWalk, 'goals' | 'obstacles'>>): void {
    Object.assign(this, fields)
    this.soon()
  }

  addPoint(): void {
    if (this.way === 'goals') {
      const [x, z] = this.goals[this.goals.length - 1]!.place
      if (this.addGoal([x + 100, z])) this.remake(true)
      return
    }
    if (this.points.length >= mostPoints || this.chosenObstacle >= 0) return
    this.put(withPoint(this.points, this.chosen))
    this.chosen++
    this.remake(true)
  }

  /** A path has two points at least, and a walk to places begins somewhere. */
  dropPoint(): void {
    const { way, chosen, chosenObstacle } = this
    if (chosenObstacle >= 0) {
      this.putFloor({ obstacles: this.obstacles.filter((_, i) => i !== chosenObstacle) })
    } else if (way === 'goals') {
      if (chosen === 0 || this.goals.length <= 2) return
      this.putFloor({ goals: this.goals.filter((_, i) => i !== chosen) })
    } else this.dropPathPoint()
    this.choose(this.chosen)
    this.remake(true)
  }

  private dropPathPoint(): void {
    if (this.points.length <= 2) return
    this.put(this.points.filter((_, i) => i !== this.chosen))
  }

  /** Drawn by hand; a click that draws nothing leaves the path as it was. */
  draw(places: readonly Spot[], over: boolean): void {
    const points = pointsOf(places)
    if (over) this.drawing = false
    if (points) this.put(points)
    if (points || over) this.remake(over)
    if (over) this.box = boxOf(this.curve)
    this.publish()
  }

  private put(points: readonly Spot[]): void {
    this.points = points
    this.curve = curveOf(points)
    this.soon()
  }

  private readonly soon = perPicture(() => {
    if (this.graph) this.publish()
  })

  private publish(): void {
    const { spots: points, line: curve, obstacles, drawing, way } = this
    const move = (point: number, place: Spot, over: boolean) => this.move(point, place, over)
    const draw = (places: readonly Spot[], over: boolean) => this.draw(places, over)
    change({ floorPath: way === 'through' ? null : { points, obstacles, curve, drawing, move, draw } })
    this.tell()
  }

  private restSoon(): void {
    clearTimeout(this.rest)
    this.rest = window.setTimeout(() => this.remake(true), rest_ms)
  }

  private remake(whole: boolean): void {
    const { graph, way, through, curve, goals, obstacles, style, dwell_s, clean } = this
    if (!graph) return
    clearTimeout(this.rest)
    this.kept = null
    if (way === 'through' && through.length === 0) {
      this.asking.forget()
      this.made = null
      return this.tell()
    }
    const body: WalkBody = {
      graph: graph.name,
      ...(way === 'path' && { path: [...curve] }),
      ...(way === 'goals' && { at: goals.map(goalWord) }),
      ...(way === 'through'
        ? { through: [...through] }
        : { effort: whole ? efforts.whole : efforts.quick }),
      ...(way !== 'through' && obstacles.length > 0 && { avoid: obstacles.map(obstacleWord) }),
      ...(style && { style: [style] }),
      ...(dwell_s !== null && { dwell: dwell_s }),
      ...(!clean && { leave_feet: true }),
    }
    this.asking.want({ body, whole })
    this.tell()
  }

  private take(made: Made, { body, whole }: Question, last: boolean): void {
    const { like } = graphs
    if (!this.graph || !like || getState().making !== 'graph') return
    const before = this.facts
    this.made = made
    this.body = body
    this.error = ''
    const shown = asShownClip(ids.walk, 'walk', like, made)
    shown.clip.stretches = stretchesOf(this.facts!.pieces)
    void this.trace(made, shown.clip)
    const share = before ? player.now.time / Math.max(1, before.frames / before.fps) : 0
    showMade([shown], whole ? 0 : (share * made.facts.frames) / made.facts.fps)
    if (whole) player.play(1)
    if (last) showCommand(lineOf('graph walk', body, { name: nameFor('walk') }))
    this.tell()
  }

  private async trace(made: Made, clip: Clip): Promise<void> {
    const walked = await floorOf(clip, made.motion)
    if (this.made !== made) return
    this.walked = walked
    if (this.way === 'through') this.box = boxOf(walked)
    this.tell()
  }

  async keep(name: string): Promise<boolean> {
    return this.body !== null && this.keepAs(name, 'graph walk', this.body)
  }
}

const mostWalked = 400

/** Where the hips are on the floor, a few hundred times: some skeletons hang from a root that stays behind. */
async function floorOf(clip: Clip, motion: ArrayBuffer): Promise<Spot[]> {
  const frames = new ClipFrames(clip, framesFrom(motion))
  await frames.load()
  const hips = Math.max(0, clip.roles.hips ?? 0)
  const chain = frames.chain([hips])
  const pose = new Pose(clip.joints.length)
  const step = Math.max(1, Math.ceil(clip.frames / mostWalked))
  const spots: Spot[] = []
  for (let i = 0; i < clip.frames; i += step) {
    if (!frames.pose(i / clip.fps, AS_CAPTURED, pose, chain)) break
    spots.push([pose.places[3 * hips]!, pose.places[3 * hips + 2]!])
  }
  return spots
}

export const walk = new PathWalk()
