// panel.ts - the viewer on the page: canvas, toolbar, legend, and the loop that draws. It draws only when
// something has changed, so that a page at rest costs nothing.
import { useEffect, useRef, useState } from 'preact/hooks'
import { takeEvent, valueOf } from '../controls'
import { html } from '../html'
import { ClipName } from '../names'
import { player } from '../player'
import { change, changeView, getState, subscribe, useStore, type Shown, type Spot, type State } from '../store'
import { t } from '../words/words'
import type { Tiles } from './arrange'
import { Toolbar, TURN_HINT } from './toolbar'
import { Viewer, type LegendRow } from './viewer'
import './viewer.css'

declare global {
  interface Window {
    /** For the tests in a browser. */
    mareyViewer?: Viewer
  }
}

let current: Viewer | null = null

/** Frames the whole motion from its best side; key R. */
export function resetCamera(): void {
  current?.resetCamera()
}

/** The floor around a place, from above. */
export function overlook(middle: Spot, span_cm: number): void {
  current?.overlook(middle, span_cm)
}

/** The floor is not looked at any more: the next picture frames who is there. */
export function endOverlook(): void {
  current?.endOverlook()
}

/** Where the eye looks on the plan. */
export function looking(): number {
  return current?.looking_rad ?? Math.PI / 2
}

/** Around what is looked at, and over it; radians. */
export function turnCamera(around: number, over: number): void {
  current?.turnCamera(around, over, 1)
}

/** Key F. */
export function toggleFollow(): void {
  changeView({ follow: !getState().view.follow })
}

const TURN = 0.12
const ZOOM = 1.12

/** What keys do to the camera: around, over, nearer. */
const turns: Record<string, [number, number, number]> = {
  ArrowLeft: [-TURN, 0, 1],
  ArrowRight: [TURN, 0, 1],
  ArrowUp: [0, -TURN, 1],
  ArrowDown: [0, TURN, 1],
  Equal: [0, 0, 1 / ZOOM],
  Minus: [0, 0, ZOOM],
  Numpad4: [-TURN, 0, 1],
  Numpad6: [TURN, 0, 1],
  Numpad8: [0, -TURN, 1],
  Numpad2: [0, TURN, 1],
  NumpadAdd: [0, 0, 1 / ZOOM],
  NumpadSubtract: [0, 0, ZOOM],
}

function turnByKey(event: KeyboardEvent): void {
  const turn = turns[event.code]
  if (!turn || !(event.altKey || event.code.startsWith('Numpad'))) return
  takeEvent(event)
  current?.turnCamera(...turn)
}

/** Draws when asked, once per picture of the screen, and goes on by itself while something moves. */
class Loop {
  private due = 0
  private last = 0
  private ended = false

  constructor(private readonly viewer: Viewer) {}

  request = (): void => {
    if (!this.due && !this.ended) this.due = requestAnimationFrame(this.tick)
  }

  private tick = (now: number): void => {
    const elapsed = this.last ? Math.min(0.5, (now - this.last) / 1000) : 0
    let moving = false
    try {
      // `due` is still set, so no listener of the player, which is called here, can request this picture again.
      player.advance(elapsed)
      moving = this.viewer.draw(player.now.time)
    } finally {
      this.due = 0
    }
    const more = moving || player.now.playing
    this.last = more ? now : 0
    if (more) this.request()
  }

  end(): void {
    this.ended = true
    cancelAnimationFrame(this.due)
  }
}

function isDark(): boolean {
  return document.documentElement.dataset.theme !== 'light'
}

/** Brings what the page's state says to the viewer, now and whenever it changes. */
function obeyState(viewer: Viewer, redrawLegend: () => void): () => void {
  let last: State | null = null
  const obey = () => {
    const state = getState()
    if (state.view !== last?.view) viewer.setOptions(state.view)
    if (state.targets !== (last?.targets ?? null)) viewer.setTargets(state.targets)
    if (state.floorPath !== (last?.floorPath ?? null)) viewer.setFloorPath(state.floorPath)
    viewer.floorClick = state.floorClick
    if (state.pawns !== (last?.pawns ?? null)) viewer.setPawns(state.pawns)
    if (state.shown !== last?.shown || state.arrangement !== last.arrangement) {
      viewer.setShown(state.shown, state.arrangement)
      redrawLegend()
    }
    last = state
  }
  const follow = () => {
    viewer.setDark(isDark())
    redrawLegend()
  }
  const themes = new MutationObserver(follow)
  themes.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] })
  follow()
  obey()
  const leave = subscribe(obey)
  return () => {
    leave()
    themes.disconnect()
  }
}

