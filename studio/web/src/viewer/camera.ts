// camera.ts - the eye: orbit by mouse and keys, follow the characters, and a first view that shows the motion
// well. The scene's zero moves along with the eye, so that numbers stay small a kilometre from the world's.
import { PerspectiveCamera, Spherical, Vector3 } from 'three'
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js'
import type { Character } from './character'
import { vec, type Vec } from './vec3'

const FIELD_DEGREES = 32
/** Metres from the scene's zero at which it moves. */
const REBASE_M = 25
/** While following, the first view shows at most this much of the motion. */
const FOLLOWED_M = 2.6
const FOLLOW_S = 0.25

/** The middle of what is shown, in metres of the world, and how the motion extends from there. */
interface Extent {
  middle: Vector3
  /** Direction in which it extends most, on the floor. */
  travel: Vector3
  long: number
  wide: number
  height: number
  heading: number
}

export class CameraRig {
  readonly camera = new PerspectiveCamera(FIELD_DEGREES, 16 / 9, 0.05, 1500)
  readonly controls: OrbitControls
  /** Where the scene's zero is in the world, in cm. */
  readonly origin: Vec = vec()
  /** The user has not turned the camera since the last reset. */
  untouched = true
  private following = false
  private readonly goal = new Vector3()
  private readonly lastGoal = new Vector3()
  private readonly seen = new Vector3()
  private readonly spherical = new Spherical()
  private readonly place = vec()
  private readonly still = matchMedia('(prefers-reduced-motion: reduce)')

  constructor(canvas: HTMLElement, onChange: () => void) {
    this.controls = new OrbitControls(this.camera, canvas)
    this.controls.enableDamping = !this.still.matches
    this.controls.dampingFactor = 0.16
    this.controls.minDistance = 0.6
    this.controls.maxDistance = 120
    this.controls.maxPolarAngle = 0.5 * Math.PI - 0.01
    this.controls.zoomSpeed = 1.1
    this.camera.position.set(2.2, 1.5, 5)
    this.controls.target.set(0, 0.9, 0)
    this.controls.addEventListener('change', onChange)
    this.controls.addEventListener('start', () => {
      this.untouched = false
    })
  }

  resize(aspect: number): void {
    this.camera.aspect = aspect
    this.camera.updateProjectionMatrix()
  }

  /** Turns the eye around what it looks at; for keys. Angles in radians, `nearer` as a factor. */
  turn(around: number, over: number, nearer: number): void {
    const { target } = this.controls
    this.untouched = false
    this.spherical.setFromVector3(this.goal.copy(this.camera.position).sub(target))
    this.spherical.theta += around
    this.spherical.phi = Math.max(0.05, Math.min(this.controls.maxPolarAngle, this.spherical.phi + over))
    this.spherical.radius = Math.max(0.6, Math.min(120, this.spherical.radius * nearer))
    this.camera.position.setFromSpherical(this.spherical).add(target)
  }

  /** Moves along with the characters. True while it still has way to go. The goal is smooth in itself (it
   * knows what comes), so the eye goes along exactly; only what was between them before dies away by and by.
   * */
  follow(characters: readonly Character[], time_s: number, elapsed_s: number): boolean {
    const { target } = this.controls
    if (!this.meanPlace(characters, time_s, this.goal)) return false
    if (this.following) this.shift(this.seen.copy(this.goal).sub(this.lastGoal))
    this.following = true
    this.lastGoal.copy(this.goal)
    this.seen.set(0.01 * this.origin[0], 0, 0.01 * this.origin[2])
    this.seen.negate().add(this.goal).sub(target)
    this.seen.y = 0
    if (this.seen.lengthSq() < 4e-8) return false
    // At once, where less motion is wanted.
    if (this.still.matches) {
      this.shift(this.seen)
      return false
    }
    this.shift(this.seen.multiplyScalar(1 - Math.exp(-elapsed_s / FOLLOW_S)))
    return true
  }

  /** Follows no longer, or something else. */
  release(): void {
    this.following = false
  }

  private shift(way: Vector3): void {
    way.y = 0
    this.controls.target.add(way)
    this.camera.position.add(way)
  }

  /** In metres of the world. */
  private meanPlace(characters: readonly Character[], time_s: number, out: Vector3): boolean {
    let count = 0
    out.set(0, 0, 0)
    for (const character of characters) {
      if (!character.ready || !character.smoothRoot(time_s, this.place)) continue
      out.x += 0.01 * this.place[0]
      out.z += 0.01 * this.place[2]
      count++
    }
    out.multiplyScalar(1 / Math.max(1, count))
    return count > 0
  }

  /** Keeps the scene's zero near the eye, in whole metres so that the floor's lines stay. True if it moved.
   * */
  rebase(): boolean {
    const { target } = this.controls
    if (Math.abs(target.x) < REBASE_M && Math.abs(target.z) < REBASE_M) return false
    const x = Math.round(target.x)
    const z = Math.round(target.z)
    this.origin[0] += 100 * x
    this.origin[2] += 100 * z
    target.set(target.x - x, target.y, target.z - z)
    this.camera.position.x -= x
    this.camera.position.z -= z
    return true
  }

