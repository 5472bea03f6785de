// controls.ts - what is wanted, by hand: a pad for two numbers and sliders for single ones, with all that can
// be reached drawn into them.
import { useMemo } from 'preact/hooks'
import type { Family } from '../api'
import { dragging, hasModifier, shareUnder, takeEvent, useTyped, valueOf } from '../controls'
import { html } from '../html'
import { t } from '../words/words'
import { controlsOf, dimTitle, growsLeft, hullOf, isNear, numberText, rangeOf, type Range } from './param_data'
import { parameters } from './session'

/** Of a control's range. */
const step = 0.02
const longStep = 0.1
/** The pad's drawing is a square of this side. */
const side = 100

function signOf(family: Family, dim: number): number {
  const row = family.axes[dim]!
  return growsLeft(row, family.params[row.feature]!) ? -1 : 1
}

function shareOf({ least, greatest }: Range, value: number): number {
  return (value - least) / (greatest - least)
}

/** What can be reached, as paths for the drawings of pads and sliders. */
interface Region {
  hull: string
  /** Samples that can be had without moving the other numbers much, and the others. */
  near: string
  far: string
  examples: string
}

type ToPoint = (values: readonly number[]) => [number, number]

/** A dot is a line of no length with a round end. */
function dots(points: readonly (readonly [number, number])[]): string {
  return points.map(([x, y]) => `M${x.toFixed(2)} ${y.toFixed(2)}h0`).join('')
}

function corners(points: readonly (readonly [number, number])[]): string {
  return points.map(([x, y]) => `${x.toFixed(2)},${y.toFixed(2)}`).join(' ')
}

/** `own` are the numbers that the drawing shows. */
export function regionOf(family: Family, at: readonly number[], own: readonly number[], toPoint: ToPoint): Region {
  const examples = family.examples.map(({ values }) => toPoint(values))
  const near: [number, number][] = []
  const far: [number, number][] = []
  for (const values of family.sample_values) (isNear(family.axes, values, at, own) ? near : far).push(toPoint(values))
  return {
    hull: corners(hullOf([...near, ...far, ...examples])),
    near: dots(near),
    far: dots(far),
    examples: dots(examples),
  }
}

/** Moves and what they come to: along the pad's axes, and to what lies behind it. */
const ways: Record<string, [number, number, number]> = {
  ArrowLeft: [-1, 0, 0],
  ArrowRight: [1, 0, 0],
  ArrowUp: [0, 1, 0],
  ArrowDown: [0, -1, 0],
  PageUp: [0, 0, 1],
  PageDown: [0, 0, -1],
}

interface PadProps {
  family: Family
  pad: [number, number]
  depth: number | null
}

/** Both numbers in one scale if they have one unit, so that the drawing is not stretched. */
function padRanges(family: Family, [a, b]: [number, number]): [Range, Range] {
  const [x, y] = [rangeOf(family.axes[a]!), rangeOf(family.axes[b]!)]
  if (family.axes[a]!.unit !== family.axes[b]!.unit) return [x, y]
  const span = Math.max(x.greatest - x.least, y.greatest - y.least)
  const widen = ({ least, greatest }: Range): Range => {
    const middle = (least + greatest) / 2
    return { least: middle - span / 2, greatest: middle + span / 2 }
  }
  return [widen(x), widen(y)]
}

function pressKey(event: KeyboardEvent, { family, pad: [a, b], depth }: PadProps, [x, y]: [Range, Range]): void {
  const way = ways[event.key]
  if (!way || hasModifier(event) || (way[2] && depth === null)) return
  takeEvent(event)
  const by = event.shiftKey ? longStep : step
  const next = [...parameters.at]
  next[a]! += signOf(family, a) * way[0] * by * (x.greatest - x.least)
  next[b]! += way[1] * by * (y.greatest - y.least)
  if (depth !== null) {
    const { least, greatest } = rangeOf(family.axes[depth]!)
    next[depth]! += way[2] * by * (greatest - least)
  }
  parameters.setAt(next)
}

function say(family: Family, dims: readonly number[], at: readonly number[]): string {
  return dims.map((i) => `${dimTitle(family, i)} ${numberText(at[i]!)} ${family.axes[i]!.unit}`).join(', ')
}

function Axes({ family, pad: [a, b] }: PadProps) {
  const left = signOf(family, a) < 0
  return html`<span class=${`param-axis is-across${left ? ' is-left' : ''}`} aria-hidden="true">
      ${left ? '←' : ''} ${dimTitle(family, a)} ${left ? '' : '→'}
    </span>
    <span class="param-axis is-up" aria-hidden="true">↑ ${dimTitle(family, b)}</span>`
}

