// ribbon.ts - lines through points in time, some pixels wide: the path of the root on the floor and the
// trails of joints. Every line of a character is in one draw call.
import {
  BufferAttribute,
  DoubleSide,
  DynamicDrawUsage,
  InstancedBufferGeometry,
  InstancedInterleavedBuffer,
  InterleavedBufferAttribute,
  Mesh,
  ShaderMaterial,
  Vector2,
  type Color,
} from 'three'
import { upload } from './cones'

/** Numbers of one point: place, time, colour, and one to fill up. */
const POINT_FLOATS = 8

const VERTEX = /* glsl */ `
attribute vec4 here;
attribute vec4 next;
attribute vec3 colourHere;
uniform vec2 screen;
uniform float pixels;
varying vec3 colour;
varying float time;
varying float across;
void main() {
  vec4 a = modelViewMatrix * vec4(here.xyz, 1.0);
  vec4 b = modelViewMatrix * vec4(next.xyz, 1.0);
  const float close = -0.06;
  // What is behind the eye cannot be projected: cut there.
  if (a.z > close && b.z < close) a = mix(a, b, (a.z - close) / (a.z - b.z));
  else if (b.z > close && a.z < close) b = mix(b, a, (b.z - close) / (b.z - a.z));
  vec4 clipA = projectionMatrix * a;
  vec4 clipB = projectionMatrix * b;
  vec2 along = (clipB.xy / clipB.w - clipA.xy / clipA.w) * screen;
  along = length(along) > 1e-5 ? normalize(along) : vec2(1.0, 0.0);
  float end = position.x;
  vec4 clip = end < 0.5 ? clipA : clipB;
  vec2 off = vec2(-along.y, along.x) * position.y;
  clip.xy += off * (pixels + 1.0) / screen * clip.w;
  // Time runs forward along one line; where it does not, another line begins.
  bool broken = next.w <= here.w || (a.z > close && b.z > close);
  gl_Position = broken ? vec4(2.0, 2.0, 2.0, 1.0) : clip;
  colour = colourHere;
  time = end < 0.5 ? here.w : next.w;
  across = position.y * (pixels + 1.0) * 0.5;
}`

const FRAGMENT = /* glsl */ `
uniform float now;
uniform float seconds;
uniform float pixels;
uniform float strength;
varying vec3 colour;
varying float time;
varying float across;
void main() {
  float edge = clamp(pixels * 0.5 + 0.5 - abs(across), 0.0, 1.0);
  float near = exp(-abs(now - time) / 4.0);
  float shown = time <= now ? 0.5 + 0.45 * near : 0.14 + 0.26 * near;
  if (seconds > 0.0) shown = pow(clamp(1.0 - (now - time) / seconds, 0.0, 1.0), 1.5);
  gl_FragColor = vec4(colour, edge * shown * strength);
  #include <colorspace_fragment>
}`

export class Ribbon {
  readonly mesh: Mesh
  private readonly geometry = new InstancedBufferGeometry()
  private readonly material: ShaderMaterial
  private readonly points: Float32Array
  private readonly buffer: InstancedInterleavedBuffer
  private readonly range = { start: 0, count: 0 }
  private count = 0

  /** `seconds`: how long a point stays; 0: for good, fainter where it lies ahead. */
  constructor(
    readonly most: number,
    seconds: number,
    pixels: number,
  ) {
    this.points = new Float32Array(POINT_FLOATS * (most + 1))
    this.buffer = new InstancedInterleavedBuffer(this.points, POINT_FLOATS)
    this.buffer.setUsage(DynamicDrawUsage)
    const corners = new Float32Array([0, -1, 0, 1, -1, 0, 1, 1, 0, 0, 1, 0])
    this.geometry.setAttribute('position', new BufferAttribute(corners, 3))
    this.geometry.setIndex([0, 1, 2, 0, 2, 3])
    this.geometry.setAttribute('here', new InterleavedBufferAttribute(this.buffer, 4, 0))
    this.geometry.setAttribute('colourHere', new InterleavedBufferAttribute(this.buffer, 3, 4))
    this.geometry.setAttribute('next', new InterleavedBufferAttribute(this.buffer, 4, POINT_FLOATS))
    this.geometry.instanceCount = 0
    this.material = new ShaderMaterial({
      vertexShader: VERTEX,
      fragmentShader: FRAGMENT,
      uniforms: {
        screen: { value: new Vector2(1, 1) },
        pixels: { value: pixels },
        now: { value: 0 },
        seconds: { value: seconds },
        strength: { value: 1 },
      },
      transparent: true,
      depthWrite: false,
      side: DoubleSide,
    })
    this.mesh = new Mesh(this.geometry, this.material)
    this.mesh.frustumCulled = false
  }

  begin(): void {
    this.count = 0
  }

  put(x: number, y: number, z: number, time: number, colour: Color): void {
    if (this.count >= this.most) return
    const at = POINT_FLOATS * this.count++
    const { points } = this
    points[at] = x
    points[at + 1] = y
    points[at + 2] = z
    points[at + 3] = time
    points[at + 4] = colour.r
    points[at + 5] = colour.g
    points[at + 6] = colour.b
  }

  finish(): void {
    this.geometry.instanceCount = Math.max(0, this.count - 1)
    this.range.count = POINT_FLOATS * this.count
    upload(this.buffer, this.range)
  }

  set(now: number, screen: Vector2, pixels: number, strength: number): void {
    const { uniforms } = this.material
    uniforms.now.value = now
    uniforms.screen.value.copy(screen)
    uniforms.pixels.value = pixels
    uniforms.strength.value = strength
  }

  dispose(): void {
    this.geometry.dispose()
    this.material.dispose()
  }
}
