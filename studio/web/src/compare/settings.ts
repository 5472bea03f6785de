// settings.ts - which clips are compared, by which metric, and what counts how much. Every change is seen at once.
import { useEffect, useState } from 'preact/hooks'
import { api, type Clip, type Metric, type Metrics } from '../api'
import { attempt } from '../attempt'
import { Choice, IconButton, Select, valueOf, WholeInput } from '../controls'
import { html } from '../html'
import { clipOptions } from '../names'
import { compareClips } from '../opening'
import { change, getState, useStore, type Compare } from '../store'
import { t } from '../words/words'

const mostPairs = 1000
const mostWindow = 31

let known: Metrics | null = null

/** The table of metrics never changes while the server runs. */
function useMetrics(): Metrics | null {
  const [metrics, set] = useState(known)
  useEffect(() => {
    if (known) return
    void attempt(async () => {
      known = await api.metrics()
      set(known)
    })
  }, [])
  return metrics
}

function setCompare(fields: Partial<Compare>): void {
  const { compare } = getState()
  if (compare) change({ compare: { ...compare, ...fields } })
}

function ClipChoice({ side, clips }: { side: 0 | 1; clips: [Clip, Clip] }) {
  const cards = useStore((state) => state.cards)
  const other = clips[1 - side].id
  const choose = (id: string) => void compareClips(side === 0 ? [Number(id), other] : [other, Number(id)])
  return html`<${Select}
    aria-label=${side === 0 ? t('First clip, down') : t('Second clip, across')} title=${clips[side].name} value=${clips[side].id}
    options=${clipOptions(cards, (id) => id === other)} set=${choose}
  />`
}

export function ClipChoices({ clips }: { clips: [Clip, Clip] }) {
  const swap = () => void compareClips([clips[1].id, clips[0].id])
  return html`<div class="compare-clips" role="group" aria-label="Clips">
    <span class="dim" aria-hidden="true" title="Down the grid">↓</span>
    <${ClipChoice} side=${0} clips=${clips} />
    <${IconButton} icon="swap" name="Swap the clips" onClick=${swap} />
    <span class="dim" aria-hidden="true" title="Across the grid">→</span>
    <${ClipChoice} side=${1} clips=${clips} />
  </div>`
}

function weightsOf(metric: Metric, how: Compare): number[] {
  return metric.attributes.map((_, i) => how.attributes[i] ?? 1)
}

/** How much each term counts; one of them has to. */
function Attributes({ metric, how }: { metric: Metric; how: Compare }) {
  const weights = weightsOf(metric, how)
  const set = (i: number, event: Event) => {
    const next = weights.map((each, k) => (k === i ? Number(valueOf(event)) : each))
    if (next.some((each) => each > 0)) setCompare({ attributes: next })
    else (event.currentTarget as HTMLInputElement).value = String(weights[i])
  }
  return html`<div class="compare-weights" role="group" aria-label="Weights of the terms">
    ${metric.attributes.map(
      (name, i) => html`<label key=${name}>
        <span>${name.replaceAll('_', ' ')}</span><output>${weights[i].toFixed(2)}</output>
        <input
          type="range" aria-label=${t`${name.replaceAll('_', ' ')}, weight`} min="0" max="1" step="0.05" value=${weights[i]}
          onInput=${(event: Event) => set(i, event)}
        />
      </label>`,
    )}
  </div>`
}

type Rows = readonly { name: string; description: string }[]

/** A row of one of the program's tables. */
function RowChoice({ name, rows, value, set }: { name: string; rows: Rows; value: string; set: (row: string) => void }) {
  const about = rows.find((row) => row.name === value)?.description
  const options = rows.map((row) => [row.name, row.name, row.description] as const)
  return html`<${Choice} name=${name} title=${about} value=${value} options=${options} set=${set} />`
}

function WindowField({ metric, how }: { metric: Metric; how: Compare }) {
  const set = (frames: number) => setCompare({ window: frames === metric.window ? 0 : frames })
  return html`<label class="compare-field flex-row">
    <span>Window</span>
    <${WholeInput}
      title="Frames around each frame that are compared" least=${metric.name === 'curvature' ? 2 : 1} most=${mostWindow}
      value=${how.window || metric.window} set=${set}
    />
  </label>`
}

/** How many similar pairs are shown, and which. */
export function PairChoice({ how }: { how: Compare }) {
  return html`<div class="compare-field flex-row">
    <label for="compare-pairs">Pairs</label>
    <${WholeInput}
      id="compare-pairs" title="How many of the most similar pairs are shown as dots" least=${1} most=${mostPairs}
      value=${how.count} set=${(count: number) => setCompare({ count })}
    />
    <${Select}
      aria-label="Which pairs" title="The bottoms of valleys lie apart; the best of all often lie side by side"
      value=${how.minima ? 'valleys' : 'best'} options=${[['valleys', t('valleys')], ['best', t('best')]]}
      set=${(which: string) => setCompare({ minima: which === 'valleys' })}
    />
  </div>`
}

export function Settings({ how }: { how: Compare }) {
  const metrics = useMetrics()
  const metric = metrics?.metrics.find(({ name }) => name === how.metric)
  return html`<div class="compare-settings">
    ${metrics &&
    metric &&
    html`<div class="compare-fields">
        <${RowChoice}
          name="Metric" rows=${metrics.metrics} value=${how.metric}
          set=${(name: string) => setCompare({ metric: name, attributes: [], window: 0 })}
        />
        <${RowChoice}
          name="Joints" rows=${metrics.joints} value=${how.joints} set=${(joints: string) => setCompare({ joints })}
        />
        ${metric.window > 1 && html`<${WindowField} key=${metric.name} metric=${metric} how=${how} />`}
      </div>
      ${metric.attributes.length > 0 && html`<${Attributes} metric=${metric} how=${how} />`}`}
  </div>`
}
