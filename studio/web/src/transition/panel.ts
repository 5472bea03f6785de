// panel.ts - "Transition", in the library's place: two clips, their cuts, the best cuts, and what is made of them with its
// figures. The viewer shows the made clip, and both clips as ghosts at the cut.
import { useEffect } from 'preact/hooks'
import type { Clip, Cut } from '../api'
import { shortNumber } from '../compare/readout'
import { html } from '../html'
import { Icon } from '../icons'
import { Check, Figures, KeepForm, MethodChoice, PanelHead, valueOf } from '../making/parts'
import { make } from '../making/opening'
import { useStore } from '../store'
import { useChanges } from '../timeline/view'
import { transition, type Side } from './session'
import { CutStrip } from './strip'
import './transition.css'

export { transition } from './session'

function choose(side: Side, id: number): void {
  const ids = transition.clips.map((clip) => clip.id)
  ids[side] = id
  void make('transition', ids)
}

function ClipChoice({ side, clips }: { side: Side; clips: Clip[] }) {
  const cards = useStore((state) => state.cards)
  const other = clips[1 - side]!.id
  return html`<select
    class="field"
    aria-label=${side === 0 ? 'From' : 'To'}
    title=${clips[side]!.name}
    value=${clips[side]!.id}
    onChange=${(event: Event) => choose(side, Number(valueOf(event)))}
  >
    ${cards
      .filter(({ id }) => id !== other)
      .map(({ id, name }) => html`<option key=${id} value=${id} selected=${id === clips[side]!.id}>${name}</option>`)}
  </select>`
}

function FrameField({ side, clip }: { side: Side; clip: Clip }) {
  const set = (event: Event) => {
    const frame = (event.currentTarget as HTMLInputElement).valueAsNumber
    if (Number.isInteger(frame) && frame >= 0 && frame < clip.frames) transition.move(side, frame)
  }
  const at = transition.at[side]
  return html`<input
      class="field"
      type="number"
      min="0"
      max=${clip.frames - 1}
      aria-label=${`Frame of ${clip.name}`}
      value=${at}
      onInput=${set}
    />
    <span class="dim">${(at / clip.fps).toFixed(2)} s</span>`
}

function ClipSide({ side, clips }: { side: Side; clips: Clip[] }) {
  return html`<div class="cut-side">
    <div class="cut-row">
      <i class=${`swatch of-clip-${side + 1}`} aria-hidden="true"></i>
      <${ClipChoice} side=${side} clips=${clips} />
      <${FrameField} side=${side} clip=${clips[side]} />
    </div>
    <${CutStrip} side=${side} clip=${clips[side]} />
  </div>`
}

function costOf(cost: number, unit: string): string {
  return unit === 'cm2' ? `${shortNumber(Math.sqrt(Math.max(0, cost)))} cm` : shortNumber(cost)
}

function CutRow({ cut, unit, worst }: { cut: Cut; unit: string; worst: number }) {
  const [i, j] = transition.at
  const now = cut.a === i && cut.b === j
  const share = worst > 0 ? Math.sqrt(cut.cost / worst) : 0
  return html`<li>
    <button
      type="button"
      class=${`cut-item${now ? ' is-now' : ''}`}
      aria-pressed=${String(now)}
      onClick=${() => transition.takeCut(cut)}
    >
      <span class="cut-frames"><b>${cut.a}</b> → <b>${cut.b}</b></span>
      <span class="bar" aria-hidden="true"><i style=${{ width: `${100 * share}%` }}></i></span>
      <span class="number" title=${unit === 'cm2' ? `${shortNumber(cut.cost)} cm²` : ''}>${costOf(cut.cost, unit)}</span>
    </button>
  </li>`
}

function NoCuts() {
  const { cuts, near } = transition
  if (!cuts) return null
  const none = near ? 'There is none near these frames.' : 'There is no room for a transition of this length.'
  if (cuts.cheapest === null) return html`<p class="dim">${none}</p>`
  const limit = cuts.below === null ? '' : ` under ${costOf(cuts.below, cuts.unit)}`
  return html`<p class="dim">No cut${limit}; the best costs ${costOf(cuts.cheapest, cuts.unit)}.</p>`
}

