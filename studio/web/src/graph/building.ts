// building.ts - a new motion graph: of which clips, of which kind, at which threshold with what that is worth, and its name.
import { api, type GraphSettings, type GraphStats, type SweepResult } from '../api'
import { useChanges, useEntered } from '../changes'
import { shortNumber } from '../compare/readout'
import { Button, Check, Choice, useLabels, valueOf } from '../controls'
import { proposeJoined } from '../doors/propose'
import { html } from '../html'
import { Progress } from '../jobs'
import { BuildForm, Problem } from '../making/parts'
import { RowNumber } from '../making/row_field'
import { Session } from '../making/session'
import { titleOf } from '../names'
import { rowOf } from '../operations'
import { getState, useStore } from '../store'
import { freeName } from '../timeline/segment'
import { plural, t } from '../words/words'
import { walk } from './path_session'
import { graphs } from './session'

// A new motion graph: of which clips, of which kind, and at which threshold. What each threshold is worth is measured
// before one is chosen.

// Which thresholds are measured, and the curves of what they are worth.

const count = 25
const least = 1 / 400
const most = 4

/** Two figures are enough to say one. */
function twoFigures(value: number): number {
  return Number(value.toPrecision(2))
}

/** Rising by the same factor, from the four-hundredth of the ceiling to four times of it. */
export function thresholdsUpTo(ceiling: number): number[] {
  const all = Array.from({ length: count }, (_, i) => {
    return twoFigures(ceiling * least * (most / least) ** (i / (count - 1)))
  })
  return [...new Set(all)]
}

/** What is read from a row: in per cent or seconds. */
export interface Measure {
  key: 'scc_percent' | 'connectivity_percent' | 'mean_transition_s'
  name: string
  title: string
  unit: string
}

export const measures: readonly Measure[] = [
  {
    key: 'scc_percent',
    name: t('Reachable frames'),
    title: t('Share of the frames that can all reach each other: walks and steering stay among them'),
    unit: '%',
  },
  {
    key: 'connectivity_percent',
    name: t('Connectivity'),
    title: t('Share of all pairs of frames of which the second can be reached from the first'),
    unit: '%',
  },
  {
    key: 'mean_transition_s',
    name: t('Transition time'),
    title: t('How long it takes from a frame to another that can be reached, on the mean'),
    unit: 's',
  },
]

export function valueText(value: number | null | undefined, unit: string): string {
  if (value === null || value === undefined || Number.isNaN(value)) return '–'
  return `${value.toFixed(value >= 10 ? 0 : value >= 1 ? 1 : 2)} ${unit}`
}

/** Points of a curve in a box of 100 by 100, "x,y x,y"; gaps where nothing is known. */
export function curvePoints(rows: readonly GraphStats[], key: Measure['key']): string {
  const known = rows.map((row) => row[key])
  const top = key === 'mean_transition_s' ? Math.max(0.1, ...known.map((value) => value ?? 0)) : 100
  return known
    .flatMap((value, i) => {
      const x = (100 * i) / Math.max(1, rows.length - 1)
      return value === null ? [] : [`${x.toFixed(2)},${(100 - (96 * value) / top).toFixed(2)}`]
    })
    .join(' ')
}

/** The measured threshold that is nearest. */
export function nearestTo(thresholds: readonly number[], value: number): number {
  let best = 0
  thresholds.forEach((each, i) => {
    if (Math.abs(Math.log(each / value)) < Math.abs(Math.log(thresholds[best]! / value))) best = i
  })
  return best
}

/** More frames at the graph's rate than this are swept only if the user confirms. */
const quickFrames: Record<string, number> = { standard: 12000, connected: 1000 }
const graphFps = 30

function usualDwell(): number {
  return Number(rowOf('graph build', 'dwell')?.default ?? 0)
}

class Building extends Session {
  /** "some" that go together, "all", "clips" that were selected, or "label NAME". */
  source = 'some'
  kind = 'standard'
  mu = 1
  /** Null: the default. */
  dwell_s: number | null = null
  /** Null: the largest that is smooth. */
  at: number | null = null
  smooth = true
  thresholds: number[] = []
  rows: GraphStats[] | null = null
  /** What the rows are of. */
  private swept = ''

  enter(): void {
    const { clips, again } = graphs
    if (again) Object.assign(this, { kind: again.kind, mu: again.settings.mu ?? 1, dwell_s: again.settings.dwell_s })
    if (clips.length) this.source = 'clips'
    else if (this.source === 'clips') this.source = 'some'
    if (this.source === 'some' && this.some.length < 2) this.source = 'all'
    this.refresh()
    if (again) this.set({ at: again.settings.threshold, smooth: again.settings.only_smooth })
  }

  get clips(): readonly number[] {
    return graphs.clips
  }

  /** Some to begin with: a graph of all clips takes long where there are many. */
  get some(): readonly number[] {
    return proposeJoined(getState().cards).map(({ id }) => id)
  }

  /** That of the operation, unless another one was set. */
  get dwell(): number {
    return this.dwell_s ?? usualDwell()
  }

