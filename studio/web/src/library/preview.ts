// preview.ts - a card that plays: while the pointer or the keyboard rests on it, its poses are streamed and drawn over
// its strip. Only one card plays at a time.
import { api, type Card, type Joint } from '../api'
import { playStream, stopStream } from '../live'
import { wantsLessMotion } from '../motion'

// A pose as a little figure seen from the side: left bones blue, right ones orange.

export type Side = 'left' | 'right' | 'middle'

export interface Look {
  left: string
  right: string
  middle: string
  ground: string
  accent: string
}

/** How the floor is looked at: `across` is the direction (x, z) that runs to the right of the picture. */
interface SideView {
  across: [number, number]
  /** Along `across`, what the whole motion covers. */
  from_cm: number
  to_cm: number
}

// "L_Knee", "RHip", "hand.l"; "lfemur" of Acclaim's skeletons; not "lowerback" and not "root".
const shortName = /(?:^|[:_. ])([LlRr])(?=[A-Z_. ]|$)/
const acclaimName = /^([lr])(?:hipjoint|femur|tibia|foot|toes|clavicle|humerus|radius|wrist|hand|fingers|thumb)$/

function sideOfName(name: string): Side {
  if (/left/i.test(name)) return 'left'
  if (/right/i.test(name)) return 'right'
  const letter = (shortName.exec(name) ?? acclaimName.exec(name))?.[1]?.toLowerCase()
  return letter === 'l' ? 'left' : letter === 'r' ? 'right' : 'middle'
}

/** By role where there is one, else by name, else as the parent. */
export function sidesOf(joints: readonly Joint[], roles: Record<string, number>): Side[] {
  const sides: Side[] = joints.map((joint) => sideOfName(joint.name))
  for (const [role, joint] of Object.entries(roles)) {
    if (role.includes('left')) sides[joint] = 'left'
    if (role.includes('right')) sides[joint] = 'right'
  }
  joints.forEach((joint, j) => {
    if (sides[j] === 'middle' && joint.parent >= 0) sides[j] = sides[joint.parent]!
  })
  return sides
}

/** What drawing needs to know of a skeleton. */
interface Anatomy {
  sides: Side[]
  head: number // -1: there is none
}

const known = new Map<string, Promise<Anatomy>>()

/** The server is asked once for each skeleton. */
function anatomyOf(skeleton: string, clip: number, signal?: AbortSignal): Promise<Anatomy> {
  const before = known.get(skeleton)
  if (before) return before
  const asked = api.clip(clip, signal).then(({ joints, roles }) => ({
    sides: sidesOf(joints, roles),
    head: roles['head'] ?? joints.findIndex(({ name }) => /head$/i.test(name)),
  }))
  asked.catch(() => known.delete(skeleton))
  known.set(skeleton, asked)
  return asked
}

const headBytes = 40
const standing_cm = 60

/** The places (x, z) of the root in a few frames spread over the clip. */
async function rootPath(id: number, frames: number, signal?: AbortSignal): Promise<[number, number][]> {
  const step = Math.max(1, Math.ceil(frames / 24))
  const data = await api.frames(id, 0, frames, step, signal)
  const [count, , , , places] = new Uint32Array(data, 8, 5)
  const values = new Float32Array(data, headBytes, count! * places! * 3)
  return Array.from({ length: count! }, (_, i) => [values[i * places! * 3]!, values[i * places! * 3 + 2]!])
}

/** The view in which the motion runs from left to right, or is seen along its longest way if it comes back. Null: it
    stays in place. */
function sideView(path: readonly [number, number][]): SideView | null {
  const first = path[0] ?? [0, 0]
  const last = path[path.length - 1] ?? first
  const farthest = Math.max(0, ...path.map((place) => Math.hypot(place[0] - first[0], place[1] - first[1])))
  if (farthest < standing_cm) return null
  let across: [number, number] = [last[0] - first[0], last[1] - first[1]]
  if (Math.hypot(...across) < standing_cm) across = mainDirection(path)
  return viewAlong(across, path)
}

