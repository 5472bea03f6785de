// session.ts - a movement that is sketched: which curves are drawn, what was found like them, and what is shown of that. While
// the user draws the search follows, one question at a time, always the last.
import { api, type Clip, type DofTable, type ExampleAnswer, type ExampleMake, type ExamplePart } from '../api'
import { perPicture } from '../changes'
import { Latest } from '../making/latest'
import { asShownClip, readMade, type Made } from '../making/made'
import { leaveMade, nameFor, playFrames, Session, showMade } from '../making/session'
import { playByItself } from '../motion'
import { lineOf, showCommand } from '../operations'
import { getState, tell } from '../store'
import { t } from '../words/words'
import { blank, lengthened, longest_s, queryOf, resampled, rescaled, sketchFps } from './sketch_data'
import type { Asked, Lane, Settings, Source } from './sketch_data'

/** A row of what was found: a path through several clips, or the best one in a single clip. */
export interface Choice {
  kind: 'path' | 'clip'
  index: number
}

export const mostLanes = 4
/** A character of the panel that is in no library. */
const madeId = -41

class Sketching extends Session {
  table: DofTable | null = null
  lanes: Lane[] = []
  seconds = 3
  /** The curves are those of this clip, untouched. */
  source: Source | null = null
  settings: Settings = { k: 3, noise: 1, shape: false, label: '' }
  answer: ExampleAnswer | null = null
  asked: Asked | null = null
  chosen: Choice | null = null
  ownPace = false
  private like: Clip | null = null
  private readonly finding = new Latest<Asked, ExampleAnswer>(
    ({ body }) => api.findExample(body),
    (answer, asked, last) => this.take(answer, asked, last),
    this.fail,
  )
  private readonly making = new Latest<ExampleMake, { made: Made; like: Clip }>(
    (body) => this.make(body),
    ({ made, like }, body) => this.show(made, like, body),
    this.fail,
  )

  get busy(): boolean {
    return this.finding.busy
  }

  async enter(): Promise<void> {
    this.error = ''
    await this.load()
    if (this.lanes.length) this.askSoon()
  }

  async load(): Promise<void> {
    await this.trying(async () => {
      this.table = await api.dofs()
      this.settle()
    })
  }

  /** Lanes whose joint no clip has any more make way; there is always one. */
  private settle(): void {
    const { table } = this
    if (!table) return
    const known = new Map(table.dofs.map((dof) => [dof.dof, dof]))
    this.lanes = this.lanes.flatMap(({ dof, curve }) => {
      const now = known.get(dof.dof)
      return now ? [{ dof: now, curve }] : []
    })
    const first = known.get(table.default ?? '') ?? table.dofs[0]
    if (!this.lanes.length && first) {
      this.lanes = [{ dof: first, curve: blank(this.seconds) }]
      this.settings = { ...this.settings, k: table.k, noise: table.noise }
    }
  }

  // What is drawn

  setDof(lane: number, name: string): void {
    const dof = this.table?.dofs.find((each) => each.dof === name)
    const now = this.lanes[lane]
    if (!dof || !now) return
    const curve = rescaled(now.curve, now.dof, dof)
    this.lanes = this.lanes.map((each, i) => (i === lane ? { dof, curve } : each))
    void this.follow()
  }

  /** The next joint of the list that is not there yet; its other side if it has one. */
  addLane(): void {
    const { table, lanes } = this
    if (!table || lanes.length >= mostLanes) return
    const free = table.dofs.filter(({ dof }) => !lanes.some((lane) => lane.dof.dof === dof))
    const { role, channel } = lanes[0]!.dof
    const other = role?.replace(/left|right/, (side) => (side === 'left' ? 'right' : 'left'))
    const dof =
      free.find((each) => each.role === other && each.channel === channel) ??
      free.find((each) => table.defaults.includes(each.dof)) ??
      free[0]
    if (!dof) return
    this.lanes = [...lanes, { dof, curve: blank(this.seconds) }]
    void this.follow()
  }

  dropLane(lane: number): void {
    if (this.lanes.length < 2) return
    this.lanes = this.lanes.filter((_, i) => i !== lane)
    void this.follow()
  }

  setSeconds(seconds: number): void {
    this.seconds = seconds
    this.source = null
    this.lanes = this.lanes.map(({ dof, curve }) => ({ dof, curve: lengthened(curve, seconds) }))
    this.askSoon()
  }

  set(fields: Partial<Settings>): void {
    this.settings = { ...this.settings, ...fields }
    this.askSoon()
  }

  clear(): void {
    this.source = this.made = this.kept = null
    this.findNothing()
    this.lanes = this.lanes.map(({ dof }) => ({ dof, curve: blank(this.seconds) }))
    this.tell()
  }

  /** A curve was drawn on, in place. */
  drawn(): void {
    this.source = null
    this.askSoon()
  }

