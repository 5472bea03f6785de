// panel.ts - "Transition", in the library's place: two clips, their cuts, the best cuts, and what is made of them with its
// figures. The viewer shows the made clip, and both clips as ghosts at the cut.
import type { Clip, Cut } from '../api'
import { useChanges } from '../changes'
import { lengthText } from '../compare/readout'
import { Button, Check, dragging, leaveField, Range, Select, shareUnder } from '../controls'
import { WholeInput } from '../controls'
import { html } from '../html'
import { Away, ClipStrip, FoundRow, percent, StripHandle, wholeOf } from '../making/clip_strip'
import { FeetHeld, Figures, KeepForm, MethodChoice, PanelHead, Problem } from '../making/parts'
import { useSession } from '../making/session'
import { clipOptions, titleOf } from '../names'
import { make } from '../opening'
import { useStore } from '../store'
import { plural, t } from '../words/words'
import { transition, type Side } from './session'
import './transition.css'

// A clip as a strip with its cut: what of it stays is bright, what is left out is dim, and what is blended is marked around
// the handle.
function CutStrip({ side, clip }: { side: Side; clip: Clip }) {
  useChanges(transition)
  const at = transition.at[side]
  const whole = wholeOf(clip)
  const half = (transition.settings.half * clip.fps) / (transition.clips[0]?.fps ?? clip.fps)
  const move = (frame: number) => transition.move(side, frame)
  const drag = dragging((event, strip) => move(shareUnder(strip, event)[0] * whole), '[role=slider]')
  return html`<${ClipStrip} clip=${clip} kind=${`of-clip-${side + 1}`} drag=${drag}>
    ${side === 0 ? html`<${Away} clip=${clip} from=${at} />` : html`<${Away} clip=${clip} to=${at} />`}
    <i class="cut-blended" style=${{ left: percent((at - half) / whole), right: percent(1 - (at + half) / whole) }}></i>
    <${StripHandle}
      name=${t`Frame of ${clip.name} at the cut`} title="Drag, or use the arrow keys; with Shift ten frames" clip=${clip}
      at=${at} move=${move}
    />
  <//>`
}

/** Of the ends of a span, by side: what they are called, and what they do. */
const spanWords = [
  [
    [(clip: string) => t`Leave ${clip} no earlier than`, t('Leave it no earlier than here: drag, or use the arrow keys')],
    [(clip: string) => t`Leave ${clip} no later than`, t('Leave it no later than here: drag, or use the arrow keys')],
  ],
  [
    [(clip: string) => t`Enter ${clip} no earlier than`, t('Enter it no earlier than here: drag, or use the arrow keys')],
    [(clip: string) => t`Enter ${clip} no later than`, t('Enter it no later than here: drag, or use the arrow keys')],
  ],
] as const

/** Under the strip: where the clip may be left or entered, with two ends. */
function SpanRail({ side, clip }: { side: Side; clip: Clip }) {
  const whole = wholeOf(clip)
  const [from, to] = transition.spans[side] ?? [0, clip.frames - 1]
  const set = transition.spans[side] !== null
  return html`<div class=${`cut-rail of-clip-${side + 1}${set ? ' is-set' : ''}`}>
    <i class="cut-span" style=${{ left: percent(from / whole), right: percent(1 - to / whole) }}></i>
    ${([0, 1] as const).map((end) => {
      const [name, title] = spanWords[side][end]
      return html`<${StripHandle}
        key=${end} name=${name(clip.name)} kind="of-span" dragged=${true} clip=${clip} title=${title}
        at=${end === 0 ? from : to} least=${end === 0 ? 0 : from} most=${end === 0 ? to : clip.frames - 1}
        move=${(frame: number) => transition.setSpan(side, end, frame)}
      />`
    })}
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
      ${transition.spans[side] &&
      html`<${Button}
        kind="quiet" title=${side === 0 ? t('Look for cuts in all of the first clip again') : t('Look for cuts in all of the second clip again')}
        onClick=${() => transition.clearSpan(side)}
      >Anywhere<//>`}
    </div>
    <${CutStrip} side=${side} clip=${clips[side]} />
    <${SpanRail} side=${side} clip=${clips[side]} />
  </div>`
}

function CutRow({ cut, unit, worst }: { cut: Cut; unit: string; worst: number }) {
  const [i, j] = transition.at
  const now = cut.a === i && cut.b === j
  return html`<${FoundRow} now=${now} cost=${cut.cost} worst=${worst} unit=${unit} choose=${() => transition.takeCut(cut)}>
    <b>${cut.a}</b> → <b>${cut.b}</b>
  <//>`
}

function NoCuts() {
  const { cuts, near, spans } = transition
  if (!cuts) return null
  const room = spans.some(Boolean) ? t('There are no cuts in these frames.') : t('There is no room for a transition of this length.')
  const none = near ? t('There are no cuts near these frames.') : room
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
