// curve_editor.ts - weights over time: a curve for each clip, through keys that are added by a click, dragged, and removed.
// A key holds the weights of all clips; drawn as shares of one.
import { useRef, useState } from 'preact/hooks'
import { Button, hasModifier, shareUnder, takeEvent } from '../controls'
import { html } from '../html'
import { player } from '../player'
import { PlayLine } from '../timeline/playhead'
import { t } from '../words/words'
import { blend } from './session'
import { addKey, moveKey, normal, removeKey, setKey, withShare } from './weights'

const step_s = 0.05
const longStep_s = 0.5
const share = 0.05

interface Held {
  key: number
  /** -1: only its time. */
  clip: number
}

/** Seconds that the editor is wide: the whole blend, and whatever keys lie behind its end. */
function span(): number {
  const last = blend.keys[blend.keys.length - 1]?.[0] ?? 0
  return Math.max(0.1, blend.length_s, last)
}

function percent(value: number): string {
  return `${100 * Math.max(0, Math.min(1, value))}%`
}

/** Through the keys, level before the first and behind the last. */
function lineOf(clip: number, wide: number): string {
  const points = blend.keys.map((key) => [key[0]! / wide, normal(key.slice(1))[clip]!] as const)
  const whole = [[0, points[0]![1]] as const, ...points, [1, points[points.length - 1]![1]] as const]
  return whole.map(([x, y]) => `${100 * x},${100 * (1 - y)}`).join(' ')
}

function pressKey(event: KeyboardEvent, at: number, clip: number, choose: (clip: number) => void): void {
  if (hasModifier(event)) return
  const { keys } = blend
  const number = Number(event.key)
  const along = { ArrowLeft: -1, ArrowRight: 1 }[event.key]
  const up = { ArrowUp: 1, ArrowDown: -1 }[event.key]
  if (along) {
    const by = along * (event.shiftKey ? longStep_s : step_s)
    blend.setKeys(moveKey(keys, at, keys[at]![0]! + by, span()), at)
  } else if (up) {
    const now = normal(keys[at]!.slice(1))
    const to = Math.max(0, Math.min(1, now[clip]! + up * share * (event.shiftKey ? 4 : 1)))
    blend.setKeys(setKey(keys, at, withShare(now, clip, to)), at)
  } else if (event.key === 'Delete' || event.key === 'Backspace') blend.setKeys(removeKey(keys, at), at - 1)
  else if (event.key === 'Insert') addHere()
  else if (number >= 1 && number <= blend.clips.length) choose(number - 1)
  else return
  takeEvent(event)
}

function addHere(): void {
  const { keys, at } = addKey(blend.keys, player.now.time)
  blend.setKeys(keys, at)
}

/** What a pointer in the editor means: seconds, and a weight. */
function placeOf(element: HTMLElement, event: PointerEvent): [number, number] {
  const [across, down] = shareUnder(element, event)
  return [Math.max(0, Math.min(1, across)) * span(), Math.max(0, Math.min(1, 1 - down))]
}

function drag({ key, clip }: Held, [time, weight]: [number, number]): void {
  const moved = moveKey(blend.keys, key, time, span())
  const weights = normal(moved[key]!.slice(1))
  blend.setKeys(clip < 0 ? moved : setKey(moved, key, withShare(weights, clip, weight)), key)
}

interface KeyProps {
  at: number
  wide: number
  clip: number
  choose: (clip: number) => void
}

function KeyColumn({ at, wide, clip, choose }: KeyProps) {
  const [time, ...weights] = blend.keys[at]!
  const shares = normal(weights)
  const words = blend.clips.map((part, i) => `${Math.round(100 * shares[i]!)} % ${part.clip.name}`).join(', ')
  const left = percent(time! / wide)
  return html`<div
      class=${`key-column${at === blend.chosenKey ? ' is-now' : ''}`}
      style=${{ left }} role="slider" tabindex="0" data-key=${at} aria-label=${t`Key ${at + 1} of ${blend.keys.length}`}
      aria-valuemin="0" aria-valuemax=${wide.toFixed(2)} aria-valuenow=${time!.toFixed(2)}
      aria-valuetext=${`${time!.toFixed(2)} s: ${words}`}
      title="Drag along the time; arrows up and down change the weight of the chosen clip, Delete removes it"
      onFocus=${() => blend.chooseKey(at)}
      onKeyDown=${(event: KeyboardEvent) => pressKey(event, at, clip, choose)}
    ></div>
    ${shares.map(
      (each, i) => html`<i
        key=${i} class=${`key-dot of-clip-${i + 1}`} data-key=${at} data-clip=${i}
        style=${{ left, top: percent(1 - each) }}
      ></i>`,
    )}`
}

function useDragging(choose: (clip: number) => void) {
  const area = useRef<HTMLDivElement>(null)
  const held = useRef<Held | null>(null)
  const onPointerDown = (event: PointerEvent) => {
    if (event.button !== 0) return
    const { key, clip } = (event.target as HTMLElement).dataset
    if (key === undefined) {
      const added = addKey(blend.keys, placeOf(area.current!, event)[0])
      blend.setKeys(added.keys, added.at)
    } else {
      held.current = { key: Number(key), clip: clip === undefined ? -1 : Number(clip) }
      blend.chooseKey(Number(key))
      if (clip !== undefined) choose(Number(clip))
      area.current!.setPointerCapture(event.pointerId)
    }
    area.current!.querySelector<HTMLElement>(`.key-column[data-key="${blend.chosenKey}"]`)?.focus()
    event.preventDefault()
  }
  const onPointerMove = (event: PointerEvent) => {
    if (held.current) drag(held.current, placeOf(area.current!, event))
  }
  const onPointerUp = () => {
    held.current = null
  }
  return { area, onPointerDown, onPointerMove, onPointerUp }
}

export function CurveEditor() {
  const [chosen, choose] = useState(0)
  const { area, ...handlers } = useDragging(choose)
  const wide = span()
  const clip = Math.min(chosen, blend.clips.length - 1)
  const fps = blend.made?.facts.fps ?? 30
  return html`<div class="curve-editor">
    <div class="curve-area boxed" ref=${area} role="group" aria-label="Weights over time" ...${handlers}>
      <svg viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true">
        ${blend.clips.map(
          (_, i) => html`<polyline
            key=${i} class=${`of-clip-${i + 1}${i === clip ? ' is-now' : ''}`} points=${lineOf(i, wide)}
          />`,
        )}
      </svg>
      ${blend.keys.map(
        (_, i) => html`<${KeyColumn} key=${i} at=${i} wide=${wide} clip=${clip} choose=${choose} />`,
      )}
      <${PlayLine} share=${(frame: number) => frame / fps / wide} />
    </div>
    <div class="curve-foot flex-row">
      <span class="dim">0 s</span>
      <span class="making-space"></span>
      <${Button} title="A key at the playhead (Insert)" onClick=${addHere}>Add key here<//>
      <${Button}
        disabled=${blend.keys.length < 2} title="The chosen key (Delete)"
        onClick=${() => blend.setKeys(removeKey(blend.keys, blend.chosenKey), blend.chosenKey - 1)}
      >Remove key<//>
      <span class="making-space"></span>
      <span class="dim">${wide.toFixed(2)} s</span>
    </div>
  </div>`
}
