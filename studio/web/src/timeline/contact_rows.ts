// contact_rows.ts - rows of plants: of heels and toes, and of hands where a hand is planted. A plant is a bar: drag it or its ends, double click to add,
// Delete to remove; with keys, arrows move it, with shift its end and with alt its start.
import { useLayoutEffect } from 'preact/hooks'
import type { Contact } from '../api'
import { useChanges } from '../changes'
import { takeEvent } from '../controls'
import { html } from '../html'
import { player } from '../player'
import { roleName } from '../role_names'
import { t } from '../words/words'
import { add, contactJoints, move, nearest, plantName, plants, remove, rowJoints, type Part } from './contact_state'
import { barsInView, drawCrowdedRows, drawGrid, usePaper } from './drawing'
import { view } from './view'

/** A plant that is added is this long where there is room: about that of a walking step's heel. */
const newPlant_s = 0.2

/** Goes to a plant. Its bar may not be there yet, so the rows give it the focus when they have drawn it. */
function focusPlant(at: number): void {
  const plant = plants.now[at]
  if (!plant) return
  const { start, span } = view.window
  if (plant.end <= start || plant.start >= start + span) view.reveal(plant.start)
  plants.moveFocus(at)
}

export function addPlant(joint: string, frame: number): void {
  const before = plants.now
  const after = add(before, joint, frame, Math.max(1, Math.round(newPlant_s * view.fps)), view.frames)
  plants.commit(after)
  focusPlant(nearest(after, joint, frame))
}

function removePlant(at: number): void {
  const { joint, start } = plants.now[at]
  const left = remove(plants.now, at)
  // Were the focus nowhere, a second Delete would mean the clips that are selected in the library.
  document.getElementById('timeline-area')?.focus({ preventScroll: true })
  plants.commit(left)
  focusPlant(nearest(left, joint, start))
}

/** Where Up, Down, Page Up, Page Down, Home and End lead from a plant, or -1. */
function neighbour(at: number, key: string): number {
  const list = plants.now
  const { joint, start } = list[at]
  const row = (contactJoints as readonly string[]).indexOf(joint)
  const inRow = (i: number) => (list[i]?.joint === joint ? i : -1)
  if (key === 'PageUp') return inRow(at - 1)
  if (key === 'PageDown') return inRow(at + 1)
  if (key === 'Home') return list.findIndex((each) => each.joint === joint)
  if (key === 'End') return list.map((each) => each.joint).lastIndexOf(joint)
  const by = key === 'ArrowUp' ? -1 : key === 'ArrowDown' ? 1 : 0
  for (let to = row + by; by && contactJoints[to]; to += by) {
    const found = nearest(list, contactJoints[to], start)
    if (found >= 0) return found
  }
  return -1
}

function pressKey(at: number, event: KeyboardEvent): void {
  if (event.ctrlKey || event.metaKey) return
  const { key } = event
  const plant = plants.now[at]
  if (key === 'ArrowLeft' || key === 'ArrowRight') {
    const part: Part = event.shiftKey ? 'end' : event.altKey ? 'start' : 'whole'
    plants.commit(move(plants.now, at, part, key === 'ArrowLeft' ? -1 : 1, view.frames))
  } else if (key === 'Delete' || key === 'Backspace') removePlant(at)
  else if (key === 'Insert') addPlant(plant.joint, player.frame)
  else if (key === 'Escape' && plants.dragging) endDrag(event.currentTarget as HTMLElement, false)
  else if (key === 'Enter') player.seekFrame(plant.start)
  else if (['ArrowUp', 'ArrowDown', 'PageUp', 'PageDown', 'Home', 'End'].includes(key)) {
    const to = neighbour(at, key)
    if (to >= 0) focusPlant(to)
  } else return
  takeEvent(event)
}

function beginDrag(at: number, event: PointerEvent): void {
  // Shift marks a segment and the middle button pans, also when they begin on a bar.
  if (event.button !== 0 || event.shiftKey) return
  takeEvent(event)
  const bar = event.currentTarget as HTMLElement
  const part = ((event.target as HTMLElement).dataset.part ?? 'whole') as Part
  const from = view.frameAt(event.clientX)
  bar.focus()
  plants.focus(at)
  bar.setPointerCapture(event.pointerId)
  bar.onpointermove = (moved) => {
    plants.drag(at, part, Math.round(view.frameAt(moved.clientX) - from))
    const dragged = plants.now[at]
    if (!dragged) return
    const { start, end } = dragged
    if (part !== 'whole' && !player.now.playing) player.seekFrame(part === 'start' ? start : end - 1)
  }
  bar.onpointerup = () => endDrag(bar, true)
  bar.onpointercancel = () => endDrag(bar, false)
}

