// session.ts - the transition that is on the page: two clips, a frame of each, and what the server makes of them. Ghosts
// follow a dragged cut at once; the preview follows as fast as it can be made.
import { api, type Clip, type Cut, type Cuts, type CutsQuery, type TransitionBody } from '../api'
import { messageOf } from '../attempt'
import { Latest } from '../making/latest'
import { asShownClip, centreOf, readMade, type Made } from '../making/made'
import { keepMade, leaveMade, nameFor, Session, showMade } from '../making/session'
import { lineOf, showCommand } from '../operations'
import { player } from '../player'
import { change, getState, type Shown } from '../store'
import { t } from '../words/words'

export type Side = 0 | 1

export interface Settings {
  half: number
  method: string
  clean: boolean
}

/** Frames of a clip, from the first to the last. */
export type Span = [number, number]

const listed = 12
const defaultHalf_s = 0.25
const previewId = -1

class Transition extends Session {
  clips: Clip[] = []
  at: [number, number] = [0, 0]
  settings: Settings = { half: 1, method: 'registered', clean: true }
  cuts: Cuts | null = null
  near = false
  all = false
  /** Where the first clip may be left, and the second entered; null: anywhere. */
  spans: [Span | null, Span | null] = [null, null]
  cutsError = ''
  /** The place of the cut is looked at: both ghosts, and not what is made of them. */
  private aiming = false
  private stops: (() => void)[] = []
  /** Those of the list. */
  private sought: [Span | null, Span | null] = [null, null]
  private readonly preview = new Latest<TransitionBody, Made>(
    async (body) => readMade(await api.transition(body)),
    (made, body, last) => this.take(made, body, last),
    this.fail,
  )
  private readonly seeking = new Latest<{ query: CutsQuery; take: boolean }, Cuts>(
    ({ query }) => api.cuts(query),
    (cuts, { query, take }, last) => {
      if (getState().making !== 'transition') return
      this.cuts = cuts
      this.cutsError = ''
      if (last) showCommand(lineOf('transition', query))
      const [best] = cuts.cuts
      if (take && best) this.at = [best.a, best.b]
      this.found(take)
    },
    (cause, { take }) => {
      this.cuts = null
      this.cutsError = messageOf(cause)
      this.found(take)
    },
  )

  get busy(): boolean {
    return this.preview.busy
  }

  /** The longest half that the slider offers: a second. */
  get mostHalf(): number {
    return Math.max(2, Math.round(this.clips[0]?.fps ?? 30))
  }

  get body(): TransitionBody {
    const [a, b] = this.clips
    const { clean, ...how } = this.settings
    return { a: a!.id, b: b!.id, at: this.at, no_clean: !clean, ...how }
  }

  enter(clips: [Clip, Clip]): void {
    this.preview.forget()
    this.seeking.forget()
    const others = clips.some((clip, i) => clip.id !== this.clips[i]?.id)
    this.clips = clips
    this.made = this.kept = this.cuts = null
    this.error = this.cutsError = ''
    if (others) {
      this.settings = { ...this.settings, half: Math.max(1, Math.round(defaultHalf_s * clips[0].fps)) }
      this.at = [Math.floor(clips[0].frames / 2), Math.floor(clips[1].frames / 2)]
      this.near = this.all = false
      this.spans = [null, null]
    }
    this.follow()
    player.set({ playing: false })
    this.showGhosts()
    this.seek(others)
    if (!others) this.remake()
    this.tell()
  }

  /** Playing or moving the playhead shows the result again. */
  private follow(): void {
    this.stops.forEach((stop) => stop())
    const look = () => {
      const { made, aiming } = this
      if (!made || !aiming || (!player.now.playing && player.frame === centreOf(made.facts))) return
      this.aiming = false
      const { shown } = getState()
      change({ shown: shown.map((one) => ({ ...one, bodiless: false })) })
    }
    this.stops = [player.onTime(look), player.onState(look)]
  }

  /** Asks for the best cuts; `take`: the first of them is taken. */
  seek(take = false): void {
    const [a, b] = this.clips
    const { half } = this.settings
    const [leave, enter] = this.spans.map((span): Span | null => span && [span[0], span[1] + 1])
    const query: CutsQuery = { a: a!.id, b: b!.id, half, count: listed }
    if (this.near) query.near = this.at
    if (leave) query.leave = leave
    if (enter) query.enter = enter
    if (this.all) query.below = 'inf'
    this.sought = this.spans
    this.seeking.want({ query, take })
  }

  private found(take: boolean): void {
    if (take) {
      this.kept = null
      this.showGhosts()
      this.remake()
    }
    this.tell()
  }