  private get settings(): GraphSettings {
    const { source, clips, kind, mu, dwell } = this
    const label = labelIn(source)
    return {
      kind,
      ...(label && { label }),
      ...(source === 'clips' && { clips: [...clips] }),
      ...(source === 'some' && { clips: [...this.some] }),
      ...(dwell !== usualDwell() && { dwell }),
      ...(kind === 'connected' && mu !== 1 && { mu }),
    }
  }

  /** Of those that are chosen, about. */
  get frames(): number {
    const { source, clips } = this
    const label = labelIn(source)
    const chosen = this.some
    const some = getState().cards.filter(({ id, labels }) => {
      if (label) return labels.includes(label)
      return source === 'all' || (source === 'some' ? chosen : clips).includes(id)
    })
    return Math.round(graphFps * some.reduce((sum, { seconds }) => sum + seconds, 0))
  }

  set(fields: Partial<Pick<Building, 'source' | 'kind' | 'mu' | 'dwell_s' | 'at' | 'smooth'>>): void {
    Object.assign(this, fields)
    this.refresh()
  }

  /** Rows of other clips, or another kind, are of no use; new ones are measured unasked where that is quick. */
  private refresh(): void {
    const now = JSON.stringify(this.settings)
    if (this.swept !== now) {
      this.rows = null
      this.at = null
      if (this.frames <= (quickFrames[this.kind] ?? 0)) void this.sweep()
    }
    this.tell()
  }

  /** First what is quick, then the times as well. */
  async sweep(): Promise<void> {
    const { settings } = this
    this.swept = JSON.stringify(settings)
    this.error = ''
    this.thresholds = thresholdsUpTo(graphs.table?.ceiling ?? 30)
    await this.trying(async () => {
      for (const quick of [true, false]) {
        const body = { ...settings, thresholds: this.thresholds, quick }
        const result = await this.runJob<SweepResult>(t('Measuring thresholds'), () => api.sweepGraph(body))
        if (!result) return
        this.rows = result.sweep
        this.tell()
      }
    })
  }

  async build(name: string): Promise<void> {
    const { settings, at, smooth } = this
    await graphs.build({ ...settings, name, ...(at !== null && { threshold: at, ...(smooth && { only_smooth: true }) }) })
  }

  /** The form is gone. */
  leave(): void {
    if (this.job) this.swept = ''
    this.dropJob()
  }
}

export const building = new Building()

/** A new graph of these clips, and then a walk through actions of them. If it is not built, the form is there for it. */
export async function buildForActions(labels: readonly string[], clips: readonly number[]): Promise<void> {
  await graphs.begin(clips)
  const taken = new Set(graphs.table?.graphs.map((each) => each.name))
  const name = taken.has(labels[0]!) ? freeName(labels[0]!, taken) : labels[0]!
  // One alone would be a captured one; two are a walk.
  walk.plan(labels.length > 1 ? labels : [labels[0]!, labels[0]!])
  await graphs.build({ kind: 'standard', name, clips: [...clips] })
  if (!graphs.graph) graphs.showForm(false)
}

interface SourceProps {
  /** "label walk", or what else: "all", "clips". */
  now: string
  /** Before all clips and those with a label. */
  others: readonly (readonly [value: string, text: string])[]
  set: (source: string) => void
}

/** Of the values of the choice that stand for a label. */
const labelPrefix = 'label '

/** The label that a value of the choice stands for; '': none. */
export function labelIn(source: string): string {
  return source.startsWith(labelPrefix) ? source.slice(labelPrefix.length) : ''
}

/** Which clips something is built of. */
export function SourceChoice({ now, others, set }: SourceProps) {
  const group = { group: t('Clips with a label'), options: useLabels().map((label) => [`${labelPrefix}${label}`, label] as const) }
  return html`<${Choice} name="Of" value=${now} options=${[...others, ['all', t('all clips')], group]} set=${set} />`
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
      <output class="sweep-value">${at === null ? t('the largest that is smooth') : `${shortNumber(value)} ${unit}`}</output>
      <${Check}
        name="Choose it for me" title=${t`The largest, up to ${ceiling} ${unit}, at which transitions are smooth`}
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
  const going = graphs.job > 0
  const selected = clips.length ? [['clips', plural(clips.length, 'selected clip')] as const] : []
  const { some } = building
  const proposed = some.length > 1 ? [['some', t`${some.length} that go together`] as const] : []
  const names = useStore(({ cards }) => cards).flatMap((card) => (some.includes(card.id) ? titleOf(card) : []))
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
        now=${source} others=${[...selected, ...proposed]} set=${(next: string) => building.set({ source: next })}
      />
      <${KindChoice} />
      <${RowNumber}
        operation="graph build" row="dwell" name="Dwell" value=${building.dwell} step=${0.1}
        set=${(dwell_s: number) => building.set({ dwell_s })}
      />
    </div>
    ${source === 'some' && html`<p class="dim">${names.join(', ')}.</p>`}
    <p class="dim">${about ? `${kind}: ${about}. ` : ''}About ${frames.toLocaleString('en')} frames at 30 a second.</p>
    <${Threshold} />
  <//>`
}
