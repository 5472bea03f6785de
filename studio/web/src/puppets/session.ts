// session.ts - the behaviours that the library keeps, and which tab of the panel "Puppets" is open.
import { api, type Puppet, type PuppetTable, type TrainBody, type Trained } from '../api'
import { attempt } from '../attempt'
import { undoOf } from '../history'
import { leaveMade, Session } from '../making/session'
import { act, lineOf, showCommand } from '../operations'
import { change, getState, tell, type Shown } from '../store'
import { t } from '../words/words'

export type Tab = 'play' | 'show' | 'saved'

/** Enough for miniatures; the server thins them. */
const points = 1500

class Puppets extends Session {
  table: PuppetTable | null = null
  tab: Tab = 'play'
  /** Two clips that a puppet is to be taught by. */
  clips: readonly number[] = []
  private readonly opened = new Map<string, Puppet>()
  private readonly asked = new Set<string>()
  private before: Shown[] = []

  async enter(clips: readonly number[]): Promise<void> {
    this.clips = clips
    this.error = ''
    if (clips.length) this.tab = 'show'
    this.before = getState().shown.filter(({ clip }) => clip.id > 0)
    this.tell()
    await this.load()
    showCommand(lineOf('puppet ls', {}))
  }

  async load(): Promise<void> {
    await this.trying(async () => {
      const table = await api.puppets()
      // Of one that is gone it stays: characters that play by it go on.
      for (const now of table.puppets) {
        const old = this.table?.puppets.find(({ name }) => name === now.name)
        if (old?.bytes !== now.bytes || old.samples !== now.samples) this.forget(now.name)
      }
      this.table = table
      this.error = ''
    })
  }

  has(name: string): boolean {
    return this.table?.puppets.some((row) => row.name === name) ?? false
  }

  private forget(name: string): void {
    this.opened.delete(name)
    this.asked.delete(name)
  }

  /** What was demonstrated; null while it has not come. */
  demonstrated(name: string): Puppet | null {
    const puppet = this.opened.get(name)
    if (!puppet && this.has(name) && !this.asked.has(name)) {
      this.asked.add(name)
      void api
        .puppet(name, points)
        .then((come) => {
          this.opened.set(name, come)
          this.tell()
        })
        .catch(() => undefined)
    }
    return puppet ?? null
  }

  /** True if it is kept now. */
  async train(body: TrainBody, line: string | null): Promise<boolean> {
    if (this.job) return false
    let kept = false
    await attempt(async () => {
      const trained = await this.runJob<Trained>(t`Training ${body.name}`, () => api.trainPuppet(body))
      if (!trained) return
      this.forget(body.name)
      const notes = trained.notes.length ? `; ${trained.notes.join('; ')}` : ''
      tell(t`${body.name} has learned from ${trained.seconds.toFixed(1)} s${notes}`)
      await this.load()
      showCommand(line)
      kept = true
    })
    return kept
  }

  /** So that its bodies can be steered. True if they can now. */
  async trainGraph(graph: string): Promise<boolean> {
    if (this.job) return false
    let trained = false
    await attempt(async () => {
      trained = (await this.runJob(`Training ${graph}`, () => api.trainGraph(graph))) !== null
      if (trained) showCommand(lineOf('graph train', { name: graph }))
    })
    return trained
  }

  async rename(name: string, to: string): Promise<boolean> {
    return attempt(async () => {
      const done = await act('puppet rename', { name, to })
      this.forget(name)
      tell(t`Renamed ${name} to ${to}`, 'info', undoOf(done))
      await this.load()
    })
  }

  async remove(name: string): Promise<void> {
    await attempt(async () => {
      const done = await act('puppet rm', { name })
      this.forget(name)
      tell(t`Removed ${name}`, 'info', undoOf(done))
      await this.load()
    })
  }

  /** The panel is gone; what was in the viewer before is there again. */
  leave(): void {
    change({ pawns: null })
    const { shown } = getState()
    if (shown.length === 0 && this.before.length) change({ shown: this.before })
    else leaveMade(this.before.map(({ clip }) => clip))
    this.before = []
  }
}

export const puppets = new Puppets()
