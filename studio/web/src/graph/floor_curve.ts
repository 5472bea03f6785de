// floor_curve.ts - paths on the floor: what was drawn by hand becomes a few points, and these a smooth curve, on which every
// place is so many centimetres along it. No DOM here.
import type { Spot } from '../store'

/** A path has at most so many points that can be moved. */
export const mostPoints = 24
/** What is drawn may be so far from the curve. */
const slack_cm = 10
/** The curve's own points are about so far apart; the server takes 1024. */
const step_cm = 25
const mostCurve = 600
const shortest_cm = 60

export function apart([ax, az]: Spot, [bx, bz]: Spot): number {
  return Math.hypot(ax - bx, az - bz)
}

export function lengthOf(path: readonly Spot[]): number {
  return path.slice(1).reduce((sum, point, i) => sum + apart(path[i]!, point), 0)
}

/** How far a point is from the straight way between two others. */
function offWay([x, z]: Spot, [ax, az]: Spot, [bx, bz]: Spot): number {
  const [dx, dz] = [bx - ax, bz - az]
  const long = dx * dx + dz * dz
  const share = long > 0 ? Math.max(0, Math.min(1, ((x - ax) * dx + (z - az) * dz) / long)) : 0
  return Math.hypot(x - ax - share * dx, z - az - share * dz)
}

/** Without those that are nearly on the way between their neighbours (Douglas & Peucker 1973). */
function thinned(path: readonly Spot[], slack: number): Spot[] {
  if (path.length < 3) return [...path]
  const [first, last] = [path[0]!, path[path.length - 1]!]
  let [at, most] = [0, 0]
  path.forEach((point, i) => {
    const off = offWay(point, first, last)
    if (off > most) [at, most] = [i, off]
  })
  if (most <= slack) return [first, last]
  return [...thinned(path.slice(0, at + 1), slack).slice(0, -1), ...thinned(path.slice(at), slack)]
}

/** Points for what was drawn; null: that is too short to walk. */
export function pointsOf(drawn: readonly Spot[]): Spot[] | null {
  if (drawn.length < 2 || lengthOf(drawn) < shortest_cm) return null
  for (let slack = slack_cm; ; slack *= 1.5) {
    const points = thinned(drawn, slack)
    if (points.length <= mostPoints) return points.map(rounded)
  }
}

export function rounded([x, z]: Spot): Spot {
  return [Math.round(x), Math.round(z)]
}

/** Between b and c, with a and d beside them (Catmull & Rom 1974). */
function between(a: Spot, b: Spot, c: Spot, d: Spot, t: number): Spot {
  const one = (k: 0 | 1) =>
    0.5 *
    (2 * b[k] +
      (c[k] - a[k]) * t +
      (2 * a[k] - 5 * b[k] + 4 * c[k] - d[k]) * t * t +
      (3 * b[k] - a[k] - 3 * c[k] + d[k]) * t * t * t)
  return [one(0), one(1)]
}

/** The smooth way through all points, in whole centimetres. */
export function curveOf(points: readonly Spot[]): Spot[] {
  const step = Math.max(step_cm, lengthOf(points) / mostCurve)
  const curve: Spot[] = []
  for (let i = 0; i + 1 < points.length; i++) {
    const [b, c] = [points[i]!, points[i + 1]!]
    const count = Math.max(1, Math.round(apart(b, c) / step))
    for (let k = 0; k < count; k++) {
      curve.push(rounded(between(points[i - 1] ?? b, b, c, points[i + 2] ?? c, k / count)))
    }
  }
  if (points.length) curve.push(rounded(points[points.length - 1]!))
  return curve.filter((point, i) => i === 0 || apart(point, curve[i - 1]!) > 0)
}

/** One more point, behind `at`: half way to the next, or as far beyond the end. */
export function withPoint(points: readonly Spot[], at: number): Spot[] {
  const here = points[at]!
  const next = points[at + 1]
  const before = points[at - 1] ?? here
  const place: Spot = next
    ? [(here[0] + next[0]) / 2, (here[1] + next[1]) / 2]
    : [2 * here[0] - before[0], 2 * here[1] - before[1]]
  return [...points.slice(0, at + 1), rounded(place), ...points.slice(at + 1)]
}

/** The place that is so far along a curve; beyond its ends the end. */
export function placeAlong(curve: readonly Spot[], along_cm: number): Spot {
  let left = along_cm
  for (let i = 1; i < curve.length; i++) {
    const [a, b] = [curve[i - 1]!, curve[i]!]
    const long = apart(a, b)
    if (left < long) {
      const share = Math.max(0, left) / long
      return [a[0] + share * (b[0] - a[0]), a[1] + share * (b[1] - a[1])]
    }
    left -= long
  }
  return curve[curve.length - 1]!
}

/** How far along a curve that place of it is which is nearest to another one. */
export function nearestAlong(curve: readonly Spot[], [x, z]: Spot): number {
  let [best, least, before] = [0, Infinity, 0]
  for (let i = 1; i < curve.length; i++) {
    const [[ax, az], [bx, bz]] = [curve[i - 1]!, curve[i]!]
    const [dx, dz] = [bx - ax, bz - az]
    const long = Math.hypot(dx, dz)
    const share = Math.max(0, Math.min(1, ((x - ax) * dx + (z - az) * dz) / (long * long)))
    const off = Math.hypot(x - ax - share * dx, z - az - share * dz)
    if (off < least) [best, least] = [before + share * long, off]
    before += long
  }
  return best
}

export interface Box {
  middle: Spot
  /** Of a square around all. */
  span: number
}

export function boxOf(path: readonly Spot[]): Box {
  const xs = path.map(([x]) => x)
  const zs = path.map(([, z]) => z)
  const [left, right] = [Math.min(...xs), Math.max(...xs)]
  const [far, near] = [Math.min(...zs), Math.max(...zs)]
  return { middle: [(left + right) / 2, (far + near) / 2], span: Math.max(300, right - left, near - far) }
}
