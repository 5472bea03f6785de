// play_tab.ts - the tab "Play": the plan with everybody on it, who reacts and how.
import { useEffect, useState } from 'preact/hooks'
import { showCommand } from '../commands'
import { html } from '../html'
import { Icon } from '../icons'
import { Check, valueOf } from '../making/parts'
import { lineOf } from '../operations'
import { useStore } from '../store'
import { useChanges } from '../timeline/view'
import { Bodies } from './bodies_menu'
import { useMoving } from './canvas'
import { drawGrid, drawPuck, drawTarget, drawTrail, type Puck } from './plan_draw'
import { playing } from './play_session'
import { mostReactors } from './reactor'
import { ReactorRows } from './reactor_rows'
import { puppets } from './session'
import { Progress } from '../graph/job'

function pucks(): Puck[] {
  const others = playing.reactors.flatMap(({ place, puppet, colour, trail }) =>
    place ? { place, colour, name: puppet, radius_cm: 16, trail: trail.marks } : [],
  )
  return [...others, { place: playing.main, colour: '--wanted', name: 'you', radius_cm: 20, trail: playing.trail.marks }]
}

function Plan() {
  const canvas = useMoving(
    playing.moves,
    (paper) => {
      playing.resize(paper.width, paper.height)
      const { frame, target, paused } = playing
      drawGrid(paper, frame)
      const all = pucks()
      for (const { trail, colour, radius_cm } of all) drawTrail(paper, frame, trail, colour, radius_cm > 16 ? 3 : 2.5)
      if (target && !paused) drawTarget(paper, frame, target, '--wanted')
      for (const puck of all) drawPuck(paper, frame, puck)
    },
    [],
  )
  const { hand } = playing
  const move = (event: PointerEvent) => void hand.follow(event)
  const down = (event: PointerEvent) => {
    if (event.button !== 0) return
    ;(event.currentTarget as HTMLElement).setPointerCapture(event.pointerId)
    hand.pressed = true
    move(event)
  }
  const up = () => (hand.pressed = false)
  const out = () => {
    if (!hand.pressed) hand.at = null
  }
  const press = (event: KeyboardEvent) => {
    if (event.key !== ' ') return
    event.preventDefault()
    event.stopPropagation()
    playing.pause()
  }
  return html`<canvas
    ref=${canvas} class="puppet-plan" tabindex="0" role="application"
    aria-label="Plan from above. Arrow keys move the main character, Q and E turn its look, W looks ahead, Space pauses."
    onPointerMove=${move} onPointerDown=${down} onPointerUp=${up} onPointerCancel=${up} onPointerLeave=${out}
    onKeyDown=${press}
  ></canvas>`
}

/** Kept ones join at once; ready ones are kept first. */
function Choice() {
  const writable = useStore((state) => state.about?.library.writable ?? true)
  const { table, job } = puppets
  const full = playing.reactors.length >= mostReactors
  const kept = table?.puppets ?? []
  const ready = writable ? (table?.ready ?? []).filter(({ name }) => !puppets.has(name)) : []
  const join = (name: string) => {
    playing.add(name)
    showCommand(lineOf('puppet show', { name }))
  }
  const take = async (name: string) => {
    if (await puppets.train({ name, demonstrations: [{ ready: name }] }, null)) playing.add(name)
  }
  const chip = (name: string, about: string | null, run: () => void, more: string) => html`<button
    key=${`${more}${name}`} type="button" class=${`chip${more ? ' is-ready' : ''}`} disabled=${full || (more !== '' && job > 0)}
    title=${`${about ?? ''}${more}`} onClick=${run}
  >
    <span aria-hidden="true">+</span>${name}
  </button>`
  if (!kept.length && !ready.length) return null
  return html`<div class="puppet-choice" role="group" aria-label="Add a character that reacts">
    <span class="dim">Add</span>
    ${kept.map(({ name, about }) => chip(name, about, () => join(name), ''))}
    ${ready.map(({ name, about }) => chip(name, about, () => void take(name), ' (ready-made: it is kept first)'))}
  </div>`
}

function Balance() {
  const usual = useStore(({ operations }) =>
    Number(operations.get('puppet run')?.params.find(({ name }) => name === 'balance')?.default ?? 0.5),
  )
  const [held, setHeld] = useState<number | null>(null)
  const now = held ?? playing.balance ?? usual
  const parts = `${Math.round(100 * now)} : ${Math.round(100 * (1 - now))}`
  const settle = () => {
    if (held !== null) playing.set({ balance: held === usual ? null : held })
    setHeld(null)
  }
  return html`<label class="making-range" title="How often the situation leads, and how often what was done before">
    <span>Situation : coherence</span>
    <input
      type="range" min="5" max="95" step="5" value=${Math.round(100 * now)} aria-valuetext=${parts}
      onInput=${(event: Event) => setHeld(Number(valueOf(event)) / 100)} onChange=${settle}
    />
    <output>${parts}</output>
  </label>`
}

function Controls() {
  const { paused, rough, hover } = playing
  return html`<div class="compare-fields puppet-controls">
    <button type="button" class="button" onClick=${() => playing.pause()}>
      <${Icon} name=${paused ? 'open' : 'pause'} />${paused ? 'Go on' : 'Pause'}
    </button>
    <button type="button" class="button" title="Everybody back to the beginning" onClick=${() => playing.restart()}>
      <${Icon} name="loop" />Restart
    </button>
    <${Bodies} />
    <${Balance} />
    <${Check}
      name="Rough" title="What the best moment says: not smoothed, without detail" on=${rough}
      set=${(on: boolean) => playing.set({ rough: on })}
    />
    <${Check}
      name="Pointer leads" title="Wherever it is over the plan; otherwise only while it is pressed" on=${hover}
      set=${(on: boolean) => playing.setHover(on)}
    />
  </div>`
}

function Alone() {
  const writable = useStore((state) => state.about?.library.writable ?? true)
  const some = (puppets.table?.puppets.length ?? 0) > 0
  if (some || !writable) {
    return html`<p class="puppet-hint">
      ${some
        ? 'You are alone here. Add a character above, and it reacts to where you go and look.'
        : 'There is no puppet in this library, and it is open for reading only.'}
    </p>`
  }
  return html`<p class="puppet-hint">
    There is no puppet yet. Take a ready-made behaviour above, or${' '}
    <button type="button" class="link" onClick=${() => puppets.setTab('show')}>show one by mouse</button>: first how you move,
    then how the other reacts. Half a minute is enough.
  </p>`
}

export function PlayTab() {
  useChanges(playing)
  useEffect(() => {
    playing.enter()
    return () => playing.leave()
  }, [])
  const { reactors } = playing
  const { job, jobName } = puppets
  return html`<${Choice} />
    ${job > 0 && html`<${Progress} number=${job} name=${jobName} />`}
    <${Plan} />
    <p class="dim puppet-keys">
      You go where the pointer is, or by <kbd>←</kbd> <kbd>→</kbd> <kbd>↑</kbd> <kbd>↓</kbd>. <kbd>Shift</kbd> stand and look at
      the pointer, <kbd>Q</kbd> <kbd>E</kbd> turn your look, <kbd>W</kbd> ahead again.
    </p>
    <${Controls} />
    ${reactors.length ? html`<${ReactorRows} />` : html`<${Alone} />`}`
}
