// pointer.ts - what the pointer does on the ruler, on empty tracks and on curves: scrub, shift-drag a
// segment, pan with the middle button, zoom with the wheel.
import { player } from '../player'
import { getState } from '../store'
import { clamp } from './scale'
import { markSegment } from './segment'
import { view } from './view'

type Mode = 'scrub' | 'mark' | 'pan'

interface Drag {
  mode: Mode
  pointer: number
  startX: number
  lastX: number
  startFrame: number
  moved: boolean
  wasPlaying: boolean
}

/** Less than this is a click, not a drag. */
const slack_px = 3

function frameAtPointer(area: HTMLElement, event: MouseEvent): number {
  const x = event.clientX - area.getBoundingClientRect().left
  return clamp(Math.floor(view.frameAt(x) + 1e-6), 0, view.frames - 1)
}

/** Dragging past an edge brings what is there into view. */
function panAtEdges(area: HTMLElement, event: PointerEvent): void {
  const { left, right } = area.getBoundingClientRect()
  const past = event.clientX < left ? event.clientX - left : Math.max(0, event.clientX - right)
  if (past) view.pan(((past * view.window.span) / view.width) * 0.3)
}

function modeOf(event: PointerEvent): Mode | null {
  if (event.button === 1) return 'pan'
  if (event.button !== 0) return null
  return event.shiftKey ? 'mark' : 'scrub'
}

function follow(area: HTMLElement, drag: Drag, event: PointerEvent): void {
  if (Math.abs(event.clientX - drag.startX) > slack_px) drag.moved = true
  if (drag.mode === 'pan') {
    view.pan(((drag.lastX - event.clientX) * view.window.span) / view.width)
    drag.lastX = event.clientX
    return
  }
  panAtEdges(area, event)
  const frame = frameAtPointer(area, event)
  if (drag.mode === 'scrub') player.seekFrame(frame)
  else if (drag.moved) markSegment(Math.min(frame, drag.startFrame), Math.max(frame, drag.startFrame) + 1)
}

function beginDrag(area: HTMLElement, event: PointerEvent, mode: Mode): Drag {
  const startFrame = frameAtPointer(area, event)
  const wasPlaying = mode === 'scrub' && player.now.playing
  if (wasPlaying) player.set({ playing: false })
  if (mode === 'scrub') player.seekFrame(startFrame)
  area.setPointerCapture(event.pointerId)
  const at = event.clientX
  return { mode, pointer: event.pointerId, startX: at, lastX: at, startFrame, moved: false, wasPlaying }
}

function zoomOrPan(area: HTMLElement, event: WheelEvent): void {
  event.preventDefault()
  const unit = event.deltaMode === 1 ? 16 : 1
  const sideways = event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)
  if (sideways) {
    const by = (event.deltaX || event.deltaY) * unit
    view.pan((by * view.window.span) / view.width)
    return
  }
  // A pinch comes as a wheel with the control key, in smaller numbers.
  const power = clamp(event.deltaY * unit * (event.ctrlKey ? 0.01 : 0.002), -0.5, 0.5)
  const x = event.clientX - area.getBoundingClientRect().left
  view.zoom(Math.exp(power), view.frameAt(x))
}

type AddPlant = (joint: string, frame: number) => void

/** In a row a double click plants a foot; elsewhere it zooms to the segment that it is in. */
function clickTwice(area: HTMLElement, event: MouseEvent, addPlant?: AddPlant): void {
  // The event itself comes to the area, which had the pointer, and not to what lies under it.
  const under = document.elementFromPoint(event.clientX, event.clientY)
  if (under?.closest('.tl-plant')) return
  const frame = frameAtPointer(area, event)
  const joint = under?.closest<HTMLElement>('.tl-row')?.dataset.joint
  if (joint) return addPlant?.(joint, frame)
  const segment = getState().segment
  if (segment && frame >= segment.start && frame < segment.end) view.showRange(segment.start, segment.end)
}

/** Listens on an area as wide as the view; gives what stops it. */
export function listenToPointer(area: HTMLElement, addPlant?: AddPlant): () => void {
  let drag: Drag | null = null
  const down = (event: PointerEvent) => {
    const mode = modeOf(event)
    if (!mode || drag) return
    event.preventDefault()
    // Keys that belong to the timeline, such as undo, then come here; a field that was typed in lets go of
    // them.
    area.focus({ preventScroll: true })
    drag = beginDrag(area, event, mode)
  }
  const moved = (event: PointerEvent) => {
    if (drag?.pointer === event.pointerId) follow(area, drag, event)
  }
  const up = (event: PointerEvent) => {
    if (drag?.pointer !== event.pointerId) return
    const { wasPlaying } = drag
    drag = null
    if (wasPlaying) player.set({ playing: true })
  }
  const wheel = (event: WheelEvent) => zoomOrPan(area, event)
  const twice = (event: MouseEvent) => clickTwice(area, event, addPlant)
  const stop = new AbortController()
  const { signal } = stop
  area.addEventListener('pointerdown', down, { signal })
  area.addEventListener('pointermove', moved, { signal })
  area.addEventListener('pointerup', up, { signal })
  area.addEventListener('pointercancel', up, { signal })
  area.addEventListener('dblclick', twice, { signal })
  // Not passive: the page must not scroll while the timeline zooms.
  area.addEventListener('wheel', wheel, { signal, passive: false })
  return () => stop.abort()
}
