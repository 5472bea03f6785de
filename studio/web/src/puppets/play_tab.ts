// play_tab.ts - the tab "Play": the plan with all characters on it, which react and how.
import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { refresh } from '../actions'
import { api, type BodyMade, type GraphRow } from '../api'
import { attempt } from '../attempt'
import { useChanges, useEntered } from '../changes'
import { Button, Check, Choice, IconButton, Range, takeEvent, useWritable } from '../controls'
import { html } from '../html'
import { Progress, resultOf, saveCsv } from '../jobs'
import { onLibrary } from '../live'
import { nameFor } from '../making/session'
import { lineOf, showCommand } from '../operations'
import { tell, useStore } from '../store'
import { t } from '../words/words'
import { useMoving } from './canvas'
import { commands, playedFile, type Played } from './lessons'
import { Miniature } from './miniature'
import { triple } from './mover'
import { drawGrid, drawPuck, drawTarget, drawTrail, type Puck } from './plan_draw'
import { playing } from './play_session'
import { mostReactors, playedRows, type Reactor } from './reactor'
import { puppets } from './session'
import { csvOf } from './takes'

// A card for every character that reacts: which moment of its demonstration it follows, which leads, and what can be done
// with what it did. Numbers that change all the time are written into their elements.

function playedBy({ puppet, start }: Reactor): Played | null {
  const { balance, rough } = playing
  return start && { puppet, start, balance: balance ?? undefined, rough }
}

/** As seen, and the line that lets a puppet react to the same once more. */
function exportCsv(reactor: Reactor): void {
  const played = playedBy(reactor)
  const rows = playedRows(reactor, playing.rows)
  if (!played || rows.length < 2) return tell(t('Nothing was played yet.'))
  saveCsv(playedFile(reactor.puppet), csvOf(rows))
  showCommand(commands.run(played))
}

/** A body that goes as it went, as a clip of the library. */
async function keepBody(reactor: Reactor): Promise<void> {
  const played = playedBy(reactor)
  const { graph } = playing
  const main = playedRows(reactor, playing.rows).map(([t, x, y, dir]) => [t, x, y, dir] as const)
  if (!played || !graph || main.length < 2) return tell(t('Nothing was played yet.'))
  const name = nameFor(reactor.puppet)
  const { puppet, start, balance, rough } = played
  const how = { ...(balance !== undefined && { balance }), ...(rough && { rough }) }
  await attempt(async () => {
    const body = { puppet, main, start: triple(start), ...how, graph, name }
    const made = await resultOf<BodyMade>(() => api.runPuppet(body), () => undefined)
    if (!made) return
    tell(t`Saved as ${made.name}: ${Math.round(made.away_cm)} cm from where it should be, on the mean`)
    showCommand(commands.body(played, graph, main)(made.name))
    refresh()
  })
}

/** Two figures are enough of a weight. */
function weightText(weight: number): string {
  return weight >= 1000 || weight < 0.01 ? weight.toExponential(0) : String(Number(weight.toPrecision(2)))
}

/** What it follows now, some times a second. */
function useNow(reactor: Reactor) {
  const card = useRef<HTMLLIElement>(null)
  useEffect(() => {
    const write = () => {
      const { answer } = reactor
      const bar = card.current?.querySelector<HTMLElement>('.puppet-lead i')
      const told = card.current?.querySelectorAll('dd')
      if (!answer || !bar || !told) return
      bar.style.width = `${(100 * answer.balance).toFixed(0)}%`
      const runs = puppets.demonstrated(reactor.puppet)?.runs ?? 1
      told[0]!.textContent = `${Math.round(100 * answer.balance)} : ${Math.round(100 - 100 * answer.balance)}`
      told[1]!.textContent = `${runs > 1 ? t`run ${answer.run + 1}, ` : ''}${answer.moment_s.toFixed(1)} s`
      told[2]!.textContent = weightText(answer.weight)
      if (told[3]) told[3].textContent = `${Math.round(answer.away_cm)} cm`
    }
    write()
    return playing.calmMoves.on(write)
  }, [reactor])
  return card
}

function Acts({ reactor }: { reactor: Reactor }) {
  const writable = useWritable()
  const [busy, setBusy] = useState(false)
  const { puppet } = reactor
  const keep = async () => {
    setBusy(true)
    await keepBody(reactor)
    setBusy(false)
  }
  return html`<div class="puppet-acts">
    ${playing.graph &&
    writable &&
    html`<${IconButton}
      icon="check" name=${t`Keep the body of ${puppet}`} title="Keep the body as a clip" disabled=${busy}
      onClick=${() => void keep()}
    />`}
    <${IconButton}
      icon="import" name=${t`Export ${puppet}`} title="Export what was played as CSV" onClick=${() => exportCsv(reactor)}
    />
    <${IconButton}
      icon="close" name=${t`Send away ${puppet}`} title="Send it away" onClick=${() => playing.remove(reactor)}
    />
  </div>`
}

