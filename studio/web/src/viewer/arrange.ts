// arrange.ts - where several clips stand and when they run: as captured, side by side, or brought together at
// a frame.
import { AS_CAPTURED, Pose } from '../frames'
import type { Arrangement } from '../store'
import type { Character } from './character'

/** Spacing as a share of the taller neighbour's height: an arm's length on both sides. */
const SPACING_SHARE = 0.8

interface Stand {
  x: number
  z: number
  heading: number
}

/** Where a character stands and faces in a frame as captured; null if that frame has not come yet. */
function standAt(character: Character, frame: number): Stand | null {
  const { frames, figure } = character
  const pose = new Pose(frames.joints)
  if (!frames.pose(frame / frames.clip.fps, AS_CAPTURED, pose)) return null
  const at = 3 * figure.root
  return { x: pose.places[at], z: pose.places[at + 2], heading: figure.heading(pose) }
}

/** Puts `stand` where and as `goal` is. */
function bring(character: Character, stand: Stand, goal: Stand): void {
  const { placement } = character
  placement.yaw = goal.heading - stand.heading
  const cos = Math.cos(placement.yaw)
  const sin = Math.sin(placement.yaw)
  placement.x = goal.x - (cos * stand.x + sin * stand.z)
  placement.z = goal.z - (cos * stand.z - sin * stand.x)
}

function putAsCaptured(character: Character): void {
  Object.assign(character.placement, { yaw: 0, x: 0, z: 0 })
  character.shift_s = 0
}

function sideBySide(characters: readonly Character[]): void {
  const first = standAt(characters[0], 0)
  let x = first?.x ?? 0
  characters.forEach((character, i) => {
    if (i === 0) return
    x += SPACING_SHARE * Math.max(characters[i - 1].figure.height_cm, character.figure.height_cm)
    const stand = standAt(character, 0)
    if (stand) bring(character, stand, { x, z: first?.z ?? 0, heading: stand.heading })
  })
}

function alignAll(characters: readonly Character[]): void {
  const [leader] = characters
  const goal = standAt(leader, leader.shown.alignFrame)
  const goalTime = leader.shown.alignFrame / leader.shown.clip.fps
  for (const character of characters) {
    if (character === leader) continue
    const { alignFrame, clip } = character.shown
    character.shift_s = alignFrame / clip.fps - goalTime
    const stand = standAt(character, alignFrame)
    if (stand && goal) bring(character, stand, goal)
  }
}

export function arrange(characters: readonly Character[], arrangement: Arrangement): void {
  characters.forEach(putAsCaptured)
  if (characters.length > 1 && arrangement === 'side') sideBySide(characters)
  const aligned = arrangement === 'aligned' || arrangement === 'tiles'
  if (characters.length > 1 && aligned) alignAll(characters)
  for (const character of characters) character.moved()
}

// How a view is divided so that each character has a small one of its own.

export interface Tiles {
  columns: number
  rows: number
}

/** In pixels from the lower left corner, as a graphics card counts. */
interface Tile {
  x: number
  y: number
  width: number
  height: number
}

/** A person is higher than wide. */
const bestAspect = 0.8

/** As large as they can be. */
export function tilesFor(count: number, width: number, height: number): Tiles {
  let best: Tiles = { columns: 1, rows: Math.max(1, count) }
  let most = 0
  for (let columns = 1; columns <= count; columns++) {
    const rows = Math.ceil(count / columns)
    const size = Math.min(width / columns / bestAspect, height / rows)
    if (size > most) {
      most = size
      best = { columns, rows }
    }
  }
  return best
}

/** The first one is in the upper left corner. */
export function tileAt(index: number, { columns, rows }: Tiles, width: number, height: number): Tile {
  const column = index % columns
  const row = Math.floor(index / columns)
  const left = Math.round((column * width) / columns)
  const top = Math.round((row * height) / rows)
  const right = Math.round(((column + 1) * width) / columns)
  const bottom = Math.round(((row + 1) * height) / rows)
  return { x: left, y: height - bottom, width: right - left, height: bottom - top }
}