/** For one who stays in place: facing right. The hips' left and right tell where the front is. */
function facingView(pose: Float32Array, parents: readonly number[], sides: readonly Side[]): SideView {
  const child = (side: Side) => parents.findIndex((parent, joint) => parent === 0 && sides[joint] === side)
  const left = child('left')
  const right = child('right')
  const here: [number, number] = [pose[0]!, pose[2]!]
  if (left < 0 || right < 0) return viewAlong([1, 0], [here])
  const sideways = [pose[left * 7]! - pose[right * 7]!, pose[left * 7 + 2]! - pose[right * 7 + 2]!]
  return viewAlong([-sideways[1]!, sideways[0]!], [here])
}

function viewAlong(direction: [number, number], path: readonly [number, number][]): SideView {
  let across = direction
  const length = Math.hypot(...across) || 1
  across = [across[0] / length, across[1] / length]
  const along = path.map((place) => place[0] * across[0] + place[1] * across[1])
  return { across, from_cm: Math.min(...along), to_cm: Math.max(...along) }
}

/** The first principal direction of points in the plane. */
function mainDirection(path: readonly [number, number][]): [number, number] {
  const n = path.length || 1
  const mean = path.reduce(([x, z], place) => [x + place[0] / n, z + place[1] / n], [0, 0])
  let xx = 0
  let zz = 0
  let xz = 0
  for (const place of path) {
    const dx = place[0] - mean[0]!
    const dz = place[1] - mean[1]!
    xx += dx * dx
    zz += dz * dz
    xz += dx * dz
  }
  const angle = 0.5 * Math.atan2(2 * xz, xx - zz)
  return [Math.cos(angle), Math.sin(angle)]
}

export interface Picture {
  canvas: HTMLCanvasElement
  look: Look
  view: SideView
  parents: readonly number[]
  anatomy: Anatomy
  /** How high the picture reaches. */
  height_cm: number
}

const headRadius_cm = 9
const tick_cm = 100

/** The height that a picture needs for someone who stands so, with room for raised arms and jumps. */
function heightFor(pose: Float32Array): number {
  let top = 0
  for (let y = 1; y < pose.length; y += 7) top = Math.max(top, pose[y]!)
  return Math.max(120, top * 1.18)
}

/** Draws one pose; `share` is how much of the clip is over. */
export function drawFigure(picture: Picture, pose: Float32Array, share: number): void {
  const { canvas, look, view } = picture
  const context = canvas.getContext('2d')
  if (!context) return
  const { width, height } = canvas
  const scale = (height * 0.92) / picture.height_cm
  const ground = height * 0.93
  const along = (joint: number) => pose[joint * 7]! * view.across[0] + pose[joint * 7 + 2]! * view.across[1]
  // All of the way in one picture if it fits, otherwise the camera goes along.
  const fits = (view.to_cm - view.from_cm) * scale < width * 0.8
  const centre = fits ? (view.from_cm + view.to_cm) / 2 : along(0)
  const x = (joint: number) => width / 2 + (along(joint) - centre) * scale
  const y = (joint: number) => ground - pose[joint * 7 + 1]! * scale

  context.clearRect(0, 0, width, height)
  drawGround(context, look.ground, width, ground, scale, centre)
  drawBones(context, picture, x, y, scale)
  context.fillStyle = look.accent
  context.fillRect(0, height - Math.max(2, height / 40), width * share, height)
}

function drawGround(
  context: CanvasRenderingContext2D,
  colour: string,
  width: number,
  ground: number,
  scale: number,
  centre: number,
): void {
  context.strokeStyle = colour
  context.lineWidth = 1
  context.beginPath()
  context.moveTo(0, ground)
  context.lineTo(width, ground)
  const half = width / 2 / scale
  for (let tick = Math.ceil((centre - half) / tick_cm) * tick_cm; tick < centre + half; tick += tick_cm) {
    const at = width / 2 + (tick - centre) * scale
    context.moveTo(at, ground)
    context.lineTo(at, ground + 3)
  }
  context.stroke()
}

function drawBones(
  context: CanvasRenderingContext2D,
  { look, parents, anatomy }: Picture,
  x: (joint: number) => number,
  y: (joint: number) => number,
  scale: number,
): void {
  context.lineCap = 'round'
  context.lineWidth = Math.max(2, 9 * scale)
  // Facing right, the right side is the nearer one.
  for (const side of ['left', 'middle', 'right'] as const) {
    context.strokeStyle = look[side]
    context.beginPath()
    parents.forEach((parent, joint) => {
      if (parent < 0 || anatomy.sides[joint] !== side) return
      context.moveTo(x(parent), y(parent))
      context.lineTo(x(joint), y(joint))
    })
    context.stroke()
  }
  if (anatomy.head < 0) return
  context.fillStyle = look.middle
  context.beginPath()
  context.arc(x(anatomy.head), y(anatomy.head) - headRadius_cm * scale, headRadius_cm * 1.2 * scale, 0, 2 * Math.PI)
  context.fill()
}

