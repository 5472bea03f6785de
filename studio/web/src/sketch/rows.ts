// rows.ts - what was found: the best paths through fragments of any clips, and each clip by itself. A click plays it.
import { useEffect, useState } from 'preact/hooks'
import { api, type ExamplePart, type ExamplePath } from '../api'
import { html } from '../html'
import { ClipName } from '../names'
import { getState, useStore } from '../store'
import { plural, t } from '../words/words'
import { sketching, type Choice } from './session'
import { colourOf, errorUnit, filled, hull, sketchFps } from './sketch_data'

// The curves of clips that were found, asked for once each.

const mostKept = 200
const kept = new Map<string, Float32Array>()
const asking = new Map<string, Promise<Float32Array>>()

/** Another program may have changed a clip. */
export function forgetSignals(): void {
  kept.clear()
}

function fetchSignal(clip: number, dof: string): Promise<Float32Array> {
  const key = `${clip} ${dof}`
  const before = asking.get(key)
  if (before) return before
  const frames = getState().cards.find(({ id }) => id === clip)?.frames ?? 0
  const asked = api.signals(clip, [dof], 0, frames).then((values) => {
    for (const oldest of kept.keys()) if (kept.size >= mostKept) kept.delete(oldest)
    kept.set(key, values)
    return values
  })
  asking.set(key, asked)
  void asked.catch(() => undefined).then(() => asking.delete(key))
  return asked
}

/** What is here already, and the rest as soon as it has come. */
function useSignals(clips: readonly number[], dof: string): ReadonlyMap<number, Float32Array> {
  const [, redraw] = useState(0)
  const wanted = clips.join()
  useEffect(() => {
    let gone = false
    const missing = clips.filter((clip) => !kept.has(`${clip} ${dof}`))
    // A curve that cannot be had is no loss worth a message; the name and the figures stay.
    for (const clip of missing) fetchSignal(clip, dof).then(() => gone || redraw((n) => n + 1), () => undefined)
    return () => {
      gone = true
    }
  }, [wanted, dof])
  return new Map(clips.flatMap((clip) => (kept.has(`${clip} ${dof}`) ? [[clip, kept.get(`${clip} ${dof}`)!]] : [])))
}

const pointsEach = 24

/** In a box of 100 by 100: the whole query is as wide as it. */
interface Box {
  x: (time_s: number) => number
  y: (value: number) => number
}

function boxOf(): Box | null {
  const { lanes, answer } = sketching
  const fragments = answer?.fragments ?? []
  const lane = lanes[0]
  if (!lane || !fragments.length) return null
  const [from, to] = [sketching.timeOf(fragments[0]!.start), sketching.timeOf(fragments[fragments.length - 1]!.end)]
  const drawn = lane.curve.filter((value) => !Number.isNaN(value))
  const room = 0.35 * Math.max(1, Math.max(...drawn) - Math.min(...drawn))
  const [low, high] = [Math.min(...drawn) - room, Math.max(...drawn) + room]
  return {
    x: (time) => (100 * (time - from)) / Math.max(1e-6, to - from),
    y: (value) => (100 * (high - value)) / (high - low),
  }
}

function lineOf(points: readonly (readonly [number, number])[]): string {
  return points.map(([x, y], i) => `${i ? 'L' : 'M'}${x.toFixed(1)} ${y.toFixed(1)}`).join('')
}

/** A part as long as the fragment that it stands for. */
function partLine({ start, end }: ExamplePart, i: number, signal: Float32Array, { x, y }: Box): string {
  const fragment = sketching.answer!.fragments[i]!
  const [from, to] = [sketching.timeOf(fragment.start), sketching.timeOf(fragment.end)]
  const count = Math.min(pointsEach, Math.max(2, Math.ceil(end - start) + 1))
  return lineOf(
    Array.from({ length: count }, (_, k) => {
      const share = k / (count - 1)
      const at = Math.min(signal.length - 1, start + share * (end - start))
      const [a, b] = [signal[Math.floor(at)]!, signal[Math.ceil(at)]!]
      return [x(from + share * (to - from)), y(a + (at - Math.floor(at)) * (b - a))] as const
    }),
  )
}

