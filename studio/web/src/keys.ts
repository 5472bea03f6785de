// keys.ts - the keyboard. One table, which the handler obeys and the list of keys shows.
import { removeClips } from './actions'
import { letGo, nextRegion } from './focus'
import { redo, undo } from './history'
import { selectedVisible, visibleCards } from './library/select'
import { closeCompare, closeMaking, toggleClusters, toggleCompare, toggleGraph, toggleMaking } from './opening'
import { toggleDoctor, toggleLoop, toggleMotifs, toggleParam, togglePuppets, toggleRetarget, toggleSearch, toggleSketch } from './opening'
import { player } from './player'
import { change, dismiss, getState } from './store'
import { clearSegment, saveSegment, segmentEndHere, segmentStartHere } from './timeline/segment'
import { resetCamera, toggleFollow } from './viewer/screen'
import { t } from './words/words'

const fastest = 4
const longStep = 10

/** J and L: play that way; pressed again, twice as fast. */
function shuttle(direction: 1 | -1): void {
  const { playing, speed } = player.now
  const faster = playing && Math.sign(speed) === direction
  const next = faster ? Math.min(fastest, Math.max(1, Math.abs(speed) * 2)) : 1
  player.play(direction * next)
}

function step(direction: 1 | -1, event: KeyboardEvent): void {
  player.step(direction * (event.shiftKey ? longStep : 1))
}

function stepSecond({ key }: KeyboardEvent): void {
  player.step((key === 'ArrowLeft' ? -1 : 1) * Math.round(player.now.fps))
}

/** Another panel has the library's place: keys must not act on what cannot be seen. */
function libraryHidden(): boolean {
  const { compare, making } = getState()
  return compare !== null || making !== 'none'
}

function selectAll(): void {
  if (libraryHidden()) return
  change({ selected: new Set(visibleCards(getState()).map((card) => card.id)) })
}

function removeSelected(): void {
  if (libraryHidden()) return
  const ids = selectedVisible(getState()).map((card) => card.id)
  if (ids.length === 0) return
  if (getState().filter.removed) change({ dialog: 'purge' })
  else void removeClips(ids)
}

/** One thing at a time: a guided try, the last notice, the doors at the start, then the marked segment, the panel in the library's place, the selection. */
function stepBack(): void {
  const { notices, segment, selected, compare, making, guide, welcome } = getState()
  const last = notices[notices.length - 1]
  if (guide) change({ guide: null })
  else if (last) dismiss(last.id)
  else if (welcome) change({ welcome: false })
  else if (segment) clearSegment()
  else if (compare) closeCompare()
  else if (making !== 'none') closeMaking()
  else if (selected.size) change({ selected: new Set() })
}

function focusSearch(): void {
  const field = document.querySelector<HTMLInputElement>('#search')
  field?.focus()
  field?.select()
}

/** What is shown is as on the keyboard, with spaces between. `keys` are as KeyboardEvent.key, letters in lower case; keys of one
 *  panel or element have none here. */
type Row = [shown: string, what: string, keys?: string[], run?: (event: KeyboardEvent) => void]

