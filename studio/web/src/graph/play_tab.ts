// play_tab.ts - the tab "Play": the character is steered by the arrow keys or the stick. Numbers that change with every pose
// are written into their elements; the panel is not drawn anew.
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Graph } from '../api'
import { useChanges, useEntered } from '../changes'
import { Button, Choice, NumberField, shareUnder, Switch, useWritable } from '../controls'
import { html } from '../html'
import { Progress } from '../jobs'
import { KeepForm, Problem } from '../making/parts'
import { t } from '../words/words'
import { nameOf, segmentOf } from './explorer'
import { DoList } from './play_motions'
import { steering } from './play_session'
import { graphs } from './session'

const side = 100
const radius = 42

/** Where the pointer is on the stick: to the right and ahead, up to 1. */
function stickAt(event: PointerEvent): [number, number] {
  const [across, down] = shareUnder(event.currentTarget as Element, event)
  const [x, y] = [(across - 0.5) * (side / radius), (0.5 - down) * (side / radius)]
  const long = Math.max(1, Math.hypot(x, y))
  return [x / long, y / long]
}

/** Follows the keys as well. */
function Stick() {
  const knob = useRef<SVGCircleElement>(null)
  useEffect(() => {
    let due = 0
    const draw = () => {
      const [x, y] = steering.way
      knob.current?.setAttribute('cx', String(side / 2 + 0.7 * radius * x))
      knob.current?.setAttribute('cy', String(side / 2 - 0.7 * radius * y))
      due = requestAnimationFrame(draw)
    }
    draw()
    return () => cancelAnimationFrame(due)
  }, [])
  const hold = (event: PointerEvent) => {
    const area = event.currentTarget as Element
    if (event.type === 'pointerdown') area.setPointerCapture(event.pointerId)
    if (area.hasPointerCapture(event.pointerId)) steering.setStick(stickAt(event))
  }
  return html`<svg
    class="stick" viewBox=${`0 0 ${side} ${side}`} aria-hidden="true" onPointerDown=${hold} onPointerMove=${hold}
    onPointerUp=${() => steering.setStick(null)} onPointerCancel=${() => steering.setStick(null)}
  >
    <circle class="stick-rim" cx="50" cy="50" r=${radius} />
    <path class="stick-ways" d="M50 14l5 7H45zM50 86l5-7H45zM14 50l7-5v10zM86 50l-7-5v10z" />
    <circle ref=${knob} class="stick-knob" cx="50" cy="50" r="13" />
  </svg>`
}

function Paces() {
  const { speeds, pace } = steering
  const options = speeds.map((speed, i) => [i, `${Math.round(speed)} cm/s`, t('Shift: the fastest')] as const).slice(1)
  return html`<${Switch} name="Speed" value=${pace} options=${options} set=${(next: number) => steering.setPace(next)} />`
}

function ControllerChoice() {
  const { controller, running, starting } = steering
  const all = graphs.table?.controllers ?? []
  return html`<${Choice}
    name="Steered by" about=${all.find(({ name }) => name === controller)?.about} value=${controller}
    options=${all.map(({ name }) => name)} disabled=${running || starting}
    set=${(next: string) => steering.setController(next)}
  />`
}

const every_ms = 100

/** What it does now, ten times a second. */
function Now({ graph }: { graph: Graph }) {
  const list = useRef<HTMLDListElement>(null)
  useEffect(() => {
    const write = () => {
      const { live } = steering
      const rows = list.current?.querySelectorAll('dd')
      if (!live || !rows) return
      const segment = graphs.drawing && segmentOf(graphs.drawing, live.node)
      const texts = [
        `${Math.round(live.does.speed_cm_s)} cm/s`,
        `${Math.round(live.input.speed_cm_s)} cm/s`,
        live.control.toFixed(2),
        String(live.transitions),
        steering.doing || (segment ? nameOf(graph, segment.clip) : '–'),
      ]
      texts.forEach((text, i) => (rows[i]!.textContent = text))
    }
    const timer = setInterval(write, every_ms)
    return () => clearInterval(timer)
  }, [])
  return html`<dl class="graph-stats play-now" ref=${list} aria-label="What it does">
    <div><dt><i class="course-key is-does" aria-hidden="true"></i>Goes</dt><dd></dd></div>
    <div><dt><i class="course-key is-input" aria-hidden="true"></i>Input</dt><dd></dd></div>
    <div title="How well the input was followed, 0 to 1"><dt>Control</dt><dd></dd></div>
    <div><dt>Transitions</dt><dd></dd></div>
    <div><dt>From</dt><dd></dd></div>
  </dl>`
}

