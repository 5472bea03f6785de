// splitter.ts - the bars between panels: dragged by the pointer, moved by the arrow keys, remembered by the browser.
import { useEffect, useRef, useState } from 'preact/hooks'
import { html } from './html'

interface SplitterProps {
  name: string
  /** The custom property of the workspace that holds the share, in percent. */
  property: string
  direction: 'upright' | 'level'
  start: number
  least: number
  most: number
}

const keyStep = 2

function remembered(property: string, start: number): number {
  try {
    return Number(localStorage.getItem(`marey${property}`)) || start
  } catch {
    return start
  }
}

function remember(property: string, share: number): void {
  try {
    localStorage.setItem(`marey${property}`, share.toFixed(1))
  } catch {
    // A browser that keeps nothing: the layout lasts as long as the page.
  }
}

export function Splitter({ name, property, direction, start, least, most }: SplitterProps) {
  const bar = useRef<HTMLDivElement>(null)
  const [share, setShare] = useState(() => remembered(property, start))
  const [dragging, setDragging] = useState(false)
  const upright = direction === 'upright'
  useEffect(() => {
    bar.current!.parentElement!.style.setProperty(property, `${share}%`)
    remember(property, share)
  }, [share])
  const set = (to: number) => setShare(Math.max(least, Math.min(most, to)))
  const onPointerMove = (event: PointerEvent) => {
    if (!dragging) return
    const all = bar.current!.parentElement!.getBoundingClientRect()
    set(
      upright
        ? (100 * (event.clientX - all.left)) / all.width
        : (100 * (all.bottom - event.clientY)) / all.height,
    )
  }
  const onPointerDown = (event: PointerEvent) => {
    bar.current!.setPointerCapture(event.pointerId)
    setDragging(true)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const grows = upright ? 'ArrowRight' : 'ArrowUp'
    const shrinks = upright ? 'ArrowLeft' : 'ArrowDown'
    if (event.key !== grows && event.key !== shrinks) return
    event.preventDefault()
    set(share + (event.key === grows ? keyStep : -keyStep))
  }
  return html`<div
    ref=${bar}
    class=${`splitter ${direction}${dragging ? ' dragging' : ''}`}
    role="separator"
    tabindex="0"
    aria-label=${name}
    aria-orientation=${upright ? 'vertical' : 'horizontal'}
    aria-valuenow=${Math.round(share)}
    aria-valuemin=${least}
    aria-valuemax=${most}
    title="Drag, or use the arrow keys; double-click to reset"
    onPointerDown=${onPointerDown}
    onPointerMove=${onPointerMove}
    onPointerUp=${() => setDragging(false)}
    onPointerCancel=${() => setDragging(false)}
    onDblClick=${() => set(start)}
    onKeyDown=${onKeyDown}
  ></div>`
}
