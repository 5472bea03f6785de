// panel.ts - "Transition", in the library's place: two clips, their cuts, the best cuts, and what is made of them with its
// figures. The viewer shows the made clip, and both clips as ghosts at the cut.
import { api, type Clip, type Cut } from '../api'
import { useChanges } from '../changes'
import { lengthText, shortNumber } from '../compare/readout'
import { Button, Check, dragging, hasModifier, leaveField, Range, Select, shareUnder, takeEvent } from '../controls'
import { WholeInput } from '../controls'
import { html } from '../html'
import { FeetHeld, Figures, KeepForm, MethodChoice, PanelHead, Problem } from '../making/parts'
import { useSession } from '../making/session'
import { clipOptions, titleOf } from '../names'
import { make } from '../opening'
import { useStore } from '../store'
import { frameSteps } from '../timeline/segment_bar'
import { plural, t } from '../words/words'
import { transition, type Side } from './session'
import './transition.css'

// A clip as a strip with its cut: what of it stays is bright, what is left out is dim, and what is blended is marked around
// the handle.

function pressKey(side: Side, event: KeyboardEvent): void {
  const step = frameSteps[event.key]
  if (!step || hasModifier(event)) return
  transition.move(side, transition.at[side] + step * (event.shiftKey ? 10 : 1))
  takeEvent(event)
}

const percent = (share: number) => `${100 * Math.max(0, Math.min(1, share))}%`

function CutStrip({ side, clip }: { side: Side; clip: Clip }) {
  useChanges(transition)
  const version = useStore((state) => (state.strips.get(clip.id) ?? 0) + state.allStrips)
  const at = transition.at[side]
  const whole = Math.max(1, clip.frames - 1)
  const half = (transition.settings.half * clip.fps) / (transition.clips[0]?.fps ?? clip.fps)
  const drag = dragging((event, strip) => transition.move(side, shareUnder(strip, event)[0] * whole), '[role=slider]')
  const left = side === 0 ? at / whole : 0
  const right = side === 0 ? 1 : at / whole
  return html`<div class=${`cut-strip boxed of-clip-${side + 1}`} ...${drag}>
    <img src=${api.stripAddress(clip.id, version)} alt="" draggable=${false} />
    <i class="cut-away" style=${{ left: percent(left), width: percent(right - left) }}></i>
    <i class="cut-blended" style=${{ left: percent((at - half) / whole), right: percent(1 - (at + half) / whole) }}></i>
    <div
      class="cut-handle" role="slider" tabindex="0" aria-label=${t`Frame of ${clip.name} at the cut`} aria-valuemin="0"
      aria-valuemax=${clip.frames - 1} aria-valuenow=${at}
      aria-valuetext=${t`frame ${at}, ${(at / clip.fps).toFixed(2)} s`}
      title="Drag, or use the arrow keys; with Shift ten frames" style=${{ left: percent(at / whole) }}
      onKeyDown=${(event: KeyboardEvent) => pressKey(side, event)}
    ></div>
  </div>`
}

export { transition } from './session'

function choose(side: Side, id: number): void {
  const ids = transition.clips.map((clip) => clip.id)
  ids[side] = id
  void make('transition', ids)
}

function ClipChoice({ side, clips }: { side: Side; clips: Clip[] }) {
  const cards = useStore((state) => state.cards)
  const other = clips[1 - side]!.id
  return html`<${Select}
    aria-label=${side === 0 ? t('From') : t('To')} title=${titleOf(clips[side]!)} value=${clips[side]!.id}
    options=${clipOptions(cards, (id) => id === other)}
    set=${(id: string) => choose(side, Number(id))}
  />`
}

function FrameField({ side, clip }: { side: Side; clip: Clip }) {
  const at = transition.at[side]
  return html`<${WholeInput}
      aria-label=${t`Frame of ${clip.name}`} least=${0} most=${clip.frames - 1} value=${at}
      set=${(frame: number) => transition.move(side, frame)}
    />
    <span class="dim">${(at / clip.fps).toFixed(2)} s</span>`
}

function ClipSide({ side, clips }: { side: Side; clips: Clip[] }) {
  return html`<div class="cut-side">
    <div class="cut-row flex-row">
      <i class=${`swatch of-clip-${side + 1}`} aria-hidden="true"></i>
      <${ClipChoice} side=${side} clips=${clips} />
      <${FrameField} side=${side} clip=${clips[side]} />
    </div>
    <${CutStrip} side=${side} clip=${clips[side]} />
  </div>`
}

