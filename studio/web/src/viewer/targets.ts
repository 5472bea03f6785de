// targets.ts - what motions of a family can do, in the scene: examples as red cubes, samples as small grey ones, and the
// wanted place as a yellow sphere that can be taken and moved.
import {
  BoxGeometry,
  BufferGeometry,
  Float32BufferAttribute,
  InstancedMesh,
  Line,
  LineBasicMaterial,
  Matrix4,
  Mesh,
  MeshBasicMaterial,
  MeshLambertMaterial,
  Object3D,
  Plane,
  SphereGeometry,
  Vector3,
  type BufferAttribute,
  type Material,
  type Ray,
} from 'three'
import type { Targets } from '../store'
import type { Character } from './character'
import type { Vec } from './vec3'

const EXAMPLE_M = 0.032
const SAMPLE_M = 0.011
const WANTED_M = 0.038
/** A pointer takes the sphere from this near. */
const REACH_M = 0.06

type Places = readonly (readonly number[])[]

export class TargetCloud {
  /** Positions of the family are relative to it, in metres. */
  readonly object = new Object3D()
  private readonly cube = new BoxGeometry(1, 1, 1)
  private readonly ball = new SphereGeometry(WANTED_M, 24, 16)
  private readonly red = new MeshLambertMaterial({ color: 0xd8433b })
  private readonly grey = new MeshLambertMaterial({ color: 0x8d95a3 })
  private readonly yellow = new MeshLambertMaterial({ color: 0xffcf24, emissive: 0x6b4e00 })
  /** The body in front of the sphere does not hide it. */
  private readonly veil = new MeshBasicMaterial({
    color: 0xffcf24,
    transparent: true,
    opacity: 0.35,
    depthTest: false,
  })
  private readonly missing = new LineBasicMaterial({ color: 0xffcf24 })
  private readonly wanted = new Object3D()
  private readonly gap: Line
  private examples: InstancedMesh | null = null
  private samples: InstancedMesh | null = null
  private targets: Targets | null = null
  private readonly plane = new Plane()
  private readonly spot = new Vector3()
  private readonly normal = new Vector3()

  constructor() {
    const through = new Mesh(this.ball, this.veil)
    through.renderOrder = 9
    const sphere = new Mesh(this.ball, this.yellow)
    sphere.castShadow = true
    this.wanted.add(sphere, through)
    const line = new BufferGeometry()
    line.setAttribute('position', new Float32BufferAttribute(new Float32Array(6), 3))
    this.gap = new Line(line, this.missing)
    this.gap.frustumCulled = false
    this.object.add(this.wanted, this.gap)
    this.object.visible = false
  }

  get shown(): boolean {
    return this.targets !== null
  }

  set(targets: Targets | null): void {
    if (targets?.examples !== this.targets?.examples || targets?.samples !== this.targets?.samples) {
      this.examples = this.replace(this.examples, targets?.examples ?? [], EXAMPLE_M, this.red)
      this.samples = this.replace(this.samples, targets?.samples ?? [], SAMPLE_M, this.grey)
    }
    this.targets = targets
    this.object.visible = targets !== null
    if (!targets) return
    this.put(this.wanted.position, targets.wanted)
    this.drawGap(targets)
  }

  private put(out: Vector3, place: readonly number[]): Vector3 {
    return out.set(0.01 * place[0]!, 0.01 * place[1]!, 0.01 * place[2]!)
  }

  private replace(before: InstancedMesh | null, places: Places, side: number, look: Material): InstancedMesh | null {
    before?.removeFromParent()
    before?.dispose()
    if (places.length === 0) return null
    const mesh = new InstancedMesh(this.cube, look, places.length)
    const matrix = new Matrix4()
    places.forEach((place, i) => {
      this.put(this.spot, place)
      mesh.setMatrixAt(i, matrix.makeScale(side, side, side).setPosition(this.spot))
    })
    mesh.frustumCulled = false
    this.object.add(mesh)
    return mesh
  }

  /** From what is wanted to what is reached. */
  private drawGap({ wanted, reached }: Targets): void {
    const place = this.gap.geometry.getAttribute('position') as BufferAttribute
    ;[wanted, reached ?? wanted].forEach((each, i) => {
      this.put(this.spot, each)
      place.setXYZ(i, this.spot.x, this.spot.y, this.spot.z)
    })
    place.needsUpdate = true
  }

  /** Positions that are relative to the leader move with it. */
  follow(leader: Character | undefined, origin: Vec): void {
    if (!this.targets || !leader) return
    const { from } = this.targets
    const { x, y, z, yaw } = leader.placement
    const [cos, sin] = [Math.cos(yaw), Math.sin(yaw)]
    this.object.rotation.y = from.angle_rad + yaw
    this.object.position.set(
      0.01 * (cos * from.x_cm + sin * from.z_cm + x - origin[0]),
      0.01 * (from.y_cm + y),
      0.01 * (cos * from.z_cm - sin * from.x_cm + z - origin[2]),
    )
    this.object.updateMatrixWorld()
  }

  isUnder(ray: Ray, grip = 0): boolean {
    if (!this.targets) return false
    const place = this.wanted.getWorldPosition(this.spot)
    return ray.distanceToPoint(place) < Math.max(REACH_M, grip * place.distanceTo(ray.origin))
  }

  /** Where the ray meets the plane through the sphere that the eye looks onto, or the floor; as the family tells it. */
  placeUnder(ray: Ray, looking: Vector3): number[] | null {
    const { targets, plane, normal, spot } = this
    if (!targets) return null
    if (targets.flat) normal.set(0, 1, 0)
    else normal.copy(looking)
    plane.setFromNormalAndCoplanarPoint(normal, this.wanted.getWorldPosition(spot))
    if (!ray.intersectPlane(plane, spot)) return null
    this.object.worldToLocal(spot)
    return [100 * spot.x, 100 * spot.y, 100 * spot.z]
  }

  move(place: number[]): void {
    this.targets?.move(place)
  }

  dispose(): void {
    this.set(null)
    for (const each of [this.cube, this.ball, this.gap.geometry]) each.dispose()
    for (const each of [this.red, this.grey, this.yellow, this.veil, this.missing]) each.dispose()
  }
}
