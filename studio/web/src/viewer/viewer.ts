// viewer.ts - the scene: characters, floor, light and eye. It draws on request, and returns whether it
// needs another frame.
import { Scene, Vector2, WebGLRenderer, type Color, type Material } from 'three'
import type { FetchFrames } from '../frames'
import type { Pawns } from '../live_body'
import { framesFrom } from '../making/made'
import { initialState } from '../store'
import type { Arrangement, FloorPath, Shown, Spot, Targets, ViewOptions } from '../store'
import { arrange, tileAt, tilesFor, type Tiles } from './arrange'
import { CourseArrows } from './arrows'
import { CameraRig } from './camera'
import { Character, type Stage } from './character'
import { bodyMaterial, shadowMaterial, silhouetteMaterial } from './cones'
import { clickFloor, dragFloorPath, dragTarget } from './drags'
import { Floor } from './floor'
import { FloorPathView } from './floor_path'
import { Lights } from './lights'
import { characterColour, DARK, LIGHT } from './palette'
import { PawnsView } from './pawns_view'
import { TargetCloud } from './targets'
import { vec } from './vec3'

const MEASURED = 60

interface ViewerStats {
  drawCalls: number
  characters: number
  /** Mean of the last draws: our own script and three's, not the graphics card's work. */
  scriptMs: number
  triangles: number
}

export interface LegendRow {
  id: number
  name: string
  colour: string
}

export class Viewer {
  /** Called when a picture is due: frames have come, or the camera was moved. */
  onNeedsDraw: () => void = () => undefined
  /** Called when loading went on, ended or failed. */
  onLoading: () => void = () => undefined
  private readonly renderer: WebGLRenderer
  private readonly scene = new Scene()
  private readonly rig: CameraRig
  private readonly lights: Lights
  private readonly floor = new Floor()
  private readonly cloud = new TargetCloud()
  private readonly way = new FloorPathView()
  private readonly arrows = new CourseArrows()
  private readonly pawns = new PawnsView()
  /** What a click on the floor does. */
  floorClick: ((place: Spot) => void) | null = null
  private readonly endDrag: () => void
  private readonly stage: Stage
  private readonly materials: Material[]
  private characters: Character[] = []
  /** Until the next picture: with the last user of a shader it would go, and be compiled again for who comes. */
  private gone: Character[] = []
  private arrangement: Arrangement = 'overlaid'
  private framed = false
  private restless = true
  private lastDraw = 0
  private time_s = 0
  private readonly size = new Vector2(1, 1)
  private headroom = 0
  private readonly here = vec()
  private readonly leaderHere = vec()
  private readonly times = new Float64Array(MEASURED)
  private draws = 0

  /** Throws where there is no WebGL. */
  constructor(
    canvas: HTMLCanvasElement,
    private readonly fetchFrames: FetchFrames,
  ) {
    const power = { powerPreference: 'high-performance' } as const
    this.renderer = new WebGLRenderer({ canvas, antialias: true, stencil: true, ...power })
    // Reset by hand: three would do it after the shadow's pass and not count that.
    this.renderer.info.autoReset = false
    this.rig = new CameraRig(canvas, () => this.onNeedsDraw())
    this.lights = new Lights(this.renderer)
    const body = bodyMaterial()
    const silhouette = silhouetteMaterial()
    const shadow = shadowMaterial()
    this.materials = [body, silhouette, shadow]
    this.stage = {
      origin: this.rig.origin,
      camera: this.rig.camera,
      screen: new Vector2(1, 1),
      pixelRatio: 1,
      view: initialState.view,
      palette: LIGHT,
      body,
      silhouette,
      shadow,
    }
    this.scene.add(this.lights.object, this.floor.mesh, this.cloud.object, this.way.object, this.arrows.object)
    this.scene.add(this.pawns.object)
    const ends = [
      dragTarget(canvas, this.cloud, this.rig.camera),
      dragFloorPath(canvas, this.way, this.stage),
      clickFloor(canvas, this.stage, () => this.floorClick),
    ]
    this.endDrag = () => ends.forEach((end) => end())
    this.setDark(false)
  }

  /** In CSS pixels; small views leave `headroom` of them free above. */
  resize(width: number, height: number, pixelRatio: number, headroom = 0): void {
    this.headroom = headroom
    const ratio = Math.min(2, pixelRatio)
    this.renderer.setPixelRatio(ratio)
    this.renderer.setSize(width, height, false)
    this.size.set(width, height)
    this.stage.pixelRatio = ratio
    this.measure()
    if (this.rig.untouched && this.framed) this.resetCamera()
    this.onNeedsDraw()
  }

  /** How the view is divided. */
  get tiles(): Tiles {
    const count = this.arrangement === 'tiles' ? this.characters.length : 1
    return tilesFor(count, this.size.x, this.tilesHeight)
  }

  private get tilesHeight(): number {
    const { arrangement, size, headroom } = this
    return Math.max(1, arrangement === 'tiles' ? size.y - headroom : size.y)
  }