function Card({ reactor }: { reactor: Reactor }) {
  const { puppet, hue, colour, state, error, live } = reactor
  const card = useNow(reactor)
  return html`<li ref=${card} class=${`puppet-card boxed of-clip-${hue}`} aria-label=${puppet}>
    <${Miniature}
      puppet=${puppets.demonstrated(puppet)} colour=${colour} moves=${playing.calmMoves} now=${() => reactor.answer}
    />
    <div class="puppet-who flex-row">
      <i class="swatch" aria-hidden="true"></i><strong>${puppet}</strong>
      ${state === 'opening' && html`<span class="dim">comes…</span>`}
      <${Acts} reactor=${reactor} />
    </div>
    ${state === 'failed'
      ? html`<p class="making-error" role="alert">
          ${error} <button type="button" class="link" onClick=${() => playing.again(reactor)}>Try again</button>
        </p>`
      : html`<dl class="puppet-led" title="Led by the situation : by what was done before, over the last second">
            <dt class="visually-hidden">Led by the situation and by what was done before</dt>
            <dd>–</dd>
            <div class="puppet-lead" aria-hidden="true"><i></i></div>
          </dl>
          <dl>
            <div title="The moment of the demonstration that is followed"><dt>Follows</dt><dd>–</dd></div>
            <div title="Of coherence, adjusted so that both lead as often as asked"><dt>Weight</dt><dd>–</dd></div>
            ${live && html`<div title="The body from where it should be"><dt>Off</dt><dd>–</dd></div>`}
          </dl>`}
  </li>`
}

function ReactorRows() {
  return html`<ul class="puppet-cards" aria-label="Who reacts">
    ${playing.reactors.map((reactor) => html`<${Card} key=${reactor.number} reactor=${reactor} />`)}
  </ul>`
}

// Whose bodies go where those go who react: those of a motion graph that can be steered. Where none can, one is trained
// here.

/** Null while they have not come; and what asks for them again. Of several answers the last one asked for counts. Bodies of a graph
 *  that is gone go with it. */
function useGraphs(): [GraphRow[] | null, () => Promise<void>] {
  const [graphs, setGraphs] = useState<GraphRow[] | null>(null)
  const asked = useRef(0)
  const load = useCallback(async () => {
    const mine = ++asked.current
    const table = await api.graphs().catch(() => null)
    if (!table || mine !== asked.current) return
    setGraphs(table.graphs)
    const { graph } = playing
    if (graph && !table.graphs.some(({ name, policy }) => policy && name === graph)) playing.set({ graph: '' })
  }, [])
  useEffect(() => {
    void load()
    const stop = onLibrary(() => void load())
    return () => {
      asked.current++
      stop()
    }
  }, [])
  return [graphs, load]
}

/** Takes some seconds; then the bodies are there at once. */
function TrainBodies({ graph, load }: { graph: string; load: () => Promise<void> }) {
  const train = async () => {
    if (!(await puppets.trainGraph(graph))) return
    await load()
    playing.set({ graph })
  }
  return html`<${Button}
    disabled=${puppets.job > 0} onClick=${() => void train()}
    title=${t`So that whole bodies go there: the motion graph ${graph} learns to be steered, once; it is kept in the library`}
  >Train bodies<//>`
}

function Bodies() {
  const writable = useWritable()
  const [graphs, load] = useGraphs()
  const steered = (graphs ?? []).filter(({ policy }) => policy)
  const [most] = [...(graphs ?? [])].sort((a, b) => (b.frames ?? 0) - (a.frames ?? 0))
  if (writable && most?.frames && !steered.length) return html`<${TrainBodies} graph=${most.name} load=${load} />`
  const about = steered.length
    ? t('Whole bodies of a motion graph go where they go')
    : t('Bodies need a motion graph that can be steered: build one in the panel Motion graphs')
  return html`<${Choice}
    name="Bodies" about=${about} value=${playing.graph} disabled=${!steered.length}
    options=${[['', t('none')], ...steered.map(({ name }) => name)]} set=${(graph: string) => playing.set({ graph })}
  />`
}

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
function AddChoice() {
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
    ${ready.map(({ name, about }) => chip(name, about, () => void take(name), t(' (ready-made: it is saved first)')))}
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
    <${Button} icon=${paused ? 'open' : 'pause'} onClick=${() => playing.pause()}>${paused ? t('Go on') : t('Pause')}<//>
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
        ? t('You are alone here. Add a character above, and it reacts to where you go and look.')
        : t('There is no puppet in this library, and it is open for reading only.')}
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
  return html`<${AddChoice} />
    ${job > 0 && html`<${Progress} number=${job} name=${jobName} />`}
    <${Plan} />
    <p class="dim puppet-keys">
      You go where the pointer is, or by <kbd>←</kbd> <kbd>→</kbd> <kbd>↑</kbd> <kbd>↓</kbd>. <kbd>Shift</kbd> stand and look at
      the pointer, <kbd>Q</kbd> <kbd>E</kbd> turn your look, <kbd>W</kbd> ahead again.
    </p>
    <${Controls} />
    ${reactors.length ? html`<${ReactorRows} />` : html`<${Alone} />`}`
}
