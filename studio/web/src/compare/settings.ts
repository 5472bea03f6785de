// settings.ts - which clips are compared, by which metric, and what counts how much. Every change is seen at once.
import { useEffect, useState } from 'preact/hooks'
import { api, type Clip, type Metric, type Metrics } from '../api'
import { attempt } from '../attempt'
import { html } from '../html'
import { Icon } from '../icons'
import { useStore, type Compare } from '../store'
import { compareClips, setCompare } from './opening'

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

function valueOf(event: Event): string {
  return (event.currentTarget as HTMLInputElement | HTMLSelectElement).value
}

/** A whole number in its limits, or null. */
function wholeOf(event: Event, least: number, most: number): number | null {
  const value = Number(valueOf(event))
  return Number.isInteger(value) && value >= least && value <= most ? value : null
}

function ClipChoice({ side, clips }: { side: 0 | 1; clips: [Clip, Clip] }) {
  const cards = useStore((state) => state.cards)
  const other = clips[1 - side]
  const choose = (event: Event) => {
    const id = Number(valueOf(event))
    void compareClips(side === 0 ? [id, other.id] : [other.id, id])
  }
  return html`<select
    class="field"
    aria-label=${side === 0 ? 'First clip, down' : 'Second clip, across'}
    title=${clips[side].name}
    value=${clips[side].id}
    onChange=${choose}
  >
    ${cards
      .filter(({ id }) => id !== other.id)
      .map(({ id, name }) => html`<option key=${id} value=${id} selected=${id === clips[side].id}>${name}</option>`)}
  </select>`
}

export function ClipChoices({ clips }: { clips: [Clip, Clip] }) {
  const swap = () => void compareClips([clips[1].id, clips[0].id])
  return html`<div class="compare-clips" role="group" aria-label="Clips">
    <span class="dim" aria-hidden="true" title="Down the grid">↓</span>
    <${ClipChoice} side=${0} clips=${clips} />
    <button type="button" class="button quiet icon" aria-label="Swap the clips" title="Swap the clips" onClick=${swap}>
      <${Icon} name="swap" />
    </button>
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
          type="range"
          aria-label=${`${name.replaceAll('_', ' ')}, weight`}
          min="0"
          max="1"
          step="0.05"
          value=${weights[i]}
          onInput=${(event: Event) => set(i, event)}
        />
      </label>`,
    )}
  </div>`
}

function MetricChoice({ metrics, how }: { metrics: Metrics; how: Compare }) {
  const choose = (event: Event) => setCompare({ metric: valueOf(event), attributes: [], window: 0 })
  const now = metrics.metrics.find(({ name }) => name === how.metric)
  return html`<label class="compare-field">
    <span>Metric</span>
    <select class="field" title=${now?.description} value=${how.metric} onChange=${choose}>
      ${metrics.metrics.map(
        ({ name, description }) => html`<option key=${name} value=${name} title=${description}>${name}</option>`,
      )}
    </select>
  </label>`
}

function JointChoice({ metrics, how }: { metrics: Metrics; how: Compare }) {
  const now = metrics.joints.find(({ name }) => name === how.joints)
  return html`<label class="compare-field">
    <span>Joints</span>
    <select
      class="field"
      title=${now?.description}
      value=${how.joints}
      onChange=${(event: Event) => setCompare({ joints: valueOf(event) })}
    >
      ${metrics.joints.map(
        ({ name, description }) => html`<option key=${name} value=${name} title=${description}>${name}</option>`,
      )}
    </select>
  </label>`
}

function WindowField({ metric, how }: { metric: Metric; how: Compare }) {
  const least = metric.name === 'curvature' ? 2 : 1
  const set = (event: Event) => {
    const frames = wholeOf(event, least, mostWindow)
    if (frames !== null) setCompare({ window: frames === metric.window ? 0 : frames })
  }
  return html`<label class="compare-field">
    <span>Window</span>
    <input
      class="field"
      type="number"
      min=${least}
      max=${mostWindow}
      title="Frames around each frame that are compared"
      value=${how.window || metric.window}
      onInput=${set}
    />
  </label>`
}

/** How many similar pairs are shown, and which. */
export function PairChoice({ how }: { how: Compare }) {
  const set = (event: Event) => {
    const count = wholeOf(event, 1, mostPairs)
    if (count !== null) setCompare({ count })
  }
  return html`<div class="compare-field">
    <label for="compare-pairs">Pairs</label>
    <input
      id="compare-pairs"
      class="field"
      type="number"
      min="1"
      max=${mostPairs}
      title="How many of the most similar pairs are shown as dots"
      value=${how.count}
      onInput=${set}
    />
    <select
      class="field"
      aria-label="Which pairs"
      title="The bottoms of valleys lie apart; the best of all often lie side by side"
      value=${how.minima ? 'valleys' : 'best'}
      onChange=${(event: Event) => setCompare({ minima: valueOf(event) === 'valleys' })}
    >
      <option value="valleys">valleys</option>
      <option value="best">best</option>
    </select>
  </div>`
}

export function Settings({ how }: { how: Compare }) {
  const metrics = useMetrics()
  const metric = metrics?.metrics.find(({ name }) => name === how.metric)
  return html`<div class="compare-settings">
    ${metrics &&
    metric &&
    html`<div class="compare-fields">
        <${MetricChoice} metrics=${metrics} how=${how} />
        <${JointChoice} metrics=${metrics} how=${how} />
        ${metric.window > 1 && html`<${WindowField} key=${metric.name} metric=${metric} how=${how} />`}
      </div>
      ${metric.attributes.length > 0 && html`<${Attributes} metric=${metric} how=${how} />`}`}
  </div>`
}
