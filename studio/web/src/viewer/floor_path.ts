// floor_path.ts - a path on the floor: a line, and points on it that can be taken with the pointer and moved. In drawing
// the pointer leaves a new one behind.
import { Color, InstancedMesh, Matrix4, MeshBasicMaterial, Object3D, Plane, SphereGeometry, Vector3, type Ray } from 'three'
import type { FloorPath, Spot } from '../store'
import type { Stage } from './character'
import { Ribbon } from './ribbon'
import type { Vec } from './vec3'

const MOST_CURVE = 1024
const MOST_FOLLOWED = 2048
const MOST_POINTS = 64
const HEIGHT_M = 0.006
const POINT_M = 0.045
/** Of the distance to the eye: far points stay large enough to be seen. */
const POINT_SHARE = 0.0065
/** A pointer takes a point from so many times its size. */
const REACH = 2

const LINE = new Color('#ffcf24')
const FOLLOWED = new Color('#3b8fd9')
const FIRST = new Color('#53d66f')
const OTHERS = new Color('#ffcf24')
const MIDDLES = new Color('#e0503c')
const MARKS = new Color('#2fc7b0')

export class FloorPathView {
  readonly object = new Object3D()
  path: FloorPath | null = null
  private readonly line = new Ribbon(MOST_CURVE, 0, 4)
  private readonly followed = new Ribbon(MOST_FOLLOWED, 0, 2)
  private readonly ball = new SphereGeometry(1, 20, 12)
  private readonly material = new MeshBasicMaterial({ transparent: true, opacity: 0.95, depthTest: false })
  private readonly balls = new InstancedMesh(this.ball, this.material, MOST_POINTS)
  private readonly discMaterial = new MeshBasicMaterial({ color: '#e0503c', transparent: true, opacity: 0.35, depthWrite: false })
  private readonly discs = new InstancedMesh(this.ball, this.discMaterial, MOST_POINTS)
  private readonly origin: Vec = Float64Array.of(0, 0, 0)
  private readonly floor = new Plane(new Vector3(0, 1, 0), 0)
  private readonly spot = new Vector3()
  private readonly matrix = new Matrix4()

  constructor() {
    this.balls.frustumCulled = false
    this.balls.renderOrder = 8
    this.line.mesh.renderOrder = -6
    this.followed.mesh.renderOrder = -5
    this.discs.frustumCulled = false
    this.discs.renderOrder = -7
    this.discs.count = 0
    this.object.add(this.line.mesh, this.followed.mesh, this.discs, this.balls)
    this.object.visible = false
    this.balls.count = 0
  }

  set(path: FloorPath | null): void {
    this.path = path
    this.object.visible = path !== null
    if (!path) return
    this.balls.count = Math.min(MOST_POINTS, path.points.length)
    this.discs.count = Math.min(MOST_POINTS, path.obstacles.length)
    const { own } = path
    const colourOf = (i: number) => (i === 0 ? FIRST : i < own ? OTHERS : i < own + path.obstacles.length ? MIDDLES : MARKS)
    for (let i = 0; i < this.balls.count; i++) this.balls.setColorAt(i, colourOf(i))
    if (this.balls.instanceColor) this.balls.instanceColor.needsUpdate = true
    this.drawLine(path)
  }

  private drawLine({ curve, followed }: FloorPath): void {
    this.draw(this.line, curve, LINE)
    // Of a long one every second point, or every third.
    const step = Math.ceil(followed.length / MOST_FOLLOWED)
    this.draw(this.followed, step > 1 ? followed.filter((_, i) => i % step === 0) : followed, FOLLOWED)
  }

  private draw(ribbon: Ribbon, line: readonly Spot[], colour: Color): void {
    ribbon.begin()
    line.forEach(([x, z], i) => {
      ribbon.put(0.01 * (x - this.origin[0]!), HEIGHT_M, 0.01 * (z - this.origin[2]!), 1e-4 * (i + 1), colour)
    })
    ribbon.finish()
  }

  private sizeAt(x: number, z: number, stage: Pick<Stage, 'camera'>): number {
    const far = this.spot.set(x, 0, z).distanceTo(stage.camera.position)
    return Math.max(POINT_M, POINT_SHARE * far)
  }

  follow(stage: Stage): void {
    const { path, origin } = this
    if (!path) return
    if (origin[0] !== stage.origin[0] || origin[2] !== stage.origin[2]) {
      origin.set(stage.origin)
      this.drawLine(path)
    }
    this.line.set(1, stage.screen, 4 * stage.pixelRatio, 1)
    this.followed.set(1, stage.screen, 2 * stage.pixelRatio, 1)
    for (let i = 0; i < this.balls.count; i++) {
      const [x, z] = this.inScene(path.points[i]!)
      const size = this.sizeAt(x, z, stage)
      this.balls.setMatrixAt(i, this.matrix.makeScale(size, 0.35 * size, size).setPosition(x, HEIGHT_M, z))
    }
    this.balls.instanceMatrix.needsUpdate = true
    for (let i = 0; i < this.discs.count; i++) {
      const { place, radius_cm } = path.obstacles[i]!
      const [x, z] = this.inScene(place)
      this.discs.setMatrixAt(i, this.matrix.makeScale(0.01 * radius_cm, 1e-4, 0.01 * radius_cm).setPosition(x, HEIGHT_M, z))
    }
    this.discs.instanceMatrix.needsUpdate = true
  }

  private inScene([x, z]: Spot): [number, number] {
    return [0.01 * (x - this.origin[0]!), 0.01 * (z - this.origin[2]!)]
  }

  /** The point that the ray goes through, the nearest; -1: none. `grip`: how far beside it counts too, to a metre from the eye. */
  pointUnder(ray: Ray, stage: Pick<Stage, 'camera'>, grip = 0): number {
    let [best, least] = [-1, REACH]
    this.path?.points.forEach((point, i) => {
      const [x, z] = this.inScene(point)
      const far = this.spot.set(x, 0, z).distanceTo(stage.camera.position)
      const size = Math.max(this.sizeAt(x, z, stage), (grip * far) / REACH)
      const off = ray.distanceToPoint(this.spot.set(x, HEIGHT_M, z)) / size
      if (off < least) [best, least] = [i, off]
    })
    return best
  }

  /** Where the ray meets the floor, in cm of the world. */
  placeUnder(ray: Ray): Spot | null {
    if (!ray.intersectPlane(this.floor, this.spot)) return null
    return [100 * this.spot.x + this.origin[0]!, 100 * this.spot.z + this.origin[2]!]
  }

  dispose(): void {
    this.line.dispose()
    this.followed.dispose()
    this.balls.dispose()
    this.discs.dispose()
    this.discMaterial.dispose()
    this.ball.dispose()
    this.material.dispose()
  }
}
