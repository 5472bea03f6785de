// lockstep.ts - where the main character went is sent as soon as few enough messages wait for their answers; until then it is
// collected. So a slow machine gets fewer messages with more in each, and never falls behind. No DOM here.
import type { Sample } from './takes'

/** Of messages that were not answered yet. */
export const mostWaiting = 2
/** After so long no answer is to be had. */
const patience_ms = 3000
export const mostInOne = 64

export class Lockstep {
  private queue: Sample[] = []
  private waiting = 0
  private sent_ms = 0

  /** `send` gives false where there is no line. */
  constructor(private readonly send: (at: readonly Sample[]) => boolean) {}

  /** The main character is there now. */
  put(sample: Sample, now_ms: number, anybody: boolean): void {
    this.queue.push(sample)
    if (this.queue.length > mostInOne) this.queue.shift()
    if (now_ms - this.sent_ms > patience_ms) this.waiting = 0
    if (!anybody || this.waiting >= mostWaiting || !this.send(this.queue)) return
    this.queue = []
    this.waiting++
    this.sent_ms = now_ms
  }

  answered(): void {
    this.waiting = Math.max(0, this.waiting - 1)
  }

  reset(): void {
    this.queue = []
    this.waiting = 0
  }
}
