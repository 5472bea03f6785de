// pawns_view.ts - pawns on the floor: a cone, a head and a nose that says where they look, all of them one draw call, and their
// trails another.
import { Color, Mesh, Object3D } from 'three'
import { trail_s, type Pawn, type Pawns } from '../live_body'
import type { Stage } from './character'
import { ConeGeometry } from './cones'
import { Group } from './figure'
import { characterColour } from './palette'
import { PartSink } from './parts'
import { Ribbon } from './ribbon'
import { vec, type Vec } from './vec3'

const MOST = 9
const PARTS = 3
const MOST_MARKS = 4096
const HEIGHT_M = 0.005
/** The main character has the colour of the input. */
const LED = new Color('#ffcf24')

export class PawnsView {
  readonly object = new Object3D()
  pawns: Pawns | null = null
  private readonly cones = new ConeGeometry(MOST * PARTS)
  private readonly body = new Mesh(this.cones)
  private readonly trails = new Ribbon(MOST_MARKS, trail_s, 3)
  private readonly origin: Vec = vec()
  private readonly sink = new PartSink(this.cones.parts, this.origin)
  private readonly a = vec()
  private readonly b = vec()

  constructor() {
    this.cones.setDetail(28, 7)
    this.body.frustumCulled = false
    this.trails.mesh.renderOrder = -6
    this.object.add(this.body, this.trails.mesh)
    this.object.visible = false
  }

  set(pawns: Pawns | null, onMove: () => void): void {
    if (this.pawns) this.pawns.onMove = () => undefined
    this.pawns = pawns
    this.object.visible = pawns !== null
    if (pawns) pawns.onMove = onMove
  }

  /** Where they are, in cm of the world. */
  get places(): readonly { x: number; z: number }[] {
    return this.pawns?.list.map(({ x, y }) => ({ x, z: -y })) ?? []
  }

  private mark({ x, y }: { x: number; y: number }, time_s: number, colour: Color): void {
    const { origin } = this
    this.trails.put(0.01 * (x - origin[0]), HEIGHT_M, 0.01 * (-y - origin[2]), time_s, colour)
  }

  private put({ x, y, dir }: Pawn): void {
    const { a, b, sink } = this
    const [ahead, beside] = [Math.cos(dir), -Math.sin(dir)]
    const at = (out: Vec, far: number, high: number) => {
      out[0] = x + far * ahead
      out[1] = high
      out[2] = -y + far * beside
      return out
    }
    sink.put(Group.Trunk, at(a, 0, 17), 17, at(b, 0, 74), 7)
    sink.put(Group.Head, at(a, 0, 96), 13, at(b, 1, 97), 13)
    sink.put(Group.Head, at(a, 10, 97), 5, at(b, 24, 96), 1.5)
  }

  follow({ origin, palette, view, body, silhouette, shadow, screen, pixelRatio }: Stage): void {
    const { pawns, sink, trails, cones } = this
    if (!pawns) return
    this.origin.set(origin)
    sink.begin()
    trails.begin()
    for (const pawn of pawns.list.slice(0, MOST)) {
      const colour = pawn.hue ? characterColour(palette, pawn.hue, true) : LED
      const first = sink.count
      if (!pawn.bodily) this.put(pawn)
      for (let i = first; i < sink.count; i++) cones.setTint(i, colour)
      // Where time goes back another line begins.
      pawn.trail.slice(0, 1).forEach((mark) => this.mark(mark, -1, colour))
      for (const mark of pawn.trail) this.mark(mark, mark.time_s, colour)
    }
    cones.partsChanged(sink.count)
    cones.tintsChanged()
    trails.finish()
    trails.set(pawns.time_s, screen, 3.2 * pixelRatio, 0.85)
    this.body.material = view.body === 'silhouette' ? silhouette : body
    this.body.customDepthMaterial = shadow
    this.body.castShadow = view.shadows && view.body !== 'silhouette'
    this.body.visible = sink.count > 0
  }

  dispose(): void {
    this.cones.dispose()
    this.trails.dispose()
  }
}
