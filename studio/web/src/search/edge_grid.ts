// edge_grid.ts - paints a time alignment over the part of the grid of distances around it, with axes in frames.
import { Picture } from '../compare/grid_canvas'
import type { Grid } from '../compare/grid_data'
import type { Paper } from '../timeline/drawing'
import { frameTicks, type Window } from '../timeline/scale'

export interface Alignment {
  /** Frames in view, of the first clip down and of the second across; what the grid shows. */
  windows: [Window, Window]
  cells: readonly [number, number][]
  grid: Grid | null
}

interface Box {
  left: number
  top: number
  width: number
  height: number
}

const pictures = new WeakMap<Grid, Picture>()

function pictureOf(grid: Grid, squared: boolean): HTMLCanvasElement {
  const picture = pictures.get(grid) ?? new Picture()
  pictures.set(grid, picture)
  return picture.get(grid, squared)
}

/** White with a dark edge, so that it is seen on every shade. */
function paintPath(paint: CanvasRenderingContext2D, box: Box, { windows: [down, across], cells }: Alignment): void {
  for (const [wide, ink] of [[5, 'rgb(0 0 0 / 55%)'], [2.5, '#ffffff']] as const) {
    paint.lineWidth = wide
    paint.strokeStyle = ink
    paint.lineJoin = 'round'
    paint.beginPath()
    cells.forEach(([row, col], i) => {
      const x = box.left + ((col + 0.5 - across.start) / across.span) * box.width
      const y = box.top + ((row + 0.5 - down.start) / down.span) * box.height
      if (i) paint.lineTo(x, y)
      else paint.moveTo(x, y)
    })
    paint.stroke()
  }
}

function paintAxes(paint: CanvasRenderingContext2D, box: Box, { windows }: Alignment, rem: number): void {
  const [down, across] = windows
  paint.textAlign = 'center'
  paint.textBaseline = 'top'
  for (const { frame, label } of frameTicks(across, box.width, 3 * rem)) {
    const x = box.left + ((frame - across.start) / across.span) * box.width
    if (!label || x > box.left + box.width - 0.5 * rem) continue
    paint.fillRect(Math.round(x), box.top + box.height, 1, 3)
    paint.fillText(label, x, box.top + box.height + 4)
  }
  paint.textAlign = 'right'
  paint.textBaseline = 'middle'
  for (const { frame, label } of frameTicks(down, box.height, 1.4 * rem)) {
    const y = box.top + ((frame - down.start) / down.span) * box.height
    if (!label || y > box.top + box.height - 0.2 * rem) continue
    paint.fillRect(box.left - 3, Math.round(y), 3, 1)
    paint.fillText(label, box.left - 5, Math.max(y, box.top + 0.4 * rem))
  }
}

export function drawAlignment({ paint, width, height, rem, colour }: Paper, what: Alignment, squared: boolean): void {
  const box: Box = { left: 2.2 * rem, top: 2, width: width - 2.2 * rem - 2, height: height - 1.1 * rem - 2 }
  paint.font = `${0.66 * rem}px ${colour('font-family')}`
  paint.fillStyle = colour('--surface-2')
  paint.fillRect(box.left, box.top, box.width, box.height)
  paint.imageSmoothingEnabled = false
  if (what.grid) paint.drawImage(pictureOf(what.grid, squared), box.left, box.top, box.width, box.height)
  paintPath(paint, box, what)
  paint.fillStyle = colour('--text-dim')
  paintAxes(paint, box, what, rem)
}
