// trails.ts - where chosen joints have been in the last second, bright to faint. Moments lie on a fixed
// raster, so that a curve stands still while its ends move, and each moment is worked out once.
import { Color, type Vector2 } from 'three'
import { Pose, type ClipFrames, type Placement } from '../frames'
import { Ribbon } from './ribbon'
import type { Vec } from './vec3'

const LENGTH_S = 1
const STEP_S = 1 / 40
const MOST_TRAILS = 12
/** Moments that are remembered of each joint. */
const KEPT = 64

class Trail {
  readonly chain: Int32Array
  private readonly places = new Float64Array(3 * KEPT)
  private readonly moments = new Int32Array(KEPT)

  constructor(
    readonly joint: number,
    readonly colour: Color,
    frames: ClipFrames,
  ) {
    this.chain = frames.chain([joint])
    this.forget()
  }

  forget(): void {
    this.moments.fill(-1)
  }

  /** Where in `places` a moment of the raster is; -1 if its frames have not come. */
  find(moment: number, frames: ClipFrames, placement: Readonly<Placement>, pose: Pose): number {
    const slot = moment % KEPT
    if (this.moments[slot] === moment) return 3 * slot
    if (!frames.pose(moment * STEP_S, placement, pose, this.chain)) return -1
    for (let k = 0; k < 3; k++) this.places[3 * slot + k] = pose.places[3 * this.joint + k]
    this.moments[slot] = moment
    return 3 * slot
  }

  get kept(): Float64Array {
    return this.places
  }
}

export class Trails {
  readonly ribbon = new Ribbon(MOST_TRAILS * (Math.ceil(LENGTH_S / STEP_S) + 2), LENGTH_S, 3)
  private trails: Trail[] = []

  constructor(private readonly frames: ClipFrames) {
    this.ribbon.mesh.renderOrder = 6
    this.ribbon.mesh.visible = false
  }

  choose(joints: readonly number[], colourOf: (joint: number) => Color): void {
    this.trails = joints.slice(0, MOST_TRAILS).map((joint) => new Trail(joint, colourOf(joint), this.frames))
  }

  /** The character was put somewhere else. */
  forget(): void {
    for (const trail of this.trails) trail.forget()
  }

  /** `now` is the pose at `time`. */
  update(time: number, now: Pose, placement: Readonly<Placement>, pose: Pose, origin: Vec): void {
    const { ribbon, trails } = this
    ribbon.mesh.visible = trails.length > 0
    if (trails.length === 0) return
    ribbon.begin()
    const first = Math.max(0, Math.ceil((time - LENGTH_S) / STEP_S))
    const last = Math.floor(time / STEP_S - 1e-3)
    for (let i = 0; i < trails.length; i++) {
      const trail = trails[i]
      for (let moment = first; moment <= last; moment++) {
        const at = trail.find(moment, this.frames, placement, pose)
        if (at >= 0) this.put(trail.kept, at, moment * STEP_S, trail.colour, origin)
      }
      this.put(now.places, 3 * trail.joint, time, trail.colour, origin)
    }
    ribbon.finish()
  }

  private put(places: Float64Array, at: number, time: number, colour: Color, origin: Vec): void {
    const x = 0.01 * (places[at] - origin[0])
    this.ribbon.put(x, 0.01 * places[at + 1], 0.01 * (places[at + 2] - origin[2]), time, colour)
  }

  set(time: number, screen: Vector2, pixels: number): void {
    this.ribbon.set(time, screen, pixels, 1)
  }

  dispose(): void {
    this.ribbon.dispose()
  }
}
