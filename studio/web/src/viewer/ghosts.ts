// ghosts.ts - onion skin: the body some moments before and after now, cool to warm, fainter the farther away
// in time. All ghosts of a character are one draw call.
import { Color, Mesh, type Camera, type ShaderMaterial } from 'three'
import { ConeGeometry, ghostMaterial } from './cones'
import type { Palette } from './palette'
import { PART_FLOATS } from './parts'

export const MOST_EACH_WAY = 8

/** The ramp's colours, and how much of the character's own is mixed in. */
export interface Dress {
  palette: Palette
  own: Color
  ownShare: number
}

export class Ghosts {
  readonly mesh: Mesh
  private readonly geometry: ConeGeometry
  private readonly material: ShaderMaterial
  private readonly room: Float32Array
  private readonly steps = new Int32Array(2 * MOST_EACH_WAY)
  private readonly depths = new Float64Array(2 * MOST_EACH_WAY)
  private readonly order = new Int32Array(2 * MOST_EACH_WAY)
  private readonly drawn = new Int32Array(2 * MOST_EACH_WAY)
  private drawnCount = -1
  private readonly colour = new Color()
  private count = 0

  constructor(private readonly mostParts: number) {
    this.geometry = new ConeGeometry(2 * MOST_EACH_WAY * 2 * mostParts)
    this.room = new Float32Array(2 * MOST_EACH_WAY * PART_FLOATS * mostParts)
    this.material = ghostMaterial()
    this.mesh = new Mesh(this.geometry, this.material)
    this.mesh.frustumCulled = false
    this.mesh.renderOrder = 5
  }

  setDetail(around: number, perBall: number): void {
    this.geometry.setDetail(around, perBall)
  }

  /** Room for the parts of all ghosts, `mostParts` each. */
  get parts(): Float32Array {
    return this.room
  }

  begin(): void {
    this.count = 0
  }

  /** The parts of ghost number `count` are in their room; `step` says how far from now it is, at `x, y, z`.
   * */
  put(step: number, x: number, y: number, z: number, camera: Camera): void {
    const at = camera.position
    this.steps[this.count] = step
    this.depths[this.count++] = (x - at.x) ** 2 + (y - at.y) ** 2 + (z - at.z) ** 2
  }

  get next(): number {
    return this.count
  }

  /** Copies the ghosts, the farthest first, each twice: see ghostMaterial. */
  finish(partCount: number, steps: number, dress: Dress): void {
    this.sort()
    const { parts } = this.geometry
    const size = PART_FLOATS * partCount
    for (let i = 0; i < this.count; i++) {
      const from = this.order[i] * PART_FLOATS * this.mostParts
      for (let twice = 0; twice < 2; twice++) {
        const to = (2 * i + twice) * size
        for (let k = 0; k < size; k++) parts[to + k] = this.room[from + k]
      }
    }
    this.geometry.partsChanged(2 * this.count * partCount)
    if (this.sameAsDrawn()) return
    for (let i = 0; i < this.count; i++) this.tint(i, partCount, steps, dress)
    this.geometry.tintsChanged()
  }

  /** Colours or parts have changed. */
  forget(): void {
    this.drawnCount = -1
  }

  private sort(): void {
    for (let i = 0; i < this.count; i++) {
      let at = i
      while (at > 0 && this.depths[this.order[at - 1]] < this.depths[i]) {
        this.order[at] = this.order[at - 1]
        at--
      }
      this.order[at] = i
    }
  }

  private sameAsDrawn(): boolean {
    let same = this.count === this.drawnCount
    for (let i = 0; i < this.count; i++) {
      const step = this.steps[this.order[i]]
      if (this.drawn[i] !== step) same = false
      this.drawn[i] = step
    }
    this.drawnCount = this.count
    return same
  }

  private tint(slot: number, parts: number, steps: number, { palette, own, ownShare }: Dress): void {
    const step = this.drawn[slot]
    const far = steps > 1 ? (Math.abs(step) - 1) / (steps - 1) : 0
    this.colour.copy(step < 0 ? palette.past : palette.future).lerp(own, ownShare)
    const alpha = 0.6 - 0.42 * far
    for (let i = 0; i < parts; i++) {
      this.geometry.setTint(2 * slot * parts + i, this.colour, 0)
      this.geometry.setTint((2 * slot + 1) * parts + i, this.colour, alpha)
    }
  }

  dispose(): void {
    this.geometry.dispose()
    this.material.dispose()
  }
}