/** The toolbar's, as in viewer.css. */
const headroom_rem = 3

function fit(viewer: Viewer, canvas: HTMLCanvasElement, redrawLegend: () => void): () => void {
  const apply = () => {
    const box = canvas.parentElement!.getBoundingClientRect()
    const headroom = headroom_rem * parseFloat(getComputedStyle(document.documentElement).fontSize)
    viewer.resize(Math.max(1, Math.round(box.width)), Math.max(1, Math.round(box.height)), devicePixelRatio, headroom)
    redrawLegend()
  }
  const observer = new ResizeObserver(apply)
  observer.observe(canvas.parentElement!)
  apply()
  return () => observer.disconnect()
}

interface Hooks {
  onLegend: (rows: LegendRow[], tiles: Tiles) => void
  onLoading: (loaded: number, failure: string) => void
}

/** Everything from the canvas to the drawn picture; gives what ends it. Throws without WebGL. */
function start(canvas: HTMLCanvasElement, hooks: Hooks): () => void {
  const viewer = new Viewer(canvas)
  const loop = new Loop(viewer)
  viewer.onNeedsDraw = loop.request
  viewer.onLoading = () => hooks.onLoading(viewer.loaded, viewer.failure)
  current = viewer
  window.mareyViewer = viewer
  const redrawLegend = () => hooks.onLegend(viewer.legend(), viewer.tiles)
  const ends = [
    fit(viewer, canvas, redrawLegend),
    obeyState(viewer, redrawLegend),
    player.onTime(loop.request),
    player.onState(loop.request),
  ]
  canvas.addEventListener('keydown', turnByKey)
  loop.request()
  return () => {
    for (const end of ends) end()
    canvas.removeEventListener('keydown', turnByKey)
    loop.end()
    viewer.dispose()
    if (current === viewer) current = null
  }
}

/** No strip may ever come, as when everything was removed. */
const patience_ms = 1500

/** Does `work` once a strip of the library is on the screen, or a clip is open: getting ready for the first picture
 * can take a graphics card most of a second, and meanwhile the library would not be there. Gives what forgets it. */
function afterFirstStrip(work: () => void): () => void {
  let waiting = 0
  const begin = () => {
    stop()
    waiting = requestAnimationFrame(() => {
      waiting = requestAnimationFrame(work)
    })
  }
  const leave = subscribe(() => getState().shown.length > 0 && begin())
  const timer = setTimeout(begin, patience_ms)
  const stop = () => {
    leave()
    clearTimeout(timer)
    cancelAnimationFrame(waiting)
    document.removeEventListener('load', begin, true)
  }
  document.addEventListener('load', begin, true)
  return stop
}

function describe(shown: Shown[], body: string, pawns: boolean): string {
  if (shown.length === 0) return pawns ? t('3D view of those who play') : t('3D view, nothing is open')
  const names = shown.map(({ clip }) => clip.name).join(', ')
  return t`3D view of ${names}, drawn as ${body}. ${TURN_HINT}`
}

/** The frame at which a clip is brought to where the leader is at its own; `place` counts the open clips. */
function alignAt(place: number, frame: number): void {
  const shown = getState().shown.map((one, i) => {
    const last = one.clip.frames - 1
    return i === place ? { ...one, alignFrame: Math.max(0, Math.min(last, Math.round(frame) || 0)) } : one
  })
  change({ shown })
}

/** The frame of an open clip that is on the screen now. */
function frameNow(place: number): number {
  const { shown } = getState()
  const leader = shown[0]
  const one = shown[place]
  const shift = one.alignFrame / one.clip.fps - leader.alignFrame / leader.clip.fps
  return (player.now.time + (place ? shift : 0)) * one.clip.fps
}

function AlignFrame({ place, name, frame }: { place: number; name: string; frame: number }) {
  return html`<input
      type="number" min="0" aria-label=${t`Frame of ${name} that is aligned`} value=${frame}
      onChange=${(event: Event) => alignAt(place, Number(valueOf(event)))}
    />
    <button
      type="button" title=${t`Align ${name} at the frame that is shown now`}
      aria-label=${t`Align ${name} here, at the frame that is shown now`} onClick=${() => alignAt(place, frameNow(place))}
    >
      here
    </button>`
}