function BestCuts() {
  const { cuts, cutsError, near, all } = transition
  const list = cuts?.cuts ?? []
  const worst = list.reduce((most, { cost }) => Math.max(most, cost), 0)
  return html`<section class="cut-best" aria-label="Best cuts">
    <div class="cut-row">
      <h3>Best cuts</h3>
      <span class="making-space"></span>
      <${Check}
        name="near these frames"
        title="Only within half a second of both cuts"
        on=${near}
        set=${(on: boolean) => transition.setSeek({ near: on })}
      />
      <${Check}
        name="at any cost"
        title="Also those that would be seen"
        on=${all}
        set=${(on: boolean) => transition.setSeek({ all: on })}
      />
    </div>
    ${cutsError && html`<p class="making-error" role="alert">${cutsError}</p>`}
    ${!cuts && !cutsError && html`<p class="dim" role="status">Seeking…</p>`}
    ${cuts && list.length === 0 && html`<${NoCuts} />`}
    <ol class="cut-list" tabindex="0" aria-label="Cuts, the best first">
      ${list.map((cut) => html`<${CutRow} key=${`${cut.a} ${cut.b}`} cut=${cut} unit=${cuts!.unit} worst=${worst} />`)}
    </ol>
  </section>`
}

function HalfWidth() {
  const { settings, mostHalf, clips } = transition
  const { half } = settings
  return html`<label class="making-range">
    <span>Half-width</span>
    <input
      type="range"
      min="1"
      max=${Math.max(mostHalf, half)}
      step="1"
      value=${half}
      aria-valuetext=${`${half} frames`}
      title="Frames on each side of the cut that are blended"
      onInput=${(event: Event) => transition.set({ half: Number(valueOf(event)) })}
      onChange=${() => void transition.seek()}
    />
    <output>${half} <span class="dim">${(half / (clips[0]?.fps ?? 30)).toFixed(2)} s</span></output>
  </label>`
}

function Working({ clips }: { clips: Clip[] }) {
  useChanges(transition)
  const { settings, made, busy, error, kept } = transition
  return html`<${ClipSide} side=${0} clips=${clips} />
    <${ClipSide} side=${1} clips=${clips} />
    <div class="compare-fields">
      <${HalfWidth} />
      <${MethodChoice} method=${settings.method} set=${(method: string) => transition.set({ method })} />
      <${Check}
        name="Feet held"
        title="Planted feet stay where they are planted"
        on=${settings.clean}
        set=${(clean: boolean) => transition.set({ clean })}
      />
    </div>
    <${Figures} facts=${made?.facts ?? null} busy=${busy} />
    ${error && html`<p class="making-error" role="alert">${error}</p>`}
    <${BestCuts} />
    <${KeepForm}
      base=${transition.newName}
      kept=${kept}
      ready=${made !== null && !error}
      keep=${(name: string) => transition.keep(name)}
    />`
}

/** Escape leaves a field for the first cut; the next one leaves the panel. */
function leaveField(event: KeyboardEvent): void {
  const field = event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement
  if (event.key !== 'Escape' || !field) return
  event.preventDefault()
  ;(event.currentTarget as HTMLElement).querySelector<HTMLElement>('[role=slider]')?.focus()
}

export function TransitionPanel() {
  useChanges(transition)
  const { clips } = transition
  useEffect(() => () => transition.leave(), [])
  const swap = () => void make('transition', [clips[1]!.id, clips[0]!.id])
  return html`<section class="compare making" aria-label="Transition" onKeyDown=${leaveField}>
    <${PanelHead} title="Transition" hint="T">
      <button type="button" class="button quiet" title="The other way round" onClick=${swap}>
        <${Icon} name="swap" />Swap
      </button>
    <//>
    ${clips.length === 2 && html`<${Working} clips=${clips} />`}
  </section>`
}
