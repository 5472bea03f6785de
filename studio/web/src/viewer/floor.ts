// floor.ts - the ground: metre lines and fainter ones every 20 cm on a disc that fades into the distance, the
// shadow that the light casts on it, and the darker air right under whatever is near it.
import {
  BufferAttribute,
  Color,
  DoubleSide,
  InstancedBufferGeometry,
  InterleavedBufferAttribute,
  Mesh,
  PlaneGeometry,
  ShaderMaterial,
  UniformsLib,
  UniformsUtils,
  Vector2,
  type InstancedInterleavedBuffer,
} from 'three'
import type { ConeGeometry } from './cones'
import type { Palette } from './palette'

/** Radius of what is drawn, in metres. */
const REACH = 60

const FLOOR_VERTEX = /* glsl */ `
#include <common>
#include <shadowmap_pars_vertex>
varying vec2 ground;
void main() {
  #include <beginnormal_vertex>
  #include <defaultnormal_vertex>
  #include <begin_vertex>
  #include <project_vertex>
  #include <worldpos_vertex>
  #include <shadowmap_vertex>
  ground = (modelMatrix * vec4(position, 1.0)).xz;
}`

const FLOOR_FRAGMENT = /* glsl */ `
#include <common>
#include <packing>
#include <bsdfs>
#include <lights_pars_begin>
#include <shadowmap_pars_fragment>
#include <shadowmask_pars_fragment>
uniform vec3 floorColour;
uniform vec3 lineColour;
uniform float lineStrength;
uniform float shadowStrength;
uniform vec2 origin;
uniform vec2 middle;
uniform float fadeFrom;
varying vec2 ground;

// Lines that keep a width of about a pixel, and turn into their mean where they come too close to be told
// apart.
float lines(vec2 at, vec2 footprint, float every, float width) {
  vec2 cell = at / every;
  vec2 pixel = footprint / every;
  vec2 wide = clamp(vec2(width / every), pixel, vec2(0.5));
  vec2 off = abs(fract(cell - 0.5) - 0.5);
  vec2 ink = 1.0 - smoothstep(wide - pixel * 0.75, wide + pixel * 0.75, off);
  ink *= clamp(width / every / wide * 2.2, 0.0, 1.0);
  ink = mix(ink, vec2(2.0 * width / every), clamp(pixel * 2.0 - 0.6, 0.0, 1.0));
  return max(ink.x, ink.y);
}

void main() {
  vec2 at = ground + origin;
  vec2 footprint = fwidth(ground);
  float away = length(ground - middle);
  float fade = 1.0 - smoothstep(fadeFrom, fadeFrom * 3.2, away);
  if (fade <= 0.0) discard;
  float ink = 0.75 * lines(at, footprint, 1.0, 0.0045);
  float near = 1.0 - smoothstep(fadeFrom * 0.35, fadeFrom * 1.3, away);
  if (near > 0.0) ink = max(ink, 0.3 * near * lines(at, footprint, 0.2, 0.002));
  vec3 colour = mix(floorColour, lineColour, ink * lineStrength);
  if (shadowStrength > 0.0) colour *= 1.0 - shadowStrength * (1.0 - getShadowMask());
  gl_FragColor = vec4(colour, fade);
  #include <colorspace_fragment>
}`

export class Floor {
  readonly mesh: Mesh
  private readonly material: ShaderMaterial

  constructor() {
    this.material = new ShaderMaterial({
      vertexShader: FLOOR_VERTEX,
      fragmentShader: FLOOR_FRAGMENT,
      lights: true,
      transparent: true,
      depthWrite: false,
      side: DoubleSide,
      uniforms: UniformsUtils.merge([
        UniformsLib.lights,
        {
          floorColour: { value: new Color() },
          lineColour: { value: new Color() },
          lineStrength: { value: 0.5 },
          shadowStrength: { value: 0.5 },
          origin: { value: new Vector2() },
          middle: { value: new Vector2() },
          fadeFrom: { value: 8 },
        },
      ]),
    })
    const plane = new PlaneGeometry(2 * REACH, 2 * REACH)
    plane.rotateX(-Math.PI / 2)
    this.mesh = new Mesh(plane, this.material)
    this.mesh.receiveShadow = true
    this.mesh.frustumCulled = false
    this.mesh.renderOrder = -10
  }

