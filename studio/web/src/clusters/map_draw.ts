// map_draw.ts - the drawing of a cluster graph on a canvas: nodes as disks with their middle pose, edges between them.
import type { Clip, Cluster } from '../api'
import { sidesOf, type Side } from '../library/preview'
import type { Paper } from '../timeline/drawing'
import { t } from '../words/words'
import type { Spot, View } from './map'

// The middle poses of nodes, as the server sends them, and as lines of a little figure.

export interface Poses {
  joints: number
  parents: Int32Array
  /** Where the pose of a node begins in `places`. */
  at: ReadonlyMap<number, number>
  places: Float32Array
}

const headBytes = 16

/** Throws if these bytes are no poses. */
export function readPoses(bytes: ArrayBuffer): Poses {
  const view = new DataView(bytes)
  const known = bytes.byteLength >= headBytes && view.getUint32(0, false) === 0x4d525950
  if (!known || view.getUint32(4, true) !== 1) throw new Error(t('the studio sent something that is no poses'))
  const [nodes, joints] = [view.getUint32(8, true), view.getUint32(12, true)]
  const size = headBytes + 4 * joints + 4 * nodes + 12 * nodes * joints
  if (bytes.byteLength < size) throw new Error(t('the studio sent half of the poses'))
  const numbers = new Uint32Array(bytes, headBytes + 4 * joints, nodes)
  return {
    joints,
    parents: new Int32Array(bytes, headBytes, joints),
    at: new Map([...numbers].map((node, i) => [node, 3 * joints * i])),
    places: new Float32Array(bytes, headBytes + 4 * joints + 4 * nodes, 3 * nodes * joints),
  }
}

/** A bone in a box of 1 by 1: x from -0.5 to 0.5 around the middle, y down from 0 to 1. */
interface Bone {
  side: Side
  line: [number, number, number, number]
}

export interface Drawing {
  bones: Bone[]
  head: [number, number] | null
}

/** Between from the front and from the side, so that arms and legs are all seen. */
const turn = 0.9
const margin = 0.1

/** All poses of one scale: the tallest fills the box. */
export function drawingsOf(poses: Poses, { joints, roles }: Pick<Clip, 'joints' | 'roles'>): Map<number, Drawing> {
  const { places, parents, at } = poses
  const sides = sidesOf(joints, roles)
  const head = roles['head'] ?? joints.findIndex(({ name }) => /head$/i.test(name))
  let tallest = 1
  for (const from of at.values()) {
    let [low, high] = [Infinity, -Infinity]
    for (let y = from + 1; y < from + 3 * poses.joints; y += 3) {
      low = Math.min(low, places[y]!)
      high = Math.max(high, places[y]!)
    }
    tallest = Math.max(tallest, high - low)
  }
  const scale = (1 - 2 * margin) / (1.08 * tallest)
  return new Map(
    [...at].map(([node, from]) => {
      const across = (j: number) => Math.sin(turn) * places[from + 3 * j + 2]! + Math.cos(turn) * places[from + 3 * j]!
      let [low, left, right] = [Infinity, Infinity, -Infinity]
      for (let j = 0; j < poses.joints; j++) {
        low = Math.min(low, places[from + 3 * j + 1]!)
        left = Math.min(left, across(j))
        right = Math.max(right, across(j))
      }
      const spot = (j: number): [number, number] => [
        scale * (across(j) - (left + right) / 2),
        1 - margin - scale * (places[from + 3 * j + 1]! - low),
      ]
      const bones: Bone[] = []
      parents.forEach((parent, j) => {
        if (parent >= 0) bones.push({ side: sides[j] ?? 'middle', line: [...spot(parent), ...spot(j)] })
      })
      return [node, { bones, head: head >= 0 && head < poses.joints ? spot(head) : null }]
    }),
  )
}

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