  /** Shows the whole motion from its best side; while following only what fits around the characters. Gives
   * the direction from which it looks, an angle about the vertical. */
  frame(characters: readonly Character[], time_s: number, follow: boolean, row: boolean): number | null {
    const extent = extentOf(characters)
    if (!extent) return null
    const { middle } = extent
    const angle = row ? rowSide(characters) : bestSide(extent)
    const most = follow ? Math.max(FOLLOWED_M, spreadNow(characters)) : Infinity
    const tan = Math.tan((FIELD_DEGREES * Math.PI) / 360)
    const across = Math.min(most, Math.max(0.9 * extent.height, extent.long + 0.5))
    const depth = Math.min(follow ? 1.5 : Infinity, Math.max(0.6, extent.wide))
    const distance = Math.max(extent.height * 0.72, (0.6 * across) / this.camera.aspect) / tan + 0.5 * depth
    const { target } = this.controls
    target.set(middle.x - 0.01 * this.origin[0], 0.47 * extent.height, middle.z - 0.01 * this.origin[2])
    this.following = follow && this.meanPlace(characters, time_s, this.goal)
    if (this.following) {
      this.lastGoal.copy(this.goal)
      target.set(this.goal.x - 0.01 * this.origin[0], target.y, this.goal.z - 0.01 * this.origin[2])
    }
    this.spherical.set(Math.min(110, distance), 1.36, angle)
    this.camera.position.setFromSpherical(this.spherical).add(target)
    this.controls.update()
    this.untouched = true
    return angle
  }

  /** Around a place of the floor, in metres of the world; it stays so until it is reset. */
  overlook(x: number, z: number, span: number): void {
    const { target } = this.controls
    const tan = Math.tan((FIELD_DEGREES * Math.PI) / 360)
    const far = Math.min(110, (0.62 * span) / (tan * Math.min(1, this.camera.aspect)) + 1)
    target.set(x - 0.01 * this.origin[0], 0, z - 0.01 * this.origin[2])
    this.spherical.set(far, 0.72, 0)
    this.camera.position.setFromSpherical(this.spherical).add(target)
    this.controls.update()
    this.untouched = false
  }

  dispose(): void {
    this.controls.dispose()
  }
}

/** Walks are seen from the side and a little from the front, going from left to right; the rest from the
 * front. */
function bestSide({ travel, heading, long, wide }: Extent): number {
  const goes = long > 1.2 && long > 1.6 * wide
  return goes ? Math.atan2(travel.x, travel.z) - 1.15 : heading - 0.6
}

/** A row along x is seen along its whole length, from where most of them face. */
function rowSide(characters: readonly Character[]): number {
  const facing = characters.reduce((sum, character) => sum + Math.cos(character.meanHeading()), 0)
  return facing < 0 ? Math.PI + 0.15 : 0.15
}

/** How far apart the characters are now, in metres. */
function spreadNow(characters: readonly Character[]): number {
  const at = vec()
  const first = vec()
  let most = 0
  characters.forEach((character, i) => {
    if (i === 0) character.rootPlace(first)
    character.rootPlace(at)
    most = Math.max(most, Math.hypot(at[0] - first[0], at[2] - first[2]))
  })
  return 0.01 * most + 1.6
}

/** Places of all roots over all time, in metres of the world, on the floor. */
function rootPlaces(characters: readonly Character[]): { x: number; z: number }[] {
  const points: { x: number; z: number }[] = []
  for (const character of characters) {
    const { yaw, x, z } = character.placement
    const cos = Math.cos(yaw)
    const sin = Math.sin(yaw)
    character.eachRoot(200, (at) => {
      points.push({ x: 0.01 * (cos * at[0] + sin * at[2] + x), z: 0.01 * (cos * at[2] - sin * at[0] + z) })
    })
  }
  return points
}

function extentOf(characters: readonly Character[]): Extent | null {
  const points = rootPlaces(characters)
  const leader = characters.find((character) => character.ready)
  if (!leader || points.length === 0) return null
  const travel = principalDirection(points)
  let [low, high, left, right] = [Infinity, -Infinity, Infinity, -Infinity]
  for (const { x, z } of points) {
    const along = x * travel.x + z * travel.z
    const across = x * travel.z - z * travel.x
    low = Math.min(low, along)
    high = Math.max(high, along)
    left = Math.min(left, across)
    right = Math.max(right, across)
  }
  const along = (low + high) / 2
  const across = (left + right) / 2
  const middle = new Vector3(along * travel.x + across * travel.z, 0, along * travel.z - across * travel.x)
  const height = 0.01 * Math.max(...characters.map((character) => character.figure.height_cm))
  return { middle, travel, long: high - low, wide: right - left, height, heading: leader.meanHeading() }
}

/** The longer axis of a cloud of points on the floor, in the order in which they are passed. */
function principalDirection(points: { x: number; z: number }[]): Vector3 {
  let [x, z, xx, xz, zz] = [0, 0, 0, 0, 0]
  for (const point of points) {
    x += point.x / points.length
    z += point.z / points.length
  }
  for (const point of points) {
    xx += (point.x - x) ** 2
    xz += (point.x - x) * (point.z - z)
    zz += (point.z - z) ** 2
  }
  const angle = 0.5 * Math.atan2(2 * xz, xx - zz)
  const axis = new Vector3(Math.cos(angle), 0, Math.sin(angle))
  const last = points[points.length - 1]
  const forward = (last.x - points[0].x) * axis.x + (last.z - points[0].z) * axis.z
  return forward < 0 ? axis.negate() : axis
}
