// session.ts - what every panel in the library's place has: what is waited for, what went wrong, one job at a time, and the
// motion that was made, shown in the viewer and saved.
import { useEffect } from 'preact/hooks'
import { refresh } from '../actions'
import { api, type Clip, type Kept } from '../api'
import { attempt, messageOf } from '../attempt'
import { Changes, useChanges } from '../changes'
import { capturedFrames } from '../frames'
import { forgetSettings, remember } from '../history'
import { resultOf } from '../jobs'
import { onLibrary } from '../live'
import { actInto } from '../operations'
import { openClips } from '../open_clips'
import { closeMaking } from '../opening'
import { player } from '../player'
import { change, getState, tell, type Shown } from '../store'
import { freeName } from '../timeline/segment'
import { t } from '../words/words'
import type { Made } from './made'

export class Session extends Changes {
  error = ''
  /** In words; '': nothing. */
  busyWith = ''
  /** The number of the one that works for this panel; 0: none. */
  job = 0
  jobName = ''
  made: Made | null = null
  kept: Clip | null = null
  private jobEra = 0

  /** Bound, so that it can be handed on. */
  readonly fail = (cause: unknown): void => {
    this.error = messageOf(cause)
    this.tell()
  }

  /** Does what may fail; what went wrong is in the panel. */
  protected async trying(work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (cause) {
      this.error = messageOf(cause)
    }
    this.tell()
  }

  /** The same, with words in the panel meanwhile. */
  protected async during(words: string, work: () => Promise<void>): Promise<void> {
    this.busyWith = words
    this.tell()
    await this.trying(work)
    this.busyWith = ''
    this.tell()
  }

  /** Call it with fields of this as they are, before they are set: Ctrl-Z brings them back, and `follow` does what then must
   *  be done. */
  protected setting(key: string, before: object, follow: () => void): void {
    const fields = Object.keys(before) as (keyof this)[]
    let other = before
    remember(this, key, () => {
      const now = Object.fromEntries(fields.map((field) => [field, this[field]]))
      Object.assign(this, other)
      other = now
      follow()
    })
  }

  /** The result of a job; null if it was cancelled, or nothing wants it any more. */
  protected async runJob<T>(name: string, begin: () => Promise<{ job: number }>): Promise<T | null> {
    const era = ++this.jobEra
    const begun = (job: number) => {
      if (era !== this.jobEra) return void api.cancel(job).catch(() => undefined)
      this.job = job
      this.jobName = name
      this.tell()
    }
    try {
      const result = await resultOf<T>(begin, begun)
      return era === this.jobEra ? result : null
    } catch (cause) {
      if (era === this.jobEra) throw cause
      return null
    } finally {
      if (era === this.jobEra) this.job = 0
      this.tell()
    }
  }

  /** What is being worked on is not wanted any more. */
  dropJob(): void {
    if (this.job) void api.cancel(this.job).catch(() => undefined)
    this.jobEra++
    this.job = 0
  }

  /** Saves what was made as a clip; true if there is one now. */
  protected async keepAs(name: string, operation: string, body: object): Promise<boolean> {
    this.kept = (await keepMade(operation, body, name)) ?? this.kept
    this.tell()
    return this.kept !== null
  }
}

/** Draws the panel when its session changes, asks again when the library did, and leaves it with the panel. */
export function useSession(session: Session & { load?(): Promise<void>; leave(): void }, onChange?: () => void): void {
  useChanges(session)
  useEffect(() => {
    const stop = onLibrary(() => {
      onChange?.()
      void session.load?.()
    })
    return () => {
      stop()
      forgetSettings(session)
      session.leave()
    }
  }, [])
}

/** A name that the library does not have. */
export function nameFor(base: string): string {
  return freeName(base, new Set(getState().cards.map((card) => card.name)))
}

/** "Saved as walk-2", with a way to it. Undo is in the history, and on Ctrl-Z. */
export function tellSaved({ id, name }: Kept, before?: () => void): void {
  const open = () => {
    before?.()
    closeMaking()
    void openClips([id])
  }
  tell(t`Saved as ${name}`, 'info', { label: t('Open'), run: open })
}

/** Saves a generated clip, says so, and gives the clip that it has become. */
export async function keepMade(operation: string, body: object, name: string): Promise<Clip | null> {
  let clip: Clip | null = null
  await attempt(async () => {
    const kept = await actInto<Kept>(operation, body, name)
    tellSaved(kept)
    clip = await api.clip(kept.id)
    refresh()
  })
  return clip
}

/** Shows something else in the viewer at a moment of its leader. Playing goes on. */
export function showMade(shown: Shown[], time_s: number): void {
  const leader = shown[0]!.clip
  const { frames, fps } = player.now
  const whole = player.isWhole
  const same = leader.frames === frames && leader.fps === fps
  const aligned = shown.some(({ held }) => held)
  const { segment, arrangement } = getState()
  const how = aligned ? 'aligned' : arrangement === 'aligned' ? 'overlaid' : arrangement
  change({ shown, arrangement: how, ...(!same && segment && { segment: null }) })
  if (!same || (!whole && !segment)) player.load(leader.frames, leader.fps, capturedFrames(leader))
  player.seek(time_s)
}

/** Puts clips, or a body that is live, into the viewer in place of all that was there. */
export function showAlone(shown: Shown[]): void {
  const leader = shown[0]?.clip
  player.set({ playing: false })
  change({ shown, arrangement: 'overlaid', segment: null })
  player.load(leader?.frames ?? 0, leader?.fps ?? 30, leader && capturedFrames(leader))
}

/** Of a panel that is left: what it showed makes way for clips of the library. */
export function leaveMade(instead: readonly Clip[]): void {
  if (!getState().shown.some(({ clip, held }) => held || clip.id < 0)) return
  showAlone(instead.filter((clip) => clip.id > 0).map((clip) => ({ clip, alignFrame: capturedFrames(clip).start })))
}

/** Plays some frames of a clip, from `first` on. */
export function playFrames(clip: Clip, start: number, end: number, first = start): void {
  showAlone([{ clip, alignFrame: 0 }])
  player.set({ rangeStart: Math.max(0, start), rangeEnd: Math.min(clip.frames, end) })
  player.seekFrame(first)
  player.play(1)
}
