// map_draw.ts - the drawing of a cluster graph on a canvas: nodes as disks with their middle pose, edges between them.
import type { Cluster } from '../api'
import type { Side } from '../library/side_figure'
import type { Paper } from '../timeline/drawing'
import type { Spot, View } from './map_data'
import type { Drawing } from './poses'

export interface Picture {
  cluster: Cluster
  spots: readonly Spot[]
  drawings: ReadonlyMap<number, Drawing>
  view: View
  /** Under the pointer, or where the keys are. */
  now: Spot | null
  chosen: number | null
  route: readonly number[]
}

interface Placed {
  x: number
  y: number
  r: number
}

/** Where a spot is on the paper. */
function placed({ width, height }: Paper, { x, y, zoom }: View, spot: Spot): Placed {
  return { x: width / 2 + (spot.x - x) * zoom, y: height / 2 + (spot.y - y) * zoom, r: spot.r * zoom }
}

/** From rim to rim, bent to the right, so that there and back are two lines. */
function edgePath(a: Placed, b: Placed): [number, number, number, number, number, number] {
  const [dx, dy] = [b.x - a.x, b.y - a.y]
  const far = Math.hypot(dx, dy) || 1
  const [ux, uy] = [dx / far, dy / far]
  const bend = Math.min(0.16 * far, 40)
  const [cx, cy] = [(a.x + b.x) / 2 - uy * bend, (a.y + b.y) / 2 + ux * bend]
  return [a.x + ux * a.r - uy * 2, a.y + uy * a.r + ux * 2, cx, cy, b.x - ux * b.r - uy * 2, b.y - uy * b.r + ux * 2]
}

function strokeEdge(paint: CanvasRenderingContext2D, path: readonly number[], arrow: boolean): void {
  const [ax, ay, cx, cy, bx, by] = path as [number, number, number, number, number, number]
  paint.beginPath()
  paint.moveTo(ax, ay)
  paint.quadraticCurveTo(cx, cy, bx, by)
  if (arrow) {
    const way = Math.atan2(by - cy, bx - cx)
    for (const side of [-0.45, 0.45]) {
      paint.moveTo(bx, by)
      paint.lineTo(bx - 8 * Math.cos(way + side), by - 8 * Math.sin(way + side))
    }
  }
  paint.stroke()
}

function drawEdges(paper: Paper, { cluster, view, now, chosen }: Picture, at: ReadonlyMap<number, Placed>): void {
  const { paint, colour } = paper
  const focus = chosen ?? now?.node.node ?? null
  const visible = cluster.edges.filter(([from, to]) => at.has(from) && at.has(to) && from !== to)
  const most = Math.max(1, ...visible.map(([, , count]) => count))
  for (const [from, to, count] of visible) {
    const near = focus !== null && (from === focus || to === focus)
    paint.globalAlpha = near ? 0.95 : (focus === null ? 0.25 : 0.1) + 0.35 * (count / most)
    paint.strokeStyle = colour(near ? (from === focus ? '--accent' : '--left') : '--text-dim')
    paint.lineWidth = near ? 1.8 : 0.6 + 1.6 * (Math.log(count + 1) / Math.log(most + 1)) * Math.min(1, view.zoom)
    strokeEdge(paint, edgePath(at.get(from)!, at.get(to)!), near)
  }
  paint.globalAlpha = 1
}

const sideColours: [Side, string][] = [
  ['left', '--left'],
  ['middle', '--text'],
  ['right', '--right'],
]

function drawFigure({ paint, colour }: Paper, { x, y, r }: Placed, { bones, head }: Drawing): void {
  const box = 1.62 * r
  const [left, top] = [x, y - box / 2]
  paint.lineCap = 'round'
  paint.lineWidth = Math.max(0.8, 0.05 * box)
  for (const [side, name] of sideColours) {
    paint.strokeStyle = colour(name)
    paint.beginPath()
    for (const bone of bones) {
      if (bone.side !== side) continue
      const [ax, ay, bx, by] = bone.line
      paint.moveTo(left + box * ax, top + box * ay)
      paint.lineTo(left + box * bx, top + box * by)
    }
    paint.stroke()
  }
  if (!head) return
  paint.fillStyle = colour('--text')
  paint.beginPath()
  paint.arc(left + box * head[0], top + box * (head[1] - 0.035), 0.055 * box, 0, 2 * Math.PI)
  paint.fill()
}

