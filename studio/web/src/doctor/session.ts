// session.ts - what is wrong with the clips of the library, as `marey doctor` says it: found when the panel is opened and
// after every change, shown in the viewer one by one, fixed and taken back.
import { refresh } from '../actions'
import { api, operate } from '../api'
import { capturedFrames } from '../frames'
import { undoOf } from '../history'
import { Session, showAlone } from '../making/session'
import { act, lineOf, showCommand } from '../operations'
import { player } from '../player'
import { change, getState, tell } from '../store'
import { markSegment } from '../timeline/segment'
import { plural, t } from '../words/words'

export interface Finding {
  /** In the list of all that the clip has. */
  place: number
  kind: string
  /** Null: the whole body. */
  joint: string | null
  start: number
  end: number
  size: number
  unit: string
  certainty: number
  /** Null: there is no repair. */
  fix: string | null
  /** The clip that has the same motion, if that is the finding. */
  other?: string
}

export interface Repair {
  place: number
  kind: string
  joint: string | null
  start: number
  end: number
  /** The kind of finding that it mends; null: set by the user. */
  flaw: string | null
  /** What was set: a rate, a unit, an axis, a role. */
  to?: string
}

/** Something that was made of a clip before it changed; without a name: match webs. */
export interface Stale {
  kind: string
  name: string | null
}

export interface Patient {
  name: string
  id: number
  findings: Finding[]
  repairs: Repair[]
}

export interface Kind {
  kind: string
  about: string
  findings: number
  clips: number
  fixable: number
}

interface Answer {
  clips: Patient[]
  kinds: Kind[]
  fixed: unknown[]
  undone: unknown[]
  stale: Stale[]
}

/** The same as long as it is there, wherever it stands in the list. */
export function keyOf(clip: Patient, { kind, joint, start, end }: Finding | Repair): string {
  return [clip.id, kind, joint ?? '', start, end].join(' ')
}

/** Seconds before and behind a finding that are played with it. */
const around_s = 0.4
/** Of a finding that goes on for longer, where it begins is shown. */
const longest_s = 3

class Doctor extends Session {
  /** Null: not known yet. */
  answer: Answer | null = null
  /** Only findings of this kind are listed; '': of all. */
  kind = ''
  /** What must be made again. */
  stale: Stale[] = []
  /** The finding or repair that is shown in the viewer, as `keyOf` says it. */
  at = ''
  /** While it is changed from here the library's news are no news. */
  private changing = false

  enter(): void {
    void this.load()
  }

  choose(kind: string): void {
    this.kind = kind
    this.tell()
  }

  of(id: number): Patient | null {
    return this.answer?.clips.find((clip) => clip.id === id) ?? null
  }

  /** Asks again: the library may have changed. */
  async load(): Promise<void> {
    if (this.changing) return
    await this.trying(async () => {
      const line = lineOf('doctor', {})
      const first = this.answer === null
      const answer = await this.runJob<Answer>(t('Examining'), () => operate('doctor', {}))
      if (!answer) return
      this.answer = answer
      this.error = ''
      if (first) showCommand(line)
    })
  }

  /** Opens the clip where it is, with the trail of the joint. */
  async show(clip: Patient, finding: Finding | Repair): Promise<void> {
    this.at = keyOf(clip, finding)
    this.tell()
    if (getState().shown[0]?.clip.id !== clip.id) await this.open([clip.id])
    const open = getState().shown[0]?.clip
    if (open?.id !== clip.id) return
    const joint = finding.joint ? open.joints.findIndex(({ name }) => name === finding.joint) : -1
    change({ view: { ...getState().view, trails: joint < 0 ? [] : [joint] } })
    const { start } = finding
    const end = Math.min(finding.end, start + Math.round(longest_s * open.fps))
    const around = Math.round(around_s * open.fps)
    if (end - start < open.frames) markSegment(start - around, end + around)
    player.seekFrame(start)
  }

  /** Shows clips as they are now; the panel stays. */
  private async open(ids: readonly number[]): Promise<void> {
    const clips = await Promise.all(ids.map((id) => api.clip(id)))
    showAlone(clips.map((clip) => ({ clip, alignFrame: capturedFrames(clip).start })))
  }

  /** Fixes one finding and no other. */
  fixOne(clip: Patient, finding: Finding): Promise<void> {
    const { kind, joint, start, end, place } = finding
    const alike = clip.findings.filter(
      (other) => other.kind === kind && other.joint === joint && other.start >= start && other.end <= end,
    )
    const body = { clips: [{ clip: clip.id, start, end }], fix: [kind], joint: joint ?? '-' }
    return this.change('fix', alike.length > 1 ? { ...body, place } : body)
  }

  /** Takes one repair back. */
  undoOne(clip: Patient, { flaw, place }: Repair): Promise<void> {
    return this.change('undo', { clips: [clip.id], undo: [flaw ?? 'set'], place })
  }

  /** Fixes findings of a kind, or takes their repairs back: of a clip, or of all. */
  changeAll(how: 'fix' | 'undo', kind: string, clip?: Patient): Promise<void> {
    return this.change(how, { ...(clip && { clips: [clip.id] }), [how]: [kind] })
  }

  private async change(how: 'fix' | 'undo', body: object): Promise<void> {
    const line = lineOf('doctor', body)
    await this.trying(async () => {
      const name = how === 'fix' ? t('Fixing') : t('Taking back')
      this.changing = true
      const answer = await this.runJob<Answer>(name, () => operate('doctor', body)).finally(() => (this.changing = false))
      if (!answer) return
      const done = how === 'fix' ? answer.fixed : answer.undone
      const words = `${how === 'fix' ? t('Fixed') : t('Taken back')}: ${plural(done.length, 'finding')}`
      tell(words, 'info', undoOf(answer))
      showCommand(line)
      await this.changed(answer.stale, how === 'undo')
    })
  }

  /** Sets right what is given: `source_fps`, `units`, `up`, `roles`, `mark`, `unmark`. */
  async set(clip: { id: number }, body: object): Promise<void> {
    await this.trying(async () => {
      const done = await act<{ stale: Stale[] }>('set', { clips: [clip.id], ...body })
      tell(t('Corrected'), 'info', undoOf(done))
      await this.changed(done.stale)
    })
  }

  /** `anew`: what was stale before may be good again. */
  private async changed(stale: Stale[], anew = false): Promise<void> {
    const before = anew ? [] : this.stale.filter((old) => !stale.some(({ kind, name }) => kind === old.kind && name === old.name))
    this.stale = [...before, ...stale]
    refresh()
    await this.load()
    await this.follow()
  }

  forgetStale(): void {
    this.stale = []
    this.tell()
  }

  /** Makes the match webs that went with changed clips. */
  async indexAgain(): Promise<void> {
    const body = { web: true }
    const line = lineOf('index', body)
    await this.trying(async () => {
      if (!(await this.runJob(t('Indexing'), () => operate('index', body)))) return
      this.stale = this.stale.filter(({ name }) => name)
      showCommand(line)
    })
  }

  /** The open clip may be another motion now: it is opened again where it was. */
  private async follow(): Promise<void> {
    const open = getState().shown.map(({ clip }) => clip.id).filter((id) => id > 0)
    if (open.length === 0) return
    const { frame } = player
    const { view, segment } = getState()
    await this.open(open)
    change({ view })
    if (segment) markSegment(segment.start, segment.end)
    player.seekFrame(frame)
  }

  leave(): void {
    this.dropJob()
    change({ view: { ...getState().view, trails: [] } })
  }
}

export const doctor = new Doctor()
