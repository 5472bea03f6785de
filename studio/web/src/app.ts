// app.ts - the page put together: header, library beside viewer and timeline, command bar, dialogs.
import { t } from './words/words'
import './theme.css'
import './app.css'
import { useEffect, useRef, useState } from 'preact/hooks'
import { CommandBar, ConnectionBanner, Header, Notices } from './header'
import { byKeys, enterRegion, focusOutside } from './focus'
import { html } from './html'
import { Welcome } from './doors/welcome'
import { DropTarget } from './library/drop'
import { Greeting } from './library/greeting'
import { LibraryPanel } from './library/panel'
import { partNow, usePart } from './parts'
import { getState, useStore, type State } from './store'
import { TimelinePanel } from './timeline/panel'
import { ViewerPanel } from './viewer/panel'

// The bars between panels: dragged by the pointer, moved by the arrow keys, remembered by the browser.

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

function Splitter({ name, property, direction, start, least, most }: SplitterProps) {
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

function Dialogs() {
  const part = usePart('dialogs')
  return part && html`<${part.OpenDialog} />`
}

/** Once one is open, all are here. */
function OpenDialog() {
  const open = useStore((state) => state.dialog !== 'none')
  return open || partNow('dialogs') ? html`<${Dialogs} />` : null
}

function Guides() {
  const part = usePart('guide')
  return part && html`<${part.Guide} />`
}

/** A guided try, over the view. */
function OpenGuide() {
  const open = useStore((state) => state.guide !== null)
  return open ? html`<${Guides} />` : null
}

type Tool = 'compare' | Exclude<State['making'], 'none'>

/** What the splitters beside the tools are called. The code of a tool is fetched before it is opened. */
const widths: Record<Tool, string> = {
  compare: t('Width of the comparison'),
  transition: t('Width of the transition'),
  blend: t('Width of the blend'),
  loop: t('Width of the loop'),
  retarget: t('Width of the retargeting'),
  search: t('Width of the search'),
  motifs: t('Width of the motifs'),
  doctor: t('Width of the doctor'),
  param: t('Width of the families'),
  graph: t('Width of the graph'),
  sketch: t('Width of the sketch'),
  clusters: t('Width of the cluster graph'),
  puppets: t('Width of the puppets'),
}

/** What has the library's place. */
function toolOf({ compare, making }: State): Tool | null {
  if (making !== 'none') return making
  return compare ? 'compare' : null
}

/** Keys go along into a panel that opens, and back to where they were when it closes. A guided try has them itself. */
function useKeysIn(tool: Tool | null): void {
  const last = useRef(tool)
  const before = useRef<HTMLElement | null>(null)
  useEffect(() => {
    if (last.current === tool) return
    if (last.current === null) before.current = focusOutside()
    last.current = tool
    if (!byKeys() || getState().guide) return
    if (tool) enterRegion(document.querySelector<HTMLElement>('.of-library:not([hidden]) > section'))
    else if (before.current?.checkVisibility()) before.current.focus({ preventScroll: true })
    else enterRegion(document.querySelector<HTMLElement>('.clip-list'))
  }, [tool])
}

/** The library, or what works on some of its clips; each has a width of its own. */
function LeftSide() {
  const tool = useStore(toolOf)
  useKeysIn(tool)
  return html`<div class="slot of-library" hidden=${tool !== null}><${LibraryPanel} /></div>
    ${tool && html`<div class="slot of-library"><${partNow(tool)?.Panel} key=${tool} /></div>`}
    <${Splitter}
      key=${String(tool)}
      name=${tool ? widths[tool] : t('Width of the library')}
      property=${tool ? '--compare-width' : '--library-width'}
      direction="upright"
      start=${tool ? 42 : 30}
      least=${tool ? 32 : 18}
      most=${60}
    />`
}

function Workspace() {
  const tool = useStore(toolOf)
  const welcome = useStore((state) => state.welcome)
  return html`<main id="workspace" tabindex="-1" class=${`workspace${tool ? ' comparing' : ''}`}>
    <${LeftSide} />
    <div class="slot of-viewer"><${ViewerPanel} /><${OpenGuide} /></div>
    <${Splitter}
      name="Height of the timeline"
      property="--timeline-height"
      direction="level"
      start=${34}
      least=${18}
      most=${65}
    />
    <div class="slot of-timeline">${welcome ? html`<${Welcome} />` : html`<${TimelinePanel} />`}</div>
    <${Notices} />
  </main>`
}

export function App() {
  const empty = useStore(
    ({ loaded, cards, removedCards }) => loaded && cards.length === 0 && removedCards.length === 0,
  )
  return html`<div class="app">
    <a class="skip-link button" href="#workspace">Skip to the clips</a>
    <${Header} />
    <${ConnectionBanner} />
    ${empty ? html`<${Greeting} /><${Notices} />` : html`<${Workspace} />`}
    <${CommandBar} />
    <${OpenDialog} />
    <${DropTarget} />
  </div>`
}
