// examining.ts - clips that were not examined by these checks, as those of a library of an earlier marey, are examined while the
// page is open, so that their cards say how many findings they have. Some at a time: other work of the server comes in between.
import { refresh } from '../actions'
import { operate } from '../api'
import { Changes, useChanges } from '../changes'
import { Button } from '../controls'
import { html } from '../html'
import { cancelJob, resultOf } from '../jobs'
import { getState, subscribe } from '../store'
import { plural, t } from '../words/words'

const atOnce = 100

class Examining extends Changes {
  /** The number of the one that runs; 0: none. */
  job = 0
  done = 0
  total = 0
  /** Once for each clip: where the library is busy, what was found is not kept. */
  private readonly tried = new Set<number>()
  private going = false
  private stopped = false

  /** Clips come and change all the time. */
  follow(): void {
    let seen: unknown = null
    const look = () => {
      const { cards } = getState()
      if (cards === seen) return
      seen = cards
      void this.run()
    }
    subscribe(look)
    look()
  }

  private next(): number[] {
    const { about, cards } = getState()
    if (this.stopped || !about?.library.writable) return []
    return cards.filter(({ id, findings }) => findings === null && !this.tried.has(id)).map(({ id }) => id)
  }

  private async run(): Promise<void> {
    if (this.going || this.next().length === 0) return
    this.going = true
    for (let ids = this.next(); ids.length > 0; ids = this.next()) {
      const clips = ids.slice(0, atOnce)
      for (const id of clips) this.tried.add(id)
      this.total = this.done + ids.length
      // If it fails nothing is missing but these badges; the doctor says why. Null: the user does not want it.
      const ended = await resultOf<object>(() => operate('doctor', { clips }), this.begun).catch(() => ({}))
      if (!ended) this.stopped = true
      this.done += clips.length
      refresh()
    }
    this.going = false
    this.begun(0)
  }

  private readonly begun = (job: number): void => {
    this.job = job
    this.tell()
  }
}

export const examining = new Examining()

/** In the line over the cards, which stay where they are. */
export function ExaminingShare() {
  useChanges(examining)
  const { job, done, total } = examining
  if (!job) return null
  return html`<span class="examining flex-row">
    <span>Examining</span>
    <progress aria-label="Examining" max=${total} value=${done} title=${t`${done} of ${plural(total, 'clip')}`}></progress>
    <${Button} kind="quiet" title="Cards then do not say what is wrong with clips" onClick=${() => void cancelJob(job)}>Cancel<//>
  </span>`
}
