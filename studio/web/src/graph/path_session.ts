// path_session.ts - a path on the floor that the character of a graph walks. While it is dragged the walk follows with little
// search; when it rests it is searched for with more, and walked from its beginning.
import { api, type Clip, type Graph, type WalkBody } from '../api'
import { perPicture } from '../changes'
import { showCommand } from '../commands'
import { AS_CAPTURED, ClipFrames, Pose } from '../frames'
import { Latest } from '../making/latest'
import { asShownClip, framesFrom, readMade, type Made, type MadeFacts } from '../making/made'
import { nameFor, Session, showMade } from '../making/session'
import { lineOf } from '../operations'
import { player } from '../player'
import { change, changeView, getState, type Spot } from '../store'
import { overlook } from '../viewer/panel'
import { boxOf, curveOf, firstPath, mostPoints, pointsOf, rounded, withPoint, type Box } from './path_data'
import { graphs, ids } from './session'

/** Steps of the search while something is dragged, and when it rests. */
const efforts = { quick: 3000, whole: 60000 }
const rest_ms = 350

/** What the server says of a walk. */
interface WalkFacts extends MadeFacts {
  transitions: number
  mean_quality: number
  arrived: boolean
  path_cm: number | null
  path_worst_cm: number | null
  pieces: { at: number; length: number; clip: string; id: number; start: number; end: number }[]
}

interface Question {
  body: WalkBody
  /** It rests: walk it. */
  whole: boolean
}

class PathWalk extends Session {
  points: readonly Spot[] = firstPath
  curve: readonly Spot[] = curveOf(firstPath)
  /** What the plan shows; it stays while something is dragged. */
  box: Box = boxOf(this.curve)
  drawing = false
  chosen = 0
  style = ''
  clean = true
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

  get busy(): boolean {
    return this.asking.busy
  }

  get facts(): WalkFacts | null {
    return this.made && (this.made.facts as WalkFacts)
  }

  enter(graph: Graph): void {
    this.graph = graph
    if (!graph.labels.includes(this.style)) this.style = ''
    this.made = this.kept = null
    this.followed = getState().view.follow
    changeView({ follow: false })
    player.set({ playing: false })
    this.publish()
    this.showAll()
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
    this.box = boxOf(this.curve)
    overlook(this.box.middle, 1.25 * this.box.span)
    this.tell()
  }

  setDrawing(on: boolean): void {
    this.drawing = on
    this.publish()
  }

  set(fields: Partial<Pick<PathWalk, 'style' | 'clean'>>): void {
    Object.assign(this, fields)
    this.remake(true)
  }

  choose(point: number): void {
    this.chosen = Math.max(0, Math.min(this.points.length - 1, point))
    this.tell()
  }

  /** Moving by keys has no end of its own: `later` waits for a pause. */
  move(point: number, place: Spot, over: boolean | 'later'): void {
    this.chosen = point
    this.put(this.points.map((each, i) => (i === point ? rounded(place) : each)))
    this.remake(over === true)
    if (over === 'later') this.restSoon()
  }

  addPoint(): void {
    if (this.points.length >= mostPoints) return
    this.put(withPoint(this.points, this.chosen))
    this.chosen++
    this.remake(true)
  }

  dropPoint(): void {
    if (this.points.length <= 2) return
    this.put(this.points.filter((_, i) => i !== this.chosen))
    this.choose(this.chosen)
    this.remake(true)
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
    const { points, curve, drawing } = this
    const move = (point: number, place: Spot, over: boolean) => this.move(point, place, over)
    const draw = (places: readonly Spot[], over: boolean) => this.draw(places, over)
    change({ floorPath: { points, curve, drawing, move, draw } })
    this.tell()
  }

  private restSoon(): void {
    clearTimeout(this.rest)
    this.rest = window.setTimeout(() => this.remake(true), rest_ms)
  }

  private remake(whole: boolean): void {
    const { graph, curve, style, clean } = this
    if (!graph) return
    clearTimeout(this.rest)
    this.kept = null
    const body: WalkBody = {
      graph: graph.name,
      path: [...curve],
      effort: whole ? efforts.whole : efforts.quick,
      ...(style && { style: [style] }),
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
