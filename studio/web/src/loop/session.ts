// session.ts - the loop that is on the page: a clip, where the loop begins and ends in it, how long loops may be that are
// sought, and what the server makes of them. It plays while its ends are moved.
import { api, type Clip, type LoopBody, type LoopCut, type Loops, type LoopsQuery } from '../api'
import { messageOf } from '../attempt'
import { Latest } from '../making/latest'
import { asShownClip, readMade, type Made, type MadeFacts } from '../making/made'
import { keepMade, leaveMade, nameFor, Session, showMade } from '../making/session'
import { lineOf, showCommand } from '../operations'
import { player } from '../player'
import { getState } from '../store'
import { t } from '../words/words'

/** The first frame of the loop, and the one that goes on into it. */
export type End = 0 | 1

export interface Settings {
  in_place: boolean
  clean: boolean
}

/** In seconds; null: as the operation has it, and as long as the clip. */
export interface Lengths {
  shortest: number | null
  longest: number | null
}

const listed = 12
const previewId = -1
/** The fewest frames from the first to the last. */
export const leastFrames = 3

class LoopMaking extends Session {
  clip: Clip | null = null
  at: [number, number] = [0, 0]
  settings: Settings = { in_place: false, clean: true }
  lengths: Lengths = { shortest: null, longest: null }
  loops: Loops | null = null
  loopsError = ''
  /** The end that was moved last: where it does not play, it is shown. */
  private aim: End | null = null
  /** It has not played yet. */
  private fresh = false
  private playedOn = true
  /** Of the list. */
  private sought: Lengths | null = null
  private seeks = 0
  private readonly preview = new Latest<LoopBody, Made>(
    async (body) => readMade(await api.loop(body)),
    (made, body, last) => this.take(made, body, last),
    this.fail,
  )

  get busy(): boolean {
    return this.preview.busy
  }

  /** What is worked on. */
  get clips(): Clip[] {
    return this.clip ? [this.clip] : []
  }

  get body(): LoopBody {
    const { in_place, clean } = this.settings
    return { clip: this.clip!.id, at: this.at, in_place, no_clean: !clean }
  }

  /** How well it closes. */
  get seam(): number | null {
    const facts = this.made?.facts as (MadeFacts & Loops) | undefined
    return facts?.loops[0]?.seam_ratio ?? null
  }

  enter(clip: Clip): void {
    this.preview.forget()
    const other = clip.id !== this.clip?.id
    this.clip = clip
    this.made = this.kept = this.loops = null
    this.error = this.loopsError = ''
    this.aim = null
    this.fresh = true
    if (other) {
      this.at = [Math.floor(clip.frames / 4), Math.floor((3 * clip.frames) / 4)]
      this.lengths = { shortest: null, longest: null }
    }
    this.playedOn = player.now.loop
    player.set({ loop: true })
    showMade([{ clip, alignFrame: 0 }], this.at[0] / clip.fps)
    void this.seek(other)
    if (!other) this.remake()
    this.tell()
  }

  /** Asks for the best loops; `take`: the first of them is taken. */
  async seek(take = false): Promise<void> {
    const number = ++this.seeks
    const { shortest, longest } = (this.sought = this.lengths)
    const query: LoopsQuery = { clip: this.clip!.id, count: listed }
    if (shortest !== null) query.shortest = shortest
    if (longest !== null) query.longest = longest
    try {
      const loops = await api.loops(query)
      if (number !== this.seeks || getState().making !== 'loop') return
      this.loops = loops
      this.loopsError = ''
      showCommand(lineOf('loop', query))
      const [best] = loops.loops
      if (take && best) {
        this.at = [best.start, best.end]
        this.changed()
      }
    } catch (cause) {
      if (number !== this.seeks) return
      this.loops = null
      this.loopsError = messageOf(cause)
    }
    this.tell()
  }

  /** Loops of other lengths are sought, and the best of them is taken. */
  setLengths(fields: Partial<Lengths>): void {
    this.noteSetting(Object.keys(fields).join())
    this.lengths = { ...this.lengths, ...fields }
    this.loops = null
    this.tell()
    void this.seek(true)
  }

  move(end: End, frame: number): void {
    const last = this.clip!.frames - 1
    const [start, stop] = this.at
    const [low, high] = end === 0 ? [0, stop - leastFrames] : [start + leastFrames, last]
    const to = Math.max(low, Math.min(high, Math.round(frame)))
    if (to === this.at[end]) return
    this.noteSetting(`end ${end}`)
    this.aim = end
    this.at = end === 0 ? [to, stop] : [start, to]
    this.changed()
  }

  takeLoop({ start, end }: LoopCut): void {
    this.noteSetting(`loop ${start} ${end}`)
    this.aim = null
    this.at = [start, end]
    this.changed()
  }

  set(fields: Partial<Settings>): void {
    this.noteSetting(Object.keys(fields).join())
    this.settings = { ...this.settings, ...fields }
    this.changed()
  }

  private noteSetting(key: string): void {
    const { at, settings, lengths } = this
    this.setting(key, { at, settings, lengths }, () => {
      this.changed()
      if (this.lengths !== this.sought) void this.seek()
    })
  }

  private changed(): void {
    this.kept = null
    this.remake()
    this.tell()
  }

  private remake(): void {
    this.preview.want(this.body)
  }

  /** What plays goes on playing, from where it was in its round. */
  private take(made: Made, body: LoopBody, last: boolean): void {
    if (getState().making !== 'loop') return
    const { frames, fps } = made.facts
    const begins = this.fresh
    const { playing, time } = player.now
    const held = this.aim === null ? time : this.aim === 0 ? 0 : (frames - 1) / fps
    this.made = made
    this.error = ''
    this.fresh = false
    showMade([asShownClip(previewId, t('loop'), this.clip!, made)], begins ? 0 : playing ? time % (frames / fps) : held)
    if (begins) player.play(1)
    if (last) showCommand(lineOf('loop', body, { name: nameFor(this.newName) }))
    this.tell()
  }

  get newName(): string {
    return `${this.clip?.name ?? ''}-loop`
  }

  async keep(name: string): Promise<boolean> {
    const clip = await keepMade('loop', this.body, name)
    if (!clip) return false
    if (getState().making !== 'loop') return true
    this.kept = clip
    showMade([{ clip, alignFrame: 0 }], player.now.time)
    this.tell()
    return true
  }

  /** The panel is gone. */
  leave(): void {
    this.preview.forget()
    this.seeks++
    player.set({ loop: this.playedOn })
    leaveMade(this.kept ? [this.kept] : this.clips)
  }
}

export const looping = new LoopMaking()