  /** What one picture of a scene has to fit into. */
  private measure(): void {
    const { columns, rows } = this.tiles
    const { screen } = this.stage
    screen.set(this.size.x / columns, this.tilesHeight / rows).multiplyScalar(this.stage.pixelRatio)
    this.rig.resize(screen.x / Math.max(1, screen.y))
  }

  setShown(shown: readonly Shown[], arrangement: Arrangement): void {
    const before = this.characters
    // Those that are aligned stand where their leader does, which is seen already.
    const gathered = arrangement === 'aligned' || arrangement === 'tiles'
    const again = arrangement !== this.arrangement || (shown.length !== before.length && !gathered)
    const leader = before[0]?.shown.clip.id
    const taken = new Set<Character>()
    this.characters = shown.map((each) => {
      const same = before.find((character) => !taken.has(character) && canShow(character, each))
      if (same) taken.add(same)
      return same ? this.renew(same, each) : this.enter(each)
    })
    for (const gone of before) if (!taken.has(gone)) this.leave(gone)
    this.arrangement = arrangement
    // The camera stays on the floor while the user draws or plays there.
    if ((again || shown[0]?.clip.id !== leader) && !this.way.path && !this.pawns.pawns) this.framed = false
    arrange(this.characters, arrangement)
    this.measure()
    this.dress()
    this.onLoading()
  }

  private enter(shown: Shown): Character {
    const { motion } = shown
    const character = new Character(shown, this.rig.origin, motion ? framesFrom(motion) : this.fetchFrames)
    character.frames.onMore(() => this.absorb(character))
    if (shown.live) shown.live.onPose = () => this.onNeedsDraw()
    void character.frames.load()
    this.scene.add(character.object)
    return character
  }

  /** The clip is the same; perhaps its plants have been edited. */
  private renew(character: Character, shown: Shown): Character {
    const edited = character.shown.clip.contacts !== shown.clip.contacts
    character.shown = shown
    if (edited && character.ready) character.absorb()
    return character
  }

  private leave(character: Character): void {
    this.scene.remove(character.object)
    this.gone.push(character)
  }

  private absorb(character: Character): void {
    character.absorb()
    arrange(this.characters, this.arrangement)
    if (character.frames.complete && this.rig.untouched && !this.stage.view.follow) this.framed = false
    this.onLoading()
    this.onNeedsDraw()
  }

  setTargets(targets: Targets | null): void {
    this.cloud.set(targets)
    this.onNeedsDraw()
  }

  setFloorPath(path: FloorPath | null): void {
    this.way.set(path)
    this.onNeedsDraw()
  }

  setPawns(pawns: Pawns | null): void {
    this.pawns.set(pawns, () => this.onNeedsDraw())
    this.onNeedsDraw()
  }

  /** Sees so much of the floor around a place, from above; in cm. */
  overlook([x, z]: Spot, span_cm: number): void {
    this.rig.overlook(0.01 * x, 0.01 * z, 0.01 * span_cm)
    this.framed = true
    this.onNeedsDraw()
  }

  /** Where the eye looks on the plan: radians counter-clockwise from x, seen from above. */
  get looking_rad(): number {
    const { target } = this.rig.controls
    const { position } = this.rig.camera
    return Math.atan2(position.z - target.z, target.x - position.x)
  }

  setOptions(view: ViewOptions): void {
    this.stage.view = view
    this.dress()
  }

  setDark(dark: boolean): void {
    this.stage.palette = dark ? DARK : LIGHT
    this.lights.setDark(dark)
    this.dress()
  }

  private dress(): void {
    const { view, palette } = this.stage
    const flat = view.body === 'silhouette'
    const [leader] = this.characters
    this.floor.setColours(palette, flat, view.shadows)
    this.floor.mesh.visible = view.floor
    ;(this.stage.silhouette as Material & { color: Color }).color.copy(palette.flat)
    this.renderer.setClearColor(flat ? palette.flatGround : palette.background)
    const count = this.characters.length
    this.characters.forEach((character, i) => character.dress(hueOf(character, i), count, this.stage, leader.shown))
    this.restless = true
    this.onNeedsDraw()
  }

  /** Those that go on while it plays: the eye follows them and no ghost. */
  private get living(): Character[] {
    if (this.arrangement === 'tiles') return this.characters.slice(0, 1)
    const some = this.characters.filter(({ shown }) => !shown.held)
    return some.length ? some : this.characters
  }

  private get several(): boolean {
    return this.characters.length > 1
  }

  legend(): LegendRow[] {
    const { palette } = this.stage
    return this.characters.map(({ shown }, i) => ({
      id: shown.clip.id,
      name: shown.clip.name,
      colour: `#${characterColour(palette, shown.hue ?? i, this.several || shown.hue !== undefined).getHexString()}`,
    }))
  }

  /** 0 .. 1; 1 when every frame of every clip is here. */
  endOverlook(): void {
    this.framed = false
    this.onNeedsDraw()
  }

  get loaded(): number {
    const all = this.characters.map((character) => character.frames.loaded)
    return all.length ? all.reduce((sum, each) => sum + each, 0) / all.length : 1
  }

