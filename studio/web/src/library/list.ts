// list.ts - the cards, only those in sight. A list box: the keyboard's place is in aria-activedescendant, and
// selecting works as in a file manager (click, Ctrl, Shift, arrows, Ctrl+A).
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { api, type Card } from '../api'
import { html } from '../html'
import { Icon } from '../icons'
import { openClips } from '../open_clips'
import { change, getState, useStore } from '../store'
import { t } from '../words/words'
import { startPreview, stopPreview } from './preview'
import { allLabels, indexAfterKey, selectCard, type Cursor, type How } from './select'

// One clip in the list: its film strip, name, length, rate and labels.

export interface CardProps {
  card: Card
  place: { left: string; top: string; width: string; height: string }
  position: number
  count: number
  selected: boolean
  /** The keyboard is here. */
  active: boolean
  open: boolean
  onSelect: (card: Card, event: MouseEvent) => void
  onToggle: (card: Card) => void
  onOpen: (card: Card) => void
}

function cardId(id: number): string {
  return `clip-${id}`
}

export function seconds(value: number): string {
  return `${value < 10 ? value.toFixed(2) : value.toFixed(1)} s`
}

function rate(fps: number): string {
  return `${Number(fps.toFixed(2))} fps`
}

function ClipCard(props: CardProps) {
  const { card, selected, active, open } = props
  const strip = useStore(({ strips, allStrips }) => allStrips + (strips.get(card.id) ?? 0))
  const canvas = useRef<HTMLCanvasElement>(null)
  useEffect(() => {
    if (!canvas.current) return
    const here = canvas.current
    if (active && !card.removed) startPreview(card, here)
    return () => stopPreview(here)
  }, [active, card.id])
  const tick = (event: MouseEvent) => {
    event.stopPropagation()
    props.onToggle(card)
  }
  return html`<div
    class=${`card boxed flex-column${active ? ' active' : ''}${open ? ' open' : ''}`}
    id=${cardId(card.id)}
    role="option"
    aria-selected=${selected}
    aria-setsize=${props.count}
    aria-posinset=${props.position + 1}
    style=${props.place}
    onClick=${(event: MouseEvent) => props.onSelect(card, event)}
    onDblClick=${() => props.onOpen(card)}
    onPointerEnter=${() => !card.removed && canvas.current && startPreview(card, canvas.current)}
    onPointerLeave=${() => canvas.current && stopPreview(canvas.current)}
  >
    <div class="film">
      ${!card.removed &&
      html`<img src=${api.stripAddress(card.id, strip)} alt="" loading="lazy" draggable=${false} />`}
      <canvas ref=${canvas} aria-hidden="true"></canvas>
      <span class="tick" aria-hidden="true" onClick=${tick}>${selected && html`<${Icon} name="check" />`}</span>
    </div>
    <div class="about">
      <span class="ellipsis" title=${card.description ? `${card.name} · ${card.description}` : card.name}>
        <span class="name">${card.name}</span>
        ${card.description && html`<span class="clip-about"> · ${card.description}</span>`}
      </span>
      <span class="figures dim">${seconds(card.seconds)} · ${rate(card.fps)}</span>
    </div>
    <div class="labels" title=${[...card.labels, ...partLabels(card)].join(', ')}>
      ${card.labels.map((label) => html`<span class="chip" key=${label}>${label}</span>`)}
      ${partLabels(card).map((label) => html`<span class="chip part" key=${label} title="Of some frames">${label}</span>`)}
      ${card.made && html`<span class="chip made" title=${card.description || t('Made by marey')}>generated</span>`}
      ${(card.findings ?? 0) > 0 &&
      html`<span class="chip flawed" title=${t`${card.findings} findings; X opens the doctor`}>
        <${Icon} name="warning" /> ${card.findings}
      </span>`}
      ${(card.repairs ?? 0) > 0 && html`<span class="chip" title="It has repairs; X opens the doctor">repaired</span>`}
      <span class="skeleton dim" title="Skeleton">${card.skeleton}</span>
    </div>
  </div>`
}

/** Of some frames, and not of the clip. */
function partLabels(card: Card): string[] {
  return allLabels(card).filter((label) => !card.labels.includes(label))
}

const gap_rem = 0.5
const text_rem = 3.1
const narrowest_rem = 18
const beyond = 3 // rows drawn above and below what is seen

interface Measures {
  columns: number
  width: number
  height: number
  gap: number
}

function remPixels(): number {
  return parseFloat(getComputedStyle(document.documentElement).fontSize)
}

/** Cards are as wide as columns allow; a strip is five times as wide as high. */
function measure(width: number): Measures {
  const rem = remPixels()
  const gap = gap_rem * rem
  const room = Math.max(1, width - gap)
  const columns = Math.max(1, Math.floor(room / (narrowest_rem * rem + gap)))
  const card = room / columns - gap
  return { columns, width: card, height: Math.round(card / 5 + text_rem * rem), gap }
}

function useBox(box: { current: HTMLElement | null }): { width: number; height: number; top: number } {
  const [size, setSize] = useState({ width: 0, height: 0, top: 0 })
  useLayoutEffect(() => {
    const element = box.current!
    const look = () =>
      setSize({ width: element.clientWidth, height: element.clientHeight, top: element.scrollTop })
    const watcher = new ResizeObserver(look)
    watcher.observe(element)
    element.addEventListener('scroll', look, { passive: true })
    look()
    return () => {
      watcher.disconnect()
      element.removeEventListener('scroll', look)
    }
  }, [])
  return size
}

