// sweep_data.ts - which thresholds are measured, and the curves of what they are worth. No DOM here.
import type { GraphStats } from '../api'

const count = 25
const least = 1 / 400
const most = 4

/** Two figures are enough to say one. */
export function twoFigures(value: number): number {
  return Number(value.toPrecision(2))
}

/** Rising by the same factor, from the four-hundredth of the ceiling to four times of it. */
export function thresholdsUpTo(ceiling: number): number[] {
  const all = Array.from({ length: count }, (_, i) => {
    return twoFigures(ceiling * least * (most / least) ** (i / (count - 1)))
  })
  return [...new Set(all)]
}

/** What is read from a row: in per cent or seconds. */
export interface Measure {
  key: 'scc_percent' | 'connectivity_percent' | 'mean_transition_s'
  name: string
  title: string
  unit: string
}

export const measures: readonly Measure[] = [
  {
    key: 'scc_percent',
    name: 'Reachable frames',
    title: 'Share of the frames that can all reach each other: walks and steering stay among them',
    unit: '%',
  },
  {
    key: 'connectivity_percent',
    name: 'Connectivity',
    title: 'Share of all pairs of frames of which the second can be reached from the first',
    unit: '%',
  },
  {
    key: 'mean_transition_s',
    name: 'Transition time',
    title: 'How long it takes from a frame to another that can be reached, on the mean',
    unit: 's',
  },
]

export function valueText(value: number | null | undefined, unit: string): string {
  if (value === null || value === undefined || Number.isNaN(value)) return '–'
  return `${value.toFixed(value >= 10 ? 0 : value >= 1 ? 1 : 2)} ${unit}`
}

/** Points of a curve in a box of 100 by 100, "x,y x,y"; gaps where nothing is known. */
export function curvePoints(rows: readonly GraphStats[], key: Measure['key']): string {
  const known = rows.map((row) => row[key])
  const top = key === 'mean_transition_s' ? Math.max(0.1, ...known.map((value) => value ?? 0)) : 100
  return known
    .flatMap((value, i) => {
      const x = (100 * i) / Math.max(1, rows.length - 1)
      return value === null ? [] : [`${x.toFixed(2)},${(100 - (96 * value) / top).toFixed(2)}`]
    })
    .join(' ')
}

/** The measured threshold that is nearest. */
export function nearestTo(thresholds: readonly number[], value: number): number {
  let best = 0
  thresholds.forEach((each, i) => {
    if (Math.abs(Math.log(each / value)) < Math.abs(Math.log(thresholds[best]! / value))) best = i
  })
  return best
}
