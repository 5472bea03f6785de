// keys.ts - the keyboard. One table, which the handler obeys and the list of keys shows.
import { removeClips } from './actions'
import { closeCompare, toggleCompare } from './compare/opening'
import { toggleClusters } from './clusters/opening'
import { toggleGraph } from './graph/opening'
import { selectedVisible, visibleCards } from './library/select'
import { closeMaking, toggleMaking } from './making/opening'
import { player } from './player'
import { toggleParam } from './param/opening'
import { togglePuppets } from './puppets/wish'
import { toggleSearch } from './search/opening'
import { toggleSketch } from './sketch/opening'
import { change, dismiss, getState } from './store'
import { clearSegment, saveSegment, segmentEndHere, segmentStartHere } from './timeline/segment'
import { resetCamera, toggleFollow } from './viewer/panel'

export interface Key {
  group: string
  /** As KeyboardEvent.key; letters in lower case. */
  keys: string[]
  /** As on the keyboard, for people. */
  shown: string[]
  what: string
  ctrl?: boolean
  run: (event: KeyboardEvent) => void
}

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

/** One thing at a time: the last notice, then the marked segment, the panel in the library's place, the selection. */
function stepBack(): void {
  const { notices, segment, selected, compare, making } = getState()
  const last = notices[notices.length - 1]
  if (last) dismiss(last.id)
  else if (segment) clearSegment()
  else if (compare) closeCompare()
  else if (making !== 'none') closeMaking()
  else if (selected.size) change({ selected: new Set() })
}

export function focusSearch(): void {
  const field = document.querySelector<HTMLInputElement>('#search')
  field?.focus()
  field?.select()
}

