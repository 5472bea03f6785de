// panel.ts - "Loop", in the library's place: a clip with the two ends of a loop, the best loops of the lengths that are asked
// for, and what is made with its figures. The viewer plays it over and over.
import { useState } from 'preact/hooks'
import type { Clip, LoopCut } from '../api'
import { Check, dragging, leaveField, NumberField, Select, shareUnder, WholeInput } from '../controls'
import { html } from '../html'
import { Away, ClipStrip, FoundRow, StripHandle, wholeOf } from '../making/clip_strip'
import { FeetHeld, Figure, Figures, KeepForm, PanelHead, Problem } from '../making/parts'
import { useSession } from '../making/session'
import { clipOptions, titleOf } from '../names'
import { makeLoop } from '../opening'
import { rowOf } from '../operations'
import { useStore } from '../store'
import { t } from '../words/words'
import { leastFrames, looping, type End } from './session'
import './loop.css'

export { looping } from './session'

const endNames = [t('Loop start'), t('Loop end')] as const
const hint = t('Drag, or use the arrow keys; with Shift ten frames')

/** Where it is pressed the nearer end comes, and follows the pointer. */
function LoopStrip({ clip }: { clip: Clip }) {
  const [held] = useState<{ end: End }>({ end: 0 })
  const { at } = looping
  const drag = dragging((event, strip) => {
    const frame = shareUnder(strip, event)[0] * wholeOf(clip)
    if (event.type === 'pointerdown') {
      held.end = Math.abs(frame - looping.at[0]) <= Math.abs(frame - looping.at[1]) ? 0 : 1
      strip.querySelectorAll<HTMLElement>('[role=slider]')[held.end]?.focus({ preventScroll: true })
    }
    looping.move(held.end, frame)
  })
  return html`<${ClipStrip} clip=${clip} kind="of-clip-1" drag=${drag}>
    <${Away} clip=${clip} to=${at[0]} />
    <${Away} clip=${clip} from=${at[1]} />
    ${([0, 1] as const).map(
      (end) => html`<${StripHandle}
        key=${end} name=${endNames[end]} title=${`${endNames[end]}: ${hint}`} clip=${clip} at=${at[end]}
        least=${end === 0 ? 0 : at[0] + leastFrames} most=${end === 0 ? at[1] - leastFrames : clip.frames - 1}
        move=${(frame: number) => looping.move(end, frame)}
      />`,
    )}
  <//>`
}

function EndField({ end, clip }: { end: End; clip: Clip }) {
  const { at } = looping
  return html`<label class="compare-field flex-row">
    <span>${end === 0 ? t('from') : t('to')}</span>
    <${WholeInput}
      aria-label=${t`${endNames[end]}, frame`} least=${end === 0 ? 0 : at[0] + leastFrames}
      most=${end === 0 ? at[1] - leastFrames : clip.frames - 1} value=${at[end]}
      set=${(frame: number) => looping.move(end, frame)}
    />
  </label>`
}

function OfClip({ clip }: { clip: Clip }) {
  const cards = useStore((state) => state.cards)
  const [start, end] = looping.at
  return html`<div class="cut-side">
    <div class="cut-row flex-row">
      <${Select}
        aria-label="Loop of" title=${titleOf(clip)} value=${clip.id} options=${clipOptions(cards, () => false)}
        set=${(id: string) => void makeLoop(Number(id))}
      />
      <${EndField} end=${0} clip=${clip} />
      <${EndField} end=${1} clip=${clip} />
      <span class="dim">${((end - start) / clip.fps).toFixed(2)} s</span>
    </div>
    <${LoopStrip} clip=${clip} />
  </div>`
}

/** To hundredths, as they are typed. */
const hundredths = (value: number) => Math.round(100 * value) / 100