/** A small sign on the rim: an open circle with an arrow. */
function drawLoopSign({ paint, colour }: Paper, { x, y, r }: Placed): void {
  const [cx, cy] = [x + 0.72 * r, y - 0.72 * r]
  const size = Math.max(4, Math.min(7, 0.2 * r))
  paint.fillStyle = colour('--surface')
  paint.beginPath()
  paint.arc(cx, cy, size + 2, 0, 2 * Math.PI)
  paint.fill()
  paint.strokeStyle = colour('--ok')
  paint.lineWidth = 1.6
  paint.beginPath()
  paint.arc(cx, cy, size, 0.3, 5.2)
  const [tx, ty] = [cx + size * Math.cos(5.2), cy + size * Math.sin(5.2)]
  paint.moveTo(tx - 4, ty + 0.5)
  paint.lineTo(tx, ty)
  paint.lineTo(tx - 0.5, ty - 4)
  paint.stroke()
}

const smallest = { figure: 9, sign: 12 }

function drawNode(paper: Paper, { drawings, chosen, now, route }: Picture, spot: Spot, place: Placed): void {
  const { paint, colour, rem } = paper
  const { node } = spot.node
  const { x, y, r } = place
  const steps = route.flatMap((each, i) => (each === node ? [i + 1] : []))
  paint.beginPath()
  paint.arc(x, y, r, 0, 2 * Math.PI)
  paint.fillStyle = colour(spot.node.clips > 1 ? '--surface-2' : '--surface')
  paint.fill()
  paint.strokeStyle = colour(node === chosen || steps.length ? '--accent' : spot === now ? '--text' : '--line')
  paint.lineWidth = node === chosen ? 3 : steps.length || spot === now ? 2 : 1
  if (spot.node.clips === 1) paint.setLineDash([3, 3])
  paint.stroke()
  paint.setLineDash([])
  const drawing = drawings.get(node)
  if (drawing && r > smallest.figure) drawFigure(paper, place, drawing)
  if (spot.node.loops && r > smallest.sign) drawLoopSign(paper, place)
  if (!steps.length) return
  paint.font = `600 ${0.72 * rem}px ${colour('--font')}`
  const text = steps.join(', ')
  const wide = Math.max(1.1 * rem, paint.measureText(text).width + 0.5 * rem)
  paint.fillStyle = colour('--accent')
  paint.fillRect(x - wide / 2, y + r - 0.6 * rem, wide, 1.1 * rem)
  paint.fillStyle = colour('--accent-text')
  paint.textAlign = 'center'
  paint.textBaseline = 'middle'
  paint.fillText(text, x, y + r - 0.05 * rem)
}

function drawRoute(paper: Paper, { route }: Picture, at: ReadonlyMap<number, Placed>): void {
  const { paint, colour } = paper
  paint.strokeStyle = colour('--accent')
  paint.lineWidth = 3
  route.slice(1).forEach((to, i) => {
    const [a, b] = [at.get(route[i]!), at.get(to)]
    if (a && b && a !== b) strokeEdge(paint, edgePath(a, b), true)
  })
}

export function drawMap(paper: Paper, picture: Picture): void {
  const at = new Map(picture.spots.map((spot) => [spot.node.node, placed(paper, picture.view, spot)]))
  paper.paint.clearRect(0, 0, paper.width, paper.height)
  drawEdges(paper, picture, at)
  for (const spot of picture.spots) drawNode(paper, picture, spot, at.get(spot.node.node)!)
  drawRoute(paper, picture, at)
}
