// card.ts - one clip in the list: its film strip, name, length, rate and labels.
import { useEffect, useRef } from 'preact/hooks'
import { api, type Card } from '../api'
import { html } from '../html'
import { Icon } from '../icons'
import { useStore } from '../store'
import { startPreview, stopPreview, wantsLessMotion } from './preview'

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

export function cardId(id: number): string {
  return `clip-${id}`
}

export function seconds(value: number): string {
  return `${value < 10 ? value.toFixed(2) : value.toFixed(1)} s`
}

function rate(fps: number): string {
  return `${Number(fps.toFixed(2))} fps`
}

export function ClipCard(props: CardProps) {
  const { card, selected, active, open } = props
  const strip = useStore(({ strips, allStrips }) => allStrips + (strips.get(card.id) ?? 0))
  const canvas = useRef<HTMLCanvasElement>(null)
  useEffect(() => {
    if (!canvas.current) return
    const here = canvas.current
    if (active && !wantsLessMotion() && !card.removed) startPreview(card, here)
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
      <span class="name" title=${card.description || card.name}>${card.name}</span>
      <span class="figures dim">${seconds(card.seconds)} · ${rate(card.fps)}</span>
    </div>
    <div class="labels">
      ${card.labels.map((label) => html`<span class="chip" key=${label}>${label}</span>`)}
      ${card.made && html`<span class="chip made">generated</span>`}
      <span class="skeleton dim" title="Skeleton">${card.skeleton}</span>
    </div>
  </div>`
}
