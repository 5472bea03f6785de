// clock.ts - pictures of the screen, one after the other, for as long as something moves.

/** A page that was hidden goes on where it was. */
const longest_s = 0.1

export class Clock {
  private due = 0
  private last = 0
  private on = false

  /** `step` gets how long ago the last picture was, and says whether another one follows. */
  constructor(private readonly step: (elapsed_s: number, now_ms: number) => boolean) {}

  start(): void {
    this.on = true
    this.request()
  }

  stop(): void {
    this.on = false
    cancelAnimationFrame(this.due)
    this.due = this.last = 0
  }

  request(): void {
    if (this.on && !this.due) this.due = requestAnimationFrame(this.tick)
  }

  private tick = (now: number): void => {
    this.due = 0
    const elapsed = this.last ? Math.min(longest_s, (now - this.last) / 1000) : 0
    const more = this.step(elapsed, now)
    this.last = more ? now : 0
    if (more) this.request()
  }
}
