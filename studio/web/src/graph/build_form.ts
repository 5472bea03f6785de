// build_form.ts - a new motion graph: its clips, its kind, its threshold with what that is worth, and its name.
import { plural } from '../actions'
import { useChanges, useEntered } from '../changes'
import { shortNumber } from '../compare/readout'
import { Button, Check, Choice, useLabels, valueOf } from '../controls'
import { html } from '../html'
import { Progress } from '../jobs'
import { BuildForm, Problem } from '../making/parts'
import { building } from './building'
import { graphs } from './session'
import { curvePoints, measures, nearestTo, valueText } from './sweep_data'

interface SourceProps {
  /** "label walk", or what else: "all", "clips". */
  now: string
  /** Before all clips and those with a label. */
  others: readonly (readonly [value: string, text: string])[]
  set: (source: string) => void
}

/** The label that a value of the choice stands for; '': none. */
export function labelIn(source: string): string {
  return source.startsWith('label ') ? source.slice(6) : ''
}

/** Which clips something is built of. */
export function SourceChoice({ now, others, set }: SourceProps) {
  const group = { group: 'Clips with a label', options: useLabels().map((label) => [`label ${label}`, label] as const) }
  return html`<${Choice} name="Of" value=${now} options=${[...others, ['all', 'all clips'], group]} set=${set} />`
}

function KindChoice() {
  const kinds = graphs.table?.kinds ?? []
  return html`<${Choice}
      name="Kind" value=${building.kind} options=${kinds.map(({ name }) => name)}
      set=${(kind: string) => building.set({ kind })}
    />
    ${building.kind === 'connected' &&
    html`<label class="compare-field flex-row" title="1 keeps the best ways, 5 makes small graphs with somewhat longer ones">
      <span>μ</span>
      <input
        class="field" type="number" min="1" max="1000" step="0.5" value=${building.mu}
        onChange=${(event: Event) => building.set({ mu: Math.max(1, Number(valueOf(event)) || 1) })}
      />
    </label>`}`
}

/** The curves over all measured thresholds, and where the slider stands. */
function Curves({ at }: { at: number }) {
  const { rows, thresholds } = building
  if (!rows) return null
  const x = (100 * at) / Math.max(1, thresholds.length - 1)
  return html`<svg class="sweep-curves" viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true">
    <path class="sweep-now" d=${`M${x} 0V100`} />
    ${measures.map(({ key }) => html`<polyline key=${key} class=${`sweep-${key}`} points=${curvePoints(rows, key)} />`)}
  </svg>`
}

function Worth({ at }: { at: number }) {
  const row = building.rows?.[at]
  return html`<dl class="sweep-worth" aria-label="What this threshold is worth">
    ${measures.map(
      ({ key, name, title, unit }) => html`<div key=${key} title=${title}>
        <dt><i class=${`sweep-key is-${key}`} aria-hidden="true"></i>${name}</dt>
        <dd>${valueText(row?.[key], unit)}</dd>
      </div>`,
    )}
    <div title="Ways from one sequence of frames into another">
      <dt>Transitions</dt>
      <dd>${row ? row.transitions.toLocaleString('en') : '–'}</dd>
    </div>
  </dl>`
}

function Threshold() {
  const { rows, thresholds, at, smooth, job, jobName, error } = building
  const unit = graphs.table?.unit ?? ''
  const ceiling = graphs.table?.ceiling ?? 30
  const place = nearestTo(thresholds, at ?? ceiling)
  const value = thresholds[place] ?? ceiling
  const slide = (event: Event) => building.set({ at: thresholds[Number(valueOf(event))]! })
  return html`<section class="sweep boxed" aria-label="Threshold">
    <div class="compare-fields">
      <h3>Threshold</h3>
      <output class="sweep-value">${at === null ? 'the largest that is smooth' : `${shortNumber(value)} ${unit}`}</output>
      <${Check}
        name="Choose it for me" title=${`The largest, up to ${ceiling} ${unit}, at which transitions are smooth`}
        on=${at === null} set=${(on: boolean) => building.set({ at: on ? null : value })}
      />
      ${at !== null &&
      html`<${Check}
        name="Only smooth ones" title="Transitions at which a joint gets faster than 1.1 times as around it are left out"
        on=${smooth} set=${(on: boolean) => building.set({ smooth: on })}
      />`}
    </div>
    ${rows
      ? html`<div class="sweep-box">
            <${Curves} at=${place} />
            <input
              type="range" min="0" max=${thresholds.length - 1} step="1" value=${place} aria-label="Threshold"
              aria-valuetext=${`${shortNumber(value)} ${unit}`} onInput=${slide}
            />
          </div>
          <${Worth} at=${place} />`
      : !job &&
        html`<${Button} onClick=${() => void building.sweep()}>What is each threshold worth?<//>`}
    ${job > 0 && html`<${Progress} number=${job} name=${jobName} />`}
    <${Problem} text=${error} />
  </section>`
}

export function GraphForm() {
  useChanges(building)
  useEntered(
    () => building.enter(),
    () => building.leave(),
  )
  const { source, clips, kind, frames } = building
  const about = graphs.table?.kinds.find((each) => each.name === kind)?.about
  const going = building.jobName.startsWith('Building') && building.job > 0
  const selected = [['clips', plural(clips.length, 'selected clip')] as const]
  return html`<${BuildForm}
    name="New graph" kind="graph-build" button="Build the graph" ready=${!going && frames > 0}
    suggested=${graphs.again?.name ?? (labelIn(source) || 'graph')}
    taken=${graphs.table?.graphs.map(({ name }) => name) ?? []} build=${(name: string) => void building.build(name)}
  >
    <p class="dim">
      A motion graph knows from which frame the motion can go on in another clip unnoticed. So it makes walks of any length,
      along any path, out of captured pieces.
    </p>
    <div class="compare-fields">
      <${SourceChoice}
        now=${source} others=${clips.length ? selected : []} set=${(next: string) => building.set({ source: next })}
      />
      <${KindChoice} />
    </div>
    <p class="dim">${about ? `${kind}: ${about}. ` : ''}About ${frames.toLocaleString('en')} frames at 30 a second.</p>
    <${Threshold} />
  <//>`
}
