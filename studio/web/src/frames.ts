// frames.ts - the frames of a clip: fetched in pieces, kept as plain arrays, and turned into global places
// and rotations of all joints at any time. Nothing is allocated per pose.
import type { api, Clip } from './api'
import type { FrameRange } from './player'
import { t } from './words/words'

/** Answers of /api/clips/ID/frames, as docs/studio-api.md lays them out. */
export interface FrameBlock {
  frames: number
  joints: number
  start: number
  step: number
  places: number
  fps: number
  translations: Float32Array
  rotations: Float32Array
}

/** The frames of a clip without the marked ones at its ends; all, if every one is marked. */
export function capturedFrames({ frames, marks, made }: Pick<Clip, 'frames' | 'marks' | 'made'>): FrameRange {
  let start = 0
  let end = frames
  if (made) return { start, end } // its marks say what was made
  for (const mark of marks) if (mark.start <= start) start = Math.max(start, mark.end)
  for (const mark of [...marks].reverse()) if (mark.end >= end) end = Math.min(end, mark.start)
  return start < end ? { start, end } : { start: 0, end: frames }
}

const HEADER_BYTES = 40
const CHUNK_FRAMES = 1024
/** A clip that would take more is fetched with gaps: what is shown between them is interpolated. */
const MOST_BYTES = 128e6

export function decodeFrames(buffer: ArrayBuffer): FrameBlock {
  const view = new DataView(buffer)
  if (buffer.byteLength < HEADER_BYTES || view.getUint32(0, false) !== 0x4d525946) {
    throw new Error(t('the studio sent something else than frames'))
  }
  if (view.getUint32(4, true) !== 1) throw new Error(t('the studio is newer than this page; reload the page'))
  const frames = view.getUint32(8, true)
  const joints = view.getUint32(12, true)
  const places = view.getUint32(24, true)
  const middle = HEADER_BYTES + frames * places * 12
  if (buffer.byteLength < middle + frames * joints * 16) throw new Error(t('the studio sent too few frames'))
  return {
    frames,
    joints,
    start: view.getUint32(16, true),
    step: view.getUint32(20, true),
    places,
    fps: view.getFloat64(32, true),
    translations: new Float32Array(buffer, HEADER_BYTES, frames * places * 3),
    rotations: new Float32Array(buffer, middle, frames * joints * 4),
  }
}

/** Where a character is put: turned about the vertical, then moved; in cm. */
export interface Placement {
  yaw: number
  x: number
  y: number
  z: number
}

export const AS_CAPTURED: Readonly<Placement> = { yaw: 0, x: 0, y: 0, z: 0 }

/** Global places (x, y, z) and rotations (w, x, y, z) of all joints; room that is used again and again. */
export class Pose {
  readonly places: Float64Array
  readonly turns: Float64Array
  constructor(joints: number) {
    this.places = new Float64Array(3 * joints)
    this.turns = new Float64Array(4 * joints)
  }
}

export type FetchFrames = typeof api.frames

export class ClipFrames {
  /** Every how many frames of the clip one is kept; the last frame is kept whatever its number. */
  readonly step: number
  /** How many are kept. */
  readonly count: number
  readonly joints: number
  error: Error | null = null
  private readonly parents: Int32Array
  private readonly offsets: Float64Array
  private readonly all: Int32Array
  private readonly chunkLoaded: Uint8Array
  private rotations: Float32Array | null = null
  private translations = new Float32Array(0)
  private placed = 1
  private loadedChunks = 0
  private wanted = 0
  private readonly aborter = new AbortController()
  private readonly listeners = new Set<() => void>()

  constructor(
    readonly clip: Clip,
    private readonly fetchFrames: FetchFrames,
  ) {
    this.joints = clip.joints.length
    const moves = (name: string): boolean => name.endsWith('position')
    const moving = clip.joints.some((joint, j) => j > 0 && joint.channels.some(moves))
    const frameBytes = 16 * this.joints + 12 * (moving ? this.joints : 1)
    this.step = Math.max(1, Math.ceil((clip.frames * frameBytes) / MOST_BYTES))
    this.count = Math.max(1, Math.ceil((clip.frames - 1) / this.step) + 1)
    this.chunkLoaded = new Uint8Array(Math.ceil(this.count / CHUNK_FRAMES))
    this.parents = Int32Array.from(clip.joints, (joint) => joint.parent)
    this.offsets = Float64Array.from(clip.joints.flatMap((joint) => joint.offset_cm))
    this.all = Int32Array.from(clip.joints, (_, j) => j)
  }

