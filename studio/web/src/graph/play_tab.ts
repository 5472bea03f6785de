// play_tab.ts - the tab "Play": the character is steered by the arrow keys or the stick. Numbers that change with every pose
// are written into their elements; the panel is not drawn anew.
import { useEffect, useRef } from 'preact/hooks'
import type { Graph } from '../api'
import { html } from '../html'
import { Icon } from '../icons'
import { useStore } from '../store'
import { useChanges } from '../timeline/view'
import { segmentOf, nameOf } from './explorer_data'
import { Progress } from './job'
import { steering } from './play_session'
import { graphs } from './session'

const side = 100
const radius = 42

/** Where the pointer is on the stick: to the right and ahead, up to 1. */
function stickAt(event: PointerEvent): [number, number] {
  const box = (event.currentTarget as Element).getBoundingClientRect()
  const x = ((event.clientX - box.left) / box.width - 0.5) * (side / radius)
  const y = (0.5 - (event.clientY - box.top) / box.height) * (side / radius)
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
  return html`<div class="making-switch" role="group" aria-label="Speed">
    ${speeds.map(
      (speed, i) =>
        i > 0 &&
        html`<button
          key=${speed} type="button" class="button quiet" aria-pressed=${String(i === pace)} title="Shift: the fastest"
          onClick=${() => steering.setPace(i)}
        >
          ${Math.round(speed)} cm/s
        </button>`,
    )}
  </div>`
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
        `${Math.round(live.wish.speed_cm_s)} cm/s`,
        live.control.toFixed(2),
        String(live.transitions),
        segment ? nameOf(graph, segment.clip) : '–',
      ]
      texts.forEach((text, i) => (rows[i]!.textContent = text))
    }
    const timer = setInterval(write, every_ms)
    return () => clearInterval(timer)
  }, [])
  return html`<dl class="graph-stats play-now" ref=${list} aria-label="What it does">
    <div><dt><i class="course-key is-does" aria-hidden="true"></i>Goes</dt><dd></dd></div>
    <div><dt><i class="course-key is-wish" aria-hidden="true"></i>Wish</dt><dd></dd></div>
    <div title="How well wishes were followed, 0 to 1"><dt>Control</dt><dd></dd></div>
    <div><dt>Transitions</dt><dd></dd></div>
    <div><dt>From</dt><dd></dd></div>
  </dl>`
}

function Train({ graph }: { graph: Graph }) {
  const writable = useStore((state) => state.about?.library.writable ?? true)
  const { job } = steering
  return html`<div class="play-train">
    <p>
      To be steered, the graph needs a policy: which way to take at every frame for every wish. It is found once and kept
      in the library.
    </p>
    ${job
      ? html`<${Progress} number=${job} name=${`Training ${graph.name}`} />`
      : html`<button type="button" class="button primary" disabled=${!writable} onClick=${() => void steering.train()}>
          <${Icon} name="check" />Train it
        </button>`}
  </div>`
}

function Score() {
  const { score } = steering
  if (!score) return null
  const { control, transition, total, transitions, frames } = score
  return html`<p class="dim" role="status">
    ${frames} frames, ${transitions} transitions: control ${control.toFixed(2)}, transition ${transition.toFixed(2)},
    ${' '}total ${total.toFixed(2)}
  </p>`
}

export function PlayTab({ graph }: { graph: Graph }) {
  useChanges(steering)
  useEffect(() => {
    steering.enter(graph)
    return () => steering.leave()
  }, [])
  const { running, starting, error } = steering
  const ready = (steering.graph ?? graph).policy !== null
  return html`${error && html`<p class="making-error" role="alert">${error}</p>`}
    ${!ready && html`<${Train} graph=${graph} />`}
    ${ready &&
    html`<div class="compare-fields">
        ${running
          ? html`<button type="button" class="button" onClick=${() => steering.stop()}><${Icon} name="close" />Stop</button>`
          : html`<button type="button" class="button primary" disabled=${starting} onClick=${() => void steering.start()}>
              <${Icon} name="open" />Start
            </button>`}
        ${running && html`<${Paces} />`}
      </div>
      ${running &&
      html`<div class="play-box">
        <${Stick} />
        <div>
          <p>
            <kbd>←</kbd> <kbd>→</kbd> <kbd>↑</kbd> <kbd>↓</kbd> steer, as you see it; with <kbd>Shift</kbd> the fastest.
            ${' '}Turn the view by dragging it.
          </p>
          <${Now} graph=${graph} />
        </div>
      </div>`}
      ${!running &&
      html`<p class="dim">
        Steer the character with the arrow keys. In the view the yellow arrow is where you want it to go, the green one
        where it goes.
      </p>`}
      <${Score} />`}`
}
