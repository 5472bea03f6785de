// path_session.ts - what the character of a graph walks: a path on the floor, places at times, or actions or motions of families
// one after the other; what it does on the path, and what it goes round. While something is dragged the walk follows with little search; when it rests it is searched for with more, and walked from its beginning.
import { api, ApiError, type Clip, type FamilyRow, type FollowedPath, type Graph, type PathBody, type Stretch, type WalkBody } from '../api'
import { attempt } from '../attempt'
import { perPicture } from '../changes'
import { AS_CAPTURED, ClipFrames, Pose } from '../frames'
import { Latest } from '../making/latest'
import { asShownClip, framesFrom, readMade, type Made, type MadeFacts } from '../making/made'
import { nameFor, Session, showMade } from '../making/session'
import { playByItself } from '../motion'
import { lineOf, showCommand } from '../operations'
import { player } from '../player'
import { change, changeView, getState, type Obstacle, type Spot } from '../store'
import { endOverlook, overlook } from '../viewer/screen'
import { t } from '../words/words'
import { apart, boxOf, curveOf, lengthOf, mostPoints, nearestAlong, placeAlong, pointsOf, rounded, withPoint, type Box } from './floor_curve'
import { edgesOf, firstGoals, goalWord, middleOf, mostGoals, mostObstacles, obstacleWord, withGoal, type Goal, type GoalReached } from './goals'
import { firstValues, freePlace, inOrder, motionMarks, motionWord, mostMotions, within, type Motion, type Performed } from './motions'
import { graphs, ids } from './session'

/** A bend to begin with, some metres long. */
const firstPath: readonly Spot[] = [
  [0, 0],
  [0, 200],
  [80, 360],
  [240, 420],
  [400, 340],
]

/** Steps of the search while something is dragged, and when it rests. */
const efforts = { quick: 3000, path: 30000, goals: 60000 }
const rest_ms = 350

/** Frames of a clip that a walk goes through, from frame `at` of the walk on. */
interface Piece {
  at: number
  length: number
  /** Or the family whose motion it is. */
  clip: string
  id: number | null
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
  /** Of motions that were asked for, in their order. */
  requests?: Performed[]
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
export type Way = 'path' | 'goals' | 'through' | 'motions'

interface Question {
  body: WalkBody
  /** The keys of its motions, in their order. */
  keys: readonly number[]
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
  /** What the library has; null: that is not known yet. */
  families: FamilyRow[] | null = null
  /** What is done on the path, or one after the other. */
  motions: readonly Motion[] = []
  /** The motion that the server refuses, and why. */
  refused: { key: number; message: string } | null = null
  /** What the plan shows; it stays while something is dragged. */
  box: Box = boxOf(this.curve)
  drawing = false
  /** What keys draw: the corners so far, and where the pen is. */
  pen: { corners: readonly Spot[]; at: Spot } | null = null
  /** Of the path that drawing began with. */
  private drawnOver: readonly Spot[] = firstPath
  /** Which of `spots`. */
  chosen = 0
  style = ''
  clean = true
  /** Null: the graph's own. */
  dwell_s: number | null = null
  /** What will be followed of the path, rounded where it is too tight; null: not known yet. */
  route: FollowedPath | null = null
  /** Where the body went, on the floor. */
  walked: readonly Spot[] = []
  private graph: Graph | null = null
  private body: WalkBody | null = null
  private keys: readonly number[] = []
  private lastKey = 0
  private rest = 0
  private followed = true
  private readonly asking = new Latest<Question, Made>(
    async ({ body }) => readMade(await api.walkGraph({ ...body, fps: this.graph?.fps })),
    (made, question, last) => this.take(made, question, last),
    (cause, question) => this.miss(cause, question),
  )

  private readonly routing = new Latest<PathBody, FollowedPath>(
    (body) => api.followedPath(body),
    (answer) => this.takeRoute(answer),
    () => this.takeRoute(null), // the walk will say what is wrong
  )

  /** What can be taken and moved: the points of the path, or the places; behind them the middles of obstacles, then the marks
   *  of motions on the path. */
  get spots(): readonly Spot[] {
    const own = this.way === 'path' ? this.points : this.goals.map(({ place }) => place)
    const marks = this.marks.map(({ along_cm }) => placeAlong(this.curve, along_cm))
    return [...own, ...this.obstacles.map(({ place }) => place), ...marks]
  }

