// grid_canvas.ts - the grid as a picture that can be walked over: distances as shades, axes in frames and seconds, similar
// pairs as dots, and a cross at the two frames that the viewer shows.
import { useMemo } from 'preact/hooks'
import type { Clip } from '../api'
import { useChanges } from '../changes'
import { arrowWays, hasModifier, takeEvent } from '../controls'
import { html } from '../html'
import { usePaper, type Paper } from '../timeline/drawing'
import { frameTicks, secondTicks, type Tick } from '../timeline/scale'
import { t } from '../words/words'
import { moved, paintCells, placeAt, rangeOf, type Grid, type Place } from './grid_data'
import { comparison } from './session'

// Where a grid lies on its canvas, and the ticks along it. Rows go down, as in the program's pictures.

/** In pixels of the page. */
export interface Box {
  left: number
  top: number
  width: number
  height: number
}

/** Room for both axes: names and numbers to the left and below. */
export function plotBox(width: number, height: number, rem: number): Box {
  const left = Math.round(3.6 * rem)
  const top = Math.round(0.4 * rem)
  const below = Math.round(2.1 * rem)
  const right = Math.round(0.5 * rem)
  return { left, top, width: Math.max(1, width - left - right), height: Math.max(1, height - top - below) }
}

/** Ticks of one axis in frames of the clip, and in seconds. */
export function axisTicks(frames: number, fps: number, length: number, apart: number): { frames: Tick[]; seconds: Tick[] } {
  const window = { start: 0, span: Math.max(1, frames) }
  const inside = (ticks: Tick[]) => ticks.filter(({ frame, label }) => label !== '' && frame < frames)
  return {
    frames: inside(frameTicks(window, length, apart)),
    seconds: inside(secondTicks(window, fps, length, apart)),
  }
}

/** The nearest of some points, if it is within reach. */
export function nearest(points: readonly [number, number][], x: number, y: number, reach: number): number {
  let found = -1
  let least = reach * reach
  points.forEach(([px, py], i) => {
    const far = (px - x) ** 2 + (py - y) ** 2
    if (far < least || (far === least && found < 0)) {
      least = far
      found = i
    }
  })
  return found
}

const reach_px = 9
const longStep = 10

/** What is painted, with all that it needs to know. */
export interface Sheet extends Paper {
  box: Box
  clips: [Clip, Clip]
}

/** The picture of a grid is made once, whatever moves over it. */
export class Picture {
  private of: Grid | null = null
  private readonly canvas = document.createElement('canvas')

  get(grid: Grid, rooted: boolean): HTMLCanvasElement {
    if (grid === this.of) return this.canvas
    this.of = grid
    this.canvas.width = grid.cols
    this.canvas.height = grid.rows
    const pixels = paintCells(grid.cells, rangeOf(grid.cells), rooted)
    const image = new ImageData(grid.cols, grid.rows)
    image.data.set(pixels)
    this.canvas.getContext('2d')!.putImageData(image, 0, 0)
    return this.canvas
  }
}

/** The middle of a cell. */
function pointOf({ frames }: Grid, { left, top, width, height }: Box, { row, col }: Place): [number, number] {
  return [left + ((col + 0.5) / frames[1]) * width, top + ((row + 0.5) / frames[0]) * height]
}

function dotsOf(grid: Grid, box: Box): [number, number][] {
  const pairs = comparison.pairs?.pairs ?? []
  return pairs.map(({ a, b }) => pointOf(grid, box, comparison.placeOf(a, b)!))
}

export function drawAcross({ paint, box, rem, colour, clips }: Sheet): void {
  const { left, top, width, height } = box
  const clip = clips[1]
  const ticks = axisTicks(clip.frames, clip.fps, width, 3.4 * rem)
  const y = top + height
  paint.textBaseline = 'top'
  paint.textAlign = 'center'
  for (const [rows, line, dim] of [[ticks.frames, 0, false], [ticks.seconds, 1, true]] as const) {
    for (const { frame, label } of rows) {
      const x = Math.round(left + ((frame + 0.5) / clip.frames) * width)
      if (!line) {
        paint.fillStyle = colour('--text-dim')
        paint.fillRect(x, y, 1, 4)
      }
      const half = paint.measureText(label).width / 2
      paint.fillStyle = colour(dim ? '--text-dim' : '--text')
      if (x + half <= left + width + 4) paint.fillText(label, Math.max(x, left + half - 4), y + (0.35 + line * 0.85) * rem)
    }
  }
}

export function drawDown({ paint, box, rem, colour, clips }: Sheet): void {
  const { left, top, height } = box
  const clip = clips[0]
  const ticks = axisTicks(clip.frames, clip.fps, height, 1.7 * rem)
  paint.textBaseline = 'middle'
  paint.textAlign = 'right'
  for (const { frame, label } of ticks.frames) {
    const y = Math.round(top + ((frame + 0.5) / clip.frames) * height)
    const second = (frame / clip.fps).toFixed(1)
    paint.fillStyle = colour('--text-dim')
    paint.fillRect(left - 4, y, 4, 1)
    paint.fillStyle = colour('--text')
    const at = Math.max(y, top + 0.4 * rem)
    paint.fillText(label, left - 6, at)
    paint.fillStyle = colour('--text-dim')
    if (at + 0.85 * rem < top + height) paint.fillText(`${second}s`, left - 6, at + 0.8 * rem)
  }
}

