// cones.ts - round cones, many in one draw call: each instance is the hull of two balls, put in place by the
// vertex shader. The same trick serves the lit body, its shadow, the silhouette and the ghosts of the onion
// skin.
import {
  BufferAttribute,
  DynamicDrawUsage,
  InstancedBufferAttribute,
  InstancedBufferGeometry,
  InstancedInterleavedBuffer,
  InterleavedBufferAttribute,
  MeshBasicMaterial,
  MeshDepthMaterial,
  MeshStandardMaterial,
  NotEqualStencilFunc,
  ReplaceStencilOp,
  RGBADepthPacking,
  ShaderMaterial,
  type Color,
  type Material,
} from 'three'
import { PART_FLOATS } from './parts'

/** What three calls `position` is no place: y runs from 0 to 1 over a ball's cap, z names the ball. The x and
 * y of `normal` are cosine and sine of the angle around the axis. */
const CONE_PARS = /* glsl */ `
attribute vec4 ballA;
attribute vec4 ballB;
attribute vec4 tint;
vec3 coneNormal;
vec3 conePlace() {
  vec3 span = ballB.xyz - ballA.xyz;
  float reach = length(span);
  vec3 axis = reach > 1e-6 ? span / reach : vec3(0.0, 1.0, 0.0);
  vec3 side = normalize(abs(axis.y) < 0.9 ? vec3(axis.z, 0.0, -axis.x) : vec3(0.0, -axis.z, axis.y));
  vec3 other = cross(axis, side);
  // The balls' common tangent touches both at this latitude, so the hull has no crease.
  float rim = asin(clamp((ballA.w - ballB.w) / max(reach, 1e-6), -1.0, 1.0));
  float latitude = position.z < 0.5 ? mix(-1.5707963, rim, position.y) : mix(rim, 1.5707963, position.y);
  coneNormal = cos(latitude) * (normal.x * side + normal.y * other) + sin(latitude) * axis;
  return (position.z < 0.5 ? ballA.xyz + ballA.w * coneNormal : ballB.xyz + ballB.w * coneNormal);
}
`

function ringIndex(around: number, rings: number): number[] {
  const index: number[] = []
  for (let ring = 0; ring + 1 < rings; ring++) {
    for (let i = 0; i < around; i++) {
      const a = ring * (around + 1) + i
      const b = a + around + 1
      index.push(a, a + 1, b, b, a + 1, b + 1)
    }
  }
  return index
}

/** Rings from one pole to the other; the first half of them belongs to the first ball. */
function capsule(geometry: InstancedBufferGeometry, around: number, perBall: number): void {
  const points: number[] = []
  const angles: number[] = []
  for (let ring = 0; ring < 2 * perBall; ring++) {
    const ball = ring < perBall ? 0 : 1
    for (let i = 0; i <= around; i++) {
      const angle = (2 * Math.PI * i) / around
      points.push(0, (ring - ball * perBall) / (perBall - 1), ball)
      angles.push(Math.cos(angle), Math.sin(angle), 0)
    }
  }
  geometry.setAttribute('position', new BufferAttribute(new Float32Array(points), 3))
  geometry.setAttribute('normal', new BufferAttribute(new Float32Array(angles), 3))
  geometry.setIndex(ringIndex(around, 2 * perBall))
}

/** Sends only the beginning of a buffer. three forgets the range once it is sent, so the same object serves
 * again. */
export function upload(buffer: InstancedInterleavedBuffer, range: { start: number; count: number }): void {
  if (buffer.updateRanges.length === 0) buffer.updateRanges.push(range)
  buffer.needsUpdate = true
}

export class ConeGeometry extends InstancedBufferGeometry {
  readonly parts: Float32Array
  readonly tints: Float32Array
  private readonly partBuffer: InstancedInterleavedBuffer
  private readonly tintBuffer: InstancedBufferAttribute

  private readonly partRange = { start: 0, count: 0 }
  private detail = ''

  constructor(most: number) {
    super()
    this.parts = new Float32Array(PART_FLOATS * most)
    this.tints = new Float32Array(4 * most)
    this.partBuffer = new InstancedInterleavedBuffer(this.parts, PART_FLOATS)
    this.partBuffer.setUsage(DynamicDrawUsage)
    this.tintBuffer = new InstancedBufferAttribute(this.tints, 4)
    this.setAttribute('ballA', new InterleavedBufferAttribute(this.partBuffer, 4, 0))
    this.setAttribute('ballB', new InterleavedBufferAttribute(this.partBuffer, 4, 4))
    this.setAttribute('tint', this.tintBuffer)
    this.instanceCount = 0
  }

