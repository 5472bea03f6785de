// clip_strip.ts - a clip as a strip on which frames are chosen: its picture, handles that the pointer and the keys move, and the
// list of what was found in it.
import type { ComponentChildren } from 'preact'
import { api, type Clip } from '../api'
import { lengthText, shortNumber } from '../compare/readout'
import { dragging, hasModifier, shareUnder, takeEvent } from '../controls'
import { html } from '../html'
import { useStore } from '../store'
import { frameSteps } from '../timeline/segment_bar'
import { t } from '../words/words'
import './clip_strip.css'

export const percent = (share: number) => `${100 * Math.max(0, Math.min(1, share))}%`

/** Of a place on the strip, and of a handle there: from the first frame to the last. */
export const wholeOf = ({ frames }: Clip) => Math.max(1, frames - 1)

interface HandleProps {
  name: string
  title: string
  clip: Clip
  at: number
  least?: number
  most?: number
  /** Classes besides its own. */
  kind?: string
  /** It is dragged itself; otherwise the strip below it moves it. */
  dragged?: boolean
  move: (frame: number) => void
}

export function StripHandle({ name, title, clip, at, least = 0, most = clip.frames - 1, kind = '', dragged = false, move }: HandleProps) {
  const press = (event: KeyboardEvent) => {
    const step = frameSteps[event.key]
    if (!step || hasModifier(event)) return
    move(at + step * (event.shiftKey ? 10 : 1))
    takeEvent(event)
  }
  const { onPointerDown, onPointerMove } = dragging((event, handle) => move(shareUnder(handle.parentElement!, event)[0] * wholeOf(clip)))
  const own = dragged && {
    onPointerMove,
    onPointerDown: (event: PointerEvent) => {
      event.stopPropagation()
      onPointerDown(event)
    },
  }
  return html`<div
    class=${`cut-handle ${kind}`} role="slider" tabindex="0" aria-label=${name} aria-valuemin=${least} aria-valuemax=${most}
    aria-valuenow=${at} aria-valuetext=${t`frame ${at}, ${(at / clip.fps).toFixed(2)} s`} title=${title}
    style=${{ left: percent(at / wholeOf(clip)) }} onKeyDown=${press} ...${own}
  ></div>`
}

/** Frames from..to, which are left out; from the first or to the last where one is missing. */
export function Away({ clip, from = 0, to = wholeOf(clip) }: { clip: Clip; from?: number; to?: number }) {
  const whole = wholeOf(clip)
  return html`<i class="cut-away" style=${{ left: percent(from / whole), right: percent(1 - to / whole) }}></i>`
}

interface StripProps {
  clip: Clip
  kind: string
  drag: ReturnType<typeof dragging>
  children: ComponentChildren
}

export function ClipStrip({ clip, kind, drag, children }: StripProps) {
  const version = useStore((state) => (state.strips.get(clip.id) ?? 0) + state.allStrips)
  return html`<div class=${`cut-strip boxed ${kind}`} ...${drag}>
    <img src=${api.stripAddress(clip.id, version)} alt="" draggable=${false} />
    ${children}
  </div>`
}

interface FoundProps {
  now: boolean
  cost: number
  /** Of the dearest in the list. */
  worst: number
  unit: string
  choose: () => void
  children: ComponentChildren
}

/** One of the best, and how far apart its frames are. */
export function FoundRow({ now, cost, worst, unit, choose, children }: FoundProps) {
  const share = worst > 0 ? Math.sqrt(cost / worst) : 0
  return html`<li>
    <button type="button" class=${`cut-item${now ? ' is-now' : ''}`} aria-pressed=${String(now)} onClick=${choose}>
      <span class="cut-frames">${children}</span>
      <span class="bar" aria-hidden="true"><i style=${{ width: `${100 * share}%` }}></i></span>
      <span class="number" title=${unit === 'cm2' ? `${shortNumber(cost)} cm²` : ''}>${lengthText(cost, unit)}</span>
    </button>
  </li>`
}
