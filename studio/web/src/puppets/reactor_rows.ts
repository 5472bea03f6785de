// reactor_rows.ts - a card for every character that reacts: which moment of its demonstration it follows, which leads, and what can be
// done with what it did. Numbers that change all the time are written into their elements.
import { useEffect, useRef, useState } from 'preact/hooks'
import { refresh } from '../actions'
import { api, type BodyMade } from '../api'
import { attempt } from '../attempt'
import { showCommand } from '../commands'
import { IconButton, useWritable } from '../controls'
import { html } from '../html'
import { resultOf, saveCsv } from '../jobs'
import { nameFor } from '../making/session'
import { tell } from '../store'
import { Miniature } from './miniature'
import { triple } from './mover'
import { playing } from './play_session'
import { commands, playedFile, type Played } from './puppet_commands'
import { playedRows, type Reactor } from './reactor'
import { puppets } from './session'
import { csvOf } from './takes'

function playedBy({ puppet, start }: Reactor): Played | null {
  const { balance, rough } = playing
  return start && { puppet, start, balance: balance ?? undefined, rough }
}

/** As seen, and the line that lets a puppet react to the same once more. */
function exportCsv(reactor: Reactor): void {
  const played = playedBy(reactor)
  const rows = playedRows(reactor, playing.rows)
  if (!played || rows.length < 2) return tell('Nothing was played yet.')
  saveCsv(playedFile(reactor.puppet), csvOf(rows))
  showCommand(commands.run(played))
}

/** A body that goes as it went, as a clip of the library. */
async function keepBody(reactor: Reactor): Promise<void> {
  const played = playedBy(reactor)
  const { graph } = playing
  const main = playedRows(reactor, playing.rows).map(([t, x, y, dir]) => [t, x, y, dir] as const)
  if (!played || !graph || main.length < 2) return tell('Nothing was played yet.')
  const name = nameFor(reactor.puppet)
  const { puppet, start, balance, rough } = played
  const how = { ...(balance !== undefined && { balance }), ...(rough && { rough }) }
  await attempt(async () => {
    const body = { puppet, main, start: triple(start), ...how, graph, name }
    const made = await resultOf<BodyMade>(() => api.runPuppet(body), () => undefined)
    if (!made) return
    tell(`Kept as ${made.name}: ${Math.round(made.away_cm)} cm from where it should be, on the mean`)
    showCommand(commands.body(played, graph)(made.name))
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
      told[1]!.textContent = `${runs > 1 ? `run ${answer.run + 1}, ` : ''}${answer.moment_s.toFixed(1)} s`
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
      icon="check" name=${`Keep the body of ${puppet}`} title="Keep the body as a clip" disabled=${busy}
      onClick=${() => void keep()}
    />`}
    <${IconButton}
      icon="import" name=${`Export ${puppet}`} title="Export what was played as CSV" onClick=${() => exportCsv(reactor)}
    />
    <${IconButton}
      icon="close" name=${`Send away ${puppet}`} title="Send it away" onClick=${() => playing.remove(reactor)}
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

export function ReactorRows() {
  return html`<ul class="puppet-cards" aria-label="Who reacts">
    ${playing.reactors.map((reactor) => html`<${Card} key=${reactor.number} reactor=${reactor} />`)}
  </ul>`
}
