// grid_canvas.ts - the grid as a picture that can be walked over: distances as shades, axes in frames and seconds, similar
// pairs as dots, and a cross at the two frames that the viewer shows.
import { useEffect, useRef } from 'preact/hooks'
import type { Clip } from '../api'
import { html } from '../html'
import { onTheme } from '../timeline/drawing'
import { useChanges } from '../timeline/view'
import { axisTicks, nearest, plotBox, type Box } from './axes'
import { moved, placeAt, type Grid, type Place } from './grid_data'
import { comparison } from './session'
import { paintCells, rangeOf } from './shades'

const reach_px = 9
const longStep = 10

/** What is painted, with all that it needs to know. */
export interface Sheet {
  paint: CanvasRenderingContext2D
  box: Box
  rem: number
  colour: (property: string) => string
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

/** Sizes the canvas to the screen's own pixels and gives what is painted on. */
export function sheetOf(canvas: HTMLCanvasElement, clips: [Clip, Clip]): Sheet | null {
  const paint = canvas.getContext('2d')
  const { clientWidth: width, clientHeight: height } = canvas
  if (!paint || !width || !height) return null
  const ratio = window.devicePixelRatio || 1
  canvas.width = Math.round(width * ratio)
  canvas.height = Math.round(height * ratio)
  paint.setTransform(ratio, 0, 0, ratio, 0, 0)
  const style = getComputedStyle(canvas)
  const rem = parseFloat(getComputedStyle(document.documentElement).fontSize) || 16
  paint.font = `${0.66 * rem}px ${style.fontFamily}`
  const colour = (property: string) => style.getPropertyValue(property).trim() || '#888'
  return { paint, box: plotBox(width, height, rem), rem, colour, clips }
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

const steps: Record<string, [number, number]> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
}

function pressKey(event: KeyboardEvent): void {
  const { grid, place } = comparison
  const step = steps[event.key]
  if (!grid || event.ctrlKey || event.metaKey || event.altKey) return
  if (step) {
    const by = event.shiftKey ? longStep : 1
    comparison.pin(moved(grid, place ?? { row: 0, col: 0 }, by * step[0], by * step[1]))
  } else if (event.key === 'PageDown' || event.key === 'PageUp') comparison.pinPair(event.key === 'PageDown' ? 1 : -1)
  else return
  event.preventDefault()
  event.stopPropagation()
}

/** Everything between the canvas and the comparison; gives what ends it. */
function follow(canvas: HTMLCanvasElement, clips: [Clip, Clip]): () => void {
  const picture = new Picture()
  const draw = () => {
    const sheet = sheetOf(canvas, clips)
    if (!sheet) return
    comparison.resize(sheet.box.height * devicePixelRatio, sheet.box.width * devicePixelRatio)
    if (comparison.grid) drawAll(sheet, picture, comparison.grid)
  }
  const watcher = new ResizeObserver(draw)
  watcher.observe(canvas)
  const stops = [comparison.on(draw), onTheme(draw), () => watcher.disconnect()]
  draw()
  return () => stops.forEach((stop) => stop())
}

function describe([a, b]: [Clip, Clip]): string {
  const { frames } = comparison
  const where = frames ? ` Frame ${frames[0]} of ${a.name}, frame ${frames[1]} of ${b.name}.` : ''
  return `Distances of ${a.name}, down, and ${b.name}, across. Arrow keys move, Page Up and Page Down go through the pairs.${where}`
}

export function GridCanvas({ clips }: { clips: [Clip, Clip] }) {
  const canvas = useRef<HTMLCanvasElement>(null)
  useChanges(comparison)
  useEffect(() => follow(canvas.current!, clips), [clips[0], clips[1]])
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
    ref=${canvas}
    class="compare-grid"
    role="application"
    tabindex="0"
    aria-roledescription="grid of distances"
    aria-label=${describe(clips)}
    title="Move over it to see both poses; click to stay, on a dot to go to a similar pair"
    onPointerMove=${onMove}
    onPointerDown=${onDown}
    onPointerLeave=${() => comparison.hover(null)}
    onKeyDown=${pressKey}
  ></canvas>`
}
