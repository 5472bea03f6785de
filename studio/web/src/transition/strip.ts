// strip.ts - a clip as a strip with its cut: what of it stays is bright, what is left out is dim, and what is blended is
// marked around the handle.
import { api, type Clip } from '../api'
import { useChanges } from '../changes'
import { dragging, hasModifier, shareUnder, takeEvent } from '../controls'
import { html } from '../html'
import { useStore } from '../store'
import { frameSteps } from '../timeline/segment_bar'
import { transition, type Side } from './session'

function pressKey(side: Side, event: KeyboardEvent): void {
  const step = frameSteps[event.key]
  if (!step || hasModifier(event)) return
  transition.move(side, transition.at[side] + step * (event.shiftKey ? 10 : 1))
  takeEvent(event)
}

const percent = (share: number) => `${100 * Math.max(0, Math.min(1, share))}%`

export function CutStrip({ side, clip }: { side: Side; clip: Clip }) {
  useChanges(transition)
  const version = useStore((state) => (state.strips.get(clip.id) ?? 0) + state.allStrips)
  const at = transition.at[side]
  const whole = Math.max(1, clip.frames - 1)
  const half = (transition.settings.half * clip.fps) / (transition.clips[0]?.fps ?? clip.fps)
  const drag = dragging((event, strip) => transition.move(side, shareUnder(strip, event)[0] * whole), '[role=slider]')
  const left = side === 0 ? at / whole : 0
  const right = side === 0 ? 1 : at / whole
  return html`<div class=${`cut-strip boxed of-clip-${side + 1}`} ...${drag}>
    <img src=${api.stripAddress(clip.id, version)} alt="" draggable=${false} />
    <i class="cut-away" style=${{ left: percent(left), width: percent(right - left) }}></i>
    <i class="cut-blended" style=${{ left: percent((at - half) / whole), right: percent(1 - (at + half) / whole) }}></i>
    <div
      class="cut-handle" role="slider" tabindex="0" aria-label=${`Frame of ${clip.name} at the cut`} aria-valuemin="0"
      aria-valuemax=${clip.frames - 1} aria-valuenow=${at}
      aria-valuetext=${`frame ${at}, ${(at / clip.fps).toFixed(2)} s`}
      title="Drag, or use the arrow keys; with Shift ten frames" style=${{ left: percent(at / whole) }}
      onKeyDown=${(event: KeyboardEvent) => pressKey(side, event)}
    ></div>
  </div>`
}
