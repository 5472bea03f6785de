// character.ts - one clip in the scene: its body, shade, ghosts, path, prints and trails, each one draw call
// however long the clip is and however many joints it has.
import { Color, Mesh, Object3D, type Camera, type Material, type Vector2 } from 'three'
import { AS_CAPTURED, ClipFrames, Pose, type FetchFrames, type Placement } from '../frames'
import type { Shown, ViewOptions } from '../store'
import { ConeGeometry } from './cones'
import { Figure, Group } from './figure'
import { NearShade } from './floor'
import { Ghosts, MOST_EACH_WAY, type Dress } from './ghosts'
import { characterColour, DARK, partColour, type Palette } from './palette'
import { mostParts, PartSink, putParts } from './parts'
import { lowestFeet, Prints, readGround } from './prints'
import { Ribbon } from './ribbon'
import { Trails } from './trails'
import { copy, vec, type Vec } from './vec3'

/** What all characters share while one picture is drawn. */
export interface Stage {
  /** Where the scene's zero is in the world, in cm. */
  origin: Vec
  camera: Camera
  screen: Vector2
  pixelRatio: number
  view: ViewOptions
  palette: Palette
  body: Material
  silhouette: Material
  shadow: Material
}

const PATH_POINTS = 2048
const HEADING_SAMPLES = 24
/** How far a calm eye looks back and ahead. */
const CALM_S = 0.7
const CALM_SAMPLES = 6
/** More characters than this are each so small on the screen that fewer facets do. */
const CROWD = 5
/** Over the floor, so that nothing flickers where they lie on one another. */
const PATH_HEIGHT_M = 0.003

export class Character {
  readonly frames: ClipFrames
  readonly figure: Figure
  readonly pose: Pose
  readonly object = new Object3D()
  readonly placement: Placement = { yaw: 0, x: 0, y: 0, z: 0 }
  readonly colour = new Color()
  /** Added to the leader's time. */
  shift_s = 0
  ready = false
  private readonly sink: PartSink
  private readonly ghostSink: PartSink
  private readonly other: Pose
  private readonly ghostDress: Dress = { palette: DARK, own: this.colour, ownShare: 0 }
  private readonly cones: ConeGeometry
  private readonly body: Mesh
  private readonly shade: NearShade
  private readonly ghosts: Ghosts
  private readonly path = new Ribbon(PATH_POINTS, 0, 2.5)
  private readonly trails: Trails
  private readonly prints = new Prints()
  private readonly anchor = vec()
  private readonly rootChain: Int32Array
  private tinted = ''
  private index = 0

  constructor(
    public shown: Shown,
    origin: Vec,
    fetchFrames: FetchFrames,
  ) {
    const { clip } = shown
    this.frames = new ClipFrames(clip, fetchFrames)
    this.figure = new Figure(clip)
    this.rootChain = this.frames.chain([this.figure.root])
    this.pose = new Pose(clip.joints.length)
    this.other = new Pose(clip.joints.length)
    const most = mostParts(this.figure)
    this.cones = new ConeGeometry(most)
    this.sink = new PartSink(this.cones.parts, origin)
    this.ghosts = new Ghosts(most)
    this.ghostSink = new PartSink(this.ghosts.parts, origin)
    this.trails = new Trails(this.frames)
    this.shade = new NearShade(this.cones)
    this.body = new Mesh(this.cones)
    this.body.frustumCulled = false
    this.path.mesh.renderOrder = -7
    this.object.add(this.body, this.shade.mesh, this.ghosts.mesh)
    this.object.add(this.path.mesh, this.trails.ribbon.mesh, this.prints.mesh)
    this.object.visible = false
  }

  /** Its own time at a time of the leader. */
  ownTime(time_s: number): number {
    const { held, alignFrame, clip } = this.shown
    const time = held ? alignFrame / clip.fps : time_s + this.shift_s
    return Math.max(0, Math.min(this.frames.length_s, time))
  }

  /** Where it is now, in cm. */
  rootPlace(out: Vec): Vec {
    return copy(out, this.pose.places, 3 * this.figure.root)
  }

  /** Where the root is on the whole around a time of the leader: where a calm eye looks. In cm. */
  smoothRoot(time_s: number, out: Vec): boolean {
    if (this.shown.live) return this.shown.live.middle(out)
    const time = this.ownTime(time_s)
    let count = 0
    out.fill(0)
    for (let i = -CALM_SAMPLES; i <= CALM_SAMPLES; i++) {
      const near = Math.max(0, Math.min(this.frames.length_s, time + (i * CALM_S) / CALM_SAMPLES))
      if (!this.frames.pose(near, this.placement, this.other, this.rootChain)) continue
      const weight = CALM_SAMPLES + 1 - Math.abs(i)
      for (let k = 0; k < 3; k++) out[k] += weight * this.other.places[3 * this.figure.root + k]
      count += weight
    }
    for (let k = 0; k < 3; k++) out[k] /= Math.max(1, count)
    return count > 0
  }

