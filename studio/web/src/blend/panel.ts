// panel.ts - "Blend", in the library's place: clips and their weights, by a pad, sliders or curves over time; their foot
// plants and timewarps; and what is made of them with its figures. The viewer shows it while it is changed.
import { useEffect } from 'preact/hooks'
import { html } from '../html'
import { Check, Figures, KeepForm, MethodChoice, PanelHead, valueOf } from '../making/parts'
import { useChanges } from '../timeline/view'
import { AddClip, ClipRows } from './clip_rows'
import { CurveEditor } from './curve_editor'
import { Registrations } from './kept'
import { WeightPad } from './pad'
import { PlantBars } from './plants'
import { blend } from './session'
import { Timewarp } from './warp'
import './blend.css'

export { blend } from './session'

function PlaceChoice() {
  const { clips, settings } = blend
  return html`<label class="compare-field blend-place">
    <span>Place</span>
    <select
      class="field"
      title="Where the blend starts on the floor: where this clip does"
      value=${settings.place}
      onChange=${(event: Event) => blend.set({ place: Number(valueOf(event)) })}
    >
      <option value="0">by itself</option>
      ${clips.map(
        ({ clip }, i) =>
          html`<option key=${i} value=${i + 1} selected=${settings.place === i + 1}>${clip.name}</option>`,
      )}
    </select>
  </label>`
}

function SlopeChoice() {
  const { slope } = blend.settings
  return html`<label class="compare-field">
    <span>Slope</span>
    <select
      class="field"
      title="How much faster than another a clip may go: steps in a row along one alone"
      value=${slope}
      disabled=${blend.curve !== null}
      onChange=${(event: Event) => blend.set({ slope: Number(valueOf(event)) })}
    >
      ${[1, 2, 3, 4, 5, 6, 7, 8].map(
        (each) => html`<option key=${each} value=${each} selected=${each === slope}>${each}</option>`,
      )}
    </select>
  </label>`
}

function Settings() {
  const { settings } = blend
  return html`<div class="compare-fields">
    <${MethodChoice} method=${settings.method} set=${(method: string) => blend.set({ method })} />
    <${PlaceChoice} />
    <${SlopeChoice} />
    <${Check}
      name="Feet held"
      title="Planted feet stay where they are planted"
      on=${settings.clean}
      set=${(clean: boolean) => blend.set({ clean, ...(!clean && { twin: false }) })}
    />
  </div>`
}

/** Both bodies: feet held, and as they were. */
function Twin() {
  const { settings } = blend
  return html`<${Check}
    name="Before / after"
    title="Also show the blend as it is before feet are held; arrange both above the view"
    on=${settings.twin}
    disabled=${!settings.clean}
    set=${(twin: boolean) => blend.set({ twin })}
  />`
}

function Weights() {
  const { overTime } = blend.settings
  const way = (name: string, over: boolean) => html`<button
    type="button"
    class="button quiet"
    aria-pressed=${String(overTime === over)}
    onClick=${() => blend.set({ overTime: over })}
  >
    ${name}
  </button>`
  return html`<section class="blend-part blend-weights" aria-label="Weights">
    <div class="cut-row">
      <div class="making-switch" role="group" aria-label="Weights are">
        ${way('Constant', false)}${way('Over time', true)}
      </div>
    </div>
    ${overTime ? html`<${CurveEditor} />` : html`<${WeightPad} />`}
  </section>`
}

function Working() {
  const { made, busy, kept, settings, registrationError } = blend
  // Said once is enough.
  const error = blend.error === registrationError ? '' : blend.error
  return html`<${ClipRows} />
    <${Registrations} />
    <${Settings} />
    <div class=${`blend-both${settings.overTime ? ' is-stacked' : ''}`}>
      <${Weights} />
      <${PlantBars} />
    </div>
    <${Figures} facts=${made?.facts ?? null} busy=${busy}><${Twin} /><//>
    ${error && html`<p class="making-error" role="alert">${error}</p>`}
    <${Timewarp} />
    <${KeepForm}
      base=${blend.newName}
      kept=${kept}
      ready=${made !== null && !blend.error}
      keep=${(name: string) => blend.keep(name)}
    />`
}

/** Escape leaves a field for the weights; the next one leaves the panel. */
function leaveField(event: KeyboardEvent): void {
  const field = event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement
  if (event.key !== 'Escape' || !field) return
  event.preventDefault()
  const goal = (event.currentTarget as HTMLElement).querySelector<HTMLElement>('.weight-pad, .key-column')
  goal?.focus()
}

export function BlendPanel() {
  useChanges(blend)
  useEffect(() => () => blend.leave(), [])
  return html`<section class="compare making" aria-label="Blend" onKeyDown=${leaveField}>
    <${PanelHead} title="Blend" hint="B">${blend.clips.length > 1 && html`<${AddClip} />`}<//>
    ${blend.clips.length > 1 && html`<${Working} />`}
  </section>`
}