export const keyTable: Record<string, Row[]> = {
  [t('Playing')]: [
    ['Space', t('Play or pause'), [' '], () => player.toggle()],
    ['L', t('Play; again: twice as fast, up to 4×'), ['l'], () => shuttle(1)],
    ['J', t('Play backwards; again: faster'), ['j'], () => shuttle(-1)],
    ['K', t('Stop'), ['k'], () => player.set({ playing: false, speed: 1 })],
    ['← ,', t('One frame back; with Shift ten'), ['ArrowLeft', ','], (event) => step(-1, event)],
    ['→ .', t('One frame on; with Shift ten'), ['ArrowRight', '.'], (event) => step(1, event)],
    ['Ctrl ← →', t('One second back, one on'), ['Ctrl+ArrowLeft', 'Ctrl+ArrowRight'], (event) => stepSecond(event)],
    ['Home', t('To the first frame, or that of the segment'), ['Home'], () => player.seekFrame(player.now.rangeStart)],
    ['End', t('To the last frame, or that of the segment'), ['End'], () => player.seekFrame(player.now.rangeEnd - 1)],
  ],
  [t('Viewer')]: [
    ['F', t('Camera follows the figure, or not'), ['f'], toggleFollow],
    ['R', t('Reset the camera'), ['r'], () => resetCamera()],
    ['Alt ← → ↑ ↓', t('With the view in focus: around the figure (also on the number pad)')],
    ['Alt + −', t('With the view in focus: nearer, farther')],
  ],
  [t('Segment')]: [
    ['I', t('Segment begins here'), ['i'], segmentStartHere],
    ['O', t('Segment ends here'), ['o'], segmentEndHere],
    ['S', t('Save the segment as a clip'), ['s'], saveSegment],
  ],
  [t('Timeline')]: [
    ['+ − 0', t('In the timeline: zoom, show all')],
    ['← →', t('On a foot plant: move it; with Shift its end, with Alt its start')],
    ['Insert Delete', t('On a foot plant: add one here, take it away')],
    ['Ctrl Z', t('In the timeline: undo; with Shift redo')],
  ],
  [t('Find')]: [
    ['M', t('More like the marked segment, in the whole library; again: back to the library'), ['m'], toggleSearch],
    ['← → ↑ ↓', t('On a match: to the next one; Enter chooses it, Space ticks it')],
    ['Y', t('What repeats in the library, without a query; again: back to the library'), ['y'], toggleMotifs],
    ['D', t('Sketch: draw how a joint moves and find clips that do; again: back to the library'), ['d'], toggleSketch],
    ['← → ↑ ↓', t('On the paper of a sketch: move the pen, lift or lower the curve; Delete clears it')],
  ],
  [t('Check')]: [
    ['X', t('Doctor: what is wrong with the open clip and with the library; again: back to the library'), ['x'], toggleDoctor],
  ],
  [t('Compare')]: [
    ['C', t('Compare the two clips that are selected or open; again: back to the library'), ['c'], toggleCompare],
    ['← → ↑ ↓', t('On the grid: one frame of either clip; with Shift ten')],
    ['PgDn PgUp', t('On the grid: the next similar pair, the one before')],
  ],
  [t('Make')]: [
    [
      'T',
      t('A transition between the two clips that are selected or open; again: back to the library'),
      ['t'],
      () => toggleMaking('transition'),
    ],
    [
      'B',
      t('A blend of the clips that are selected or open, two to nine; again: back to the library'),
      ['b'],
      () => toggleMaking('blend'),
    ],
    ['A', t('A loop of the clip that is selected or open; again: back to the library'), ['a'], toggleLoop],
    ['← →', t('On a cut, an end of a loop or of where clips may be cut, the weights or a key: move it; with Shift by more')],
    [
      'H',
      t('Retarget: the motion of a clip on the body of another; again: back to the library'),
      ['h'],
      toggleRetarget,
    ],
    ['Delete', t('On a pair of joints: away with it')],
    ['P', t('Families: motions by what they do; again: back to the library'), ['p'], toggleParam],
    ['← → ↑ ↓ PgUp PgDn', t('On the pad of a family: move what is wanted; with Shift farther')],
    ['G', t('Motion graphs: walk paths, steer; again: back to the library'), ['g'], toggleGraph],
    ['← → ↑ ↓', t('On the plan of a walk: move the point; PgDn and PgUp choose another, Insert adds one, Delete takes it away')],
    ['← → ↑ ↓', t('While a path is drawn: move the pen; Insert sets a corner, Backspace takes it back, Enter walks the path')],
    ['← → ↑ ↓', t('While a character is steered: where it goes, as you see it; with Shift faster')],
    ['1 … 9', t('While a character is steered: what it does, as listed')],
    [
      'N',
      t('Cluster graphs: clips in small pieces, switched where they are alike; again: back to the library'),
      ['n'],
      toggleClusters,
    ],
    ['← → ↑ ↓', t('On a cluster graph: from node to node; Enter opens one, Shift and Enter add it to the route')],
    [
      'U',
      t('Puppets: show by mouse how a character reacts, and play with it; again: back to the library'),
      ['u'],
      togglePuppets,
    ],
    [
      '← → ↑ ↓ Q E W Shift',
      t('While puppets play: move the main character; turn its look, ahead again; held: it looks at the pointer'),
    ],
    ['Enter', t('On the plan on which puppets are taught: begin to record, and end; arrows move')],
    ['1 … 9', t('On the weights: all of one clip; 0 for even shares')],
    ['Insert Delete', t('On weights over time: a key at the playhead, away with one')],
  ],
  [t('Library')]: [
    ['/', t('Search'), ['/'], focusSearch],
    ['Ctrl A', t('Select all clips in the list'), ['Ctrl+a'], selectAll],
    ['Delete', t('Remove the selected clips'), ['Delete'], removeSelected],
    ['↑ ↓', t('In the list: go to another card; with Shift select a range')],
    ['Enter', t('In the list: open')],
  ],
  [t('Page')]: [
    [
      'F6',
      t('To the next part of the page: header, library or panel, view, timeline, command line; with Shift back'),
      ['F6'],
      (event) => nextRegion(event.shiftKey ? -1 : 1),
    ],
    [
      'Ctrl Z',
      t('Undo the last change, of the library or of what is being made; with Shift, or Ctrl Y: redo'),
      ['Ctrl+z'],
      (event) => void (event.shiftKey ? redo() : undo()),
    ],
    ['Ctrl Y', t('Redo'), ['Ctrl+y'], () => void redo()],
    ['Esc', t('Close, or clear what is marked or selected'), ['Escape'], stepBack],
    ['?', t('This list'), ['?'], () => change({ dialog: 'keys' })],
  ],
}

/** Text is being typed, or a menu chosen from: letters belong to the field. */
function isField(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  if (target instanceof HTMLInputElement) return !['checkbox', 'radio', 'button', 'range'].includes(target.type)
  return target.isContentEditable || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement
}

/** Space and Enter are a focused button's own. */
function isPressable(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('button, a[href], summary, input, [role=checkbox]') !== null
}

/** Arrows on a slider move it. */
function movesSlider({ target, key }: KeyboardEvent): boolean {
  return target instanceof HTMLInputElement && target.type === 'range' && /^(Arrow|Page|Home|End)/.test(key)
}

function takeKey(event: KeyboardEvent): void {
  if (movesSlider(event)) return
  if (event.defaultPrevented || event.altKey || (isField(event.target) && event.key !== 'F6') || document.querySelector('dialog[open]')) return
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key
  if (key === ' ' && isPressable(event.target)) return
  const name = event.ctrlKey || event.metaKey ? `Ctrl+${key}` : key
  const run = Object.values(keyTable).flat().find(([, , keys]) => keys?.includes(name))?.[3]
  if (!run) return
  event.preventDefault()
  run(event)
}

export function listenToKeys(): void {
  window.addEventListener('keydown', takeKey)
  window.addEventListener('click', letGo)
}