function drawDots({ paint }: Sheet, dots: [number, number][]): void {
  paint.lineWidth = 1.5
  for (const [x, y] of [...dots].reverse()) {
    paint.beginPath()
    paint.arc(x, y, 3.5, 0, 2 * Math.PI)
    paint.fillStyle = '#ffffff'
    paint.fill()
    paint.strokeStyle = '#1b1030'
    paint.stroke()
  }
}

/** Twice, dark under light, so that it is seen on every shade. */
function drawCross({ paint, box }: Sheet, [x, y]: [number, number]): void {
  const { left, top, width, height } = box
  for (const [wide, ink] of [[3, 'rgb(0 0 0 / 55%)'], [1, '#ffffff']] as const) {
    paint.lineWidth = wide
    paint.strokeStyle = ink
    paint.beginPath()
    paint.moveTo(left, y)
    paint.lineTo(left + width, y)
    paint.moveTo(x, top)
    paint.lineTo(x, top + height)
    paint.stroke()
    paint.beginPath()
    paint.arc(x, y, 7, 0, 2 * Math.PI)
    paint.stroke()
  }
}

function drawAll(sheet: Sheet, picture: Picture, grid: Grid): void {
  const { paint, box } = sheet
  paint.imageSmoothingEnabled = false
  paint.globalAlpha = comparison.busy ? 0.55 : 1
  const rooted = comparison.pairs?.unit === 'cm2'
  paint.drawImage(picture.get(grid, rooted), box.left, box.top, box.width, box.height)
  paint.globalAlpha = 1
  drawAcross(sheet)
  drawDown(sheet)
  drawDots(sheet, dotsOf(grid, box))
  const { place } = comparison
  if (place) drawCross(sheet, pointOf(grid, box, place))
}

export function sheetOf(paper: Paper, clips: [Clip, Clip]): Sheet {
  const { paint, width, height, rem, colour } = paper
  paint.font = `${0.66 * rem}px ${colour('font-family')}`
  return { ...paper, box: plotBox(width, height, rem), clips }
}

/** What a pointer at (x, y) of the canvas means: a dot nearby, the cell under it, or nothing. */
function placeUnder(canvas: HTMLCanvasElement, event: PointerEvent, snap: boolean): Place | null {
  const { grid } = comparison
  if (!grid) return null
  const rem = parseFloat(getComputedStyle(document.documentElement).fontSize) || 16
  const box = plotBox(canvas.clientWidth, canvas.clientHeight, rem)
  const around = canvas.getBoundingClientRect()
  const [x, y] = [event.clientX - around.left, event.clientY - around.top]
  // Dots at the edge reach beyond the grid.
  const dot = snap ? nearest(dotsOf(grid, box), x, y, reach_px) : -1
  const pair = comparison.pairs?.pairs[dot]
  if (pair) return comparison.placeOf(pair.a, pair.b)
  const inside = x >= box.left && x <= box.left + box.width && y >= box.top && y <= box.top + box.height
  if (!inside) return null
  return placeAt(grid, (x - box.left) / box.width, (y - box.top) / box.height)
}

function pressKey(event: KeyboardEvent): void {
  const { grid, place } = comparison
  const way = arrowWays[event.key]
  if (!grid || hasModifier(event)) return
  if (way) {
    const by = event.shiftKey ? longStep : 1
    comparison.pin(moved(grid, place ?? { row: 0, col: 0 }, by * way[1], by * way[0]))
  } else if (event.key === 'PageDown' || event.key === 'PageUp') comparison.pinPair(event.key === 'PageDown' ? 1 : -1)
  else return
  takeEvent(event)
}

function describe([a, b]: [Clip, Clip]): string {
  const { frames } = comparison
  const where = frames ? t` Frame ${frames[0]} of ${a.name}, frame ${frames[1]} of ${b.name}.` : ''
  return t`Distances of ${a.name}, down, and ${b.name}, across. Arrow keys move, Page Up and Page Down go through the pairs.${where}`
}

export function GridCanvas({ clips }: { clips: [Clip, Clip] }) {
  useChanges(comparison)
  const picture = useMemo(() => new Picture(), [clips[0], clips[1]])
  const draw = (paper: Paper) => {
    const sheet = sheetOf(paper, clips)
    comparison.resize(sheet.box.height * devicePixelRatio, sheet.box.width * devicePixelRatio)
    if (comparison.grid) drawAll(sheet, picture, comparison.grid)
  }
  const canvas = usePaper(draw, [clips[0], clips[1]], comparison)
  const onMove = (event: PointerEvent) => {
    const held = event.buttons & 1
    const place = placeUnder(canvas.current!, event, false)
    if (held && place) comparison.pin(place)
    else if (!held) comparison.hover(place)
  }
  const onDown = (event: PointerEvent) => {
    const place = event.button === 0 && placeUnder(canvas.current!, event, true)
    if (place) comparison.pin(place)
  }
  return html`<canvas
    ref=${canvas} class="compare-grid" role="application" tabindex="0" aria-roledescription="grid of distances"
    aria-label=${describe(clips)}
    title="Move over it to see both poses; click to stay, on a dot to go to a similar pair" onPointerMove=${onMove}
    onPointerDown=${onDown} onPointerLeave=${() => comparison.hover(null)} onKeyDown=${pressKey}
  ></canvas>`
}
