// panel.ts - "Sketch", in the library's place: draw how a joint moves, and clips that move so are found while you draw.
import type { Dof } from '../api'
import { Button, Check, Choice, IconButton, NumberField, Select, useLabels } from '../controls'
import { html } from '../html'
import { Figures, KeepForm, PanelHead, Problem } from '../making/parts'
import { useSession } from '../making/session'
import { openClusters } from '../opening'
import { plural, t } from '../words/words'
import { Paper } from './paper'
import { forgetSignals, Found } from './rows'
import { mostLanes, sketching } from './session'
import { dofText, grouped, lengths_s, type Lane } from './sketch_data'
import './sketch.css'

export { sketching } from './session'

function DofChoice({ lane, index }: { lane: Lane; index: number }) {
  const { table, lanes } = sketching
  const others = new Set(lanes.filter((_, i) => i !== index).map(({ dof }) => dof.dof))
  const option = (dof: Dof) => {
    const some = dof.clips < (table?.clips ?? 0) ? ` (${plural(dof.clips, 'clip')})` : ''
    return [dof.dof, `${dofText(dof)}${some}`, undefined, others.has(dof.dof)] as const
  }
  const groups = grouped(table?.dofs ?? []).map(([group, dofs]) => ({ group, options: dofs.map(option) }))
  return html`<${Select}
    kind="sketch-dof" aria-label=${index === 0 ? t('Joint and channel of the main curve') : t`Joint and channel ${index + 1}`}
    value=${lane.dof.dof} options=${groups} set=${(dof: string) => sketching.setDof(index, dof)}
  />`
}

function LaneView({ lane, index }: { lane: Lane; index: number }) {
  const main = index === 0
  const about = main ? t('All curves are cut into fragments where this one turns') : t('Cut where the first one turns')
  return html`<div class="sketch-lane">
    <div class="sketch-lane-head flex-row">
      <span class="chip" title=${about}>${main ? t('main curve') : t('with')}</span>
      <${DofChoice} lane=${lane} index=${index} />
      ${!main &&
      html`<${IconButton}
        icon="close" name=${t`Take away ${dofText(lane.dof)}`} title="Take this curve away"
        onClick=${() => sketching.dropLane(index)}
      />`}
    </div>
    <${Paper} lane=${lane} main=${main} />
  </div>`
}

function Tools() {
  const { lanes, settings, table, source, seconds } = sketching
  const { k, noise, shape, label } = settings
  const lengths = [...new Set([...lengths_s, seconds])].sort((a, b) => a - b)
  return html`<div class="compare-fields">
    <${Button}
      icon="cut" title="Take the curves of the marked segment of the clip in the viewer"
      onClick=${() => void sketching.takeSegment()}
    >Take the segment<//>
    <${Button} icon="plus" disabled=${lanes.length >= mostLanes} onClick=${() => sketching.addLane()}>Add a curve<//>
    <${Button} icon="trash" onClick=${() => sketching.clear()}>Clear<//>
    ${!source &&
    html`<${Choice}
      name="Length" value=${seconds} options=${lengths.map((each) => [each, `${each} s`])}
      set=${(length: string) => sketching.setSeconds(Number(length))}
    />`}
    <${Choice}
      name="In" about="Where it is looked for" value=${label} options=${[['', t('all clips')], ...useLabels()]}
      set=${(one: string) => sketching.set({ label: one })}
    />
    <${NumberField}
      name="Candidates" about="How many candidates each fragment has" value=${k} least=${1} most=${table?.most_k ?? 64}
      set=${(value: number) => sketching.set({ k: Math.round(value) })}
    />
    <${NumberField}
      name="Noise" about="The curve has not turned before it went back by so much: degrees, or cm" value=${noise}
      least=${0} most=${1000} set=${(value: number) => sketching.set({ noise: value })}
    />
    <${Check}
      name="Shape only" title="How high a fragment lies does not count, only how it rises or falls" on=${shape}
      set=${(on: boolean) => sketching.set({ shape: on })}
    />
  </div>`
}

function Status() {
  const { answer, error, lanes } = sketching
  if (error) return html`<${Problem} text=${error} />`
  if (!answer) {
    const what = lanes[0] ? dofText(lanes[0].dof) : ''
    return html`<p class="dim" role="status">
      ${what && t`Draw how ${what} goes over time, or mark a segment of a clip and take its curve.`}
    </p>`
  }
  const { fragments, searched } = answer
  const { left_out } = searched
  const left = left_out ? t`, ${plural(left_out, 'clip')} without these joints left out` : ''
  return html`<p class="dim" role="status">
    ${plural(fragments.length, 'fragment')} against ${searched.fragments.toLocaleString('en')} of
    ${' '}${plural(searched.clips, 'clip')}${left}: ${(1000 * searched.seconds).toFixed(1)} ms
  </p>`
}

function Chosen() {
  const { answer, chosen, kept, made, ownPace, asked } = sketching
  if (!answer || !asked) return null
  const { body, clip } = asked
  const toClusters = () => openClusters({ example: { body, clip, take: Math.min(10, answer.clips.length) } })
  return html`<div class="compare-fields">
      <${Check}
        name="At their own pace"
        title="Every part as fast as it was captured, not as long as the fragment it stands for"
        on=${ownPace} set=${(on: boolean) => sketching.setOwnPace(on)}
      />
      <${Button}
        icon="clusters" disabled=${answer.clips.length === 0} onClick=${toClusters}
        title="Frames of the best of these clips that are alike become nodes, in which one can switch from clip to clip"
      >Cluster graph of these clips<//>
    </div>
    ${made && html`<${Figures} facts=${made.facts} busy=${false} />`}
    <${KeepForm} base="sketch" kept=${kept} ready=${chosen !== null} keep=${(name: string) => sketching.keep(name)} />`
}

export function Panel() {
  useSession(sketching, forgetSignals)
  const { lanes } = sketching
  return html`<section class="compare flex-column making sketch-panel" aria-label="Sketch">
    <${PanelHead} title="Sketch" hint="D" />
    ${lanes.map((lane, i) => html`<${LaneView} key=${lane.dof.dof} lane=${lane} index=${i} />`)}
    <${Tools} />
    <${Status} />
    <${Found} />
    <${Chosen} />
  </section>`
}