/** The range of lengths; from the operation's own shortest to all of the clip unless something else is set. */
function LengthRange({ clip }: { clip: Clip }) {
  const { lengths } = looping
  const row = rowOf('loop', 'shortest')
  const whole = Math.max(0.01, hundredths(clip.seconds))
  const shortest = Math.min(whole, lengths.shortest ?? Number(row?.default ?? 0.5))
  const longest = Math.min(whole, lengths.longest ?? whole)
  return html`<div class="flex-row loop-lengths" role="group" aria-label="Lengths that are sought">
    <${NumberField}
      name="Shortest" about="No loop that is shorter" value=${shortest} least=${0.01} most=${longest} step="0.1"
      set=${(shortest: number) => looping.setLengths({ shortest })}
    ><span class="dim">s</span><//>
    <${NumberField}
      name="Longest" about="No loop that is longer" value=${longest} least=${shortest} most=${whole} step="0.1"
      set=${(longest: number) => looping.setLengths({ longest: longest < whole ? longest : null })}
    ><span class="dim">s</span><//>
  </div>`
}

function LoopRow({ loop, fps, unit, worst }: { loop: LoopCut; fps: number; unit: string; worst: number }) {
  const { start, end, still_s: still } = loop
  const now = looping.at[0] === start && looping.at[1] === end
  return html`<${FoundRow} now=${now} cost=${loop.cost} worst=${worst} unit=${unit} choose=${() => looping.takeLoop(loop)}>
    <b>${start}</b>–<b>${end}</b> <span class="dim">${((end - start) / fps).toFixed(2)} s</span>
    ${still > 0 && html` <span class="dim" title="So long the body stands still in it">stands ${still.toFixed(1)} s</span>`}
  <//>`
}

function BestLoops({ clip }: { clip: Clip }) {
  const { loops, loopsError, lengths } = looping
  const list = loops?.loops ?? []
  const worst = list.reduce((most, { cost }) => Math.max(most, cost), 0)
  const ranged = lengths.shortest !== null || lengths.longest !== null
  const none = ranged ? t('There is no loop of these lengths.') : t('There is no loop: no two of its frames are alike enough.')
  return html`<section class="cut-best flex-column" aria-label="Best loops">
    <div class="cut-row flex-row">
      <h3>Best loops</h3>
      <span class="making-space"></span>
      <${LengthRange} clip=${clip} />
    </div>
    <${Problem} text=${loopsError} />
    ${!loops && !loopsError && html`<p class="dim" role="status">Seeking…</p>`}
    ${loops?.over_limit && html`<p class="dim" role="status">
      No loop of this clip closes well: look at the best before you keep it.
    </p>`}
    ${loops && list.length === 0 && html`<p class="dim" role="status">${none}</p>`}
    <ol class="cut-list loop-list" tabindex="0" aria-label="Loops, the best first">
      ${list.map(
        (loop) => html`<${LoopRow} key=${`${loop.start} ${loop.end}`} loop=${loop} fps=${loops!.fps} unit=${loops!.unit} worst=${worst} />`,
      )}
    </ol>
  </section>`
}

/** Beyond this an eye sees where it begins again. */
const mostSeam = 1.1

function Working({ clip }: { clip: Clip }) {
  const { settings, made, busy, error, kept, seam } = looping
  return html`<${OfClip} clip=${clip} />
    <div class="compare-fields">
      <${Check}
        name="In place" title="The body stays over one point; otherwise it travels" on=${settings.in_place}
        set=${(in_place: boolean) => looping.set({ in_place })}
      />
      <${FeetHeld} on=${settings.clean} set=${(clean: boolean) => looping.set({ clean })} />
    </div>
    <${Figures}
      facts=${made?.facts ?? null} busy=${busy}
      more=${html`<${Figure}
        name="Seam" bad=${seam !== null && seam > mostSeam}
        title="Largest step of a joint where it begins again, over the largest inside"
      >
        ${seam === null ? '–' : `${seam.toFixed(2)}×`}
      <//>`}
    />
    <${Problem} text=${error} />
    <${BestLoops} clip=${clip} />
    <${KeepForm}
      base=${looping.newName} kept=${kept} ready=${made !== null && !error}
      keep=${(name: string) => looping.keep(name)}
    />`
}

const leave = leaveField('[role=slider]')

export function Panel() {
  useSession(looping)
  const { clip } = looping
  return html`<section class="compare flex-column making" aria-label="Loop" onKeyDown=${leave}>
    <${PanelHead} title="Loop" hint="A" />
    ${clip && html`<${Working} clip=${clip} />`}
  </section>`
}
