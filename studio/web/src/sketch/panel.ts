// panel.ts - "Sketch", in the library's place: draw how a joint moves, and clips that move so are found while you draw.
import { useEffect } from 'preact/hooks'
import { plural } from '../actions'
import { clustersOfExample } from '../clusters/opening'
import { html } from '../html'
import { Icon } from '../icons'
import { onLibrary } from '../live'
import { Check, Figures, KeepForm, PanelHead, valueOf } from '../making/parts'
import { useStore } from '../store'
import { useChanges } from '../timeline/view'
import { useTyped } from '../typed'
import { Paper } from './paper'
import { Found } from './rows'
import type { Lane } from './query'
import { mostLanes, sketching } from './session'
import { forgetSignals } from './signals'
import { dofText, grouped, lengths_s } from './sketch_data'
import './sketch.css'

export { sketching } from './session'

function DofChoice({ lane, index }: { lane: Lane; index: number }) {
  const { table, lanes } = sketching
  const others = new Set(lanes.filter((_, i) => i !== index).map(({ dof }) => dof.dof))
  const name = index === 0 ? 'The joint and channel that drives' : `Joint and channel ${index + 1}`
  return html`<select
    class="field sketch-dof" aria-label=${name} value=${lane.dof.dof}
    onChange=${(event: Event) => sketching.setDof(index, valueOf(event))}
  >
    ${grouped(table?.dofs ?? []).map(
      ([group, dofs]) => html`<optgroup key=${group} label=${group}>
        ${dofs.map(
          (dof) => html`<option
            key=${dof.dof} value=${dof.dof} selected=${dof.dof === lane.dof.dof} disabled=${others.has(dof.dof)}
          >
            ${dofText(dof)}${dof.clips < (table?.clips ?? 0) ? ` (${plural(dof.clips, 'clip')})` : ''}
          </option>`,
        )}
      </optgroup>`,
    )}
  </select>`
}

function LaneView({ lane, index }: { lane: Lane; index: number }) {
  const drives = index === 0
  const about = drives ? 'All curves are cut into fragments where this one turns' : 'Cut where the first one turns'
  return html`<div class="sketch-lane">
    <div class="sketch-lane-head">
      <span class="chip" title=${about}>${drives ? 'drives' : 'with'}</span>
      <${DofChoice} lane=${lane} index=${index} />
      ${!drives &&
      html`<button
        type="button" class="button quiet icon" aria-label=${`Take away ${dofText(lane.dof)}`}
        title="Take this curve away" onClick=${() => sketching.dropLane(index)}
      >
        <${Icon} name="close" />
      </button>`}
    </div>
    <${Paper} lane=${lane} drives=${drives} />
  </div>`
}

function LengthChoice() {
  const { seconds } = sketching
  const all = [...new Set([...lengths_s, seconds])].sort((a, b) => a - b)
  return html`<label class="compare-field">
    <span>Length</span>
    <select class="field" value=${seconds} onChange=${(event: Event) => sketching.setSeconds(Number(valueOf(event)))}>
      ${all.map((each) => html`<option key=${each} value=${each} selected=${each === seconds}>${each} s</option>`)}
    </select>
  </label>`
}

function NumberField({ name, title, value, least, most, set }: {
  name: string
  title: string
  value: number
  least: number
  most: number
  set: (value: number) => void
}) {
  const typed = useTyped(value, (wanted) => wanted >= least && wanted <= most && set(wanted))
  return html`<label class="compare-field" title=${title}>
    <span>${name}</span>
    <input class="field" type="number" min=${least} max=${most} ...${typed} />
  </label>`
}

function LabelChoice() {
  const cards = useStore((state) => state.cards)
  const labels = [...new Set(cards.flatMap((card) => card.labels))].sort()
  const { label } = sketching.settings
  return html`<label class="compare-field" title="Where it is looked for">
    <span>In</span>
    <select class="field" value=${label} onChange=${(event: Event) => sketching.set({ label: valueOf(event) })}>
      <option value="" selected=${label === ''}>all clips</option>
      ${labels.map((each) => html`<option key=${each} value=${each} selected=${each === label}>${each}</option>`)}
    </select>
  </label>`
}

