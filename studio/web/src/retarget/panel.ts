// panel.ts - "Retarget", in the library's place: a clip, the body that its motion gets, which joints of both belong together, and
// what is made of it with its report. The viewer shows it over the clip.
import { useEffect, useRef } from 'preact/hooks'
import { Button, Check, Choice, hasModifier, IconButton, leaveField, Select, takeEvent, useWritable } from '../controls'
import { html } from '../html'
import { Figure, KeepForm, PanelHead, Problem } from '../making/parts'
import { useSession } from '../making/session'
import { clipOptions } from '../names'
import { makeRetarget } from '../opening'
import { roleName } from '../role_names'
import { useStore } from '../store'
import { t } from '../words/words'
import { BothBodies } from './bodies'
import { colours, keeps, retarget, type Keep, type Side } from './session'
import './retarget.css'

export { retarget } from './session'

// Which clip, and on which body

function ClipChoice({ side }: { side: Side }) {
  const cards = useStore((state) => state.cards)
  const other = retarget.clips[1 - side]!.id
  const choose = (id: string) => {
    const ids = retarget.clips.map((clip) => clip.id)
    ids[side] = Number(id)
    void makeRetarget(ids)
  }
  return html`<span class="flex-row map-clip">
    <i class=${`swatch ${colours[side]}`} aria-hidden="true"></i>
    <${Select}
      aria-label=${side === 0 ? t('Motion of') : t('On the body of')} value=${retarget.clips[side]!.id} set=${choose}
      options=${clipOptions(cards, (id) => id === other)}
    />
  </span>`
}

// Which joints belong together

const conflictWords: Record<string, string> = { sides: t('left and right'), order: t('order is crossed') }
const conflictTitles: Record<string, string> = {
  sides: t('A joint of the left side belongs to one of the right'),
  order: t('This and another pair are above each other, the other way round in each body'),
}

function Row({ at }: { at: number }) {
  const { role, joints } = retarget.pairs[at]!
  const [from, to] = joints.map((joint, side) => retarget.bodies[side]!.names[joint]!)
  const conflict = retarget.conflicts[at] ?? ''
  const now = at === retarget.chosen
  const row = useRef<HTMLLIElement>(null)
  // The list alone: the picture is to stay where it is clicked.
  useEffect(() => {
    const list = row.current!.parentElement!
    const [mine, all] = [row.current!, list].map((each) => each.getBoundingClientRect())
    if (now) list.scrollTop += Math.min(0, mine!.top - all!.top) + Math.max(0, mine!.bottom - all!.bottom)
  }, [now])
  const press = (event: KeyboardEvent) => {
    if (hasModifier(event) || (event.key !== 'Delete' && event.key !== 'Backspace')) return
    retarget.remove(at)
    takeEvent(event)
  }
  return html`<li ref=${row} class=${now ? 'is-now' : ''}>
    <button
      type="button" class="map-pair" aria-pressed=${String(now)} onClick=${() => retarget.choose(at)} onKeyDown=${press}
    >
      <span class="dim ellipsis">${role ? roleName(role) : '–'}</span>
      <span class="ellipsis">${from}</span><span aria-hidden="true">→</span><span class="ellipsis">${to}</span>
      ${conflict && html`<span class="chip flawed" title=${conflictTitles[conflict]}>${conflictWords[conflict]}</span>`}
    </button>
    <${IconButton}
      icon="close" name=${t`Remove the pair ${from}, ${to}`} title="Remove the pair (Delete)" onClick=${() => retarget.remove(at)}
    />
  </li>`
}

/** The joints and the role of the chosen pair, or of a new one. */
function Editor() {
  const roles = useStore((state) => state.about?.roles ?? [])
  const { chosen, held, pairs, bodies } = retarget
  const pair = pairs[chosen] ?? null
  const jointOf = (side: Side) => pair?.joints[side] ?? (held?.side === side ? held.joint : -1)
  const set = (side: Side) => (text: string) => {
    const joint = Number(text)
    if (joint < 0) return
    if (!pair) return retarget.press(side, joint)
    retarget.setPair(chosen, { joints: side === 0 ? [joint, pair.joints[1]] : [pair.joints[0], joint] })
  }
  const options = (side: Side) => [[-1, '…'] as const, ...bodies[side]!.names.map((name, j) => [j, name] as const)]
  return html`<div class="compare-fields map-editor" role="group" aria-label=${pair ? t('The chosen pair') : t('A new pair')}>
    <${Choice} name=${pair ? t('From') : t('New: from')} value=${jointOf(0)} options=${options(0)} set=${set(0)} />
    <${Choice} name=${t('to')} value=${jointOf(1)} options=${options(1)} set=${set(1)} />
    <${Choice}
      name="Role" about="What both are to their bodies: joints of a role are turned alike" value=${pair?.role ?? ''} disabled=${!pair}
      options=${[['', t('nothing special')], ...roles.map((role) => [role, roleName(role)] as const)]}
      set=${(role: string) => retarget.setPair(chosen, { role: role || null })}
    />
  </div>`
}

function Alone({ side }: { side: Side }) {
  const alone = retarget.alone(side)
  const { held } = retarget
  if (alone.length === 0) return null
  return html`<div class=${`map-alone ${colours[side]}`} role="group" aria-label=${t`Only in ${retarget.clips[side]!.name}`}>
    <span class="dim">Only in ${retarget.clips[side]!.name}</span>
    ${alone.map(
      (joint) => html`<button
        key=${joint} type="button" class="chip" aria-pressed=${String(held?.side === side && held.joint === joint)}
        onClick=${() => retarget.press(side, joint)}
      >${retarget.bodies[side]!.names[joint]}</button>`,
    )}
  </div>`
}