function endDrag(bar: HTMLElement, keep: boolean): void {
  bar.onpointermove = bar.onpointerup = bar.onpointercancel = null
  plants.drop(keep)
}

/** The page takes the focus from buttons that were clicked; a plant needs it, for its keys. */
function keepFocus(event: Event): void {
  event.stopPropagation()
}

function Bar({ at, plant, tab }: { at: number; plant: Contact; tab: boolean }) {
  const left = view.x(plant.start)
  const width = Math.max(2, view.x(plant.end) - left)
  const name = plantName(plant)
  return html`<button
    type="button" class="tl-plant" data-plant=${at} tabindex=${tab ? 0 : -1} aria-label=${name}
    aria-describedby="timeline-plant-help" title=${name}
    style=${{ transform: `translateX(${left}px)`, width: `${width}px` }} onFocus=${() => plants.focus(at)}
    onClick=${keepFocus} onKeyDown=${(event: KeyboardEvent) => pressKey(at, event)}
    onPointerDown=${(event: PointerEvent) => beginDrag(at, event)}
  >
    <span class="tl-grip" data-part="start"></span><span class="tl-grip" data-part="end"></span>
  </button>`
}

/** Tab must come to a plant that is there: the focused one, or the first in view. */
function tabStop(rows: Map<string, number[] | null>): number {
  const all = [...rows.values()].flatMap((row) => row ?? [])
  return all.includes(plants.focused) ? plants.focused : (all[0] ?? -1)
}

function Row({ joint, bars, tab }: { joint: string; bars: number[] | null; tab: number }) {
  return html`<div
    class="tl-row ${joint.startsWith('left') ? 'tl-left' : 'tl-right'}"
    role="group"
    aria-label="${roleName(joint)} plants"
    title=${bars ? undefined : t('Zoom in to edit these')}
    data-joint=${joint}
  >
    ${bars?.map((at) => html`<${Bar} key=${at} at=${at} plant=${plants.now[at]} tab=${at === tab} />`)}
  </div>`
}

/** After every drawing: the plant that the user went to gets the focus as soon as it has a bar. */
function giveFocus(): void {
  if (plants.focusWanted < 0) return
  const bar = document.querySelector<HTMLElement>(`[data-plant="${plants.focusWanted}"]`)
  if (!bar) return
  plants.focusWanted = -1
  bar.focus({ preventScroll: true })
}

export function ContactRows() {
  useChanges(view)
  useChanges(plants)
  const contacts = plants.now
  const canvas = usePaper(
    (paper) => {
      drawGrid(paper)
      drawCrowdedRows(paper, contacts)
    },
    [contacts],
  )
  useLayoutEffect(giveFocus)
  const rows = barsInView(contacts)
  const tab = tabStop(rows)
  return html`<div class="tl-rows flex-column">
    <canvas ref=${canvas} aria-hidden="true"></canvas>
    ${[...rows].map(([joint, bars]) => html`<${Row} key=${joint} joint=${joint} bars=${bars} tab=${tab} />`)}
    <p id="timeline-plant-help" hidden>
      Arrows move it, with shift its end, with alt its start. Delete removes it, Insert adds one at the
      playhead. Up, Down, Page Up and Page Down go to other plants.
    </p>
  </div>`
}

/** The names of the rows are buttons, so that a plant can be added without a pointer. */
export function ContactLabels() {
  useChanges(plants)
  return html`${rowJoints(plants.now).map(
    (joint) => html`<button
      type="button" key=${joint} class="tl-label flex-row ${joint.startsWith('left') ? 'tl-left' : 'tl-right'}"
      title="Plant the ${roleName(joint)} at the playhead" onClick=${() => addPlant(joint, player.frame)}
    >
      <span class="tl-swatch"></span>${roleName(joint)}
    </button>`,
  )}`
}