  /** Points or places, without what is behind them. */
  get own(): number {
    return (this.way === 'path' ? this.points : this.goals).length
  }

  /** Of the chosen one; -1: it is none. */
  get chosenObstacle(): number {
    const at = this.chosen - this.own
    return at < this.obstacles.length ? Math.max(-1, at) : -1
  }

  /** Motions that can be moved along the path: those that are not at its end. */
  get marks(): readonly (Motion & { along_cm: number })[] {
    if (this.way !== 'path') return []
    return this.motions.flatMap((each) => (each.along_cm === null ? [] : { ...each, along_cm: each.along_cm }))
  }

  get chosenMark(): (Motion & { along_cm: number }) | undefined {
    return this.marks[this.chosen - this.own - this.obstacles.length]
  }

  /** In the order in which they are done. */
  get ordered(): readonly Motion[] {
    return this.way === 'path' ? inOrder(this.motions) : this.motions
  }

  /** What came of a motion, in the walk that is shown. */
  performed(key: number): Performed | undefined {
    return this.facts?.requests?.[this.keys.indexOf(key)]
  }

  /** The line that is drawn from the first point to the last. */
  get line(): readonly Spot[] {
    return this.way === 'path' ? this.curve : this.goals.map(({ place }) => place)
  }

  /** What is walked instead of what was drawn, if it is not the same. */
  get tight(): readonly Spot[] {
    const path = this.way === 'path' ? this.route : null
    return path && path.rounded.length > 0 ? path.points : []
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
    void this.loadFamilies(graph)
    this.dwell_s = null
    this.made = this.kept = null
    this.walked = []
    this.route = null
    this.error = ''
    this.followed = getState().view.follow
    player.set({ playing: false })
    this.begin()
  }

  /** A family that is gone is asked for no more. */
  private async loadFamilies(graph: Graph): Promise<void> {
    await attempt(async () => {
      const { spaces } = await api.families()
      if (this.graph !== graph) return
      this.families = spaces
      const has = ({ family }: Motion) => spaces.some(({ name }) => name === family.name)
      if (!this.motions.every(has)) {
        this.motions = this.motions.filter(has)
        this.remake(true)
      }
      this.publish()
    })
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
    this.pen = null
    this.made = this.kept = null
    this.walked = []
    this.error = ''
    this.begin()
  }

  /** There is something on the floor that is walked. */
  get onFloor(): boolean {
    return this.way === 'path' || this.way === 'goals'
  }

