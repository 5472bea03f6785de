// session.ts - the comparison that is on the page: its grid and pairs, where one points, and what the server says of that
// place. What is asked for again is asked for anew; the answer to an older question is never shown.
import { api, type Cell, type Clip, type Compared, type Pairs } from '../api'
import { messageOf } from '../attempt'
import { Changes, perPicture } from '../changes'
import { lineOf, showCommand } from '../operations'
import { player } from '../player'
import { change, getState, type Compare } from '../store'
import { comparedOf, frameOf, readGrid, rowOf, type Grid, type Place } from './grid_data'

/** Sliders send many changes at once. */
const pause_ms = 60
/** More cells than a picture has pixels would not be seen. */
const mostCells = 1024

class Comparison extends Changes {
  grid: Grid | null = null
  pairs: Pairs | null = null
  cell: Cell | null = null
  error = ''
  busy = false
  private clips: [Clip, Clip] | null = null
  private how: Compare | null = null
  private compared: Compared | null = null
  private pinned: Place | null = null
  private hovered: Place | null = null
  private room = { rows: 256, cols: 256 }
  private timer = 0
  private abort = new AbortController()
  private asking = false
  private drawn = ''

  /** Where one points, or pointed last. */
  get place(): Place | null {
    return this.hovered ?? this.pinned
  }

  /** The frames of both clips there. */
  get frames(): [number, number] | null {
    return this.place && this.framesAt(this.place)
  }

  /** Those that a cut would be at: what was clicked, not what the pointer passes. */
  get chosen(): [number, number] | null {
    return this.pinned && this.framesAt(this.pinned)
  }

  private framesAt({ row, col }: Place): [number, number] | null {
    if (!this.grid || !this.clips) return null
    const [a, b] = this.clips
    return [frameOf(a, row, this.grid.fps), frameOf(b, col, this.grid.fps)]
  }

  placeOf(a: number, b: number): Place | null {
    const { grid, clips } = this
    if (!grid || !clips) return null
    return { row: rowOf(clips[0], a, grid.fps, grid.frames[0]), col: rowOf(clips[1], b, grid.fps, grid.frames[1]) }
  }

  /** How many pixels the grid is drawn with; a larger picture is worth asking again. */
  resize(rows: number, cols: number): void {
    const next = { rows: Math.min(mostCells, Math.ceil(rows)), cols: Math.min(mostCells, Math.ceil(cols)) }
    const before = this.room
    this.room = next
    const { grid } = this
    const finer =
      grid &&
      ((next.rows > before.rows && grid.rows < grid.frames[0]) || (next.cols > before.cols && grid.cols < grid.frames[1]))
    if (finer) this.loadSoon()
  }

  /** What is compared, and how. Nothing happens if it is compared already. */
  want(a: Clip, b: Clip, how: Compare): void {
    const others = this.clips?.[0].id !== a.id || this.clips[1].id !== b.id
    const compared = comparedOf(a.id, b.id, how)
    const pairsOnly = !others && this.how !== null && JSON.stringify(compared) === JSON.stringify(this.compared)
    if (pairsOnly && this.how?.count === how.count && this.how.minima === how.minima) {
      this.clips = [a, b]
      return
    }
    if (others) this.forget()
    this.clips = [a, b]
    this.how = how
    this.compared = compared
    const { count, minima } = how
    showCommand(pairsOnly ? lineOf('similar', { ...compared, count, minima }) : lineOf('grid', compared))
    this.loadSoon()
  }

  private forget(): void {
    this.grid = this.pairs = this.cell = this.pinned = this.hovered = null
    this.error = ''
  }

  private loadSoon(): void {
    clearTimeout(this.timer)
    this.abort.abort()
    this.busy = true
    this.timer = window.setTimeout(() => void this.load(), pause_ms)
    this.tell()
  }

  private async load(): Promise<void> {
    const abort = (this.abort = new AbortController())
    const { compared, how, room } = this
    try {
      const [bytes, pairs] = await Promise.all([
        api.grid(compared!, room.rows, room.cols, abort.signal),
        api.similar(compared!, how!.count, how!.minima, abort.signal),
      ])
      if (abort.signal.aborted) return
      this.grid = readGrid(bytes)
      this.pairs = pairs
      this.error = ''
      const [best] = pairs.pairs
      if (!this.pinned && best) this.pinned = this.placeOf(best.a, best.b)
    } catch (cause) {
      if (abort.signal.aborted) return
      this.grid = this.pairs = this.cell = null
      this.error = messageOf(cause)
    }
    this.busy = false
    this.drawn = ''
    this.tell()
    this.show()
  }

  pin(place: Place | null): void {
    this.pinned = place
    this.hovered = null
    this.show()
  }

  /** The pointer passes here; null: it left, and what was chosen comes back. */
  hover(place: Place | null): void {
    this.hovered = place
    this.show()
  }

  /** The next of the similar pairs, or the one before. */
  pinPair(direction: 1 | -1): void {
    const pairs = this.pairs?.pairs ?? []
    const now = this.chosen
    const at = pairs.findIndex(({ a, b }) => now?.[0] === a && now[1] === b)
    const next = pairs[at < 0 ? 0 : (at + direction + pairs.length) % pairs.length]
    if (next) this.pin(this.placeOf(next.a, next.b))
  }

  /** Both figures at the place. */
  private readonly show = perPicture(() => {
    const { frames } = this
    const key = `${JSON.stringify(this.compared)} ${frames}`
    if (!frames || key === this.drawn) return
    this.drawn = key
    showFrames(frames)
    this.tell()
    void this.ask()
  })

  /** One question at a time: while it is answered the pointer goes on, and then only the last place counts. */
  private async ask(): Promise<void> {
    if (this.asking) return
    this.asking = true
    try {
      for (let asked = ''; this.compared && asked !== this.drawn; ) {
        asked = this.drawn
        const [i, j] = this.frames ?? [0, 0]
        const cell = await api.cell(this.compared, i, j)
        if (asked === this.drawn) this.cell = cell
      }
    } catch (cause) {
      this.error ||= messageOf(cause)
    }
    this.asking = false
    this.tell()
  }

  /** The panel is gone; what was compared is kept until something else is. */
  leave(): void {
    clearTimeout(this.timer)
    this.abort.abort()
    this.clips = this.how = this.compared = null
    this.drawn = ''
    this.forget()
  }
}

/** The first two open clips at these frames, brought together there. */
function showFrames([i, j]: [number, number]): void {
  const { shown, arrangement } = getState()
  const at = [i, j]
  const next = shown.map((one, place) => (place < 2 ? { ...one, alignFrame: at[place] } : one))
  player.set({ playing: false })
  change({ shown: next, ...(arrangement !== 'aligned' && { arrangement: 'aligned' }) })
  player.seekFrame(i)
}

export const comparison = new Comparison()
