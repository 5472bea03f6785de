// segment_bar.ts - the marked segment on the tracks, with ends that can be dragged or moved by keys, and the
// bar that names and saves it.
import { useChanges } from '../changes'
import { Button, IconButton, takeEvent, useNaming, useWritable, valueOf } from '../controls'
import { html } from '../html'
import { findMore } from '../opening'
import { player } from '../player'
import { useStore, type Segment } from '../store'
import { SegmentLabel } from './lanes'
import { clearSegment, cutSegment, freeName, markSegment, segmentNameField } from './segment'
import { segmentEndHere, segmentStartHere } from './segment'
import { clamp } from './scale'
import { frameText, view } from './view'

type End = 'start' | 'end'

/** Moves one end to an edge between frames; it stops a frame before the other end. */
function moveEnd(segment: Segment, which: End, edge: number): void {
  if (which === 'start') markSegment(clamp(edge, 0, segment.end - 1), segment.end)
  else markSegment(segment.start, clamp(edge, segment.start + 1, view.frames))
}

/** The pose at the end that is dragged is what one wants to see. */
function showEnd(which: End): void {
  const { playing, rangeStart, rangeEnd } = player.now
  if (!playing) player.seekFrame(which === 'start' ? rangeStart : rangeEnd - 1)
}

/** How far keys move something that is at a frame. */
export const frameSteps: Record<string, number> = {
  ArrowLeft: -1,
  ArrowDown: -1,
  ArrowRight: 1,
  ArrowUp: 1,
  PageDown: -10,
  PageUp: 10,
  Home: -Infinity,
  End: Infinity,
}

/** At the first and at the last frame in view a handle outside the segment would be cut off. */
function hasRoomOutside(which: End, x: number): boolean {
  const handle_px = 12
  return which === 'start' ? x < -1 || x >= handle_px : x > view.width + 1 || x <= view.width - handle_px
}

function Handle({ which, segment }: { which: End; segment: Segment }) {
  const edge = segment[which]
  const down = (event: PointerEvent) => {
    if (event.button !== 0) return
    takeEvent(event)
    const handle = event.currentTarget as HTMLElement
    handle.focus()
    handle.setPointerCapture(event.pointerId)
    const grip = event.clientX - view.x(edge)
    handle.onpointermove = (move) => {
      moveEnd(segment, which, Math.round(view.frameAt(move.clientX - grip)))
      showEnd(which)
    }
    handle.onpointerup = handle.onpointercancel = () => (handle.onpointermove = null)
  }
  const key = (event: KeyboardEvent) => {
    const by = frameSteps[event.key]
    if (by === undefined) return
    takeEvent(event)
    moveEnd(segment, which, edge + by)
  }
  // A slider names frames, so the end is the last frame inside, not the edge behind it.
  const shown = which === 'start' ? edge : edge - 1
  const reveal = () => {
    if (!view.shows(shown)) view.reveal(shown, which === 'end')
  }
  return html`<div
    class="tl-handle tl-handle-${which}${hasRoomOutside(which, view.x(edge)) ? '' : ' tl-inside'}"
    role="slider" tabindex="0" aria-label="Segment ${which}" title="Segment ${which}: drag, or use the arrow keys"
    aria-valuemin=${which === 'start' ? 0 : segment.start}
    aria-valuemax=${which === 'start' ? segment.end - 1 : view.frames - 1} aria-valuenow=${shown}
    aria-valuetext=${frameText(shown)} onPointerDown=${down} onKeyDown=${key} onFocus=${reveal}
  ></div>`
}

export function SegmentMark() {
  useChanges(view)
  const segment = useStore((state) => state.segment)
  if (!segment) return null
  const left = view.x(segment.start)
  const right = view.x(segment.end)
  if (right < 0 || left > view.width) return null
  const place = { transform: `translateX(${left}px)`, width: `${right - left}px` }
  return html`<div class="tl-segment" style=${place}>
    <${Handle} which="start" segment=${segment} />
    <${Handle} which="end" segment=${segment} />
  </div>`
}

function SegmentName({ clipName }: { clipName: string }) {
  const cards = useStore((state) => state.cards)
  const suggested = freeName(clipName, new Set(cards.map((card) => card.name)))
  const { name, set, busy, submit } = useNaming(suggested, clipName, cutSegment)
  return html`<form class="tl-group flex-row" onSubmit=${submit}>
    <input
      id=${segmentNameField} type="text" class="field tl-text" value=${name} aria-label="Name of the new clip"
      autocomplete="off" spellcheck=${false} onInput=${(event: Event) => set(valueOf(event))}
    />
    <${Button} type="submit" kind="primary" title="Save the segment as a clip (S)" disabled=${busy}>Save as clip<//>
  </form>`
}

/** No name: the clip is not in the library, and nothing can be cut out of it. */
export function SegmentBar({ clipName }: { clipName: string | null }) {
  const segment = useStore((state) => state.segment)
  const writable = useWritable()
  const searching = useStore((state) => state.making === 'search')
  const clip = useStore((state) => state.shown[0]?.clip.id ?? 0)
  const long = segment ? segment.end - segment.start : 0
  return html`<div class="tl-group flex-row tl-segment-bar" role="group" aria-label="Segment">
    <${Button} icon="inPoint" title="The segment begins here (I)" onClick=${segmentStartHere}>
      <span class="tl-word">Set in</span>
    <//>
    <${Button} icon="outPoint" title="The segment ends here (O)" onClick=${segmentEndHere}>
      <span class="tl-word">Set out</span>
    <//>
    ${segment
      ? html`<span class="tl-length"
            >${segment.start}–${segment.end - 1}
            <span class="tl-word dim">${long === 1 ? '1 frame' : `${long} frames`}</span>
            <span class="dim">${(long / view.fps).toFixed(2)} s</span></span
          >
          <${IconButton}
            icon="fit" name="Zoom to the segment" onClick=${() => view.showRange(segment.start, segment.end)}
          />
          <${IconButton} icon="closeSolid" name="Clear the segment" keys="Esc" onClick=${clearSegment} />
          ${clipName !== null &&
          !searching &&
          html`<${Button} icon="search" title="Find more like this in the whole library (M)" onClick=${findMore}>
            <span class="tl-long">Find more</span>
          <//>`}
          ${writable &&
          clipName !== null &&
          html`<${SegmentName} clipName=${clipName} /><${SegmentLabel} clip=${clip} segment=${segment} />`}`
      : html`<span class="dim tl-hint">shift-drag marks a segment</span>`}
  </div>`
}