/** The query behind them all. */
function queryLine({ x, y }: Box): string {
  const curve = sketching.lanes[0]!.curve
  const whole = hull(curve)
  const values = whole && filled(curve, whole[0], whole[1])
  return values ? lineOf(values.map((value, i) => [x((whole[0] + i) / sketchFps), y(value)] as const)) : ''
}

function Curves({ parts }: { parts: readonly ExamplePart[] }) {
  const box = boxOf()
  const signals = useSignals([...new Set(parts.map(({ id }) => id))], sketching.lanes[0]?.dof.dof ?? '')
  if (!box) return null
  return html`<svg class="sketch-curves" viewBox="0 -4 100 108" preserveAspectRatio="none" aria-hidden="true">
    <path class="query" d=${queryLine(box)} />
    ${parts.map((part, i) => {
      const signal = signals.get(part.id)
      return signal && html`<path key=${i} class=${`of-fragment-${colourOf(i)}`} d=${partLine(part, i, signal, box)} />`
    })}
  </svg>`
}

/** Where in the clip the parts are. */
function Places({ clip, parts }: { clip: number; parts: readonly ExamplePart[] }) {
  const frames = useStore(({ cards }) => cards.find(({ id }) => id === clip)?.frames ?? 0)
  if (!frames) return null
  return html`<svg class="sketch-places" viewBox=${`0 0 ${frames} 1`} preserveAspectRatio="none" aria-hidden="true">
    ${parts.map(
      ({ start, end }, i) =>
        html`<rect key=${i} class=${`of-fragment-${colourOf(i)}`} x=${start} y="0" width=${end - start} height="1" />`,
    )}
  </svg>`
}

function jumpText(jumps: number): string {
  return jumps === 0 ? t('no jump') : plural(jumps, 'jump')
}

function nameOf(path: ExamplePath, { kind }: Choice): string {
  const names = [...new Set(path.parts.map(({ clip }) => clip))]
  return kind === 'clip' || names.length < 3 ? names.join(' + ') : t`${names[0]} + ${names.length - 1} more`
}

function Row({ path, choice }: { path: ExamplePath; choice: Choice }) {
  const { chosen } = sketching
  const now = chosen?.kind === choice.kind && chosen.index === choice.index
  const name = nameOf(path, choice)
  // The name of one clip; of several there is no card.
  const one = useStore(({ cards }) => cards.find((card) => card.name === name)?.id ?? 0)
  const last = path.parts[path.parts.length - 1]!
  const frames = choice.kind === 'clip' && path.jumps === 0
  const where = frames ? t`, frames ${Math.floor(path.parts[0]!.start)}–${Math.ceil(last.end)}` : ''
  return html`<li>
    <button
      type="button" class="sketch-row boxed" aria-pressed=${String(now)} onClick=${() => sketching.choose(choice)}
      title=${t`${name}${where}: play ${frames ? t('these frames') : t('the parts put together')}`}
    >
      <${ClipName} id=${one} name=${name} kind="sketch-name" />
      <span class="sketch-figures dim">
        <b title="Sum of the fragments' errors, each the root of the mean squared difference">
          ${path.error.toFixed(path.error < 10 ? 2 : 1)}${errorUnit(sketching.lanes.map(({ dof }) => dof))}
        </b>
        <span>${jumpText(path.jumps)}</span>
      </span>
      <${Curves} parts=${path.parts} />
      ${choice.kind === 'clip' && html`<${Places} clip=${path.parts[0]!.id} parts=${path.parts} />`}
    </button>
  </li>`
}

interface ListProps {
  name: string
  title: string
  kind: Choice['kind']
  rows: readonly ExamplePath[]
}

function List({ name, title, kind, rows }: ListProps) {
  return html`<section class="sketch-list" aria-label=${name}>
    <h3 title=${title}>${name}</h3>
    <ul>
      ${rows.map((path, index) => html`<${Row} key=${index} path=${path} choice=${{ kind, index }} />`)}
    </ul>
  </section>`
}

export function Found() {
  const { answer } = sketching
  if (!answer) return null
  return html`<div class="sketch-found">
    <${List}
      name="Best paths" kind="path" rows=${answer.paths}
      title="Fragments of any clips put together: fewest jumps first, then the least error"
    />
    <${List}
      name="Clips" kind="clip" rows=${answer.clips} title="Each clip by itself: the best path that uses it alone"
    />
  </div>`
}