function Train() {
  const writable = useWritable()
  const { job, jobName } = steering
  return html`<div class="play-train">
    <p>
      To be steered, the graph needs a policy: which move to play at every frame for every input. It is found once and
      kept in the library.
    </p>
    ${job
      ? html`<${Progress} number=${job} name=${jobName} />`
      : html`<${Button} icon="check" kind="primary" disabled=${!writable} onClick=${() => void steering.train()}>
          Train it
        <//>`}
  </div>`
}

function Score() {
  const { score } = steering
  if (!score) return null
  const { control, transition, total, transitions, frames, whole } = score
  return html`<p class="dim" role="status">
    ${frames} frames, ${transitions} transitions: control ${control.toFixed(2)}, transition ${transition.toFixed(2)},
    ${' '}total ${total.toFixed(2)}${!whole && t('. It was too long: only the beginning can be saved')}
  </p>`
}

const farthest_cm = 100000

/** What a click on the floor does, with numbers. */
function GoTo() {
  const [[x, z], set] = useState([0, 0])
  const { going, missed_cm } = steering
  const go = (event: Event) => {
    event.preventDefault()
    steering.goTo([x!, z!])
  }
  const said = going ? t('it is on its way') : missed_cm !== null ? t`it stands ${Math.round(missed_cm)} cm from there` : ''
  return html`<form class="compare-fields play-go" noValidate=${true} aria-label="Go to a place" onSubmit=${go}>
    <${NumberField}
      name="x" about="To the right on a plan seen from above" value=${x} least=${-farthest_cm} most=${farthest_cm} step=${10}
      set=${(next: number) => set([next, z!])}
    ><span class="dim">cm</span><//>
    <${NumberField}
      name="z" about="Down on a plan seen from above" value=${z} least=${-farthest_cm} most=${farthest_cm} step=${10}
      set=${(next: number) => set([x!, next])}
    ><span class="dim">cm</span><//>
    <${Button} type="submit" title="Or click the floor of the view: it goes there and stands there">Go there<//>
    <span class="dim" role="status">${said}</span>
  </form>`
}

function PadHint() {
  const { padName, doables, running } = steering
  if (!padName) return null
  const asks = ['A', 'B', 'X', 'Y'].flatMap((button, i) => (doables[i] ? `${button}: ${doables[i].name}` : []))
  return html`<p class="play-pad dim" role="status" title=${padName}>
    Gamepad: the left stick steers, a trigger or shoulder makes it fastest, the right stick turns the view,
    ${' '}<kbd>Start</kbd> ${running ? t('stops') : t('starts')}.${asks.length > 0 && ` ${asks.join(', ')}.`}
  </p>`
}

export function PlayTab({ graph }: { graph: Graph }) {
  useChanges(steering)
  useEntered(
    () => steering.enter(graph),
    () => steering.leave(),
  )
  const { running, starting, error } = steering
  const { ready } = steering
  return html`<${Problem} text=${error} />
    <div class="compare-fields"><${ControllerChoice} /></div>
    ${!ready && html`<${Train} />`}
    ${ready &&
    html`<div class="compare-fields">
        ${running
          ? html`<${Button} icon="close" onClick=${() => steering.stop()}>Stop<//>`
          : html`<${Button} icon="open" kind="primary" disabled=${starting} onClick=${() => void steering.start()}>
              Start
            <//>`}
        ${running && html`<${Paces} />`}
      </div>
      ${running &&
      html`<div class="play-box">
        <${Stick} />
        <div>
          <p>
            <kbd>←</kbd> <kbd>→</kbd> <kbd>↑</kbd> <kbd>↓</kbd> steer, as you see it; with <kbd>Shift</kbd> the fastest.
            ${' '}Turn the view by dragging it. Click the floor, and the character goes there.
          </p>
          <${Now} graph=${graph} />
        </div>
      </div>`}
      ${!running &&
      html`<p class="dim">
        Steer the character with the arrow keys. In the view the yellow arrow is where you want it to go, the green one
        where it goes.
      </p>`}
      ${running && html`<${GoTo} />`}
      <${PadHint} />
      <${DoList} graph=${graph} />
      <${Score} />
      ${!running &&
      html`<${KeepForm}
        base="way" kept=${steering.kept} ready=${steering.played !== null} keep=${(name: string) => steering.keep(name)}
      />`}`}`
}
