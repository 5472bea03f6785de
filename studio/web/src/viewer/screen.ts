// screen.ts - the viewer on a canvas: its camera by keys, its size, what the page's state says of it, and the loop that
// draws. It draws only when something has changed, so that a page at rest costs nothing.
import { takeEvent } from '../controls'
import type { FetchFrames } from '../frames'
import { player } from '../player'
import { changeView, getState, subscribe, type Shown, type Spot, type State } from '../store'
import { t } from '../words/words'
import type { Tiles } from './arrange'
import { Viewer, type LegendRow } from './viewer'

declare global {
  interface Window {
    /** For the tests in a browser. */
    mareyViewer?: Viewer
  }
}

let current: Viewer | null = null
/** The part of the floor that is looked at; a panel may ask for it before the viewer is there. */
let overlooked: { middle: Spot; span_cm: number } | null = null

/** Frames the whole motion from its best side; key R. */
export function resetCamera(): void {
  overlooked = null
  current?.resetCamera()
}

/** The floor around a place, from above. */
export function overlook(middle: Spot, span_cm: number): void {
  overlooked = { middle, span_cm }
  current?.overlook(middle, span_cm)
}

/** The floor is not looked at any more: the next picture frames who is there. */
export function endOverlook(): void {
  overlooked = null
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

export interface Hooks {
  onLegend: (rows: LegendRow[], tiles: Tiles) => void
  onLoading: (loaded: number, failure: string) => void
}

/** Everything from the canvas to the drawn picture; gives what ends it. Throws without WebGL. */
export function startViewer(canvas: HTMLCanvasElement, fetchFrames: FetchFrames, hooks: Hooks): () => void {
  const viewer = new Viewer(canvas, fetchFrames)
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
  if (overlooked) viewer.overlook(overlooked.middle, overlooked.span_cm)
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

export const TURN_HINT =
  t('Drag to turn, right-drag to move, wheel to zoom. With the view focused: Alt+arrows turn, ') +
  t('Alt+plus and Alt+minus zoom; so do 4 6 8 2 + − of the number pad.')

/** What is in the picture, for those who do not see it. */
export function describe(shown: Shown[], body: string, pawns: boolean): string {
  if (shown.length === 0) return pawns ? t('3D view of those who play') : t('3D view, nothing is open')
  const names = shown.map(({ clip }) => clip.name).join(', ')
  return t`3D view of ${names}, drawn as ${body}. ${TURN_HINT}`
}
