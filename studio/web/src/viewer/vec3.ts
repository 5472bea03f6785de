// vec3.ts - vectors as three numbers in an array, written into room that the caller has: no garbage per
// frame.

export type Vec = Float64Array

export function vec(x = 0, y = 0, z = 0): Vec {
  return Float64Array.of(x, y, z)
}

export function copy(out: Vec, a: ArrayLike<number>, at = 0): Vec {
  out[0] = a[at]
  out[1] = a[at + 1]
  out[2] = a[at + 2]
  return out
}

/** a + share * b */
export function add(out: Vec, a: Vec, share: number, b: Vec): Vec {
  out[0] = a[0] + share * b[0]
  out[1] = a[1] + share * b[1]
  out[2] = a[2] + share * b[2]
  return out
}

export function mix(out: Vec, a: Vec, b: Vec, share: number): Vec {
  out[0] = a[0] + share * (b[0] - a[0])
  out[1] = a[1] + share * (b[1] - a[1])
  out[2] = a[2] + share * (b[2] - a[2])
  return out
}

export function dot(a: Vec, b: Vec): number {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

export function length(a: ArrayLike<number>): number {
  return Math.sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2])
}

export function distance(a: Vec, b: Vec): number {
  const x = a[0] - b[0]
  const y = a[1] - b[1]
  const z = a[2] - b[2]
  return Math.sqrt(x * x + y * y + z * z)
}

export function cross(out: Vec, a: Vec, b: Vec): Vec {
  const x = a[1] * b[2] - a[2] * b[1]
  const y = a[2] * b[0] - a[0] * b[2]
  out[2] = a[0] * b[1] - a[1] * b[0]
  out[0] = x
  out[1] = y
  return out
}

/** Makes its length 1; what has none becomes `otherwise`. */
export function unit(a: Vec, otherwise: Vec): Vec {
  const long = length(a)
  if (!(long > 1e-9)) return copy(a, otherwise)
  a[0] /= long
  a[1] /= long
  a[2] /= long
  return a
}

/** Turns `a` by the rotation (w, x, y, z) at `at` of `turns`. */
export function rotate(out: Vec, turns: Float64Array, at: number, a: ArrayLike<number>): Vec {
  const w = turns[at]
  const x = turns[at + 1]
  const y = turns[at + 2]
  const z = turns[at + 3]
  const ax = a[0]
  const ay = a[1]
  const az = a[2]
  const ux = 2 * (y * az - z * ay)
  const uy = 2 * (z * ax - x * az)
  const uz = 2 * (x * ay - y * ax)
  out[0] = ax + w * ux + y * uz - z * uy
  out[1] = ay + w * uy + z * ux - x * uz
  out[2] = az + w * uz + x * uy - y * ux
  return out
}