const streams = 8
const rate_hz = 30
const dwell_ms = 180
/** What the server makes of one stream at most, and what is in front of every pose. */
const streamBytes = 16 * 1024 * 1024
const poseHeadBytes = 8

let timer = 0
/** Of the stream. Each preview has the next one, so that what still comes for the last is not taken for its own. */
let number = 0
let playing: HTMLCanvasElement | null = null
let wanted: HTMLCanvasElement | null = null
/** What the preview that is about to begin has asked the server for. */
let asking: AbortController | null = null
let held = 0

/** Plays `card` on `canvas` after a short rest; not for users who want less motion, who open it. */
export function startPreview(card: Card, canvas: HTMLCanvasElement): void {
  if (wanted === canvas || held > 0 || wantsLessMotion()) return
  stopPreview()
  wanted = canvas
  timer = window.setTimeout(() => void play(card, canvas), dwell_ms)
}

export function stopPreview(canvas?: HTMLCanvasElement): void {
  if (canvas && canvas !== wanted) return
  clearTimeout(timer)
  asking?.abort()
  asking = null
  if (playing) {
    stopStream(number)
    playing.classList.remove('on')
  }
  playing = null
  wanted = null
}

/** Does something that takes clips away, with no preview that would ask for one of them meanwhile. */
export async function withoutPreviews(work: () => Promise<void>): Promise<void> {
  held++
  stopPreview()
  try {
    await work()
  } finally {
    held--
  }
}

async function play(card: Card, canvas: HTMLCanvasElement): Promise<void> {
  asking = new AbortController()
  const { signal } = asking
  try {
    const [path, anatomy] = await Promise.all([
      rootPath(card.id, card.frames, signal),
      anatomyOf(card.skeleton, card.id, signal),
    ])
    if (wanted === canvas) stream(card, canvas, sideView(path), anatomy)
  } catch {
    // A preview that cannot be had is no loss worth a message; the strip stays.
  }
}

/** How many frames of a clip can be had as one stream. The last minutes of a very long one are left out. */
export function previewFrames({ frames, fps }: Pick<Card, 'frames' | 'fps'>, joints: number): number {
  const poses = Math.floor(streamBytes / (poseHeadBytes + joints * 7 * 4))
  return Math.min(frames, poses * Math.max(1, Math.floor(fps / rate_hz)))
}

function stream(card: Card, canvas: HTMLCanvasElement, view: SideView | null, anatomy: Anatomy): void {
  playing = canvas
  number = (number + 1) % streams
  let parents: number[] = []
  let picture: Picture | null = null
  const end = previewFrames(card, anatomy.sides.length)
  playStream(number, { clip: card.id, start: 0, end, rate: rate_hz, speed: 1, loop: true }, {
    begin(start) {
      if (start.clip !== card.id) return
      parents = start.parents
      canvas.width = Math.round(canvas.clientWidth * window.devicePixelRatio)
      canvas.height = Math.round(canvas.clientHeight * window.devicePixelRatio)
    },
    pose(frame, values) {
      if (playing !== canvas || values.length !== parents.length * 7) return
      picture ??= {
        canvas,
        look: lookOf(canvas),
        view: view ?? facingView(values, parents, anatomy.sides),
        parents,
        anatomy,
        height_cm: heightFor(values),
      }
      drawFigure(picture, values, (frame + 1) / card.frames)
      canvas.classList.add('on')
    },
    end() {
      stopPreview(canvas)
    },
    failed() {
      // The strip stays, as for any other preview that cannot be had.
      stopPreview(canvas)
    },
  })
}

function lookOf(canvas: HTMLCanvasElement): Look {
  const style = getComputedStyle(canvas)
  const colour = (name: string) => style.getPropertyValue(name).trim()
  return {
    left: colour('--left'),
    right: colour('--right'),
    middle: colour('--text-dim'),
    ground: colour('--line'),
    accent: colour('--accent'),
  }
}