  /** How finely a cone is cut: facets around it, and rings over each ball. */
  setDetail(around: number, perBall: number): void {
    const detail = `${around}/${perBall}`
    if (detail === this.detail) return
    this.detail = detail
    capsule(this, around, perBall)
  }

  partsChanged(count: number): void {
    this.instanceCount = count
    this.partRange.count = PART_FLOATS * count
    upload(this.partBuffer, this.partRange)
  }

  tintsChanged(): void {
    this.tintBuffer.needsUpdate = true
  }

  setTint(part: number, colour: Color, alpha = 1): void {
    this.tints[4 * part] = colour.r
    this.tints[4 * part + 1] = colour.g
    this.tints[4 * part + 2] = colour.b
    this.tints[4 * part + 3] = alpha
  }
}

/** Makes one of three's own materials draw cones. */
function coned<T extends Material>(material: T, tinted: boolean): T {
  const declare = tinted ? 'varying vec3 coneTint;' : ''
  const assign = tinted ? 'coneTint = tint.rgb;' : ''
  material.onBeforeCompile = (shader) => {
    shader.vertexShader = shader.vertexShader
      .replace('#include <common>', `#include <common>\n${CONE_PARS}\n${declare}`)
      .replace('void main() {', `void main() {\nvec3 coneAt = conePlace();\n${assign}`)
      .replace('#include <beginnormal_vertex>', 'vec3 objectNormal = coneNormal;')
      .replace('#include <begin_vertex>', 'vec3 transformed = coneAt;')
    if (!tinted) return
    shader.fragmentShader = shader.fragmentShader
      .replace('#include <common>', '#include <common>\nvarying vec3 coneTint;')
      .replace('#include <color_fragment>', 'diffuseColor.rgb *= coneTint;')
  }
  material.customProgramCacheKey = () => `cone${tinted}`
  return material
}

/** Pixels of a body are marked, and ghosts leave them alone: the present pose stays clear. */
const MARKS = { stencilWrite: true, stencilRef: 1, stencilZPass: ReplaceStencilOp }
const KEEPS_OFF = { stencilWrite: true, stencilRef: 1, stencilFunc: NotEqualStencilFunc }

export function bodyMaterial(): MeshStandardMaterial {
  return coned(new MeshStandardMaterial({ roughness: 0.58, metalness: 0, ...MARKS }), true)
}

export function silhouetteMaterial(): MeshBasicMaterial {
  return coned(new MeshBasicMaterial(MARKS), false)
}

export function shadowMaterial(): MeshDepthMaterial {
  return coned(new MeshDepthMaterial({ depthPacking: RGBADepthPacking }), false)
}

/** Ghosts come twice in their buffer, first with alpha 0: that leaves the colour alone but writes the depth,
 * so that of the second time only the outermost surface is seen, and limbs do not show through one another.
 * */
export function ghostMaterial(): ShaderMaterial {
  return new ShaderMaterial({
    vertexShader: /* glsl */ `
      #include <common>
      ${CONE_PARS}
      invariant gl_Position;
      varying vec4 ghostTint;
      varying vec3 ghostNormal;
      varying vec3 ghostView;
      void main() {
        vec4 view = modelViewMatrix * vec4(conePlace(), 1.0);
        gl_Position = projectionMatrix * view;
        ghostTint = tint;
        ghostNormal = normalMatrix * coneNormal;
        ghostView = -view.xyz;
      }`,
    fragmentShader: /* glsl */ `
      varying vec4 ghostTint;
      varying vec3 ghostNormal;
      varying vec3 ghostView;
      void main() {
        float facing = abs(dot(normalize(ghostNormal), normalize(ghostView)));
        float rim = 1.0 - facing;
        gl_FragColor = vec4(ghostTint.rgb * (0.75 + 0.25 * facing), ghostTint.a * (0.55 + 0.75 * rim * rim));
        #include <colorspace_fragment>
      }`,
    transparent: true,
    depthWrite: true,
    ...KEEPS_OFF,
  })
}