function MapActs() {
  const writable = useWritable()
  const { edited, stored } = retarget
  const words = edited ? t('changed, and used here only') : stored ? t('kept by the library') : t('found by roles and names')
  return html`<div class="cut-row flex-row">
    <h3>Joints</h3>
    <span class="dim" role="status">${retarget.pairs.length} pairs, ${words}</span>
    <span class="making-space"></span>
    <${Button} disabled=${!edited && !stored} title="The pairs as marey finds them" onClick=${() => void retarget.asFound()}>
      As found
    <//>
    ${writable &&
    html`<${Button}
        icon="check" disabled=${!edited} title="Keep the map in the library: used for all clips with these skeletons"
        onClick=${() => void retarget.save()}
      >Save map<//>
      ${stored &&
      html`<${IconButton}
        icon="trash" name="Forget the kept map" title="Forget the kept map: it is found again" onClick=${() => void retarget.forget()}
      />`}`}
  </div>`
}

function Joints() {
  return html`<section class="map-joints flex-column" aria-label="Joints">
    <${MapActs} />
    <${Editor} />
    <ul class="map-pairs" aria-label="Pairs of joints">
      ${retarget.pairs.map(({ joints }, i) => html`<${Row} key=${joints.join()} at=${i} />`)}
    </ul>
    <${Alone} side=${0} />
    <${Alone} side=${1} />
  </section>`
}

// What is made

const keepWords: Record<Keep, [name: string, title: string]> = {
  hands: [t('hands'), t('Hands are where they are in the clip, not in proportion to the body')],
  feet: [t('feet'), t('Feet are where they are in the clip; so is the path')],
  heights: [t('heights'), t('Hips, hands and feet are as high above the floor as in the clip')],
  path: [t('path'), t('The way along the floor is as long as in the clip')],
}

function Settings() {
  const { keep, inPlace } = retarget
  const flip = (one: Keep) => (on: boolean) =>
    retarget.set({ keep: on ? keeps.filter((each) => each === one || keep.includes(each)) : keep.filter((each) => each !== one) })
  return html`<div class="compare-fields" role="group" aria-label="What stays where it is in the world">
    <span class="dim">Keep</span>
    ${keeps.map((one) => {
      const [name, title] = keepWords[one]
      return html`<${Check} key=${one} name=${name} title=${title} on=${keep.includes(one)} set=${flip(one)} />`
    })}
    <${Check}
      name="in place" title="The body stays over the spot where it starts" on=${inPlace}
      set=${(on: boolean) => retarget.set({ inPlace: on })}
    />
  </div>`
}

/** Beyond these an eye sees it. */
const most = { slide_cm: 0.3, floor_cm: 0.5, speed: 1.1 }

function ReportFigures() {
  const { report, busy } = retarget
  if (!report) return html`<p class="dim" role="status">${busy ? t('Making it…') : t('Nothing is made yet.')}</p>`
  const { slide_after_cm: slide, penetration_cm: floor, speed_ratio: speed, straight_frames: straight } = report
  return html`<div class="making-result boxed flex-row">
    <dl class="making-figures" aria-label="Report" aria-busy=${String(busy)}>
      <${Figure} name="Legs" title="The body's legs over those of the clip: the path is scaled by it">
        ${report.leg_ratio.toFixed(2)}×
      <//>
      <${Figure} name="Slide" bad=${slide !== null && slide > most.slide_cm} title="Largest drift of a planted foot or hand">
        ${slide === null ? '–' : `${slide.toFixed(2)} cm`}
      <//>
      <${Figure} name="Floor" bad=${floor > most.floor_cm} title="How deep feet go into the floor">${floor.toFixed(2)} cm<//>
      <${Figure} name="Reach" title="How far hands and feet are from where they are in the clip, in per cent of the limb">
        ${report.reach_percent.toFixed(1)} %
      <//>
      ${speed != null &&
      html`<${Figure} name="Speed" bad=${speed > most.speed} title="Peak joint speed over the clip's, in proportion">
        ${speed.toFixed(2)}×
      <//>`}
      ${straight !== undefined &&
      html`<${Figure} name="Straight" title="Frames in which a limb had to be stretched straight">${straight}<//>`}
    </dl>
  </div>`
}

function Working() {
  const { bodies, busyWith, made, error, kept } = retarget
  return html`<div class="cut-row flex-row map-clips">
      <${ClipChoice} side=${0} /><span class="dim">on the body of</span><${ClipChoice} side=${1} />
    </div>
    ${bodies.length === 2 ? html`<${BothBodies} />` : html`<p class="dim" role="status">${busyWith}</p>`}
    <${Settings} />
    <${ReportFigures} />
    <${Problem} text=${error} />
    ${bodies.length === 2 && html`<${Joints} />`}
    <${KeepForm}
      base=${retarget.newName} kept=${kept} ready=${made !== null && !error} keep=${(name: string) => retarget.keepClip(name)}
    />`
}

const leave = leaveField('.map-pair')

export function Panel() {
  useSession(retarget)
  return html`<section class="compare flex-column making" aria-label="Retarget" onKeyDown=${leave}>
    <${PanelHead} title="Retarget" hint="H" />
    ${retarget.clips.length === 2 && html`<${Working} />`}
  </section>`
}