  get failure(): string {
    return this.characters.find((character) => character.frames.error)?.frames.error?.message ?? ''
  }

  resetCamera(): void {
    const row = this.several && this.arrangement === 'side'
    const angle = this.rig.frame(this.living, this.time_s, this.stage.view.follow, row)
    if (angle !== null) this.lights.aim(angle)
    this.framed = angle !== null
    this.onNeedsDraw()
  }

  /** Radians around and over what is looked at; `nearer` below 1 goes nearer. */
  turnCamera(around: number, over: number, nearer = 1): void {
    this.rig.turn(around, over, nearer)
    this.onNeedsDraw()
  }

  /** Draws a moment of the leader. True if the picture would still change by itself: the camera is on its
   * way. */
  draw(time_s: number): boolean {
    const began = performance.now()
    const elapsed = Math.min(0.1, (began - this.lastDraw) / 1000)
    this.lastDraw = began
    this.time_s = time_s
    for (const character of this.characters) character.update(time_s, this.stage)
    if (!this.framed && this.characters[0]?.ready) this.resetCamera()
    let moving = false
    if (this.stage.view.follow) moving = this.rig.follow(this.living, time_s, elapsed)
    else this.rig.release()
    moving = this.rig.controls.update() || moving
    if (this.rig.rebase()) for (const character of this.characters) character.update(time_s, this.stage)
    const { target } = this.rig.controls
    const { origin, camera } = this.stage
    const far = camera.position.distanceTo(target)
    this.floor.follow(target.x, target.z, far, 0.01 * origin[0], 0.01 * origin[2])
    this.lights.follow(this.characters, origin, this.pawns.places)
    this.cloud.follow(this.characters[0], origin)
    this.way.follow(this.stage)
    this.pawns.follow(this.stage)
    this.arrows.follow(this.characters[0]?.shown.live, origin)
    this.renderer.info.reset()
    if (this.arrangement === 'tiles') this.drawTiles(time_s)
    else this.renderer.render(this.scene, this.rig.camera)
    for (const each of this.gone.splice(0)) each.dispose()
    this.times[this.draws++ % MEASURED] = performance.now() - began
    const again = moving || this.restless
    this.restless = false
    return again
  }

  /** Each character by itself, all seen by the same eye, which goes along with each. */
  private drawTiles(time_s: number): void {
    const { renderer, characters, size, tiles, tilesHeight } = this
    const { position } = this.rig.camera
    const { x, z } = position
    renderer.clear()
    renderer.setScissorTest(true)
    characters.forEach((character, i) => {
      const tile = tileAt(i, tiles, size.x, tilesHeight)
      for (const other of characters) other.object.visible = other === character && character.ready
      renderer.setViewport(tile.x, tile.y, tile.width, tile.height)
      renderer.setScissor(tile.x, tile.y, tile.width, tile.height)
      if (this.stage.view.follow) this.goAlong(character, time_s)
      renderer.render(this.scene, this.rig.camera)
      position.x = x
      position.z = z
    })
    for (const character of characters) character.object.visible = character.ready
    renderer.setScissorTest(false)
    renderer.setViewport(0, 0, size.x, size.y)
  }

  /** The eye as far from this one as it is from the leader. */
  private goAlong(character: Character, time_s: number): void {
    const { here, leaderHere, characters } = this
    if (!character.smoothRoot(time_s, here) || !characters[0]!.smoothRoot(time_s, leaderHere)) return
    this.rig.camera.position.x += 0.01 * (here[0] - leaderHere[0])
    this.rig.camera.position.z += 0.01 * (here[2] - leaderHere[2])
  }

  /** Forgets how long earlier draws took; the first ones compile shaders. */
  measureAnew(): void {
    this.draws = 0
  }

  stats(): ViewerStats {
    const { render } = this.renderer.info
    const count = Math.max(1, Math.min(MEASURED, this.draws))
    let sum = 0
    for (let i = 0; i < count; i++) sum += this.times[i]
    return {
      drawCalls: render.calls,
      characters: this.characters.length,
      scriptMs: sum / count,
      triangles: render.triangles,
    }
  }

  dispose(): void {
    for (const character of this.characters) this.leave(character)
    for (const each of this.gone) each.dispose()
    this.characters = []
    this.floor.dispose()
    this.endDrag()
    this.cloud.dispose()
    this.way.dispose()
    this.arrows.dispose()
    this.pawns.dispose()
    this.lights.dispose()
    this.rig.dispose()
    for (const material of this.materials) material.dispose()
    this.renderer.dispose()
  }
}

function hueOf({ shown }: Character, place: number): number {
  return shown.hue ?? place
}

function canShow(character: Character, shown: Shown): boolean {
  const now = character.shown.clip
  const { id, frames, joints, repairs } = shown.clip
  const like = now.frames === frames && now.joints.length === joints.length
  const same = now.id === id && like && now.repairs === repairs // repaired, it is another motion
  return same && character.shown.motion === shown.motion && character.shown.live === shown.live
}