  /** 0 .. 1 */
  get loaded(): number {
    return this.loadedChunks / this.chunkLoaded.length
  }

  get complete(): boolean {
    return this.loadedChunks === this.chunkLoaded.length
  }

  /** Seconds from the first frame to the last. */
  get length_s(): number {
    return (this.clip.frames - 1) / this.clip.fps
  }

  /** Called when more frames have come, or the loading has failed. */
  onMore(listener: () => void): () => void {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  has(frame: number): boolean {
    const row = Math.max(0, Math.min(this.count - 1, Math.floor(frame / this.step)))
    return this.chunkLoaded[(row / CHUNK_FRAMES) | 0] === 1
  }

  /** The piece around this frame comes next. */
  want(frame: number): void {
    const row = Math.max(0, Math.min(this.count - 1, Math.floor(frame / this.step)))
    this.wanted = (row / CHUNK_FRAMES) | 0
  }

  abort(): void {
    this.listeners.clear()
    this.aborter.abort()
  }

  /** Fetches everything, beginning with what is wanted. Never throws; `error` says what went wrong. */
  async load(): Promise<void> {
    try {
      for (let chunk = this.nextChunk(); chunk >= 0; chunk = this.nextChunk()) {
        await this.loadChunk(chunk)
        this.tell()
      }
    } catch (cause) {
      if (this.aborter.signal.aborted) return
      this.error = cause instanceof Error ? cause : new Error(String(cause))
      this.tell()
    }
  }

  private tell(): void {
    for (const listener of [...this.listeners]) listener()
  }

  /** The wanted one, then those after it, then those from the beginning. */
  private nextChunk(): number {
    const chunks = this.chunkLoaded.length
    for (let i = 0; i < chunks; i++) {
      const chunk = (this.wanted + i) % chunks
      if (!this.chunkLoaded[chunk]) return chunk
    }
    return -1
  }

  private async loadChunk(chunk: number): Promise<void> {
    const first = chunk * CHUNK_FRAMES
    const rows = Math.min(CHUNK_FRAMES, this.count - first)
    const lastFrame = this.clip.frames - 1
    const oddOne = first + rows === this.count && lastFrame % this.step !== 0
    const even = oddOne ? rows - 1 : rows
    if (even > 0) await this.loadRows(first, even, first * this.step, this.step)
    if (oddOne) await this.loadRows(this.count - 1, 1, lastFrame, 1)
    this.chunkLoaded[chunk] = 1
    this.loadedChunks++
  }

  private async loadRows(first: number, rows: number, start: number, step: number): Promise<void> {
    const end = start + (rows - 1) * step + 1
    const { signal } = this.aborter
    const block = decodeFrames(await this.fetchFrames(this.clip.id, start, end, step, signal))
    if (block.joints !== this.joints || block.frames !== rows) {
      throw new Error(t('the clip has changed; open it again'))
    }
    if (!this.rotations) {
      this.placed = block.places
      this.rotations = new Float32Array(4 * this.count * this.joints)
      this.translations = new Float32Array(3 * this.count * this.placed)
    }
    this.rotations.set(block.rotations, 4 * first * this.joints)
    this.translations.set(block.translations, 3 * first * this.placed)
  }

  /** Which kept row a time falls on, as a number between two of them: the last two may be nearer to each other. */
  private rowAt(time_s: number): number {
    const frame = Math.max(0, Math.min(this.clip.frames - 1, time_s * this.clip.fps))
    const before = Math.max(0, this.count - 2)
    const rest = frame - before * this.step
    const last = this.clip.frames - 1 - before * this.step
    const row = rest > 0 && last > 0 ? before + rest / last : frame / this.step
    return Math.max(0, Math.min(this.count - 1, row + 1e-6))
  }

  /** The joints that decide where the given ones are, parents first; for `pose`. */
  chain(joints: readonly number[]): Int32Array {
    const needed = new Set<number>()
    for (const joint of joints) {
      for (let j = joint; j >= 0 && j < this.joints && !needed.has(j); j = this.parents[j]) needed.add(j)
    }
    return Int32Array.from([...needed].sort((a, b) => a - b))
  }

  /** Global pose at a time in seconds, of all joints or of a `chain`. False where the frames have not come
   * yet. */
  pose(time_s: number, placement: Readonly<Placement>, out: Pose, chain: Int32Array = this.all): boolean {
    const rotations = this.rotations
    if (!rotations) return false
    const at = this.rowAt(time_s)
    const row = Math.floor(at)
    if (!this.chunkLoaded[(row / CHUNK_FRAMES) | 0]) return false
    let next = Math.min(row + 1, this.count - 1)
    if (!this.chunkLoaded[(next / CHUNK_FRAMES) | 0]) next = row
    const share = at - row < 1e-4 ? 0 : at - row
    const { places, turns } = out
    for (let i = 0; i < chain.length; i++) {
      const j = chain[i]
      mixTurn(rotations, 4 * (row * this.joints + j), 4 * (next * this.joints + j), share)
      this.mixPlace(row, next, j, share)
      const parent = this.parents[j]
      if (parent < 0) putRoot(placement, places, turns, j)
      else putChild(places, turns, parent, j)
    }
    return true
  }

  private mixPlace(row: number, next: number, joint: number, share: number): void {
    if (joint > 0 && this.placed === 1) {
      for (let k = 0; k < 3; k++) place[k] = this.offsets[3 * joint + k]
      return
    }
    const from = this.translations
    const a = 3 * (row * this.placed + joint)
    const b = 3 * (next * this.placed + joint)
    for (let k = 0; k < 3; k++) place[k] = from[a + k] + share * (from[b + k] - from[a + k])
  }
}

// What mixTurn and mixPlace found of one joint. Arrays of the module, since a returned object, and even a number
// in a variable of the module, would be garbage a thousand times per drawn frame.
const turn = new Float64Array(4)
const place = new Float64Array(3)

/** The shorter way between two rotations, straight and normalised: frames are so near that no eye sees the
 * difference. */
function mixTurn(from: Float32Array, a: number, b: number, share: number): void {
  const w = from[a]
  const x = from[a + 1]
  const y = from[a + 2]
  const z = from[a + 3]
  const dot = w * from[b] + x * from[b + 1] + y * from[b + 2] + z * from[b + 3]
  const other = dot < 0 ? -share : share
  const own = 1 - share
  turn[0] = own * w + other * from[b]
  turn[1] = own * x + other * from[b + 1]
  turn[2] = own * y + other * from[b + 2]
  turn[3] = own * z + other * from[b + 3]
  const length = Math.sqrt(turn[0] * turn[0] + turn[1] * turn[1] + turn[2] * turn[2] + turn[3] * turn[3]) || 1
  for (let k = 0; k < 4; k++) turn[k] /= length
}

function putRoot(placement: Readonly<Placement>, places: Float64Array, turns: Float64Array, j: number): void {
  const c = Math.cos(placement.yaw / 2)
  const s = Math.sin(placement.yaw / 2)
  turns[4 * j] = c * turn[0] - s * turn[2]
  turns[4 * j + 1] = c * turn[1] + s * turn[3]
  turns[4 * j + 2] = c * turn[2] + s * turn[0]
  turns[4 * j + 3] = c * turn[3] - s * turn[1]
  const cos = c * c - s * s
  const sin = 2 * c * s
  places[3 * j] = cos * place[0] + sin * place[2] + placement.x
  places[3 * j + 1] = place[1] + placement.y
  places[3 * j + 2] = cos * place[2] - sin * place[0] + placement.z
}

function putChild(places: Float64Array, turns: Float64Array, parent: number, j: number): void {
  const w = turns[4 * parent]
  const x = turns[4 * parent + 1]
  const y = turns[4 * parent + 2]
  const z = turns[4 * parent + 3]
  turns[4 * j] = w * turn[0] - x * turn[1] - y * turn[2] - z * turn[3]
  turns[4 * j + 1] = w * turn[1] + x * turn[0] + y * turn[3] - z * turn[2]
  turns[4 * j + 2] = w * turn[2] - x * turn[3] + y * turn[0] + z * turn[1]
  turns[4 * j + 3] = w * turn[3] + x * turn[2] - y * turn[1] + z * turn[0]
  const tx = place[0]
  const ty = place[1]
  const tz = place[2]
  const ux = 2 * (y * tz - z * ty)
  const uy = 2 * (z * tx - x * tz)
  const uz = 2 * (x * ty - y * tx)
  places[3 * j] = places[3 * parent] + tx + w * ux + y * uz - z * uy
  places[3 * j + 1] = places[3 * parent + 1] + ty + w * uy + z * ux - x * uz
  places[3 * j + 2] = places[3 * parent + 2] + tz + w * uz + x * uy - y * ux
}