  /** More frames have come, or the plants have changed: read the floor, the prints and the path again. */
  absorb(): void {
    const { frames, figure, other } = this
    if (!this.ready) {
      let first = 0
      while (first < frames.clip.frames && !frames.has(first)) first += frames.step
      // Not the very first frame: many converters invent it.
      const time = Math.min(frames.length_s, (first + 3 * frames.step) / frames.clip.fps)
      if (!frames.pose(time, AS_CAPTURED, other)) return
      figure.learn(other)
      copy(this.anchor, other.places, 3 * figure.root)
      this.ready = true
      this.object.visible = true
    }
    if (figure.person) {
      const ground = readGround(this.shown.clip.contacts, frames, figure, other, this.anchor)
      this.placement.y = -ground.floor_cm
      this.prints.put(ground.prints)
    } else {
      this.placement.y = -lowestFeet(frames, figure, other)
    }
    this.readPath()
    this.moved()
  }

  /** It was put somewhere else. */
  moved(): void {
    this.trails.forget()
  }

  /** Calls back for moments spread over the clip; places are as captured. */
  eachRoot(most: number, call: (place: Vec, time: number) => void): void {
    const { frames, other, figure } = this
    const count = Math.max(2, Math.min(most, frames.count))
    for (let i = 0; i < count; i++) {
      const time = (frames.length_s * i) / (count - 1)
      if (!frames.pose(time, AS_CAPTURED, other, this.rootChain)) continue
      call(copy(rootAt, other.places, 3 * figure.root), time)
    }
  }

  /** Where it faces most of the time, an angle about the vertical. */
  meanHeading(): number {
    const { frames, figure, other, placement } = this
    let x = 0
    let z = 0
    for (let i = 0; i < HEADING_SAMPLES; i++) {
      if (!frames.pose((frames.length_s * (i + 0.5)) / HEADING_SAMPLES, placement, other)) continue
      const heading = figure.heading(other)
      x += Math.sin(heading)
      z += Math.cos(heading)
    }
    return Math.atan2(x, z)
  }

  private readPath(): void {
    const { path, anchor } = this
    const enough = Math.ceil(this.frames.length_s * 20) + 2
    path.begin()
    this.eachRoot(Math.min(PATH_POINTS, enough), (at, time) => {
      path.put(0.01 * (at[0] - anchor[0]), 0, 0.01 * (at[2] - anchor[2]), time, this.colour)
    })
    path.finish()
  }

  /** The colours of its parts, and the joints whose trails are drawn. `leader` is who the trails were chosen
   * on. */
  dress(index: number, count: number, stage: Stage, leader: Shown): void {
    const { view, palette } = stage
    const several = count > 1 || this.shown.hue !== undefined
    const crowded = count > CROWD
    this.index = index
    this.colour.copy(characterColour(palette, index, several))
    this.prints.setColours(palette, this.colour, several && index > 0 ? 0.35 : 0)
    this.body.material = view.body === 'silhouette' ? stage.silhouette : stage.body
    this.body.customDepthMaterial = stage.shadow
    this.body.castShadow = view.shadows && view.body !== 'silhouette'
    this.tinted = ''
    this.ghosts.forget()
    if (crowded) this.cones.setDetail(16, 5)
    else this.cones.setDetail(24, 7)
    if (crowded) this.ghosts.setDetail(8, 3)
    else this.ghosts.setDetail(14, 4)
    this.trails.choose(this.likeLeader(view.trails, leader), (joint) =>
      partColour(palette, this.figure.groups[joint], this.colour, index, new Color()),
    )
    if (this.ready) this.readPath()
  }

  /** The leader's joints on this skeleton: by role, or else by name. */
  private likeLeader(joints: readonly number[], leader: Shown): number[] {
    const { clip } = this.shown
    if (clip.id === leader.clip.id) return joints.filter((j) => j < clip.joints.length)
    return joints
      .map((joint) => {
        const role = Object.keys(leader.clip.roles).find((name) => leader.clip.roles[name] === joint)
        const name = leader.clip.joints[joint]?.name
        return (role && clip.roles[role]) ?? clip.joints.findIndex((own) => own.name === name)
      })
      .filter((joint): joint is number => typeof joint === 'number' && joint >= 0)
  }

