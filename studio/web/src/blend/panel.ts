// panel.ts - "Blend", in the library's place: clips and their weights, by a pad, sliders or curves over time; their foot
// plants and timewarps; and what is made of them with its figures. The viewer shows it while it is changed.
import { Check, Choice, leaveField, Switch } from '../controls'
import { html } from '../html'
import { FeetHeld, Figures, KeepForm, MethodChoice, PanelHead, Problem } from '../making/parts'
import { useSession } from '../making/session'
import { AddClip, ClipRows } from './clip_rows'
import { CurveEditor } from './curve_editor'
import { Alignments } from './kept'
import { WeightPad } from './pad'
import { PlantBars } from './plants'
import { blend } from './session'
import { Timewarp } from './warp'
import './blend.css'

export { blend } from './session'

const slopes = [1, 2, 3, 4, 5, 6, 7, 8]

function Settings() {
  const { settings, clips, curve } = blend
  const places = clips.map(({ clip }, i) => [i + 1, clip.name] as const)
  return html`<div class="compare-fields">
    <${MethodChoice} method=${settings.method} set=${(method: string) => blend.set({ method })} />
    <${Choice}
      name="Place" kind="blend-place" title="Where the blend starts on the floor: where this clip does"
      value=${settings.place} options=${[[0, 'by itself'], ...places]}
      set=${(place: string) => blend.set({ place: Number(place) })}
    />
    <${Choice}
      name="Slope" title="How much faster than another a clip may go: steps in a row along one alone" value=${settings.slope}
      options=${slopes} disabled=${curve !== null} set=${(slope: string) => blend.set({ slope: Number(slope) })}
    />
    <${FeetHeld}
      on=${settings.clean} set=${(clean: boolean) => blend.set({ clean, ...(!clean && { twin: false }) })}
    />
  </div>`
}

/** Both bodies: feet held, and as they were. */
function Twin() {
  const { settings } = blend
  return html`<${Check}
    name="Before / after" title="Also show the blend as it is before feet are held; arrange both above the view"
    on=${settings.twin} disabled=${!settings.clean} set=${(twin: boolean) => blend.set({ twin })}
  />`
}

const ways = [
  [false, 'Constant'],
  [true, 'Over time'],
] as const

function Weights() {
  const { overTime } = blend.settings
  return html`<section class="blend-part flex-column blend-weights" aria-label="Weights">
    <div class="cut-row flex-row">
      <${Switch}
        name="Weights are" value=${overTime} options=${ways} set=${(over: boolean) => blend.set({ overTime: over })}
      />
    </div>
    ${overTime ? html`<${CurveEditor} />` : html`<${WeightPad} />`}
  </section>`
}

function Working() {
  const { made, busy, kept, settings, registrationError } = blend
  // Said once is enough.
  const error = blend.error === registrationError ? '' : blend.error
  return html`<${ClipRows} />
    <${Alignments} />
    <${Settings} />
    <div class=${`blend-both${settings.overTime ? ' is-stacked' : ''}`}>
      <${Weights} />
      <${PlantBars} />
    </div>
    <${Figures} facts=${made?.facts ?? null} busy=${busy}><${Twin} /><//>
    <${Problem} text=${error} />
    <${Timewarp} />
    <${KeepForm}
      base=${blend.newName} kept=${kept} ready=${made !== null && !blend.error} keep=${(name: string) => blend.keep(name)}
    />`
}

const leave = leaveField('.weight-pad, .key-column')

export function Panel() {
  useSession(blend)
  return html`<section class="compare flex-column making" aria-label="Blend" onKeyDown=${leave}>
    <${PanelHead} title="Blend" hint="B">${blend.clips.length > 1 && html`<${AddClip} />`}<//>
    ${blend.clips.length > 1 && html`<${Working} />`}
  </section>`
}
