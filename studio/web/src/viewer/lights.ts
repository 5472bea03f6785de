// lights.ts - sky, a key light at the camera's left shoulder that casts the shadow, and a fainter one from
// behind.
import { DirectionalLight, HemisphereLight, Object3D, PCFSoftShadowMap, Vector3 } from 'three'
import type { WebGLRenderer } from 'three'
import type { Character } from './character'
import { vec, type Vec } from './vec3'

const MAP_SIDE = 1024
const LEAST_M = 2
const MOST_M = 16

export class Lights {
  readonly object = new Object3D()
  private readonly sky = new HemisphereLight(0xffffff, 0x8a8478, 1.5)
  private readonly key = new DirectionalLight(0xfff6e8, 2.3)
  private readonly rim = new DirectionalLight(0xdfeaff, 0.9)
  private readonly from = new Vector3(0.5, 1, 0.6)
  private readonly middle = new Vector3()
  private readonly place = vec()
  private radius = 0

  constructor(renderer: WebGLRenderer) {
    renderer.shadowMap.enabled = true
    renderer.shadowMap.type = PCFSoftShadowMap
    const { shadow } = this.key
    this.key.castShadow = true
    shadow.mapSize.set(MAP_SIDE, MAP_SIDE)
    shadow.bias = -0.0004
    shadow.normalBias = 0.02
    shadow.radius = 2
    this.object.add(this.sky, this.key, this.key.target, this.rim, this.rim.target)
    this.aim(0)
  }

  setDark(dark: boolean): void {
    this.sky.intensity = dark ? 1.3 : 2.1
    this.sky.groundColor.set(dark ? 0x63646a : 0xbdbab4)
    this.key.intensity = dark ? 2.1 : 2.2
    this.rim.intensity = dark ? 1.1 : 0.7
  }

  /** The camera looks from this angle about the vertical: light from over its left shoulder. */
  aim(angle: number): void {
    this.from.set(Math.sin(angle - 0.75), 1.45, Math.cos(angle - 0.75)).normalize()
    this.rim.position.set(Math.sin(angle + 2.5), 0.7, Math.cos(angle + 2.5))
  }

  /** The shadow's map covers all characters, and who else is at these places (in cm), and no more. */
  follow(characters: readonly Character[], origin: Vec, others: readonly { x: number; z: number }[] = []): void {
    const { middle, place } = this
    let count = others.length
    middle.set(0, 0, 0)
    for (const { x, z } of others) {
      middle.x += 0.01 * (x - origin[0])
      middle.z += 0.01 * (z - origin[2])
    }
    for (const character of characters) {
      if (!character.ready) continue
      character.rootPlace(place)
      middle.x += 0.01 * (place[0] - origin[0])
      middle.z += 0.01 * (place[2] - origin[2])
      count++
    }
    middle.multiplyScalar(1 / Math.max(1, count))
    let reach = 0
    for (const character of characters) {
      character.rootPlace(place)
      const x = 0.01 * (place[0] - origin[0]) - middle.x
      const z = 0.01 * (place[2] - origin[2]) - middle.z
      reach = Math.max(reach, Math.sqrt(x * x + z * z))
    }
    for (const { x, z } of others) {
      reach = Math.max(reach, Math.hypot(0.01 * (x - origin[0]) - middle.x, 0.01 * (z - origin[2]) - middle.z))
    }
    this.cover(Math.max(LEAST_M, Math.min(MOST_M, reach + 1.7)))
    middle.y = 0.6
    this.key.target.position.copy(middle)
    this.key.position.copy(this.from).multiplyScalar(20).add(middle)
  }

  /** Sizes come in steps, so that the shadow's edge does not swim while characters part. */
  private cover(radius: number): void {
    const step = Math.ceil(radius * 2) / 2
    if (step === this.radius) return
    this.radius = step
    const { camera } = this.key.shadow
    camera.left = camera.bottom = -step
    camera.right = camera.top = step
    camera.near = 1
    camera.far = 40
    camera.updateProjectionMatrix()
  }

  dispose(): void {
    this.key.dispose()
    this.rim.dispose()
  }
}