  setColours(palette: Palette, silhouette: boolean, shadows: boolean): void {
    const { uniforms } = this.material
    uniforms.floorColour.value.copy(silhouette ? palette.flatGround : palette.floor)
    uniforms.lineColour.value.copy(palette.line)
    uniforms.lineStrength.value = palette.lineStrength * (silhouette ? 0.35 : 1)
    uniforms.shadowStrength.value = silhouette || !shadows ? 0 : palette.shadow
  }

  /** The lit disc lies under what the camera looks at; `origin` is where the scene's zero is in the world, in
   * metres. */
  follow(x: number, z: number, distance: number, originX: number, originZ: number): void {
    this.mesh.position.set(x, 0, z)
    const { uniforms } = this.material
    uniforms.middle.value.set(x, z)
    uniforms.origin.value.set(originX % 100, originZ % 100)
    uniforms.fadeFrom.value = Math.min(REACH / 3.3, 3 + 0.9 * distance)
  }

  dispose(): void {
    this.mesh.geometry.dispose()
    this.material.dispose()
  }
}

const NEAR_VERTEX = /* glsl */ `
attribute vec4 ballA;
attribute vec4 ballB;
varying vec2 at;
varying vec2 spanTo;
varying vec2 radii;
varying vec2 heights;
void main() {
  heights = vec2(ballA.y - ballA.w, ballB.y - ballB.w);
  vec2 span = ballB.xz - ballA.xz;
  float reach = length(span);
  vec2 axis = reach > 1e-5 ? span / reach : vec2(1.0, 0.0);
  float soft = max(ballA.w, ballB.w) + 0.16;
  float lowest = min(heights.x, heights.y);
  // What is high leaves no mark: its square shrinks to nothing.
  float size = lowest < 0.3 ? 1.0 : 0.0;
  vec2 corner = axis * (position.x < 0.0 ? -soft : reach + soft) + vec2(-axis.y, axis.x) * position.y * soft;
  at = corner;
  spanTo = span;
  radii = vec2(ballA.w, ballB.w);
  vec2 place = ballA.xz + corner * size;
  gl_Position = projectionMatrix * modelViewMatrix * vec4(place.x, 0.0, place.y, 1.0);
}`

const NEAR_FRAGMENT = /* glsl */ `
uniform float strength;
varying vec2 at;
varying vec2 spanTo;
varying vec2 radii;
varying vec2 heights;
void main() {
  float t = clamp(dot(at, spanTo) / max(dot(spanTo, spanTo), 1e-8), 0.0, 1.0);
  float height = max(mix(heights.x, heights.y, t), 0.0);
  float off = max(length(at - t * spanTo) - 0.6 * mix(radii.x, radii.y, t), 0.0);
  float spread = 0.03 + 0.5 * height;
  float dark = exp(-off * off / (spread * spread)) * exp(-height * 14.0);
  gl_FragColor = vec4(0.0, 0.0, 0.0, strength * dark * (1.0 - smoothstep(0.2, 0.3, height)));
}`

/** One soft stroke per part of the body, dark where the part is near the floor. Reads the body's own buffer.
 * */
export class NearShade {
  readonly mesh: Mesh
  private readonly geometry = new InstancedBufferGeometry()
  private readonly material: ShaderMaterial

  constructor(cones: ConeGeometry) {
    const parts = cones.getAttribute('ballA') as InterleavedBufferAttribute
    const buffer = parts.data as InstancedInterleavedBuffer
    const corners = new Float32Array([-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0])
    this.geometry.setAttribute('position', new BufferAttribute(corners, 3))
    this.geometry.setIndex([0, 1, 2, 0, 2, 3])
    this.geometry.setAttribute('ballA', new InterleavedBufferAttribute(buffer, 4, 0))
    this.geometry.setAttribute('ballB', new InterleavedBufferAttribute(buffer, 4, 4))
    this.material = new ShaderMaterial({
      vertexShader: NEAR_VERTEX,
      fragmentShader: NEAR_FRAGMENT,
      uniforms: { strength: { value: 0.3 } },
      transparent: true,
      depthWrite: false,
      side: DoubleSide,
    })
    this.mesh = new Mesh(this.geometry, this.material)
    this.mesh.frustumCulled = false
    this.mesh.renderOrder = -9
  }

  set(count: number, visible: boolean, strength: number): void {
    this.geometry.instanceCount = count
    this.mesh.visible = visible
    this.material.uniforms.strength.value = strength
  }

  dispose(): void {
    this.geometry.dispose()
    this.material.dispose()
  }
}
