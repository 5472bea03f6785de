// session.ts - what repeats in the library: the motifs that were found, in which clips, and the one that is looked at.
// They stay until others are asked for, so that one can come back to them from a search.
import { api, type Match, type MotifsAnswer } from '../api'
import { Session, playFrames } from '../making/session'
import { openClips } from '../open_clips'
import { findMore } from '../opening'
import { lineOf, showCommand } from '../operations'
import { getState } from '../store'
import { markSegment } from '../timeline/segment'
import { t } from '../words/words'

export interface Motif {
  count: number
  seconds: number
  /** The example first. */
  occurrences: Match[]
  clips: number
}

function motifsOf({ motifs }: MotifsAnswer): Motif[] {
  return motifs.map(({ count, seconds, occurrences }) => ({
    count,
    seconds,
    occurrences: occurrences.map(({ id, clip, distance, start, end }) => {
      return { clip: id, name: clip, start, end, distance, path_distance: distance, tier: distance ? 1 : 0, mirrored: false }
    }),
    clips: new Set(occurrences.map(({ id }) => id)).size,
  }))
}

class Motifs extends Session {
  /** Null: not asked for yet. */
  motifs: Motif[] | null = null
  /** Only in clips with this label; '': in all. */
  label = ''
  /** The number of the one whose occurrences are shown; -1: none. */
  chosen = -1
  /** Clips came or went since. */
  stale = false
  private clips = ''

  enter(): void {
    void this.load()
    if (!this.motifs && !this.job) void this.find()
  }

  setLabel(label: string): void {
    this.label = label
    void this.find()
  }

  async find(): Promise<void> {
    const body = this.label ? { label: this.label } : {}
    const line = lineOf('motifs', body)
    this.dropJob()
    this.error = ''
    this.motifs = null
    this.chosen = -1
    this.clips = this.clipsNow()
    this.stale = false
    await this.trying(async () => {
      const answer = await this.runJob<MotifsAnswer>(t('Finding what repeats'), () => api.motifs(body))
      if (!answer) return
      this.motifs = motifsOf(answer)
      showCommand(line)
    })
  }

  private clipsNow(): string {
    return getState().cards.map(({ id }) => id).join()
  }

  /** The library has changed. */
  async load(): Promise<void> {
    this.stale = this.motifs !== null && this.clips !== this.clipsNow()
    this.tell()
  }

  /** Shows the occurrences of a motif, and plays its example. */
  choose(number: number): void {
    this.chosen = number
    this.tell()
    const example = this.motifs?.[number]?.occurrences[0]
    if (example) void this.play(example)
  }

  async play({ clip, start, end }: Match): Promise<void> {
    await this.trying(async () => playFrames(await api.clip(clip), start, end))
  }

  /** Everything that is like it, in the panel Search. */
  async search({ clip, start, end }: Match): Promise<void> {
    await openClips([clip])
    if (getState().shown[0]?.clip.id !== clip) return
    markSegment(start, end)
    findMore()
  }

  /** The panel is gone; what was found stays. */
  leave(): void {
    this.dropJob()
  }
}

export const motifs = new Motifs()
