// weights.ts - weights by a point in a polygon, and weights over time. No DOM here.

export type Point = readonly [number, number]

/** A row for the server: seconds, then a weight for each clip. */
export type Key = readonly number[]

/** Where each clip's corner is, in a square from -1 to 1 with y down: a segment for two, else a regular polygon with a
 * corner on top. */
export function corners(count: number): Point[] {
  if (count === 2) {
    return [
      [-1, 0],
      [1, 0],
    ]
  }
  return Array.from({ length: count }, (_, i) => {
    const angle = (2 * Math.PI * i) / count
    return [Math.sin(angle), -Math.cos(angle)] as const
  })
}

const minus = ([ax, ay]: Point, [bx, by]: Point): Point => [ax - bx, ay - by]
const cross = ([ax, ay]: Point, [bx, by]: Point) => ax * by - ay * bx
const dot = ([ax, ay]: Point, [bx, by]: Point) => ax * bx + ay * by

function nearestOn(a: Point, b: Point, point: Point): Point {
  const way = minus(b, a)
  const share = Math.max(0, Math.min(1, dot(minus(point, a), way) / dot(way, way)))
  return [a[0] + share * way[0], a[1] + share * way[1]]
}

/** The point itself, or where the polygon is nearest to it. */
export function insidePoint(polygon: readonly Point[], point: Point): Point {
  const count = polygon.length
  if (count === 2) return nearestOn(polygon[0]!, polygon[1]!, point)
  const edges = polygon.map((a, i) => [a, polygon[(i + 1) % count]!] as const)
  if (edges.every(([a, b]) => cross(minus(b, a), minus(point, a)) >= 0)) return point
  const near = edges.map(([a, b]) => nearestOn(a, b, point))
  const far = (each: Point) => (each[0] - point[0]) ** 2 + (each[1] - point[1]) ** 2
  return near.reduce((best, each) => (far(each) < far(best) ? each : best))
}

const tiny = 1e-9

/** Weights of an edge's two ends, or null if the point is on none. */
function onEdge(polygon: readonly Point[], point: Point): number[] | null {
  const count = polygon.length
  const pairs = count === 2 ? 1 : count
  for (let i = 0; i < pairs; i++) {
    const next = (i + 1) % count
    const way = minus(polygon[next]!, polygon[i]!)
    const from = minus(point, polygon[i]!)
    const share = dot(from, way) / dot(way, way)
    if (Math.abs(cross(way, from)) > 1e-7 || share < -tiny || share > 1 + tiny) continue
    const weights = new Array<number>(count).fill(0)
    weights[next] = Math.max(0, Math.min(1, share))
    weights[i] = 1 - weights[next]!
    return weights
  }
  return null
}

/** Mean value coordinates (Floater 2003) of a point in the polygon: never negative, sum one, all of a clip at its
 * corner, and smooth in between. */
export function weightsAt(polygon: readonly Point[], at: Point): number[] {
  const point = insidePoint(polygon, at)
  const edge = onEdge(polygon, point)
  if (edge) return edge
  const count = polygon.length
  const rays = polygon.map((corner) => minus(corner, point))
  const tan = rays.map((ray, i) => {
    const next = rays[(i + 1) % count]!
    return Math.tan(Math.atan2(cross(ray, next), dot(ray, next)) / 2)
  })
  const raw = rays.map((ray, i) => (tan[(i + count - 1) % count]! + tan[i]!) / Math.hypot(...ray))
  return normal(raw)
}

/** The point that stands for weights: for up to three clips the very one that gives them. */
export function pointOf(polygon: readonly Point[], weights: readonly number[]): Point {
  const shares = normal(weights)
  const sum = (k: 0 | 1) => polygon.reduce((total, corner, i) => total + shares[i]! * corner[k], 0)
  return [sum(0), sum(1)]
}

/** With the sum one; even shares where there is none. */
export function normal(weights: readonly number[]): number[] {
  const sum = weights.reduce((total, each) => total + each, 0)
  return Math.abs(sum) < tiny ? weights.map(() => 1 / weights.length) : weights.map((each) => each / sum)
}

/** One of them becomes `value`, the others keep their proportions, and the sum is one. */
export function withShare(weights: readonly number[], which: number, value: number): number[] {
  const shares = normal(weights)
  const rest = 1 - shares[which]!
  return shares.map((each, i) => {
    if (i === which) return value
    return Math.abs(rest) < tiny ? (1 - value) / (shares.length - 1) : (each * (1 - value)) / rest
  })
}

/** As short as they can be said. */
export function rounded(values: readonly number[], digits = 3): number[] {
  return values.map((each) => Number(each.toFixed(digits)) + 0)
}

// Over time

/** Weights between keys; before the first and behind the last they stay. */
export function weightsAtTime(keys: readonly Key[], time: number): number[] {
  const next = keys.findIndex((key) => key[0]! > time)
  if (next === 0) return keys[0]!.slice(1)
  if (next < 0) return keys[keys.length - 1]!.slice(1)
  const [before, after] = [keys[next - 1]!, keys[next]!]
  const share = (time - before[0]!) / (after[0]! - before[0]!)
  return before.slice(1).map((each, i) => each + share * (after[i + 1]! - each))
}

/** Keys closer than this are one. */
const leastGap_s = 0.01

export function addKey(keys: readonly Key[], time: number): { keys: Key[]; at: number } {
  const near = keys.findIndex((key) => Math.abs(key[0]! - time) < leastGap_s)
  if (near >= 0) return { keys: [...keys], at: near }
  const key = rounded([time, ...weightsAtTime(keys, time)])
  const at = keys.filter((each) => each[0]! < time).length
  return { keys: [...keys.slice(0, at), key, ...keys.slice(at)], at }
}

/** It stays between its neighbours. */
export function moveKey(keys: readonly Key[], at: number, time: number, longest_s: number): Key[] {
  const low = at > 0 ? keys[at - 1]![0]! + leastGap_s : 0
  const high = at < keys.length - 1 ? keys[at + 1]![0]! - leastGap_s : Math.max(low, longest_s)
  const to = Math.max(low, Math.min(high, time))
  return keys.map((key, i) => (i === at ? rounded([to, ...key.slice(1)]) : key))
}

export function setKey(keys: readonly Key[], at: number, weights: readonly number[]): Key[] {
  return keys.map((key, i) => (i === at ? [key[0]!, ...rounded(weights)] : key))
}

/** The last one stays: there must be weights. */
export function removeKey(keys: readonly Key[], at: number): Key[] {
  return keys.length > 1 ? keys.filter((_, i) => i !== at) : [...keys]
}
