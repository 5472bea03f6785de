// session.ts - one clip's motion on another body, on the page: which joints belong together, what is kept, and what the server
// makes of it. The preview and the conflicts follow what is changed.
import { api, type Clip, type JointMap, type MapFile, type RetargetBody } from '../api'
import { attempt } from '../attempt'
import { AS_CAPTURED, capturedFrames, ClipFrames, Pose } from '../frames'
import { undoOf } from '../history'
import { Latest } from '../making/latest'
import { asShownClip, readMade, type Made, type MadeFacts } from '../making/made'
import { keepMade, leaveMade, nameFor, Session, showMade } from '../making/session'
import { act, lineOf, showCommand } from '../operations'
import { player } from '../player'
import { change, getState, tell } from '../store'
import { t } from '../words/words'

/** Of the clip whose motion it is, and of the one whose body it gets. */
export type Side = 0 | 1

/** A joint of each. */
export interface Pair {
  role: string | null
  joints: [number, number]
}

/** A body as it stands in one frame. */
export interface Standing {
  /** Of its joints, each its own. */
  names: string[]
  /** x y z of every joint. */
  places: Float64Array
}

/** How well the motion came onto the body. */
export interface Report extends MadeFacts {
  same_body: boolean
  leg_ratio: number
  slide_cm: number | null
  penetration_cm: number
  reach_percent: number
  /** Peak joint speed against the source's in proportion, and frames in which a limb was stretched straight. */
  speed_ratio?: number | null
  straight_frames?: number
}

/** Colours as in the viewer, where what is made leads and the clip is beside it. */
export const colours = ['of-clip-1', 'of-target'] as const

export const keeps = ['hands', 'feet', 'heights', 'path'] as const
export type Keep = (typeof keeps)[number]

const previewId = -1

/** A frame in which the arms are away from the body, where there is one. */
async function standing(clip: Clip, names: string[]): Promise<Standing> {
  const tPose = clip.marks.some(({ kind }) => kind === 'invented-first-frame')
  const frame = tPose ? 0 : capturedFrames(clip).start
  const frames = new ClipFrames({ ...clip, frames: 1 }, (id, _start, _end, _step, signal) =>
    api.frames(id, frame, frame + 1, 1, signal),
  )
  const pose = new Pose(clip.joints.length)
  await frames.load()
  if (frames.error) throw frames.error
  frames.pose(0, AS_CAPTURED, pose)
  return { names, places: pose.places }
}

class Retarget extends Session {
  clips: Clip[] = []
  bodies: Standing[] = []
  pairs: Pair[] = []
  /** Of each pair: '', 'sides' or 'order'. */
  conflicts: string[] = []
  /** The library keeps a map for these skeletons. */
  stored = false
  /** The pairs are other ones than those that would be used without asking. */
  edited = false
  /** The pair that is looked at; -1: none. */
  chosen = -1
  /** A joint that waits for another one. */
  held: { side: Side; joint: number } | null = null
  keep: Keep[] = []
  inPlace = false
  /** What was done last shows its command: a preview that comes late is not that. */
  private previewIsLast = true
  private era = 0
  private readonly preview = new Latest<RetargetBody, Made>(
    async (body) => readMade(await api.retarget(body)),
    (made, body, last) => this.take(made, body, last),
    (cause) => {
      this.made = null
      this.fail(cause)
    },
  )
  private readonly checking = new Latest<MapFile, JointMap>(
    (map) => api.checkMap({ ...this.ids, map }),
    ({ pairs }) => {
      this.conflicts = pairs.map(({ conflict }) => conflict ?? '')
      this.tell()
    },
    this.fail,
  )

  get busy(): boolean {
    return this.preview.busy
  }

  get report(): Report | null {
    return this.made ? (this.made.facts as Report) : null
  }

  private get ids(): { a: number; b: number } {
    return { a: this.clips[0]!.id, b: this.clips[1]!.id }
  }

  /** The pairs as a map's file has them. */
  private get file(): MapFile {
    const [from, to] = this.bodies
    return {
      pairs: this.pairs.map(({ role, joints }) => ({
        ...(role !== null && { role }),
        from: from!.names[joints[0]]!,
        to: to!.names[joints[1]]!,
      })),
    }
  }