function Tools() {
  const { lanes, settings, table, source } = sketching
  const { k, noise, shape } = settings
  return html`<div class="compare-fields">
    <button
      type="button" class="button" title="Take the curves of the marked segment of the clip in the viewer"
      onClick=${() => void sketching.takeSegment()}
    >
      <${Icon} name="cut" />Take the segment
    </button>
    <button type="button" class="button" disabled=${lanes.length >= mostLanes} onClick=${() => sketching.addLane()}>
      <${Icon} name="plus" />Add a curve
    </button>
    <button type="button" class="button" onClick=${() => sketching.clear()}><${Icon} name="trash" />Clear</button>
    ${!source && html`<${LengthChoice} />`}
    <${LabelChoice} />
    <${NumberField}
      name="K" title="How many candidates each fragment has" value=${k} least=${1} most=${table?.most_k ?? 64}
      set=${(value: number) => sketching.set({ k: Math.round(value) })}
    />
    <${NumberField}
      name="Noise" title="The curve has not turned before it went back by so much: degrees, or cm" value=${noise}
      least=${0} most=${1000} set=${(noiseNow: number) => sketching.set({ noise: noiseNow })}
    />
    <${Check}
      name="Shape only" title="How high a fragment lies does not count, only how it rises or falls" on=${shape}
      set=${(on: boolean) => sketching.set({ shape: on })}
    />
  </div>`
}

function Status() {
  const { answer, error, lanes } = sketching
  if (error) return html`<p class="making-error" role="alert">${error}</p>`
  if (!answer) {
    const what = lanes[0] ? dofText(lanes[0].dof) : ''
    return html`<p class="dim" role="status">
      ${what && `Draw how ${what} goes over time, or mark a segment of a clip and take its curve.`}
    </p>`
  }
  const { fragments, searched } = answer
  const { left_out } = searched
  const left = left_out ? `, ${plural(left_out, 'clip')} without these joints left out` : ''
  return html`<p class="dim" role="status">
    ${plural(fragments.length, 'fragment')} against ${searched.fragments.toLocaleString('en')} of
    ${' '}${plural(searched.clips, 'clip')}${left}: ${(1000 * searched.seconds).toFixed(1)} ms
  </p>`
}

function Chosen() {
  const { answer, chosen, kept, made, ownPace, asked } = sketching
  if (!answer || !asked) return null
  const { body, clip } = asked
  const toClusters = () => clustersOfExample({ body, clip, take: Math.min(10, answer.clips.length) })
  return html`<div class="compare-fields">
      <${Check}
        name="At their own pace"
        title="Every part as fast as it was captured, not as long as the fragment it stands for"
        on=${ownPace} set=${(on: boolean) => sketching.setOwnPace(on)}
      />
      <button
        type="button" class="button" disabled=${answer.clips.length === 0} onClick=${toClusters}
        title="Frames of the best of these clips that are alike become nodes, in which one can switch from clip to clip"
      >
        <${Icon} name="clusters" />Cluster graph of these clips
      </button>
    </div>
    ${made && html`<${Figures} facts=${made.facts} busy=${false} />`}
    <${KeepForm} base="sketch" kept=${kept} ready=${chosen !== null} keep=${(name: string) => sketching.keep(name)} />`
}

export function SketchPanel() {
  useChanges(sketching)
  useEffect(() => {
    const stop = onLibrary(() => {
      forgetSignals()
      void sketching.load()
    })
    return () => {
      stop()
      sketching.leave()
    }
  }, [])
  const { lanes } = sketching
  return html`<section class="compare making sketch-panel" aria-label="Sketch">
    <${PanelHead} title="Sketch" hint="D" />
    ${lanes.map((lane, i) => html`<${LaneView} key=${lane.dof.dof} lane=${lane} index=${i} />`)}
    <${Tools} />
    <${Status} />
    <${Found} />
    <${Chosen} />
  </section>`
}
