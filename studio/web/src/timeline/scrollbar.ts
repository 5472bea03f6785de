// scrollbar.ts - where the view lies in the whole clip, and a way to move it.
import { useRef } from 'preact/hooks'
import { useChanges } from '../changes'
import { takeEvent } from '../controls'
import { html } from '../html'
import { useStore } from '../store'
import { view } from './view'

function pressKey(event: KeyboardEvent): void {
  const { span } = view.window
  const moves: Record<string, number> = {
    ArrowLeft: -span / 10,
    ArrowRight: span / 10,
    PageUp: -span,
    PageDown: span,
    Home: -view.frames,
    End: view.frames,
  }
  const by = moves[event.key]
  if (by === undefined) return
  takeEvent(event)
  view.pan(by)
}

export function Scrollbar() {
  useChanges(view)
  const track = useRef<HTMLDivElement>(null)
  const segment = useStore((state) => state.segment)
  const { start, span } = view.window
  const share = (frames: number) => `${((100 * frames) / view.frames).toFixed(3)}%`
  const down = (event: PointerEvent) => {
    const bar = track.current
    if (!bar || event.button !== 0) return
    event.preventDefault()
    bar.focus()
    bar.setPointerCapture(event.pointerId)
    const { left, width } = bar.getBoundingClientRect()
    const frameAt = (x: number) => ((x - left) / width) * view.frames
    const at = frameAt(event.clientX)
    // Beside the thumb the view jumps there; on it, it keeps the place where it was gripped.
    const grip = at >= start && at <= start + span ? at - start : span / 2
    const moveTo = (x: number) => view.set({ start: frameAt(x) - grip, span })
    moveTo(event.clientX)
    bar.onpointermove = (moved) => moveTo(moved.clientX)
    bar.onpointerup = bar.onpointercancel = () => (bar.onpointermove = null)
  }
  return html`<div class="tl-scroll">
    <div
      class="tl-scrollbar" ref=${track} role="scrollbar" tabindex=${span < view.frames ? 0 : -1}
      aria-label="Frames in view" aria-controls="timeline-area" aria-orientation="horizontal" aria-valuemin="0"
      aria-valuemax=${Math.round(view.frames - span)} aria-valuenow=${Math.round(start)}
      aria-valuetext="frames ${Math.floor(start)} to ${Math.ceil(start + span) - 1}" onPointerDown=${down}
      onKeyDown=${pressKey}
    >
      ${segment &&
      html`<div
        class="tl-scroll-segment"
        style=${{ left: share(segment.start), width: share(segment.end - segment.start) }}
      ></div>`}
      <div class="tl-thumb" style=${{ left: share(start), width: share(span) }}></div>
    </div>
  </div>`
}
