// prints.ts - where the feet are planted: a print on the floor for every contact, bright while it lasts. All
// prints of a character are one draw call.
import { BufferAttribute, Color, DoubleSide, InstancedBufferAttribute, InstancedBufferGeometry, Mesh } from 'three'
import { ShaderMaterial } from 'three'
import type { Contact } from '../api'
import { AS_CAPTURED, type ClipFrames, type Pose } from '../frames'
import type { Figure } from './figure'
import type { Palette } from './palette'
import { findFoot, SOLE_SHARE } from './parts'
import { vec, type Vec } from './vec3'

interface Print {
  /** In metres, from the character's anchor. */
  x: number
  z: number
  aheadX: number
  aheadZ: number
  start_s: number
  end_s: number
  /** 0 left heel, 1 left ball, 2 right heel, 3 right ball */
  kind: number
  /** Length of the foot in metres. */
  foot: number
}

const VERTEX = /* glsl */ `
attribute vec4 spot;
attribute vec4 plant;
varying vec2 at;
varying vec3 span;
void main() {
  float foot = plant.w;
  at = position.xy * 0.34;
  vec2 ahead = spot.zw;
  // Seen from above with x to the right and z towards us, ahead (0, 1) has its left at +x.
  vec2 side = vec2(ahead.y, -ahead.x);
  vec2 ground = spot.xy + foot * (at.y * ahead + at.x * side);
  span = plant.xyz;
  gl_Position = projectionMatrix * modelViewMatrix * vec4(ground.x, 0.0, ground.y, 1.0);
}`

/** Shapes in feet: a heel is an egg, a ball a slanted pad with five toes before it, the big one inside. */
const FRAGMENT = /* glsl */ `
uniform float now;
uniform float strength;
uniform vec3 left;
uniform vec3 right;
varying vec2 at;
varying vec3 span;
float egg(vec2 p, vec2 c, vec2 r) {
  p -= c;
  return (length(p / r) - 1.0) * min(r.x, r.y);
}
float ball(vec2 p) {
  float d = egg(p, vec2(0.0, -0.03), vec2(0.165, 0.13));
  d = min(d, egg(p, vec2(-0.105, 0.19), vec2(0.052, 0.068)));
  d = min(d, egg(p, vec2(-0.02, 0.185), vec2(0.034, 0.046)));
  d = min(d, egg(p, vec2(0.045, 0.162), vec2(0.031, 0.041)));
  d = min(d, egg(p, vec2(0.102, 0.128), vec2(0.028, 0.037)));
  return min(d, egg(p, vec2(0.15, 0.082), vec2(0.026, 0.034)));
}
void main() {
  float kind = floor(span.z + 0.5); // what was interpolated is not quite whole
  bool isRight = kind > 1.5;
  vec2 p = vec2(isRight ? -at.x : at.x, at.y);
  bool isBall = mod(kind, 2.0) > 0.5;
  float d = isBall ? ball(p) : egg(p, vec2(0.0, 0.0), vec2(0.115, 0.15 + 0.02 * p.y));
  float soft = max(fwidth(d), 0.006);
  float inside = 1.0 - smoothstep(-soft, soft, d);
  float rim = 1.0 - smoothstep(0.018, 2.0 * soft + 0.018, abs(d));
  float away = max(span.x - now, now - span.y);
  float planted = step(away, 0.0);
  float near = exp(-max(away, 0.0) / 2.5);
  float resting = 0.1 + 0.3 * near + rim * (0.1 + 0.2 * near);
  float alpha = inside * (planted > 0.5 ? 0.92 : resting);
  if (alpha < 0.004) discard;
  gl_FragColor = vec4(isRight ? right : left, alpha * strength);
  #include <colorspace_fragment>
}`

export class Prints {
  readonly mesh: Mesh
  private geometry = new InstancedBufferGeometry()
  private readonly material: ShaderMaterial

  constructor() {
    this.material = new ShaderMaterial({
      vertexShader: VERTEX,
      fragmentShader: FRAGMENT,
      uniforms: {
        now: { value: 0 },
        strength: { value: 1 },
        left: { value: new Color() },
        right: { value: new Color() },
      },
      transparent: true,
      depthWrite: false,
      side: DoubleSide,
    })
    this.mesh = new Mesh(this.geometry, this.material)
    this.mesh.frustumCulled = false
    this.mesh.renderOrder = -6
  }

