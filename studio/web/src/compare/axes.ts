// axes.ts - where a grid lies on its canvas, and the ticks along it. Rows go down, as in the program's pictures. No DOM
// here.
import { frameTicks, secondTicks, type Tick } from '../timeline/scale'

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