/** Scrolls so that the card of this index is in sight. */
function reveal(element: HTMLElement, index: number, { columns, height, gap }: Measures): void {
  const top = Math.floor(index / columns) * (height + gap)
  if (top < element.scrollTop) element.scrollTop = top
  const bottom = top + height + 2 * gap
  if (bottom > element.scrollTop + element.clientHeight) element.scrollTop = bottom - element.clientHeight
}

function useSelecting(cards: readonly Card[]) {
  const [cursor, setCursor] = useState<Cursor>({ active: 0, anchor: 0 })
  const select = (id: number, how: How) => {
    const next = selectCard(cards, getState().selected, cursor, id, how)
    change({ selected: next.selected })
    setCursor(next.cursor)
  }
  const click = ({ id }: Card, event: MouseEvent) =>
    select(id, { toggle: event.ctrlKey || event.metaKey, range: event.shiftKey })
  useEffect(() => {
    const here = cards.some((card) => card.id === cursor.active)
    if (!here && cards[0]) setCursor({ active: cards[0].id, anchor: cards[0].id })
  }, [cursor, cards])
  return { cursor, setCursor, select, click }
}

function placeOf(at: number, { columns, width, height, gap }: Measures) {
  return {
    left: `${gap + (at % columns) * (width + gap)}px`,
    top: `${gap / 2 + Math.floor(at / columns) * (height + gap)}px`,
    width: `${width}px`,
    height: `${height}px`,
  }
}

/** Only these are drawn, and the one where the keyboard is: assistive technology looks for it. */
function inSight(cards: readonly Card[], sizes: Measures, box: { height: number; top: number }, active: number) {
  const row = sizes.height + sizes.gap
  const first = Math.max(0, Math.floor(box.top / row) - beyond) * sizes.columns
  const last = (Math.ceil((box.top + box.height) / row) + beyond) * sizes.columns
  const drawn = cards.slice(first, last).map((card, at) => ({ card, index: first + at }))
  const outside = active >= 0 && (active < first || active >= last) ? cards[active] : undefined
  return outside ? [...drawn, { card: outside, index: active }] : drawn
}

export function ClipList({ cards }: { cards: readonly Card[] }) {
  const list = useRef<HTMLDivElement>(null)
  const box = useBox(list)
  const sizes = measure(box.width)
  const selected = useStore((state) => state.selected)
  const shown = useStore((state) => state.shown)
  const [focused, setFocused] = useState(false)
  const { cursor, setCursor, select, click } = useSelecting(cards)
  const open = new Set(shown.map(({ clip }) => clip.id))
  const index = cards.findIndex((card) => card.id === cursor.active)
  const onKeyDown = (event: KeyboardEvent) => {
    const taken = takeKey(event, { cards, index, sizes, select, setCursor, element: list.current! })
    if (!taken) return
    event.preventDefault()
    setFocused(true)
  }
  const rows = Math.ceil(cards.length / sizes.columns)
  const drawn = box.width > 0 ? inSight(cards, sizes, box, index) : []
  return html`<div
    class="clip-list"
    ref=${list}
    role="listbox"
    aria-label="Clips"
    aria-multiselectable="true"
    aria-activedescendant=${index >= 0 && drawn.length ? cardId(cursor.active) : undefined}
    tabindex="0"
    onKeyDown=${onKeyDown}
    onFocus=${() => setFocused(list.current!.matches(':focus-visible'))}
    onBlur=${() => setFocused(false)}
  >
    <div class="extent" role="presentation" style=${{ height: `${rows * (sizes.height + sizes.gap)}px` }}>
      ${drawn.map(
        ({ card, index: at }) => html`<${ClipCard}
          key=${card.id}
          card=${card}
          place=${placeOf(at, sizes)}
          position=${at}
          count=${cards.length}
          selected=${selected.has(card.id)}
          active=${focused && card.id === cursor.active}
          open=${open.has(card.id)}
          onSelect=${click}
          onToggle=${(one: Card) => select(one.id, { toggle: true, range: false })}
          onOpen=${(one: Card) => !one.removed && void openClips([one.id])}
        />`,
      )}
    </div>
  </div>`
}

interface KeyPlace {
  cards: readonly Card[]
  index: number
  sizes: Measures
  select: (id: number, how: How) => void
  setCursor: (cursor: Cursor) => void
  element: HTMLElement
}

/** Keys of the list itself. Space, Home and End are not among them: they play, and go to the first and last frame. */
function takeKey(event: KeyboardEvent, { cards, index, sizes, select, setCursor, element }: KeyPlace): boolean {
  const toggle = event.ctrlKey || event.metaKey
  const card = cards[index]
  if (event.key === 'Enter' && card) {
    const { selected } = getState()
    const ids = selected.has(card.id) ? cards.map(({ id }) => id).filter((id) => selected.has(id)) : [card.id]
    if (!card.removed) void openClips(ids)
    return true
  }
  if (event.key === ' ' && toggle && card) {
    select(card.id, { toggle: true, range: false })
    return true
  }
  const page = Math.max(1, Math.floor(element.clientHeight / (sizes.height + sizes.gap)))
  const to = indexAfterKey(event.key, index, cards.length, sizes.columns, page)
  const ends = event.key === 'Home' || event.key === 'End'
  if (to < 0 || event.altKey || (ends && !toggle)) return false
  reveal(element, to, sizes)
  const { id } = cards[to]!
  if (toggle && !ends && !event.shiftKey) setCursor({ active: id, anchor: id })
  else select(id, { toggle: false, range: event.shiftKey })
  return true
}