function CutRow({ cut, unit, worst }: { cut: Cut; unit: string; worst: number }) {
  const [i, j] = transition.at
  const now = cut.a === i && cut.b === j
  const share = worst > 0 ? Math.sqrt(cut.cost / worst) : 0
  return html`<li>
    <button
      type="button" class=${`cut-item${now ? ' is-now' : ''}`} aria-pressed=${String(now)}
      onClick=${() => transition.takeCut(cut)}
    >
      <span class="cut-frames"><b>${cut.a}</b> → <b>${cut.b}</b></span>
      <span class="bar" aria-hidden="true"><i style=${{ width: `${100 * share}%` }}></i></span>
      <span class="number" title=${unit === 'cm2' ? `${shortNumber(cut.cost)} cm²` : ''}>${lengthText(cut.cost, unit)}</span>
    </button>
  </li>`
}

function NoCuts() {
  const { cuts, near } = transition
  if (!cuts) return null
  const none = near ? t('There are no cuts near these frames.') : t('There is no room for a transition of this length.')
  if (cuts.cheapest === null) return html`<p class="dim">${none}</p>`
  const limit = cuts.below === null ? '' : t` under ${lengthText(cuts.below, cuts.unit)}`
  return html`<p class="dim">No cut${limit}; the best costs ${lengthText(cuts.cheapest, cuts.unit)}.</p>`
}

/** What is wrong with the best of them, if anything is. */
function PoorCuts() {
  const { cuts, all } = transition
  if (!cuts || cuts.cuts.length === 0 || all) return null
  return html`${cuts.over_limit && cuts.below !== null && html`<p class="dim" role="status">
      The best costs more than ${lengthText(cuts.below, cuts.unit)}: look at it before you keep it.
    </p>`}
    ${cuts.skips && html`<p class="dim" role="status">No cut leaves what both clips are about: these skip some of it.</p>`}`
}

function BestCuts() {
  const { cuts, cutsError, near, all } = transition
  const list = cuts?.cuts ?? []
  const worst = list.reduce((most, { cost }) => Math.max(most, cost), 0)
  return html`<section class="cut-best flex-column" aria-label="Best cuts">
    <div class="cut-row flex-row">
      <h3>Best cuts</h3>
      <span class="making-space"></span>
      <${Check}
        name="near these frames" title="Only within half a second of both cuts" on=${near}
        set=${(on: boolean) => transition.setSeek({ near: on })}
      />
      <${Check}
        name="include poor cuts" title="Also those that would be seen" on=${all}
        set=${(on: boolean) => transition.setSeek({ all: on })}
      />
    </div>
    <${Problem} text=${cutsError} />
    ${!cuts && !cutsError && html`<p class="dim" role="status">Seeking…</p>`}
    ${cuts && list.length === 0 && html`<${NoCuts} />`}
    <${PoorCuts} />
    <ol class="cut-list" tabindex="0" aria-label="Cuts, the best first">
      ${list.map((cut) => html`<${CutRow} key=${`${cut.a} ${cut.b}`} cut=${cut} unit=${cuts!.unit} worst=${worst} />`)}
    </ol>
  </section>`
}

function BlendLength() {
  const { settings, mostHalf, clips } = transition
  const { half } = settings
  return html`<${Range}
    name="Blend length" title="Frames on each side of the cut that are blended" min="1" max=${Math.max(mostHalf, half)}
    step="1" value=${half} aria-valuetext=${plural(half, 'frame')} set=${(frames: number) => transition.set({ half: frames })}
    onChange=${() => void transition.seek()}
  >${half} <span class="dim">${(half / (clips[0]?.fps ?? 30)).toFixed(2)} s</span><//>`
}

function Working({ clips }: { clips: Clip[] }) {
  const { settings, made, busy, error, kept } = transition
  return html`<${ClipSide} side=${0} clips=${clips} />
    <${ClipSide} side=${1} clips=${clips} />
    <div class="compare-fields">
      <${BlendLength} />
      <${MethodChoice} method=${settings.method} set=${(method: string) => transition.set({ method })} />
      <${FeetHeld} on=${settings.clean} set=${(clean: boolean) => transition.set({ clean })} />
    </div>
    <${Figures} facts=${made?.facts ?? null} busy=${busy} />
    <${Problem} text=${error} />
    <${BestCuts} />
    <${KeepForm}
      base=${transition.newName} kept=${kept} ready=${made !== null && !error}
      keep=${(name: string) => transition.keep(name)}
    />`
}

const leave = leaveField('[role=slider]')

export function Panel() {
  useSession(transition)
  const { clips } = transition
  const swap = () => void make('transition', [clips[1]!.id, clips[0]!.id])
  return html`<section class="compare flex-column making" aria-label="Transition" onKeyDown=${leave}>
    <${PanelHead} title="Transition" hint="T">
      <${Button} icon="swap" kind="quiet" title="The other way round" onClick=${swap}>Swap<//>
    <//>
    ${clips.length === 2 && html`<${Working} clips=${clips} />`}
  </section>`
}
