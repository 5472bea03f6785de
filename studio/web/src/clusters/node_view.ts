// node_view.ts - one node closer: its clip-frame sequences as bars on their clips' time lines, the frames at which all of them
// can be switched, and the switches from the one that is chosen.
import type { ClusterCloser, ClusterSequence, ClusterSwitch } from '../api'
import { shortNumber } from '../compare/readout'
import { Button, Check, Choice, IconButton } from '../controls'
import { html } from '../html'
import { useStore } from '../store'
import { plural, t } from '../words/words'
import { clusters } from './session'

const mostBars = 240
const mostSwitches = 40

/** Frames that are the same cost next to nothing. */
function costText(cost: number): string {
  return cost < 0.01 ? '<0.01' : shortNumber(cost)
}

interface ClipLine {
  id: number
  name: string
  frames: number
  /** With their places in the node's list, which tuples go by. */
  sequences: { sequence: ClusterSequence; place: number }[]
}

function linesOf({ sequences }: ClusterCloser, framesOf: (clip: number) => number): ClipLine[] {
  const lines = new Map<number, ClipLine>()
  sequences.slice(0, mostBars).forEach((sequence, place) => {
    const { id, clip: name } = sequence
    const line = lines.get(id) ?? { id, name, frames: framesOf(id), sequences: [] }
    line.sequences.push({ sequence, place })
    line.frames = Math.max(line.frames, sequence.end)
    lines.set(id, line)
  })
  return [...lines.values()]
}

function Bar({ sequence, frames }: { sequence: ClusterSequence; frames: number }) {
  const { start, end, clip: name } = sequence
  const { from, wanted } = clusters
  const isTo = wanted && 'switch' in wanted && wanted.switch.to_sequence === sequence.sequence
  const kind = from?.sequence === sequence.sequence ? ' is-from' : isTo ? ' is-to' : ''
  const place = { left: `${(100 * start) / frames}%`, width: `${(100 * (end - start)) / frames}%` }
  return html`<button
    type="button" class=${`cluster-bar${kind}`} style=${place} aria-pressed=${String(kind === ' is-from')}
    aria-label=${t`${name}, frames ${start} to ${end - 1}`}
    title=${t`${name} ${start}–${end - 1}: play it, and see where it can go`}
    onClick=${() => void clusters.setFrom(sequence)}
  ></button>`
}

function Line({ line, marks }: { line: ClipLine; marks: readonly number[] }) {
  const { id, name, frames, sequences } = line
  return html`<li>
    <span class="cluster-clip ellipsis" title=${name}>${name}</span>
    <span class="cluster-track">
      ${sequences.map(
        ({ sequence }) => html`<${Bar} key=${sequence.sequence} sequence=${sequence} frames=${frames} />`,
      )}
      ${sequences.map(({ sequence, place }) => {
        const frame = marks[place]
        if (frame === undefined) return null
        const left = { left: `${(100 * frame) / frames}%` }
        return html`<i key=${`tuple ${sequence.sequence}`} class="cluster-tuple" style=${left}></i>`
      })}
    </span>
    ${sequences.length > 1
      ? html`<${IconButton}
          icon="loop" name=${t`Loop ${name} through this node`} onClick=${() => void clusters.wantLoop(id)}
          title=${t`${name} comes here ${sequences.length} times: make a loop of it`}
        />`
      : html`<span></span>`}
  </li>`
}

function Tuples() {
  const { tuples, tuple } = clusters
  if (!tuples) return null
  if (tuples.by_pairs) {
    return html`<p class="dim">
      There are no frames at which all sequences are alike (looked for with ${tuples.pairs} pairs); switches are found
      ${' '}pair by pair.
    </p>`
  }
  const options = tuples.frames.map((frames, i) => {
    const more = frames.length > 5 ? ' …' : ''
    return [i, t`${frames.slice(0, 5).join(', ')}${more} (cost ${costText(tuples.costs[i]!)})`] as const
  })
  return html`<${Choice}
    name="All can switch at" value=${tuple} options=${options}
    set=${(index: string) => clusters.update({ tuple: Number(index) })}
  >
    <span class="dim" title=${t`Found with ${tuples.pairs} pairs`}>${plural(options.length, 'shared switch point')}</span>
  <//>`
}

function SwitchRow({ one }: { one: ClusterSwitch }) {
  const { wanted } = clusters
  const now = wanted && 'switch' in wanted && wanted.switch === one
  return html`<li>
    <button
      type="button" class="cluster-switch boxed" aria-pressed=${String(Boolean(now))}
      onClick=${() => clusters.want({ switch: one })}
    >
      <span>${one.from} → ${one.to_clip} ${one.to + 1}</span>
      <span class="dim">${costText(one.cost)}</span>
    </button>
  </li>`
}

function Switches({ closer }: { closer: ClusterCloser }) {
  const { from, switches, whole } = clusters
  if (closer.sequences.length < 2) return null
  if (!from) return html`<p class="dim">Choose a sequence: it plays, and shows where it can switch to.</p>`
  return html`<section class="cluster-switches" aria-label="Switches">
    <div class="compare-fields">
      <h3>From ${from.clip} ${from.start}–${from.end - 1} to</h3>
      <${Check}
        name="All of both clips" title="Otherwise a second and a half before and behind the switch"
        on=${whole} set=${(on: boolean) => clusters.setWhole(on)}
      />
    </div>
    <ul>
      ${switches
        .slice(0, mostSwitches)
        .map((one) => html`<${SwitchRow} key=${`${one.to_sequence} ${one.to}`} one=${one} />`)}
    </ul>
  </section>`
}

export function NodeView() {
  const { closer, chosen } = clusters
  const cards = useStore((state) => state.cards)
  if (chosen === null) return null
  if (closer?.node !== chosen) return html`<p class="dim" role="status">Looking into node ${chosen}…</p>`
  const lines = linesOf(closer, (clip) => cards.find(({ id }) => id === clip)?.frames ?? 1)
  const marks = clusters.tuples?.frames[clusters.tuple] ?? []
  const { frames, sequences, clips, loops, widest } = closer
  const unit = clusters.cluster?.unit ?? ''
  return html`<section class="cluster-node" aria-label=${t`Node ${chosen}`}>
    <div class="compare-fields">
      <h3>Node ${chosen}</h3>
      <span class="dim">
        ${plural(frames, 'frame')}, ${plural(sequences.length, 'sequence')} of ${plural(clips, 'clip')}, widest
        ${' '}${shortNumber(widest)} ${unit}${loops ? t(', loops') : ''}
      </span>
      <${Button} icon="plus" onClick=${() => clusters.addToRoute(chosen)}>Add to the route<//>
    </div>
    <ul class="cluster-lines" aria-label="Sequences">
      ${lines.map((line) => html`<${Line} key=${line.id} line=${line} marks=${marks} />`)}
    </ul>
    <${Tuples} />
    <${Switches} closer=${closer} />
  </section>`
}