  get body(): RetargetBody {
    return {
      clips: [this.clips[0]!.id],
      onto: this.clips[1]!.id,
      ...(this.edited && { map: this.file }),
      ...(this.keep.length > 0 && { keep: [...this.keep] }),
      ...(this.inPlace && { in_place: true }),
    }
  }

  enter(clips: Clip[]): void {
    this.clips = clips
    this.bodies = []
    this.pairs = []
    this.conflicts = []
    this.stored = this.edited = false
    this.chosen = -1
    this.held = this.made = this.kept = null
    this.error = ''
    this.preview.forget()
    this.checking.forget()
    player.set({ playing: false })
    change({ arrangement: 'aligned' })
    void this.open()
  }

  private async open(): Promise<void> {
    const era = ++this.era
    await this.during(t('Looking at both bodies…'), async () => {
      // Of a map without pairs all joints are left over, in their order.
      const all = await api.checkMap({ ...this.ids, map: { pairs: [] } })
      const [from, to] = this.clips
      const bodies = await Promise.all([standing(from!, all.only_from), standing(to!, all.only_to)])
      const map = await api.jointMap(this.ids)
      if (era !== this.era) return
      this.bodies = bodies
      this.takeMap(map)
      this.stored = map.map_from === 'library'
      this.remake()
    })
  }

  /** Another program may have changed what is kept; what is edited here stays. */
  async load(): Promise<void> {
    if (this.bodies.length === 0 || this.edited) return
    const { era } = this
    await this.trying(async () => {
      const map = await api.jointMap(this.ids)
      if (era !== this.era || this.edited) return
      const before = JSON.stringify(this.file)
      this.takeMap(map)
      this.stored = map.map_from === 'library'
      if (JSON.stringify(this.file) !== before) this.remake()
    })
  }

  private takeMap({ pairs }: JointMap): void {
    const [from, to] = this.bodies.map(({ names }) => new Map(names.map((name, j) => [name, j])))
    this.pairs = pairs.map((pair) => ({ role: pair.role ?? null, joints: [from!.get(pair.from)!, to!.get(pair.to)!] }))
    this.conflicts = pairs.map(({ conflict }) => conflict ?? '')
    this.chosen = -1
    this.held = null
  }

  // Changing pairs

  /** The pair that has a joint; -1: none. */
  pairOf(side: Side, joint: number): number {
    return this.pairs.findIndex(({ joints }) => joints[side] === joint)
  }

  /** Joints without a counterpart. */
  alone(side: Side): number[] {
    const paired = new Set(this.pairs.map(({ joints }) => joints[side]))
    return (this.bodies[side]?.names ?? []).flatMap((_, j) => (paired.has(j) ? [] : [j]))
  }

  choose(pair: number): void {
    this.chosen = this.chosen === pair ? -1 : pair
    this.held = null
    this.tell()
  }

  /** The second of two belongs to the first. */
  press(side: Side, joint: number): void {
    const { held } = this
    if (held && held.side !== side) {
      this.join(side === 1 ? [held.joint, joint] : [joint, held.joint])
      return
    }
    const again = held?.joint === joint
    this.held = again ? null : { side, joint }
    this.chosen = again ? -1 : this.pairOf(side, joint)
    this.tell()
  }

  /** A joint that has a pair takes it, with its role, to the other one. */
  private join(joints: [number, number]): void {
    const at = Math.max(this.pairOf(0, joints[0]), -1)
    const other = at >= 0 ? at : this.pairOf(1, joints[1])
    if (other >= 0) return this.setPair(other, { joints })
    const used = new Set(this.pairs.map(({ role }) => role))
    const roles = this.clips.flatMap((clip, side) =>
      Object.entries(clip.roles).flatMap(([role, joint]) => (joint === joints[side] && !used.has(role) ? [role] : [])),
    )
    this.notePairs()
    this.pairs = [...this.pairs, { role: roles[0] ?? null, joints }]
    this.changed(this.pairs.length - 1)
  }