/** Colours alone would not say it to every eye. */
function Sides() {
  return html`<span class="viewer-sides" role="img" aria-label="Left is blue, right is orange" title="Left is blue, right is orange">
    <i class="is-left">L</i><i class="is-right">R</i>
  </span>`
}

function Legend({ rows }: { rows: LegendRow[] }) {
  const aligned = useStore((state) => state.arrangement === 'aligned')
  const shown = useStore((state) => state.shown)
  const searching = useStore((state) => state.making === 'search')
  const body = useStore((state) => state.view.body)
  const ghosts = shown.some(({ held }) => held)
  if (searching) return null
  if (rows.length === 1 && shown[0]) {
    const { clip } = shown[0]
    return html`<p class="viewer-name boxed">
      <${ClipName} id=${clip.id} name=${clip.name} />${body !== 'silhouette' && html`<${Sides} />`}
    </p>`
  }
  if (rows.length < 2) return null
  return html`<div class="viewer-legend boxed">
    <ul aria-label="Clips in the view">
      ${rows.map(
        ({ id, name, colour }, place) =>
          html`<li key=${`${place} ${id}`}>
            <i style=${{ background: colour }} aria-hidden="true"></i><${ClipName} id=${id} name=${name} />
            ${aligned &&
            !ghosts &&
            shown[place] &&
            html`<${AlignFrame} place=${place} name=${name} frame=${shown[place].alignFrame} />`}
          </li>`,
      )}
    </ul>
    ${body !== 'silhouette' && html`<${Sides} />`}
  </div>`
}

/** Who is in which of the small views. */
function TileNames({ rows, tiles }: { rows: LegendRow[]; tiles: Tiles }) {
  const grid = {
    gridTemplateColumns: `repeat(${tiles.columns}, minmax(0, 1fr))`,
    gridTemplateRows: `repeat(${tiles.rows}, minmax(0, 1fr))`,
  }
  return html`<ul class="viewer-tiles" aria-label="Clips in the view" style=${grid}>
    ${rows.map(
      ({ id, name, colour }, place) => html`<li key=${`${place} ${id}`}>
        <span><i style=${{ background: colour }} aria-hidden="true"></i>${name}</span>
      </li>`,
    )}
  </ul>`
}

function NoView() {
  return html`<section class="viewer" aria-label="Viewer">
    <p class="viewer-message" role="alert">
      The 3D view needs WebGL, which this browser does not offer. Turn on hardware acceleration, or use
      another browser; the library and the timeline work without it.
    </p>
  </section>`
}

export function ViewerPanel() {
  const tiled = useStore((state) => state.arrangement === 'tiles' && state.shown.length > 1)
  const shown = useStore((state) => state.shown)
  const body = useStore((state) => state.view.body)
  const pawns = useStore((state) => state.pawns !== null)
  const canvas = useRef<HTMLCanvasElement>(null)
  const [legend, setLegend] = useState<LegendRow[]>([])
  const [tiles, setTiles] = useState<Tiles>({ columns: 1, rows: 1 })
  const [loaded, setLoaded] = useState(1)
  const [failure, setFailure] = useState('')
  const [missing, setMissing] = useState(false)
  useEffect(() => {
    const onLoading = (share: number, message: string) => {
      setLoaded(share)
      setFailure(message)
    }
    const onLegend = (rows: LegendRow[], next: Tiles) => {
      setLegend(rows)
      setTiles(next)
    }
    let end: () => void = () => undefined
    const forget = afterFirstStrip(() => {
      try {
        end = start(canvas.current!, { onLegend, onLoading })
      } catch {
        setMissing(true)
      }
    })
    return () => {
      forget()
      end()
    }
  }, [])
  if (missing) return html`<${NoView} />`
  return html`<section class="viewer" aria-label="Viewer">
    <canvas
      ref=${canvas} class="viewer-canvas" tabindex="0" role="img" aria-label=${describe(shown, body, pawns)}
    ></canvas>
    <${Toolbar} onReset=${resetCamera} />
    ${tiled ? html`<${TileNames} rows=${legend} tiles=${tiles} />` : html`<${Legend} rows=${legend} />`}
    ${shown.length === 0 && !pawns && html`<p class="viewer-message">Open a clip from the library</p>`}
    ${failure && html`<p class="viewer-message" role="alert">${failure}</p>`}
    ${!failure &&
    loaded < 1 &&
    html`<progress class="viewer-loading" aria-label="Loading frames" value=${loaded}></progress>`}
  </section>`
}