function Pad(props: PadProps) {
  const { family, pad, depth } = props
  const [a, b] = pad
  const ranges = padRanges(family, pad)
  const sign = signOf(family, a)
  const toPoint = (values: readonly number[]): [number, number] => {
    const x = shareOf(ranges[0], values[a]!)
    return [side * (sign < 0 ? 1 - x : x), side * (1 - shareOf(ranges[1], values[b]!))]
  }
  const { at } = parameters
  // Samples are drawn anew only if what lies behind the pad changes.
  const behind = at.filter((_, i) => !pad.includes(i)).join()
  const region = useMemo(() => regionOf(family, at, pad, toPoint), [family, a, b, behind])
  const reached = parameters.asked && toPoint(parameters.asked.reached)
  const [x, y] = toPoint(at)
  const drag = dragging((event, element) => {
    const [across, down] = shareUnder(element, event)
    const next = [...at]
    next[a] = ranges[0].least + (sign < 0 ? 1 - across : across) * (ranges[0].greatest - ranges[0].least)
    next[b] = ranges[1].greatest - down * (ranges[1].greatest - ranges[1].least)
    parameters.setAt(next)
  })
  const deeper = depth === null ? '' : t`, page keys: ${dimTitle(family, depth)}`
  return html`<div class="param-pad">
    <svg
      viewBox=${`0 0 ${side} ${side}`} role="application" aria-roledescription="pad"
      aria-label=${t`Wanted: ${say(family, depth === null ? pad : [...pad, depth], at)}. Arrow keys move it${deeper}.`}
      tabindex="0" ...${drag} onKeyDown=${(event: KeyboardEvent) => pressKey(event, props, ranges)}
    >
      <title>Drag: what the motion is to do. Grey: what can be reached, red: examples</title>
      <polygon class="param-hull" points=${region.hull} />
      <path class="param-far" d=${region.far} />
      <path class="param-near" d=${region.near} />
      <path class="param-example" d=${region.examples} />
      ${reached && html`<path class="param-gap" d=${`M${x} ${y}L${reached[0]} ${reached[1]}`} />`}
      <circle class="param-wanted" cx=${x} cy=${y} r="2.6" />
    </svg>
    <${Axes} ...${props} />
  </div>`
}

/** Where the thumb's middle can be: half a thumb from either end. */
function Slider({ family, dim }: { family: Family; dim: number }) {
  const row = family.axes[dim]!
  const { at } = parameters
  const range = rangeOf(row)
  const every = family.axes.map((_, i) => i)
  const toMark = (values: readonly number[]): [number, number] => [side * shareOf(range, values[dim]!), 1]
  const region = useMemo(() => regionOf(family, at, every, toMark), [family, dim])
  const title = dimTitle(family, dim)
  const set = (value: number) => parameters.setOne(dim, value)
  const typed = useTyped(at[dim]!, set)
  const [from, to] = [row.least, row.greatest].map((value) => side * shareOf(range, value)) as [number, number]
  return html`<div class="param-slider">
    <span class="param-title ellipsis" title=${row.name}>${title}</span>
    <div class=${`param-track${signOf(family, dim) < 0 ? ' is-leftward' : ''}`}>
      <svg class="param-marks" viewBox=${`0 0 ${side} 2`} preserveAspectRatio="none" aria-hidden="true">
        <rect class="param-reach" x=${from} y="0" width=${Math.max(0, to - from)} height="2" />
        <path class="param-far" d=${region.near} />
        <path class="param-example" d=${region.examples} />
      </svg>
      <input
        type="range" min=${range.least} max=${range.greatest} step=${(range.greatest - range.least) / 400}
        aria-label=${title} aria-valuetext=${`${numberText(at[dim]!)} ${row.unit}`} value=${at[dim]}
        onInput=${(event: Event) => set(Number(valueOf(event)))}
      />
    </div>
    <label class="param-number flex-row">
      <input class="field" type="number" step="any" aria-label=${t`${title}, as a number`} ...${typed} />
      <span class="dim">${row.unit}</span>
    </label>
  </div>`
}

export function Controls({ family }: { family: Family }) {
  const controls = controlsOf(family)
  const pads = controls.flatMap((control) => ('pad' in control ? [control] : []))
  // Numbers of a pad can be typed too.
  const all = controls.flatMap((control) => ('pad' in control ? control.pad : control.slider)).sort((a, b) => a - b)
  return html`<section class=${`param-controls${pads.length ? '' : ' is-plain'}`} aria-label="What is wanted">
    ${pads.map((control) => html`<${Pad} key=${control.pad.join()} family=${family} ...${control} />`)}
    <div class="param-sliders">
      ${all.map((dim) => html`<${Slider} key=${dim} family=${family} dim=${dim} />`)}
    </div>
  </section>`
}
