// build_form.ts - a new motion graph: its clips, its kind, its threshold with what that is worth, and its name.
import { useEffect, useState } from 'preact/hooks'
import { plural } from '../actions'
import { shortNumber } from '../compare/readout'
import { html } from '../html'
import { Icon } from '../icons'
import { Check, valueOf } from '../making/parts'
import { useStore } from '../store'
import { useChanges } from '../timeline/view'
import { building, type Of } from './building'
import { Progress } from './job'
import { graphs } from './session'
import { curvePoints, measures, nearestTo, valueText } from './sweep_data'

function useLabels(): string[] {
  const cards = useStore((state) => state.cards)
  return [...new Set(cards.flatMap(({ labels }) => labels))].sort()
}

function ClipChoice() {
  const labels = useLabels()
  const { of } = building
  const chosen = graphs.clips
  const now = of.what === 'label' ? `label ${of.label}` : of.what
  const choose = (event: Event) => {
    const value = valueOf(event)
    const label = value.startsWith('label ') ? value.slice(6) : ''
    const next: Of = label ? { what: 'label', label } : value === 'clips' ? { what: 'clips', clips: chosen } : { what: 'all' }
    building.set({ of: next })
  }
  const option = (value: string, text: string) =>
    html`<option key=${value} value=${value} selected=${value === now}>${text}</option>`
  return html`<label class="compare-field">
    <span>Of</span>
    <select class="field" value=${now} onChange=${choose}>
      ${chosen.length > 0 && option('clips', plural(chosen.length, 'selected clip'))}
      ${option('all', 'all clips')}
      <optgroup label="Clips with a label">${labels.map((label) => option(`label ${label}`, label))}</optgroup>
    </select>
  </label>`
}

function KindChoice() {
  const kinds = graphs.table?.kinds ?? []
  return html`<label class="compare-field">
      <span>Kind</span>
      <select
        class="field" value=${building.kind} onChange=${(event: Event) => building.set({ kind: valueOf(event) })}
      >
        ${kinds.map(({ name }) => html`<option key=${name} value=${name} selected=${name === building.kind}>${name}</option>`)}
      </select>
    </label>
    ${building.kind === 'connected' &&
    html`<label class="compare-field" title="1 keeps the best ways, 5 makes small graphs with somewhat longer ones">
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
  return html`<section class="sweep" aria-label="Threshold">
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
        html`<button type="button" class="button" onClick=${() => void building.sweep()}>
          What is each threshold worth?
        </button>`}
    ${job > 0 && html`<${Progress} number=${job} name=${jobName} />`}
    ${error && html`<p class="making-error" role="alert">${error}</p>`}
  </section>`
}

export function BuildForm() {
  useChanges(building)
  const writable = useStore((state) => state.about?.library.writable ?? true)
  const [name, setName] = useState<string | null>(null)
  useEffect(() => {
    building.enter()
    return () => building.leave()
  }, [])
  const { of, kind, frames } = building
  const chosen = (name ?? graphs.again?.name ?? (of.what === 'label' ? of.label : 'graph')).trim()
  const about = graphs.table?.kinds.find((each) => each.name === kind)?.about
  const replaces = graphs.table?.graphs.some((row) => row.name === chosen)
  const going = building.jobName.startsWith('Building') && building.job > 0
  const build = (event: Event) => {
    event.preventDefault()
    if (chosen) void building.build(chosen)
  }
  return html`<form class="graph-build" aria-label="New graph" onSubmit=${build}>
    <p class="dim">
      A motion graph knows from which frame the motion can go on in another clip unnoticed. So it makes walks of any length,
      along any path, out of captured pieces.
    </p>
    <div class="compare-fields"><${ClipChoice} /><${KindChoice} /></div>
    <p class="dim">${about ? `${kind}: ${about}. ` : ''}About ${frames.toLocaleString('en')} frames at 30 a second.</p>
    <${Threshold} />
    <div class="compare-cut">
      <label class="compare-field compare-name">
        <span>Name</span>
        <input
          class="field" autocomplete="off" spellcheck=${false} value=${name ?? chosen}
          onInput=${(event: Event) => setName(valueOf(event))}
        />
      </label>
      <button type="submit" class="button primary" disabled=${!writable || going || chosen === '' || frames === 0}>
        <${Icon} name="check" />Build the graph
      </button>
      ${replaces && html`<span class="dim">in place of the one of that name</span>`}
    </div>
  </form>`
}
