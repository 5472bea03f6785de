// player.ts - the playhead. Time is that of the leading clip, in seconds; views listen to it. Changing it does not
// redraw panels, so that playing costs nothing but the drawing.

export interface PlayerState {
  playing: boolean
  /** 0.1 .. 4; negative plays backwards. */
  speed: number
  loop: boolean
  /** Seconds of the leading clip. */
  time: number
  /** The leading clip's. */
  fps: number
  frames: number
  /** Frames that playing stays in: the marked segment, or all that was captured. */
  rangeStart: number
  rangeEnd: number // exclusive
  /** Frames that were captured, but for marked ones between them. */
  captured: FrameRange
  /** It is made just now: it grows, and shows its last frame. */
  live: boolean
}

export interface FrameRange {
  start: number
  end: number // exclusive
}

type Listener = (player: Player) => void

/** As %, but never negative. */
function remainder(value: number, by: number): number {
  return ((value % by) + by) % by
}

export class Player {
  private state: PlayerState = {
    playing: false,
    speed: 1,
    loop: true,
    time: 0,
    fps: 30,
    frames: 0,
    rangeStart: 0,
    rangeEnd: 0,
    captured: { start: 0, end: 0 },
    live: false,
  }
  /** Seconds since the last frame came up; a loop gives it as long as any other before the first one comes again. */
  private held = 0
  private readonly timeListeners = new Set<Listener>()
  private readonly stateListeners = new Set<Listener>()

  get now(): Readonly<PlayerState> {
    return this.state
  }

  /** The frame that is shown: the one whose time has come. */
  get frame(): number {
    const { time, fps, frames } = this.state
    return Math.max(0, Math.min(frames - 1, Math.floor(time * fps + 1e-6)))
  }

  /** Called whenever the time moves. */
  onTime(listener: Listener): () => void {
    this.timeListeners.add(listener)
    return () => this.timeListeners.delete(listener)
  }

  /** Called when anything but the time changes: buttons redraw by it. */
  onState(listener: Listener): () => void {
    this.stateListeners.add(listener)
    return () => this.stateListeners.delete(listener)
  }

  /** Begins with the first frame that was captured: a T-pose that an exporter added is no motion. */
  load(frames: number, fps: number, captured: FrameRange = { start: 0, end: frames }): void {
    const { start, end } = captured
    this.state = { ...this.state, frames, fps, time: start / fps, rangeStart: start, rangeEnd: end, captured, live: false }
    this.held = 0
    this.tell(this.stateListeners)
    this.tell(this.timeListeners)
  }

  /** Of a motion that is made just now: so many frames are there. Until another one is loaded nothing else moves the time. */
  grow(frames: number, fps: number): void {
    const { live } = this.state
    const captured = { start: 0, end: frames }
    const time = Math.max(0, frames - 1) / fps
    this.state = { ...this.state, frames, fps, time, rangeStart: 0, rangeEnd: frames, captured, playing: false, live: true }
    if (!live) this.tell(this.stateListeners)
    this.tell(this.timeListeners)
  }

  /** Playing stays in all that was captured, not in a segment. */
  get isWhole(): boolean {
    const { rangeStart, rangeEnd, captured } = this.state
    return rangeStart === captured.start && rangeEnd === captured.end
  }

  playWhole(): void {
    const { start, end } = this.state.captured
    this.set({ rangeStart: start, rangeEnd: end })
  }

  set(fields: Partial<Pick<PlayerState, 'playing' | 'speed' | 'loop' | 'rangeStart' | 'rangeEnd'>>): void {
    this.state = { ...this.state, ...fields }
    this.tell(this.stateListeners)
  }

  seek(time: number): void {
    if (this.state.live) return
    const last = Math.max(0, this.state.frames - 1) / this.state.fps
    this.state.time = Math.max(0, Math.min(last, time))
    this.held = 0
    this.tell(this.timeListeners)
  }

  seekFrame(frame: number): void {
    this.seek(frame / this.state.fps)
  }

  step(frames: number): void {
    this.set({ playing: false })
    this.seekFrame(this.frame + frames)
  }

  toggle(): void {
    if (this.state.playing) this.set({ playing: false })
    else this.play()
  }

  /** Plays, with a negative speed backwards. From where it would end at once, or outside the range, it begins anew. */
  play(speed = this.state.speed): void {
    if (this.state.live) return
    const { rangeStart, rangeEnd, loop, playing } = this.state
    const { frame } = this
    const over = speed > 0 ? frame >= rangeEnd - 1 : frame <= rangeStart
    const outside = frame < rangeStart || frame >= rangeEnd
    if (outside || (over && !loop && !playing)) this.seekFrame(speed > 0 ? rangeStart : rangeEnd - 1)
    this.set({ playing: true, speed })
  }

  /** Moves on by `elapsed` seconds of the clock; called once per drawn frame. */
  advance(elapsed: number): void {
    const { playing, speed, time, fps, rangeStart, rangeEnd, loop } = this.state
    if (!playing || rangeEnd <= rangeStart) return
    const first = rangeStart / fps
    const last = (rangeEnd - 1) / fps
    if (this.frame < rangeStart || this.frame >= rangeEnd) {
      this.seek(speed > 0 ? first : last)
      return
    }
    const next = time + this.held + elapsed * speed
    if (loop) this.hold(first + remainder(next - first, (rangeEnd - rangeStart) / fps), last)
    else {
      const end = speed > 0 ? next >= last : next <= first
      this.seek(Math.max(first, Math.min(last, next)))
      if (end) this.set({ playing: false })
    }
  }

  /** Goes to a moment of a loop. What is behind the last frame belongs to it: nothing outside the range is shown. */
  private hold(moment: number, last: number): void {
    this.seek(Math.min(moment, last))
    this.held = Math.max(0, moment - last)
  }

  private tell(listeners: Set<Listener>): void {
    for (const listener of [...listeners]) listener(this)
  }
}

export const player = new Player()

/** "0:04.250" */
export function clock(seconds: number): string {
  // Rounded first, or 59.9996 would become 0:60.000.
  const ms = Math.round(seconds * 1000)
  return `${Math.floor(ms / 60000)}:${((ms % 60000) / 1000).toFixed(3).padStart(6, '0')}`
}
