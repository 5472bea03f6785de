// arrows.ts - two arrows on the floor under a steered character: the input, and where it goes. Each is as
// long as it is fast.
import { BufferGeometry, DoubleSide, Float32BufferAttribute, Mesh, MeshBasicMaterial, Object3D } from 'three'
import type { Course, LiveBody } from '../live_body'
import type { Vec } from './vec3'

const HEIGHT_M = 0.012
/** From here on, so that the feet stand free. */
const FROM_M = 0.32
/** Of a second's way. */
const SHARE = 0.6
const LEAST_M = 0.25
const HEAD_M = 0.2
const STILL_CM_S = 5

interface Arrow {
  object: Object3D
  shaft: Mesh
  head: Mesh
}

function flat(corners: number[]): BufferGeometry {
  const geometry = new BufferGeometry()
  geometry.setAttribute('position', new Float32BufferAttribute(corners, 3))
  geometry.setIndex(corners.length === 12 ? [0, 1, 2, 0, 2, 3] : [0, 1, 2])
  return geometry
}

export class CourseArrows {
  readonly object = new Object3D()
  private readonly shaft = flat([0, 0, -0.5, 1, 0, -0.5, 1, 0, 0.5, 0, 0, 0.5])
  private readonly head = flat([0, 0, -0.5, 1, 0, 0, 0, 0, 0.5])
  private readonly materials = [this.look(0xffcf24), this.look(0x2fc7b0)]
  private readonly input = this.make(0, 0.14, 0)
  private readonly does = this.make(1, 0.08, 0.004)

  constructor() {
    this.object.add(this.input.object, this.does.object)
    this.object.visible = false
  }

  private look(color: number): MeshBasicMaterial {
    return new MeshBasicMaterial({ color, side: DoubleSide, transparent: true, opacity: 0.95, depthWrite: false })
  }

  private make(material: number, width: number, above: number): Arrow {
    const object = new Object3D()
    const shaft = new Mesh(this.shaft, this.materials[material])
    const head = new Mesh(this.head, this.materials[material])
    shaft.position.set(FROM_M, HEIGHT_M + above, 0)
    shaft.scale.z = width
    head.scale.set(HEAD_M, 1, 2.4 * width)
    for (const part of [shaft, head]) {
      part.renderOrder = -5 + material
      part.frustumCulled = false
      object.add(part)
    }
    return { object, shaft, head }
  }

  /** Under the character, if that is steered. */
  follow(live: LiveBody | undefined, origin: Vec): void {
    this.object.visible = live !== undefined && live.poses > 0
    if (!live || !this.object.visible) return
    this.object.position.set(0.01 * (live.x_cm - origin[0]), 0, 0.01 * (live.z_cm - origin[2]))
    this.point(this.input, live.input)
    this.point(this.does, live.does)
  }

  private point({ object, shaft, head }: Arrow, { direction_rad, speed_cm_s }: Course): void {
    object.visible = speed_cm_s > STILL_CM_S
    const long = Math.max(LEAST_M, SHARE * 0.01 * speed_cm_s)
    // The plan is counted as three turns: counter-clockwise, seen from above.
    object.rotation.y = direction_rad
    shaft.scale.x = long
    head.position.set(FROM_M + long, shaft.position.y, 0)
  }

  dispose(): void {
    for (const each of [this.shaft, this.head, ...this.materials]) each.dispose()
  }
}