  /** The curves of the marked segment, or of all of a short clip. */
  async takeSegment(): Promise<void> {
    const { shown, segment } = getState()
    const clip = shown.find(({ clip: each }) => each.id > 0)?.clip
    if (!clip) return tell(t('Open a clip and mark a segment: its curve is taken from there.'))
    const whole = segment ?? { start: 0, end: clip.frames }
    if ((whole.end - whole.start) / clip.fps > longest_s) return tell(t`Mark at most ${longest_s} s of it.`)
    this.source = { clip, ...whole }
    this.seconds = Math.max(1, Math.ceil(((whole.end - whole.start - 1) / clip.fps) * 10) / 10)
    await this.follow()
  }

  /** With a source all curves are its own. */
  private async follow(): Promise<void> {
    const { source } = this
    if (source) {
      try {
        const { clip, start, end } = source
        const all = await api.signals(clip.id, this.lanes.map(({ dof }) => dof.dof), start, end)
        if (source !== this.source) return
        const row = (i: number) => all.subarray(i * (end - start), (i + 1) * (end - start))
        this.lanes = this.lanes.map(({ dof }, i) => ({ dof, curve: resampled(row(i), clip.fps, this.seconds) }))
      } catch (cause) {
        this.source = null
        this.fail(cause)
      }
    }
    this.askSoon()
  }

  // What is found

  private readonly askSoon = perPicture(() => {
    const asked = this.table && queryOf(this.lanes, this.source, this.settings, this.table)
    if (asked) this.finding.want(asked)
    else this.findNothing()
    this.tell()
  })

  private findNothing(): void {
    this.finding.forget()
    this.answer = this.asked = this.chosen = null
    this.error = ''
  }

  private take(answer: ExampleAnswer, asked: Asked, last: boolean): void {
    if (getState().making !== 'sketch') return
    this.answer = answer
    this.asked = asked
    this.error = ''
    this.chosen = null
    if (last) showCommand(lineOf('example', asked.body))
    this.tell()
  }

  /** When on the paper a sample of the query is. */
  timeOf(sample: number): number {
    const { first_s, rate, from } = this.asked ?? { first_s: 0, rate: sketchFps, from: 0 }
    return first_s + (sample - from) / rate
  }

  partsOf({ kind, index }: Choice): readonly ExamplePart[] {
    const { answer } = this
    return (kind === 'path' ? answer?.paths[index] : answer?.clips[index])?.parts ?? []
  }

  // What is shown

  private makeBody({ kind, index }: Choice): ExampleMake | null {
    const { asked, answer, ownPace } = this
    if (!asked || !answer) return null
    const which = kind === 'path' ? { path: index } : { of: answer.clips[index]!.id }
    return { ...asked.body, ...which, ...(ownPace && { own_pace: true }) }
  }

  setOwnPace(on: boolean): void {
    this.ownPace = on
    if (this.chosen) this.choose(this.chosen)
    this.tell()
  }

  /** Plays it: a clip that does it all in one go as it is, everything else put together. */
  choose(choice: Choice): void {
    this.chosen = choice
    this.kept = this.made = null
    const row = choice.kind === 'clip' ? this.answer?.clips[choice.index] : null
    const body = this.makeBody(choice)
    if (row && row.jumps === 0) void this.playSegment(row.id, row.parts, choice)
    else if (body) this.making.want(body)
    this.tell()
  }

  private async playSegment(id: number, parts: readonly ExamplePart[], choice: Choice): Promise<void> {
    await this.trying(async () => {
      const clip = await api.clip(id)
      if (getState().making !== 'sketch' || this.chosen !== choice) return
      this.like = clip
      const start = Math.max(0, Math.floor(parts[0]!.start))
      playFrames(clip, start, Math.ceil(parts[parts.length - 1]!.end) + 1)
    })
  }

  /** Made motion is on the bones of its first part. */
  private async make(body: ExampleMake): Promise<{ made: Made; like: Clip }> {
    const first = this.chosen ? this.partsOf(this.chosen)[0] : null
    const [bytes, like] = await Promise.all([api.makeExample(body), api.clip(first?.id ?? 0)])
    return { made: readMade(bytes), like }
  }

  private show(made: Made, like: Clip, body: ExampleMake): void {
    const { chosen } = this
    if (getState().making !== 'sketch' || !chosen) return
    Object.assign(this, { made, like, error: '' })
    showMade([asShownClip(madeId, t('sketch'), like, made)], 0)
    playByItself()
    showCommand(lineOf('example', body, { name: nameFor('sketch') }))
    this.tell()
  }

  async keep(name: string): Promise<boolean> {
    const body = this.chosen && this.makeBody(this.chosen)
    return body !== null && this.keepAs(name, 'example', body)
  }

  /** The panel is gone. */
  leave(): void {
    this.finding.forget()
    this.making.forget()
    this.chosen = null
    leaveMade(this.like ? [this.like] : [])
  }
}

export const sketching = new Sketching()
