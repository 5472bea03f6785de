// goals.ts - places where the body of a walk is at times, and circles on the floor that it goes round. No DOM here.
import type { Obstacle, Spot } from '../store'
import { t } from '../words/words'

export interface Goal {
  place: Spot
  at_s: number
  /** Where the body faces then: degrees counter-clockwise from x, seen from above; null: anywhere. */
  heading_deg: number | null
}

/** What the server says of each. */
export interface GoalReached {
  at_s: number
  reached_x_cm: number
  reached_z_cm: number
  error_cm: number
  /** Null: any was asked for. */
  heading_deg: number | null
  error_deg: number | null
}

/** As many as are of use on a plan; the server takes more. */
export const mostGoals = 24
export const mostObstacles = 16
export const leastRadius_cm = 10
export const mostRadius_cm = 500
/** Between the times of two. */
export const leastStep_s = 0.5
/** So fast a body goes from one to the next unless another time is set. */
const pace_cm_s = 75

/** The first is where the walk begins. */
export const firstGoals: readonly Goal[] = [
  { place: [0, 0], at_s: 0, heading_deg: null },
  { place: [0, 300], at_s: 4, heading_deg: null },
  { place: [300, 400], at_s: 9, heading_deg: null },
]

function halves(seconds: number): number {
  return Math.max(leastStep_s, Math.round(2 * seconds) / 2)
}

/** One more behind the last, when a body can be there. */
export function withGoal(goals: readonly Goal[], place: Spot): Goal[] {
  const last = goals[goals.length - 1]!
  const way = Math.hypot(place[0] - last.place[0], place[1] - last.place[1])
  return [...goals, { place, at_s: last.at_s + halves(way / pace_cm_s), heading_deg: null }]
}

/** The middle of the longest way from one to the next: far from both. */
export function middleOf(places: readonly Spot[]): Spot {
  const legs = places.slice(1).map(([x, z], i) => {
    const [fromX, fromZ] = places[i]!
    return { long: Math.hypot(x - fromX, z - fromZ), middle: [(x + fromX) / 2, (z + fromZ) / 2] as const }
  })
  return legs.reduce((best, leg) => (leg.long > best.long ? leg : best)).middle
}

/** Between which a goal's time must stay: times rise. */
export function timesOf(goals: readonly Goal[], at: number): [least: number, most: number] {
  return [(goals[at - 1]?.at_s ?? 0) + leastStep_s, (goals[at + 1]?.at_s ?? 600) - leastStep_s]
}

/** As the operation reads them. */
export function goalWord({ place: [x, z], at_s, heading_deg }: Goal): string {
  return `${at_s}s:${x},${z}${heading_deg === null ? '' : `,${heading_deg}`}`
}

/** From one place to another, in whole degrees above -180 and up to 180. On the plan z points down. */
export function headingTo([fromX, fromZ]: Spot, [x, z]: Spot): number {
  const turned = Math.round((Math.atan2(fromZ - z, x - fromX) * 180) / Math.PI) + 0
  return turned === -180 ? 180 : turned
}

/** So far ahead of a place. */
export function aheadOf([x, z]: Spot, heading_deg: number, far_cm: number): Spot {
  const turn = (heading_deg * Math.PI) / 180
  return [x + far_cm * Math.cos(turn), z - far_cm * Math.sin(turn)]
}

/** Where it faces; without a heading along its way, to the next or from the one before. */
export function facingOf(goals: readonly Goal[], at: number): number {
  const { heading_deg, place } = goals[at]!
  if (heading_deg !== null) return heading_deg
  const next = goals[at + 1]
  return next ? headingTo(place, next.place) : headingTo(goals[at - 1]!.place, place)
}

export function obstacleWord({ place: [x, z], radius_cm }: Obstacle): string {
  return `${x},${z},${radius_cm}`
}

/** Places at the edges of all of them, so that what shows these shows all. */
export function edgesOf(obstacles: readonly Obstacle[]): Spot[] {
  return obstacles.flatMap(({ place: [x, z], radius_cm: r }): Spot[] => [
    [x - r, z - r],
    [x + r, z + r],
  ])
}

/** "every place is reached, 12 cm and 4 degrees off at most" */
export function goalsText(reached: readonly GoalReached[], arrived: boolean): string {
  const worst = Math.max(0, ...reached.map(({ error_cm }) => error_cm))
  const turned = reached.flatMap(({ heading_deg, error_deg }) => (heading_deg === null ? [] : (error_deg ?? [])))
  const degrees = turned.length ? t` and ${Math.round(Math.max(...turned))} degrees` : ''
  const off = t`${Math.round(worst)} cm${degrees} off at most`
  return arrived ? t`every place is reached, ${off}` : t`not every place is reached, ${off}`
}