  setSeek(fields: { near?: boolean; all?: boolean }): void {
    Object.assign(this, fields)
    this.tell()
    this.seek()
  }

  /** One end of where a clip may be left or entered; the best cut there is taken. */
  setSpan(side: Side, end: 0 | 1, frame: number): void {
    const last = this.clips[side]!.frames - 1
    const [from, to] = this.spans[side] ?? [0, last]
    const at = Math.round(frame)
    const span: Span = end === 0 ? [Math.max(0, Math.min(to, at)), to] : [from, Math.max(from, Math.min(last, at))]
    if (span[0] === from && span[1] === to) return
    this.noteSetting(`span ${side} ${end}`)
    this.putSpan(side, span[0] === 0 && span[1] === last ? null : span)
  }

  /** Anywhere again. */
  clearSpan(side: Side): void {
    this.noteSetting(`span ${side}`)
    this.putSpan(side, null)
  }

  private putSpan(side: Side, span: Span | null): void {
    this.spans = side === 0 ? [span, this.spans[1]] : [this.spans[0], span]
    this.tell()
    this.seek(true)
  }

  move(side: Side, frame: number): void {
    const last = this.clips[side]!.frames - 1
    const to = Math.max(0, Math.min(last, Math.round(frame)))
    if (to === this.at[side]) return
    this.noteSetting(`cut ${side}`)
    this.at = side === 0 ? [to, this.at[1]] : [this.at[0], to]
    this.changed()
  }

  takeCut({ a, b }: Cut): void {
    this.noteSetting(`cut ${a} ${b}`)
    this.at = [a, b]
    this.changed()
  }

  set(fields: Partial<Settings>): void {
    this.noteSetting(Object.keys(fields).join())
    this.settings = { ...this.settings, ...fields }
    this.changed()
  }

  private noteSetting(key: string): void {
    const { at, settings, spans } = this
    this.setting(key, { at, settings, spans }, () => {
      this.changed()
      if (this.spans !== this.sought) this.seek()
    })
  }

  private changed(): void {
    this.kept = null
    this.showGhosts()
    this.remake()
    this.tell()
  }

  private remake(): void {
    this.preview.want(this.body)
  }

  /** Both bodies at the cut. */
  private get held(): Shown[] {
    return this.clips.map((clip, i) => ({ clip, alignFrame: this.at[i], held: true }))
  }

  /** Both bodies at the cut, on what was made last; before the first answer on each other alone. */
  private showGhosts(): void {
    const { made, held } = this
    this.aiming = !player.now.playing
    if (!made) return this.put(held, this.at[0] / this.clips[0]!.fps)
    const centre = centreOf(made.facts)
    const leader = this.leader(made, centre)
    // While a cut is dragged the view shows that place, not where the playhead was left.
    const time = player.now.playing ? player.now.time : centre / made.facts.fps
    this.put([leader, ...held], time)
  }

  /** Without following the playhead meanwhile. */
  private put(shown: Shown[], time_s: number): void {
    const { aiming } = this
    this.aiming = false
    showMade(shown, time_s)
    this.aiming = aiming
  }

  private leader(made: Made, centre: number): Shown {
    const shown = asShownClip(previewId, t('transition'), this.clips[0]!, made, centre)
    const leader = this.kept ? { clip: this.kept, alignFrame: centre } : shown
    return { ...leader, bodiless: this.aiming }
  }

  /** The playhead stays where it is as seen from the cut. */
  private take(made: Made, body: TransitionBody, last: boolean): void {
    if (getState().making !== 'transition') return
    const before = this.made && !this.aiming ? player.now.time - centreOf(this.made.facts) / this.made.facts.fps : 0
    const centre = centreOf(made.facts)
    this.made = made
    this.error = ''
    this.put([this.leader(made, centre), ...this.held], centre / made.facts.fps + before)
    if (last) showCommand(lineOf('transition', body, { name: nameFor(this.newName) }))
    this.tell()
  }

  get newName(): string {
    return this.clips.map(({ name }) => name).join('-')
  }

  async keep(name: string): Promise<boolean> {
    const clip = await keepMade('transition', this.body, name)
    if (!clip) return false
    if (getState().making !== 'transition') return true
    const time = player.now.time
    this.kept = clip
    const held = getState().shown.slice(1)
    const bodiless = this.aiming
    this.put([{ clip, alignFrame: this.made ? centreOf(this.made.facts) : 0, bodiless }, ...held], time)
    this.tell()
    return true
  }

  /** The panel is gone. */
  leave(): void {
    this.preview.forget()
    this.seeking.forget()
    this.stops.forEach((stop) => stop())
    leaveMade(this.kept ? [this.kept] : this.clips)
  }
}

export const transition = new Transition()