  /** No joint and no role is in two pairs: the one that had it is gone, or goes without the role. */
  setPair(at: number, fields: Partial<Pair>): void {
    const now = { ...this.pairs[at]!, ...fields }
    const rest = this.pairs.flatMap((pair, i) => {
      if (i === at) return [now]
      if (pair.joints.some((joint, side) => joint === now.joints[side])) return []
      return [now.role !== null && pair.role === now.role ? { ...pair, role: null } : pair]
    })
    this.notePairs()
    this.pairs = rest
    this.changed(rest.indexOf(now))
  }

  remove(at: number): void {
    this.notePairs()
    this.pairs = this.pairs.filter((_, i) => i !== at)
    this.changed(-1)
  }

  private notePairs(): void {
    const { pairs, edited, stored } = this
    this.setting(`pairs ${Date.now()}`, { pairs, edited, stored }, () => {
      this.chosen = -1
      this.held = null
      this.conflicts = []
      this.checking.want(this.file)
      this.remake()
      this.tell()
    })
  }

  private changed(chosen: number): void {
    this.chosen = chosen
    this.held = null
    this.edited = true
    this.conflicts = []
    this.checking.want(this.file)
    this.remake()
    this.tell()
  }

  // What is kept of the map

  /** By roles and names, whatever is kept. */
  async asFound(): Promise<void> {
    await attempt(async () => {
      this.takeMap(await act<JointMap>('map', { ...this.ids, found: true }))
      this.edited = this.stored
      this.remake()
      this.tell()
    })
  }

  async save(): Promise<void> {
    this.previewIsLast = false
    await attempt(async () => {
      const done = await act<JointMap>('map', { ...this.ids, set: this.file })
      const { stale = [] } = done
      const again = stale.length ? t` Build again: ${stale.map(({ kind, name }) => `${kind} ${name}`).join(', ')}.` : ''
      tell(t`The map is kept for these two skeletons.${again}`, 'info', undoOf(done))
      this.stored = true
      this.edited = false
      this.tell()
    })
  }

  async forget(): Promise<void> {
    await attempt(async () => {
      const done = await act<JointMap>('map', { ...this.ids, forget: true })
      tell(t('The map is forgotten'), 'info', undoOf(done))
      this.takeMap(done)
      this.stored = this.edited = false
      this.remake()
      this.tell()
    })
  }

  // What is made

  set(fields: { keep?: Keep[]; inPlace?: boolean }): void {
    const { keep, inPlace } = this
    this.setting(Object.keys(fields).join(), { keep, inPlace }, () => {
      this.remake()
      this.tell()
    })
    Object.assign(this, fields)
    this.remake()
    this.tell()
  }

  private remake(): void {
    this.previewIsLast = true
    this.kept = null
    this.error = ''
    this.preview.want(this.body)
  }

  private take(made: Made, body: RetargetBody, last: boolean): void {
    if (getState().making !== 'retarget') return
    const { arrangement } = getState()
    const [source, target] = this.clips
    this.made = made
    this.error = ''
    const shown = asShownClip(previewId, t`${source!.name} on ${target!.name}`, target!, made)
    showMade([shown, { clip: source!, alignFrame: capturedFrames(source!).start }], player.now.time)
    change({ arrangement })
    if (last && this.previewIsLast) showCommand(lineOf('retarget', body, { name: nameFor(this.newName) }))
    this.tell()
  }

  get newName(): string {
    return this.clips.map(({ name }) => name).join('-on-')
  }

  async keepClip(name: string): Promise<boolean> {
    const clip = await keepMade('retarget', this.body, name)
    if (!clip) return false
    if (getState().making !== 'retarget') return true
    const { arrangement } = getState()
    this.kept = clip
    showMade([{ clip, alignFrame: 0 }, ...getState().shown.slice(1)], player.now.time)
    change({ arrangement })
    this.tell()
    return true
  }

  /** The panel is gone. */
  leave(): void {
    this.era++
    this.preview.forget()
    this.checking.forget()
    leaveMade(this.kept ? [this.kept] : this.clips)
  }
}

export const retarget = new Retarget()
