// trim_three.mjs - takes out of three.js what the viewer never uses and no bundler can tell: glasses of virtual reality,
// surroundings that are mirrored, and the text of shaders for other materials. A shader that needs one of them does not
// compile, which the tests in the browser see; then its name has to go from here.
import { readFileSync } from 'node:fs'

/** Programs of materials that the viewer has none of. */
const programs = 'background backgroundCube cube distanceRGBA equirect linedashed meshmatcap meshnormal meshphong meshtoon points shadow sprite'

/** Pieces of programs that are all within an #ifdef of something the viewer's materials never have. */
const pieces =
  'alphahash_fragment alphahash_pars_fragment alphamap_fragment alphamap_pars_fragment aomap_fragment aomap_pars_fragment ' +
  'batching_pars_vertex batching_vertex bumpmap_pars_fragment clearcoat_normal_fragment_begin clearcoat_normal_fragment_maps ' +
  'clearcoat_pars_fragment cube_uv_reflection_fragment displacementmap_pars_vertex displacementmap_vertex emissivemap_fragment ' +
  'emissivemap_pars_fragment envmap_common_pars_fragment envmap_fragment envmap_pars_fragment envmap_pars_vertex ' +
  'envmap_physical_pars_fragment envmap_vertex gradientmap_pars_fragment iridescence_fragment iridescence_pars_fragment ' +
  'lightmap_pars_fragment lights_phong_fragment lights_phong_pars_fragment lights_toon_fragment lights_toon_pars_fragment ' +
  'map_particle_fragment map_particle_pars_fragment morphcolor_vertex morphinstance_vertex morphnormal_vertex ' +
  'morphtarget_pars_vertex morphtarget_vertex normalmap_pars_fragment skinbase_vertex skinning_pars_vertex skinning_vertex ' +
  'skinnormal_vertex specularmap_pars_fragment tonemapping_fragment tonemapping_pars_fragment ' +
  'transmission_fragment transmission_pars_fragment'

const classes = {
  PMREMGenerator: 'class PMREMGenerator {}',
  WebXRManager:
    'class WebXRManager extends EventDispatcher { enabled = false; isPresenting = false; ' +
    "setAnimationLoop() {} dispose() {} hasDepthSensing() { return false } getEnvironmentBlendMode() {} }",
}

/** The source with something in the place of what was found once; another version of three.js may have it otherwise. */
function replaceOnce(source, found, by) {
  const parts = source.split(found)
  if (parts.length !== 2) throw new Error(`three.js has ${parts.length - 1} times: ${String(found).slice(0, 80)}`)
  return parts.join(by)
}

function withoutClass(source, name) {
  const start = source.indexOf(`\nclass ${name} `)
  const end = source.indexOf('\n}\n', start)
  if (start < 0 || end < 0) throw new Error(`three.js has no class ${name}`)
  return source.slice(0, start + 1) + classes[name] + source.slice(end + 2)
}

/** ShaderChunk says which constant a piece is. */
function withoutText(source, piece) {
  const [, constant = piece] = source.match(new RegExp(`^\\t${piece}: ([\\w$]+),?$`, 'm')) ?? []
  const begin = `\nconst ${constant} = "`
  const shader = `\nvar ${constant} = "`
  const found = source.includes(shader) ? shader : begin
  const start = source.indexOf(found)
  if (start < 0) throw new Error(`three.js has no shader ${piece}`)
  const end = source.indexOf('";\n', start)
  return replaceOnce(source, source.slice(start, end + 3), `${found}";\n`)
}

export function trimmed(source) {
  const texts = [...programs.split(' ').flatMap((name) => [`${name}_vert`, `${name}_frag`]), ...pieces.split(' ')]
  return texts.reduce(withoutText, Object.keys(classes).reduce(withoutClass, source))
}

export const trimThree = {
  name: 'trim-three',
  setup(build) {
    build.onLoad({ filter: /three\.module\.js$/ }, ({ path }) => ({
      contents: trimmed(readFileSync(path, 'utf8')),
      loader: 'js',
    }))
  },
}