  put(prints: readonly Print[]): void {
    const corners = new Float32Array([-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0])
    const spots = Float32Array.from(prints.flatMap((p) => [p.x, p.z, p.aheadX, p.aheadZ]))
    const plants = Float32Array.from(prints.flatMap((p) => [p.start_s, p.end_s, p.kind, p.foot]))
    this.geometry.dispose()
    this.geometry = new InstancedBufferGeometry()
    this.geometry.setAttribute('position', new BufferAttribute(corners, 3))
    this.geometry.setIndex([0, 1, 2, 0, 2, 3])
    this.geometry.setAttribute('spot', new InstancedBufferAttribute(spots, 4))
    this.geometry.setAttribute('plant', new InstancedBufferAttribute(plants, 4))
    this.geometry.instanceCount = prints.length
    this.mesh.geometry = this.geometry
  }

  setColours(palette: Palette, own: Color, share: number): void {
    this.material.uniforms.left.value.copy(palette.left).lerp(own, share)
    this.material.uniforms.right.value.copy(palette.right).lerp(own, share)
  }

  set(now: number): void {
    this.material.uniforms.now.value = now
  }

  dispose(): void {
    this.geometry.dispose()
    this.material.dispose()
  }
}

// What a clip's feet say about the floor: how high it is, and where they were planted on it.

/** Length of a foot as a share of the height. */
const FOOT_SHARE = 0.148

const heel = vec()
const ball = vec()

interface Plant {
  contact: Contact
  side: number
  isBall: boolean
}

function plantOf(contact: Contact): Plant | null {
  const isBall = contact.joint.endsWith('toe')
  if (!isBall && !contact.joint.endsWith('heel')) return null // a hand leaves no footprint
  return { contact, side: contact.joint.startsWith('left') ? 0 : 1, isBall }
}

/** The share-th of the sorted values. */
function quantile(values: number[], share: number): number {
  values.sort((a, b) => a - b)
  return values[Math.floor(share * (values.length - 1))]
}

interface Ground {
  floor_cm: number
  prints: Print[]
}

/** Reads the frames that have come; what is missing is left out. Needs a person. */
export function readGround(
  contacts: readonly Contact[],
  frames: ClipFrames,
  figure: Figure,
  pose: Pose,
  anchor: Vec,
): Ground {
  const { clip } = frames
  const prints: Print[] = []
  const heights: number[] = []
  for (const contact of contacts) {
    const plant = plantOf(contact)
    const middle = (contact.start + contact.end - 1) / 2
    if (!plant || !frames.has(middle) || !frames.pose(middle / clip.fps, AS_CAPTURED, pose)) continue
    findFoot(figure, pose, figure.sides[plant.side], heel, ball)
    const at = plant.isBall ? ball : heel
    const long = Math.hypot(ball[0] - heel[0], ball[2] - heel[2]) || 1
    heights.push(at[1] - SOLE_SHARE * figure.height_cm)
    prints.push({
      x: 0.01 * (at[0] - anchor[0]),
      z: 0.01 * (at[2] - anchor[2]),
      aheadX: (ball[0] - heel[0]) / long,
      aheadZ: (ball[2] - heel[2]) / long,
      start_s: contact.start / clip.fps,
      end_s: contact.end / clip.fps,
      kind: 2 * plant.side + (plant.isBall ? 1 : 0),
      foot: 0.01 * FOOT_SHARE * figure.height_cm,
    })
  }
  // The lowest plants, not the median: some stand on chairs and stairs. Not the very lowest: some are
  // mistaken.
  return { floor_cm: heights.length ? quantile(heights, 0.2) : lowestFeet(frames, figure, pose), prints }
}

const SAMPLES = 96

/** Without plants: the height that soles reach often enough, or that of the lowest joint. */
export function lowestFeet(frames: ClipFrames, figure: Figure, pose: Pose): number {
  const lows: number[] = []
  for (let i = 0; i < SAMPLES; i++) {
    const time = (frames.length_s * i) / (SAMPLES - 1)
    if (!frames.pose(time, AS_CAPTURED, pose)) continue
    let low = Infinity
    if (figure.person) {
      for (const limbs of figure.sides) {
        findFoot(figure, pose, limbs, heel, ball)
        low = Math.min(low, heel[1], ball[1])
      }
      low -= SOLE_SHARE * figure.height_cm
    } else {
      for (let j = 0; j < figure.joints.length; j++) low = Math.min(low, pose.places[3 * j + 1])
    }
    lows.push(low)
  }
  return lows.length ? quantile(lows, 0.05) : 0
}