const table: Key[] = [
  { group: 'Playing', keys: [' '], shown: ['Space'], what: 'Play or pause', run: () => player.toggle() },
  {
    group: 'Playing',
    keys: ['l'],
    shown: ['L'],
    what: 'Play; again: twice as fast, up to 4×',
    run: () => shuttle(1),
  },
  {
    group: 'Playing',
    keys: ['j'],
    shown: ['J'],
    what: 'Play backwards; again: faster',
    run: () => shuttle(-1),
  },
  {
    group: 'Playing',
    keys: ['k'],
    shown: ['K'],
    what: 'Stop',
    run: () => player.set({ playing: false, speed: 1 }),
  },
  {
    group: 'Playing',
    keys: ['ArrowLeft', ','],
    shown: ['←', ','],
    what: 'One frame back; with Shift ten',
    run: (event) => step(-1, event),
  },
  {
    group: 'Playing',
    keys: ['ArrowRight', '.'],
    shown: ['→', '.'],
    what: 'One frame on; with Shift ten',
    run: (event) => step(1, event),
  },
  {
    group: 'Playing',
    keys: ['Home'],
    shown: ['Home'],
    what: 'To the first frame, or that of the segment',
    run: () => player.seekFrame(player.now.rangeStart),
  },
  {
    group: 'Playing',
    keys: ['End'],
    shown: ['End'],
    what: 'To the last frame, or that of the segment',
    run: () => player.seekFrame(player.now.rangeEnd - 1),
  },
  {
    group: 'Viewer',
    keys: ['f'],
    shown: ['F'],
    what: 'Camera follows the figure, or not',
    run: toggleFollow,
  },
  { group: 'Viewer', keys: ['r'], shown: ['R'], what: 'Reset the camera', run: () => resetCamera() },
  {
    group: 'Viewer',
    keys: [],
    shown: ['Alt', '←', '→', '↑', '↓'],
    what: 'With the view in focus: around the figure (also on the number pad)',
    run: () => undefined,
  },
  {
    group: 'Viewer',
    keys: [],
    shown: ['Alt', '+', '−'],
    what: 'With the view in focus: nearer, farther',
    run: () => undefined,
  },
  { group: 'Segment', keys: ['i'], shown: ['I'], what: 'Segment begins here', run: segmentStartHere },
  { group: 'Segment', keys: ['o'], shown: ['O'], what: 'Segment ends here', run: segmentEndHere },
  { group: 'Segment', keys: ['s'], shown: ['S'], what: 'Save the segment as a clip', run: saveSegment },
  {
    group: 'Timeline',
    keys: [],
    shown: ['+', '−', '0'],
    what: 'In the timeline: zoom, show all',
    run: () => undefined,
  },
  {
    group: 'Timeline',
    keys: [],
    shown: ['←', '→'],
    what: 'On a foot plant: move it; with Shift its end, with Alt its start',
    run: () => undefined,
  },
  {
    group: 'Timeline',
    keys: [],
    shown: ['Insert', 'Delete'],
    what: 'On a foot plant: add one here, take it away',
    run: () => undefined,
  },
  {
    group: 'Timeline',
    keys: [],
    shown: ['Ctrl', 'Z'],
    what: 'In the timeline: undo; with Shift redo',
    run: () => undefined,
  },
  {
    group: 'Find',
    keys: ['m'],
    shown: ['M'],
    what: 'More like the marked segment, in the whole library; again: back to the library',
    run: toggleSearch,
  },
  {
    group: 'Find',
    keys: [],
    shown: ['←', '→', '↑', '↓'],
    what: 'On a match: to the next one; Enter chooses it, Space ticks it',
    run: () => undefined,
  },
  {
    group: 'Find',
    keys: ['d'],
    shown: ['D'],
    what: 'Sketch: draw how a joint moves and find clips that do; again: back to the library',
    run: toggleSketch,
  },
  {
    group: 'Find',
    keys: [],
    shown: ['←', '→', '↑', '↓'],
    what: 'On the paper of a sketch: move the pen, lift or lower the curve; Delete clears it',
    run: () => undefined,
  },
  {
    group: 'Compare',
    keys: ['c'],
    shown: ['C'],
    what: 'Compare the two clips that are selected or open; again: back to the library',
    run: toggleCompare,
  },
  {
    group: 'Compare',
    keys: [],
    shown: ['←', '→', '↑', '↓'],
    what: 'On the grid: one frame of either clip; with Shift ten',
    run: () => undefined,
  },
  {
    group: 'Compare',
    keys: [],
    shown: ['PgDn', 'PgUp'],
    what: 'On the grid: the next similar pair, the one before',
    run: () => undefined,
  },
  {
    group: 'Make',
    keys: ['t'],
    shown: ['T'],
    what: 'A transition between the two clips that are selected or open; again: back to the library',
    run: () => toggleMaking('transition'),
  },
  {
    group: 'Make',
    keys: ['b'],
    shown: ['B'],
    what: 'A blend of the clips that are selected or open, two to nine; again: back to the library',
    run: () => toggleMaking('blend'),
  },
  {
    group: 'Make',
    keys: [],
    shown: ['←', '→'],
    what: 'On a cut, the weights or a key: move it; with Shift by more',
    run: () => undefined,
  },
  {
    group: 'Make',
    keys: ['p'],
    shown: ['P'],
    what: 'Parameterize: motions by what they do; again: back to the library',
    run: toggleParam,
  },
  {
    group: 'Make',
    keys: [],
    shown: ['←', '→', '↑', '↓', 'PgUp', 'PgDn'],
    what: 'On the pad of a family: move what is wanted; with Shift farther',
    run: () => undefined,
  },
  {
    group: 'Make',
    keys: ['g'],
    shown: ['G'],
    what: 'Motion graphs: walk paths, steer; again: back to the library',
    run: toggleGraph,
  },
  {
    group: 'Make',
    keys: [],
    shown: ['←', '→', '↑', '↓'],
    what: 'While a character is steered: where it goes, as you see it; with Shift faster',
    run: () => undefined,
  },
  {
    group: 'Make',
    keys: ['n'],
    shown: ['N'],
    what: 'Cluster graphs: clips in small pieces, switched where they are alike; again: back to the library',
    run: toggleClusters,
  },
  {
    group: 'Make',
    keys: [],
    shown: ['←', '→', '↑', '↓'],
    what: 'On a cluster graph: from node to node; Enter opens one, Shift and Enter add it to the route',
    run: () => undefined,
  },
  {
    group: 'Make',
    keys: ['u'],
    shown: ['U'],
    what: 'Puppets: show by mouse how a character reacts, and play with it; again: back to the library',
    run: togglePuppets,
  },
  {
    group: 'Make',
    keys: [],
    shown: ['←', '→', '↑', '↓', 'Q', 'E', 'W', 'Shift'],
    what: 'While puppets play: move the main character; turn its look, ahead again; held: it looks at the pointer',
    run: () => undefined,
  },
  {
    group: 'Make',
    keys: [],
    shown: ['1', '…', '9'],
    what: 'On the weights: all of one clip; 0 for even shares',
    run: () => undefined,
  },
  {
    group: 'Make',
    keys: [],
    shown: ['Insert', 'Delete'],
    what: 'On weights over time: a key at the playhead, away with one',
    run: () => undefined,
  },
  { group: 'Library', keys: ['/'], shown: ['/'], what: 'Search', run: focusSearch },
  {
    group: 'Library',
    keys: ['a'],
    shown: ['Ctrl', 'A'],
    what: 'Select all clips in the list',
    ctrl: true,
    run: selectAll,
  },
  {
    group: 'Library',
    keys: ['Delete'],
    shown: ['Delete'],
    what: 'Remove the selected clips',
    run: removeSelected,
  },
  {
    group: 'Library',
    keys: [],
    shown: ['↑', '↓'],
    what: 'In the list: go to another card; with Shift select a range',
    run: () => undefined,
  },
  { group: 'Library', keys: [], shown: ['Enter'], what: 'In the list: open', run: () => undefined },
  {
    group: 'Page',
    keys: ['Escape'],
    shown: ['Esc'],
    what: 'Close, or clear what is marked or selected',
    run: stepBack,
  },
  { group: 'Page', keys: ['?'], shown: ['?'], what: 'This list', run: () => change({ dialog: 'keys' }) },
]

export function keyGroups(): [string, Key[]][] {
  const groups = new Map<string, Key[]>()
  for (const key of table) groups.set(key.group, [...(groups.get(key.group) ?? []), key])
  return [...groups]
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
  if (event.defaultPrevented || event.altKey || isField(event.target) || document.querySelector('dialog[open]')) return
  const ctrl = event.ctrlKey || event.metaKey
  const name = event.key.length === 1 ? event.key.toLowerCase() : event.key
  if (name === ' ' && isPressable(event.target)) return
  const key = table.find((one) => one.keys.includes(name) && Boolean(one.ctrl) === ctrl)
  if (!key) return
  event.preventDefault()
  key.run(event)
}

/** A button pressed by the pointer gives the focus back, so that Space plays instead of pressing it again. */
function letGo(event: MouseEvent): void {
  if (event.detail === 0 || !(event.target instanceof Element)) return
  const button = event.target.closest<HTMLElement>('button:not([aria-haspopup], [aria-expanded])')
  if (button && !button.closest('dialog')) button.blur()
}

export function listenToKeys(): void {
  window.addEventListener('keydown', takeKey)
  window.addEventListener('click', letGo)
}
