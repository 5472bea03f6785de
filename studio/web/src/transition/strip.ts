// strip.ts - a clip as a strip with its cut: what of it stays is bright, what is left out is dim, and what is blended is
// marked around the handle.
import { useRef } from 'preact/hooks'
import { api, type Clip } from '../api'
import { html } from '../html'
import { useStore } from '../store'
import { useChanges } from '../timeline/view'
import { transition, type Side } from './session'

const steps: Record<string, number> = {
  ArrowLeft: -1,
  ArrowDown: -1,
  ArrowRight: 1,
  ArrowUp: 1,
  PageDown: -10,
  PageUp: 10,
}

function pressKey(side: Side, clip: Clip, event: KeyboardEvent): void {
  if (event.ctrlKey || event.metaKey || event.altKey) return
  const step = steps[event.key]
  if (step) transition.move(side, transition.at[side] + step * (event.shiftKey ? 10 : 1))
  else if (event.key === 'Home') transition.move(side, 0)
  else if (event.key === 'End') transition.move(side, clip.frames - 1)
  else return
  event.preventDefault()
  event.stopPropagation()
}

const percent = (share: number) => `${100 * Math.max(0, Math.min(1, share))}%`

export function CutStrip({ side, clip }: { side: Side; clip: Clip }) {
  useChanges(transition)
  const strip = useRef<HTMLDivElement>(null)
  const version = useStore((state) => (state.strips.get(clip.id) ?? 0) + state.allStrips)
  const at = transition.at[side]
  const whole = Math.max(1, clip.frames - 1)
  const half = (transition.settings.half * clip.fps) / (transition.clips[0]?.fps ?? clip.fps)
  const move = (event: PointerEvent) => {
    const box = strip.current!.getBoundingClientRect()
    transition.move(side, ((event.clientX - box.left) / box.width) * whole)
  }
  const onPointerDown = (event: PointerEvent) => {
    if (event.button !== 0) return
    strip.current!.setPointerCapture(event.pointerId)
    strip.current!.querySelector<HTMLElement>('[role=slider]')?.focus({ preventScroll: true })
    event.preventDefault()
    move(event)
  }
  const onPointerMove = (event: PointerEvent) => {
    if (strip.current!.hasPointerCapture(event.pointerId)) move(event)
  }
  const left = side === 0 ? at / whole : 0
  const right = side === 0 ? 1 : at / whole
  return html`<div
    class=${`cut-strip of-clip-${side + 1}`}
    ref=${strip}
    onPointerDown=${onPointerDown}
    onPointerMove=${onPointerMove}
  >
    <img src=${api.stripAddress(clip.id, version)} alt="" draggable=${false} />
    <i class="cut-away" style=${{ left: percent(left), width: percent(right - left) }}></i>
    <i
      class="cut-blended"
      style=${{ left: percent((at - half) / whole), right: percent(1 - (at + half) / whole) }}
    ></i>
    <div
      class="cut-handle"
      role="slider"
      tabindex="0"
      aria-label=${`Frame of ${clip.name} at the cut`}
      aria-valuemin="0"
      aria-valuemax=${clip.frames - 1}
      aria-valuenow=${at}
      aria-valuetext=${`frame ${at}, ${(at / clip.fps).toFixed(2)} s`}
      title="Drag, or use the arrow keys; with Shift ten frames"
      style=${{ left: percent(at / whole) }}
      onKeyDown=${(event: KeyboardEvent) => pressKey(side, clip, event)}
    ></div>
  </div>`
}
