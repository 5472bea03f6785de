// panel.ts - "Parameterize", in the library's place: motions by what they do. A family is chosen or built; then what is
// wanted is dragged, here or in the view, and the motion that does it plays there.
import { useEffect } from 'preact/hooks'
import { html } from '../html'
import { Icon } from '../icons'
import { onLibrary } from '../live'
import { Check, Figures, PanelHead, valueOf } from '../making/parts'
import { player } from '../player'
import { useStore } from '../store'
import { useChanges } from '../timeline/view'
import { BuildForm } from './build_form'
import { Building } from './building'
import { Controls } from './controls'
import { Findings } from './findings'
import { KeepAsked } from './keep_form'
import { missText, numberText, spotsOf } from './param_data'
import { parameters } from './session'
import '../blend/blend.css'
import './param.css'

export { parameters } from './session'

function FamilyChoice() {
  const { families, family, building } = parameters
  const writable = useStore((state) => state.about?.library.writable ?? true)
  const now = building ? '' : (family?.name ?? '')
  const open = (event: Event) => {
    const name = valueOf(event)
    if (name) void parameters.open(name)
    else parameters.showForm(true)
  }
  return html`<label class="compare-field">
      <span>Family</span>
      <select class="field param-families" value=${now} onChange=${open}>
        <option value="" selected=${now === ''}>new…</option>
        ${families?.map(({ name }) => html`<option key=${name} value=${name} selected=${name === now}>${name}</option>`)}
      </select>
    </label>
    ${writable &&
    now &&
    html`<button
      type="button" class="button quiet icon" aria-label=${`Remove the family ${now}`}
      title=${`Remove ${now}: its examples stay`} onClick=${() => void parameters.remove(now)}
    >
      <${Icon} name="trash" />
    </button>`}`
}

function About() {
  const family = parameters.family!
  const spots = spotsOf(family)
  const several = spots.length > 1
  return html`<div class="param-about">
    <code>${family.features.join(' ')}</code>
    <span class="dim">${family.examples.length} examples, ${family.samples - family.examples.length} samples</span>
    ${several &&
    html`<label class="compare-field">
      <span>In the view</span>
      <select class="field" value=${parameters.spot} onChange=${(event: Event) => parameters.setSpot(Number(valueOf(event)))}>
        ${spots.map((spot) => html`<option key=${spot} value=${spot}>${family.features[spot]}</option>`)}
      </select>
    </label>`}
  </div>`
}

/** How near what was made comes to what is wanted. */
function Miss() {
  const { asked, busy, error } = parameters
  if (error) return html`<p class="making-error" role="alert">${error}</p>`
  if (!asked) return html`<p class="param-miss dim" role="status">${busy ? 'Making it…' : ''}</p>`
  const table = `${numberText(asked.table_error)} ${asked.error_unit} unrefined`
  return html`<p class=${`param-miss${asked.outside ? ' is-outside' : ''}`} role="status">
    <${Icon} name=${asked.outside ? 'warning' : 'check'} /><b>${missText(asked)}</b>
    <span class="dim" title="How far off it would be by the table of samples alone">${table}</span>
  </p>`
}

/** Less than a per cent is nothing to see. */
const leastShare = 0.005

/** The examples it is made of, the largest share first. */
function Shares() {
  const { asked, family } = parameters
  if (!asked || !family) return null
  const said = asked.weights
    .map((weight, example) => ({ weight, example }))
    .filter(({ weight }) => Math.abs(weight) >= leastShare)
    .sort((a, b) => b.weight - a.weight)
  const most = said.slice(0, 6)
  const rest = said.length - most.length
  return html`<ol class="param-shares" aria-label="Made of">
    ${most.map(({ example, weight }) => {
      const { clip, start, end } = family.examples[example]!
      const bar = { width: `${Math.min(100, 100 * Math.abs(weight))}%` }
      return html`<li key=${example} class=${weight < 0 ? 'is-less' : ''}>
        <span class="param-part">${clip} <span class="dim">${start}–${end - 1}</span></span>
        <i aria-hidden="true"><b style=${bar}></b></i><span class="param-share">${Math.round(100 * weight)} %</span>
      </li>`
    })}
    ${rest > 0 && html`<li class="dim">and ${rest} with less</li>`}
  </ol>`
}

function Watching() {
  const { comparing, clean, asked, family } = parameters
  const near = asked && family?.examples[asked.nearest]
  return html`<div class="compare-fields">
    <button
      type="button" class="button" disabled=${parameters.moment_s === null} onClick=${() => parameters.goToMoment()}
      title="The frame at which it shall do that"
    >
      To the moment
    </button>
    <button type="button" class="button" disabled=${!asked} onClick=${() => player.toggle()} title="Play or pause (Space)">
      <${Icon} name="open" />Play
    </button>
    <${Check}
      name="Nearest example" on=${comparing} set=${(on: boolean) => parameters.setComparing(on)}
      title=${near ? `Also show ${near.clip} ${near.start}–${near.end - 1}, in the same time` : 'Also show it'}
    />
    <${Check}
      name="Feet held" title="Planted feet stay where they are planted" on=${clean}
      set=${(on: boolean) => parameters.setClean(on)}
    />
  </div>`
}

function Working() {
  const { family, made, busy } = parameters
  if (!family) return null
  return html`<${About} />
    <${Findings} />
    <${Controls} family=${family} />
    <${Miss} />
    <${Watching} />
    <${Shares} />
    <${Figures} facts=${made?.facts ?? null} busy=${busy} />
    <${KeepAsked} />`
}

/** Escape leaves a field for the pad; the next one leaves the panel. */
function leaveField(event: KeyboardEvent): void {
  const field = event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement
  if (event.key !== 'Escape' || !field) return
  event.preventDefault()
  ;(event.currentTarget as HTMLElement).querySelector<HTMLElement>('.param-pad svg, .param-slider input')?.focus()
}

export function ParamPanel() {
  useChanges(parameters)
  useEffect(() => {
    const stop = onLibrary(() => void parameters.load())
    return () => {
      stop()
      parameters.leave()
    }
  }, [])
  const { building, busyWith, error, family, job } = parameters
  return html`<section class="compare making param-panel" aria-label="Parameterize" onKeyDown=${leaveField}>
    <${PanelHead} title="Parameterize" hint="P"><${FamilyChoice} /><//>
    ${job ? html`<${Building} />` : busyWith && html`<p class="dim" role="status">${busyWith}</p>`}
    ${(building || !family) && error && html`<p class="making-error" role="alert">${error}</p>`}
    ${building ? html`<${BuildForm} />` : html`<${Working} />`}
  </section>`
}