  /** Moves everything to a time of the leader. */
  update(time_s: number, stage: Stage): void {
    const { view } = stage
    const time = this.ownTime(time_s)
    this.frames.want(time * this.frames.clip.fps)
    if (!this.ready || !this.frames.pose(time, this.placement, this.pose)) return
    this.shown.live?.pose(this.pose, this.placement.y)
    const sticks = view.body === 'sticks'
    if (this.shown.held) return this.updateHeld(stage, sticks)
    putParts(this.figure, this.pose, sticks, this.sink.begin())
    this.cones.partsChanged(this.sink.count)
    this.tint(stage, sticks)
    const flat = view.body === 'silhouette'
    const bodiless = this.shown.bodiless === true
    this.body.visible = !bodiless
    this.shade.set(this.sink.count, view.shadows && view.floor && !flat && !bodiless, stage.palette.shadow * 0.62)
    this.updateFloor(time, stage)
    this.updateGhosts(time, stage, sticks)
    this.trails.update(time, this.pose, this.placement, this.other, stage.origin)
    this.trails.set(time, stage.screen, 3 * stage.pixelRatio)
  }

  /** Nothing but one ghost in its own colour. */
  private updateHeld(stage: Stage, sticks: boolean): void {
    const { ghosts, ghostDress, figure, pose } = this
    for (const part of [this.body, this.shade.mesh, this.path.mesh, this.prints.mesh, this.trails.ribbon.mesh]) {
      part.visible = false
    }
    ghosts.mesh.visible = true
    ghosts.begin()
    putParts(figure, pose, sticks, this.ghostSink.begin(0))
    const at = 3 * figure.root
    const x = 0.01 * (pose.places[at] - stage.origin[0])
    ghosts.put(1, x, 0.01 * pose.places[at + 1], 0.01 * (pose.places[at + 2] - stage.origin[2]), stage.camera)
    Object.assign(ghostDress, { palette: stage.palette, ownShare: 1 })
    ghosts.finish(this.ghostSink.count, 1, ghostDress)
  }

  private tint(stage: Stage, sticks: boolean): void {
    const key = sticks ? 'sticks' : 'body'
    if (this.tinted === key) return
    this.tinted = key
    for (let i = 0; i < this.sink.count; i++) {
      partColour(stage.palette, this.sink.groups[i] ?? Group.Trunk, this.colour, this.index, scratch)
      this.cones.setTint(i, scratch)
    }
    this.cones.tintsChanged()
  }

  private updateFloor(time: number, stage: Stage): void {
    const { placement, anchor } = this
    const { origin, view } = stage
    const cos = Math.cos(placement.yaw)
    const sin = Math.sin(placement.yaw)
    const x = 0.01 * (cos * anchor[0] + sin * anchor[2] + placement.x - origin[0])
    const z = 0.01 * (cos * anchor[2] - sin * anchor[0] + placement.z - origin[2])
    this.path.mesh.position.set(x, PATH_HEIGHT_M, z)
    this.path.mesh.rotation.y = placement.yaw
    this.prints.mesh.position.set(x, 0, z)
    this.prints.mesh.rotation.y = placement.yaw
    this.path.mesh.visible = view.path && !this.shown.live
    this.prints.mesh.visible = view.prints && !this.shown.live
    this.path.set(time, stage.screen, 2.2 * stage.pixelRatio, 0.9)
    this.prints.set(time)
  }

  private updateGhosts(time: number, stage: Stage, sticks: boolean): void {
    const { ghosts, other, figure } = this
    const { view, origin } = stage
    ghosts.mesh.visible = view.onion && !this.shown.live
    if (!ghosts.mesh.visible) return
    const steps = Math.min(MOST_EACH_WAY, view.onionCount)
    const most = mostParts(figure)
    ghosts.begin()
    for (let step = -steps; step <= steps; step++) {
      const then = time + step * view.onionStep_s
      if (step === 0 || then < 0 || then > this.frames.length_s) continue
      if (!this.frames.pose(then, this.placement, other)) continue
      putParts(figure, other, sticks, this.ghostSink.begin(ghosts.next * most))
      const at = 3 * figure.root
      const { places } = other
      const x = 0.01 * (places[at] - origin[0])
      ghosts.put(step, x, 0.01 * places[at + 1], 0.01 * (places[at + 2] - origin[2]), stage.camera)
    }
    this.ghostDress.palette = stage.palette
    this.ghostDress.ownShare = this.index > 0 ? 0.35 : 0
    ghosts.finish(this.sink.count, steps, this.ghostDress)
  }

  dispose(): void {
    this.frames.abort()
    this.cones.dispose()
    for (const thing of [this.shade, this.ghosts, this.path, this.trails, this.prints]) thing.dispose()
  }
}

const rootAt = vec()
const scratch = new Color()
