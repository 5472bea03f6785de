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