  /** A path is seen whole from above; through actions the view goes with the body. */
  private begin(): void {
    this.refused = null
    changeView({ follow: !this.onFloor })
    this.publish()
    if (this.onFloor) this.showAll()
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

  // Motions of families

  async addMotion(name: string): Promise<void> {
    const { graph } = this
    if (this.motions.length >= mostMotions) return
    await attempt(async () => {
      const family = await api.family(name)
      if (this.graph !== graph || !graph) return
      const along_cm = freePlace(this.motions, lengthOf(this.curve))
      this.setMotions([...this.motions, { key: ++this.lastKey, family, values: firstValues(family), along_cm }])
      const mark = this.marks.findIndex(({ key }) => key === this.lastKey)
      if (mark >= 0) this.choose(this.own + this.obstacles.length + mark)
    })
  }

  setMotion(key: number, fields: Partial<Pick<Motion, 'values' | 'along_cm'>>): void {
    this.setMotions(this.motions.map((each) => (each.key === key ? { ...each, ...fields } : each)))
  }

  dropMotion(key: number): void {
    this.setMotions(this.motions.filter((each) => each.key !== key))
  }

  private setMotions(motions: readonly Motion[]): void {
    this.putFloor({ motions })
    this.choose(this.chosen)
    this.remake(true)
  }

  private moveMark({ key }: Motion, along_cm: number): void {
    const most = Math.floor(lengthOf(this.curve))
    const along = Math.max(0, Math.min(most, Math.round(along_cm)))
    this.putFloor({ motions: this.motions.map((each) => (each.key === key ? { ...each, along_cm: along } : each)) })
  }

  /** The chosen mark goes so far along the path. */
  slideMark(by_cm: number): void {
    const mark = this.chosenMark
    if (!mark) return
    this.moveMark(mark, mark.along_cm + by_cm)
    this.remake(false)
    this.restSoon()
  }

  leave(): void {
    clearTimeout(this.rest)
    this.asking.forget()
    this.routing.forget()
    this.graph = null
    this.drawing = false
    this.pen = null
    change({ floorPath: null })
    changeView({ follow: this.followed })
    endOverlook()
  }

  /** The whole path from above. */
  showAll(): void {
    const walked = !this.onFloor && this.walked.length > 1
    this.box = boxOf(walked ? this.walked : [...this.line, ...edgesOf(this.obstacles)])
    overlook(this.box.middle, 1.25 * this.box.span)
    this.tell()
  }

  setDrawing(on: boolean): void {
    this.drawing = on
    this.pen = null
    this.drawnOver = this.points
    this.publish()
  }

  // Drawing by keys: straight from corner to corner, beginning where the path did.

  penBy([x, z]: Spot): void {
    const { corners, at } = this.penNow
    const { middle, span } = this.box
    const inside = (value: number, k: 0 | 1) => Math.max(middle[k] - span / 2, Math.min(middle[k] + span / 2, value))
    this.drawTo(corners, [inside(at[0] + x, 0), inside(at[1] + z, 1)])
  }

  penCorner(): void {
    const { corners, at } = this.penNow
    if (apart(at, corners[corners.length - 1]!) > 0) this.drawTo([...corners, at], at)
  }

  /** Back to the last corner, or the one before. */
  penBack(): void {
    const { corners, at } = this.penNow
    const last = corners[corners.length - 1]!
    const left = apart(at, last) > 0 || corners.length === 1 ? corners : corners.slice(0, -1)
    this.drawTo(left, left[left.length - 1]!)
  }

  penEnd(): void {
    const { corners, at } = this.penNow
    this.pen = null
    this.draw([...corners, at], true)
  }

  /** The path is as it was. */
  penLeave(): void {
    this.setDrawing(false)
    this.put(this.drawnOver)
    this.remake(true)
  }

  private get penNow() {
    const first = this.points[0]!
    return this.pen ?? { corners: [first], at: first }
  }

  private drawTo(corners: readonly Spot[], at: Spot): void {
    this.pen = { corners, at }
    this.draw([...corners, at], false)
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
    const mark = this.chosenMark
    const moved = <T extends { place: Spot }>(all: readonly T[], which: number): T[] =>
      all.map((each, i) => (i === which ? { ...each, place: rounded(place) } : each))
    if (at >= 0) this.putFloor({ obstacles: moved(this.obstacles, at) })
    else if (mark) this.moveMark(mark, nearestAlong(this.curve, place))
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

  /** Null: anywhere. */
  setHeading(goal: number, heading_deg: number | null, over: boolean): void {
    this.chosen = goal
    this.putFloor({ goals: this.goals.map((each, i) => (i === goal ? { ...each, heading_deg } : each)) })
    this.remake(over)
  }

  /** In the middle of the way. */
  addObstacle(): void {
    if (this.obstacles.length >= mostObstacles) return
    const place = middleOf(this.spots.slice(0, this.own))
    this.putFloor({ obstacles: [...this.obstacles, { place: rounded(place), radius_cm: 40 }] })
    this.chosen = this.own + this.obstacles.length - 1
    this.remake(true)
  }

  setRadius(radius_cm: number, over: boolean): void {
    const at = this.chosenObstacle
    this.putFloor({ obstacles: this.obstacles.map((each, i) => (i === at ? { ...each, radius_cm: Math.round(radius_cm) } : each)) })
    this.remake(over)
  }

  private putFloor(fields: Partial<Pick<PathWalk, 'goals' | 'obstacles' | 'motions'>>): void {
    Object.assign(this, fields)
    this.soon()
  }

  addPoint(): void {
    if (this.way === 'goals') {
      const [x, z] = this.goals[this.goals.length - 1]!.place
      if (this.addGoal([x + 100, z])) this.remake(true)
      return
    }
    if (this.points.length >= mostPoints || this.chosen >= this.own) return
    this.put(withPoint(this.points, this.chosen))
    this.chosen++
    this.remake(true)
  }

  /** A path has two points at least, and a walk to places begins somewhere. */
  dropPoint(): void {
    const { way, chosen, chosenObstacle, chosenMark } = this
    if (chosenMark) return this.dropMotion(chosenMark.key)
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
    this.motions = within(this.motions, lengthOf(this.curve))
    this.soon()
  }

  private readonly soon = perPicture(() => {
    if (this.graph) this.publish()
  })

  private publish(): void {
    const { spots: points, own, line: curve, tight: followed, obstacles, drawing, onFloor } = this
    const move = (point: number, place: Spot, over: boolean) => this.move(point, place, over)
    const draw = (places: readonly Spot[], over: boolean) => this.draw(places, over)
    change({ floorPath: onFloor ? { points, own, obstacles, curve, followed, drawing, move, draw } : null })
    this.tell()
  }

  private restSoon(): void {
    clearTimeout(this.rest)
    this.rest = window.setTimeout(() => this.remake(true), rest_ms)
  }

  private remake(whole: boolean): void {
    const { graph, way, through, curve, goals, obstacles, ordered, style, dwell_s, clean, onFloor } = this
    if (!graph) return
    clearTimeout(this.rest)
    this.kept = null
    const does = way === 'path' || way === 'motions' ? ordered : []
    if (!onFloor && through.length + does.length === 0) {
      this.asking.forget()
      this.made = this.refused = null
      return this.tell()
    }
    const body: WalkBody = {
      graph: graph.name,
      ...(way === 'path' && { path: [...curve] }),
      ...(does.length > 0 && { do: does.map((each) => motionWord(each, way === 'path')) }),
      ...(way === 'goals' && { at: goals.map(goalWord) }),
      ...(way === 'through' && { through: [...through] }),
      ...(onFloor && { effort: whole ? efforts[way === 'path' ? 'path' : 'goals'] : efforts.quick }),
      ...(onFloor && obstacles.length > 0 && { avoid: obstacles.map(obstacleWord) }),
      ...(style && { style: [style] }),
      ...(dwell_s !== null && { dwell: dwell_s }),
      ...(!clean && { leave_feet: true }),
    }
    if (body.path) this.routing.want({ graph: body.graph, path: body.path, avoid: body.avoid, style: body.style })
    this.asking.want({ body, keys: does.map(({ key }) => key), whole })
    this.tell()
  }

  private takeRoute(path: FollowedPath | null): void {
    this.route = path
    if (this.graph) this.publish()
  }

  /** What one of the motions is refused for is said beside it. */
  private miss(cause: unknown, { body, keys }: Question): void {
    const key = cause instanceof ApiError && cause.path ? keys[body.do?.indexOf(cause.path) ?? -1] : undefined
    this.refused = key === undefined ? null : { key, message: (cause as ApiError).message }
    if (!this.refused) return this.fail(cause)
    this.error = ''
    this.tell()
  }

  private take(made: Made, { body, keys, whole }: Question, last: boolean): void {
    const { like } = graphs
    if (!this.graph || !like || getState().making !== 'graph') return
    const before = this.facts
    this.made = made
    this.body = body
    this.keys = keys
    this.error = ''
    this.refused = null
    const shown = asShownClip(ids.walk, t('walk'), like, made)
    shown.clip.marks = [...shown.clip.marks, ...motionMarks(this.facts!.requests ?? [])]
    shown.clip.stretches = stretchesOf(this.facts!.pieces)
    void this.trace(made, shown.clip)
    const share = before ? player.now.time / Math.max(1, before.frames / before.fps) : 0
    showMade([shown], whole ? 0 : (share * made.facts.frames) / made.facts.fps)
    if (whole) playByItself()
    if (last) showCommand(lineOf('graph walk', body, { name: nameFor('walk') }))
    this.tell()
  }

  private async trace(made: Made, clip: Clip): Promise<void> {
    const walked = await floorOf(clip, made.motion)
    if (this.made !== made) return
    this.walked = walked
    if (!this.onFloor) this.box = boxOf(walked)
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
