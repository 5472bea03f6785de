// play_tab.ts - the tab "Play": the plan with all characters on it, which react and how.
import { useState } from 'preact/hooks'
import { useChanges, useEntered } from '../changes'
import { showCommand } from '../commands'
import { Button, Check, Range, takeEvent, useWritable } from '../controls'
import { html } from '../html'
import { Progress } from '../jobs'
import { lineOf } from '../operations'
import { useStore } from '../store'
import { Bodies } from './bodies_menu'
import { useMoving } from './canvas'
import { drawGrid, drawPuck, drawTarget, drawTrail, type Puck } from './plan_draw'
import { playing } from './play_session'
import { mostReactors } from './reactor'
import { ReactorRows } from './reactor_rows'
import { puppets } from './session'

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
    takeEvent(event)
    playing.pause()
  }
  return html`<canvas
    ref=${canvas} class="puppet-plan boxed" tabindex="0" role="application"
    aria-label="Plan from above. Arrow keys move the main character, Q and E turn its look, W looks ahead, Space pauses."
    onPointerMove=${move} onPointerDown=${down} onPointerUp=${up} onPointerCancel=${up} onPointerLeave=${out}
    onKeyDown=${press}
  ></canvas>`
}

/** Saved ones join at once; ready ones are saved first. */
function Choice() {
  const writable = useWritable()
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
  return html`<div class="puppet-choice flex-row" role="group" aria-label="Add a character that reacts">
    <span class="dim">Add</span>
    ${kept.map(({ name, about }) => chip(name, about, () => join(name), ''))}
    ${ready.map(({ name, about }) => chip(name, about, () => void take(name), ' (ready-made: it is saved first)'))}
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
  return html`<${Range}
    name="Reactive ↔ smooth" about="How often the situation leads, and how often what was done before" min="5" max="95"
    step="5" value=${Math.round(100 * now)} aria-valuetext=${parts} set=${(percent: number) => setHeld(percent / 100)}
    onChange=${settle}
  >${parts}<//>`
}

function Controls() {
  const { paused, rough, hover } = playing
  return html`<div class="compare-fields puppet-controls">
    <${Button} icon=${paused ? 'open' : 'pause'} onClick=${() => playing.pause()}>${paused ? 'Go on' : 'Pause'}<//>
    <${Button} icon="loop" title="All characters back to the beginning" onClick=${() => playing.restart()}>Restart<//>
    <${Bodies} />
    <${Balance} />
    <${Check}
      name="No smoothing" title="What the best moment says: not smoothed, without detail" on=${rough}
      set=${(on: boolean) => playing.set({ rough: on })}
    />
    <${Check}
      name="Pointer leads" title="Wherever it is over the plan; otherwise only while it is pressed" on=${hover}
      set=${(on: boolean) => playing.update({ hover: on })}
    />
  </div>`
}

function Alone() {
  const writable = useWritable()
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
    <button type="button" class="link" onClick=${() => puppets.update({ tab: 'show' })}>show one by mouse</button>: first how you move,
    then how the other reacts. Half a minute is enough.
  </p>`
}

export function PlayTab() {
  useChanges(playing)
  useEntered(
    () => playing.enter(),
    () => playing.leave(),
  )
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
