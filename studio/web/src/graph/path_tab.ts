// path_tab.ts - the tab "Walk": a path is drawn on the floor, places are put there with their times, or actions are named, and the
// character walks them.
import { useRef } from 'preact/hooks'
import { plural } from '../actions'
import type { Graph } from '../api'
import { useChanges, useEntered } from '../changes'
import { arrowWays, Button, Choice, hasModifier, NumberField, Switch, takeEvent } from '../controls'
import { html } from '../html'
import { Icon } from '../icons'
import { FeetHeld, Figures, KeepForm, Problem } from '../making/parts'
import { RowNumber } from '../making/row_field'
import { player } from '../player'
import type { Spot } from '../store'
import { goalsText, leastRadius_cm, leastStep_s, mostRadius_cm, timesOf } from './goals'
import { apart, lengthOf, walk, type WalkFacts, type Way } from './path_session'
import { Actions, Faults, Pieces } from './walk_parts'

// The floor from above, in the panel: the path with its points, and where the body went. All that the pointer does in the
// view, keys do here.

const step_cm = 10
const longStep_cm = 50
/** Of the plan's side: how near a point is taken. */
const reach = 0.045

function press(event: KeyboardEvent): void {
  if (hasModifier(event)) return
  const way = arrowWays[event.key]
  const by = event.shiftKey ? longStep_cm : step_cm
  const [x, z] = walk.spots[walk.chosen]!
  if (way) walk.move(walk.chosen, [x + by * way[0], z + by * way[1]], 'later')
  else if (event.key === 'PageDown') walk.choose(walk.chosen + 1)
  else if (event.key === 'PageUp') walk.choose(walk.chosen - 1)
  else if (event.key === 'Insert') walk.addPoint()
  else if (event.key === 'Delete') walk.dropPoint()
  else return
  takeEvent(event)
}

function line(path: readonly Spot[]): string {
  return path.map(([x, z]) => `${Math.round(x)},${Math.round(z)}`).join(' ')
}

/** A metre, two, five or ten: so many that the plan is not full of lines. */
function gridStep(span: number): number {
  return [100, 200, 500, 1000, 2000, 5000, 10000].find((each) => span / each <= 12) ?? 50000
}

function Grid({ left, top, side }: { left: number; top: number; side: number }) {
  const step = gridStep(side)
  // The plan is a square in the middle of what may be wider or higher.
  const far = 3 * side
  const all = (from: number) => {
    const first = Math.ceil((from - side) / step) * step
    return Array.from({ length: Math.ceil(far / step) }, (_, i) => first + i * step)
  }
  const d = [
    ...all(left).map((x) => `M${x} ${top - side}v${far}`),
    ...all(top).map((z) => `M${left - side} ${z}h${far}`),
  ].join('')
  return html`<path class="plan-grid" d=${d} />`
}

/** What the pointer does: it moves a point, makes an obstacle larger, or draws. */
type Doing = { point: number; grip?: Spot } | { edge: Spot } | { places: Spot[] } | null

/** The obstacle whose edge, or else whose inside is there. */
function takeObstacle(place: Spot, near: number): Doing {
  const { obstacles, spots } = walk
  const first = spots.length - obstacles.length
  const edge = obstacles.findIndex((each) => {
    return Math.abs(apart(each.place, place) - each.radius_cm) < Math.min(near, 0.4 * each.radius_cm)
  })
  const inside = obstacles.findIndex((each) => apart(each.place, place) < each.radius_cm)
  if (edge < 0 && inside < 0) return null
  walk.choose(first + (edge < 0 ? inside : edge))
  if (edge >= 0) return { edge: obstacles[edge]!.place }
  const [x, z] = obstacles[inside]!.place
  return { point: first + inside, grip: [place[0] - x, place[1] - z] }
}

function usePlan(side: number) {
  const area = useRef<SVGSVGElement>(null)
  const doing = useRef<Doing>(null)
  const spot = (event: PointerEvent): Spot => {
    const toPlan = area.current!.getScreenCTM()!.inverse()
    const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(toPlan)
    return [x, y]
  }
  const take = (place: Spot): Doing => {
    if (walk.drawing) return { places: [place] }
    const own = walk.spots.slice(0, walk.spots.length - walk.obstacles.length)
    const offs = own.map((point) => apart(point, place))
    const point = offs.indexOf(Math.min(...offs))
    if (offs[point]! < reach * side) return { point }
    const taken = takeObstacle(place, 0.5 * reach * side)
    if (taken || walk.way !== 'goals') return taken
    return walk.addGoal(place) ? { point: walk.chosen } : null
  }
  const change = (place: Spot, over: boolean) => {
    const now = doing.current
    if (!now) return
    if ('point' in now) {
      const [x, z] = now.grip ?? [0, 0]
      return walk.move(now.point, [place[0] - x, place[1] - z], over)
    }
    if ('edge' in now) return walk.setRadius(Math.min(mostRadius_cm, Math.max(leastRadius_cm, apart(now.edge, place))), over)
    now.places.push(place)
    walk.draw(now.places, over)
  }
  return {
    area,
    onPointerDown: (event: PointerEvent) => {
      if (event.button !== 0) return
      doing.current = take(spot(event))
      area.current!.focus({ preventScroll: true })
      if (!doing.current) return
      event.preventDefault()
      area.current!.setPointerCapture(event.pointerId)
      if ('point' in doing.current) walk.choose(doing.current.point)
    },
    onPointerMove: (event: PointerEvent) => change(spot(event), false),
    onPointerUp: (event: PointerEvent) => {
      change(spot(event), true)
      doing.current = null
    },
  }
}

/** Where the body goes, without a path that it follows. */
function Walked() {
  const { walked, box } = walk
  const side = 1.3 * box.span
  const [left, top] = [box.middle[0] - side / 2, box.middle[1] - side / 2]
  return html`<svg
    class="plan boxed" viewBox=${`${left} ${top} ${side} ${side}`} role="img" aria-label="Where the body goes, from above"
  >
    <${Grid} left=${left} top=${top} side=${side} />
    <polyline class="plan-walked" points=${line(walked)} />
    ${walked[0] && html`<circle class="plan-point is-first" cx=${walked[0][0]} cy=${walked[0][1]} r=${0.016 * side} />`}
  </svg>`
}

/** The chosen one, and what keys do, in words. */
function planText(): string {
  const { spots, chosen, chosenObstacle, obstacles, goals, way } = walk
  const [x, z] = spots[chosen]!
  const own = spots.length - obstacles.length
  const place = `${Math.round(x)} cm right, ${Math.round(-z)} cm ahead`
  const what =
    chosenObstacle >= 0
      ? `Obstacle ${chosenObstacle + 1} of ${obstacles.length}, radius ${obstacles[chosenObstacle]!.radius_cm} cm`
      : way === 'goals'
        ? `Place ${chosen + 1} of ${own}, at ${goals[chosen]!.at_s} s`
        : `Point ${chosen + 1} of ${own}`
  return `${what}, ${place}. Arrow keys move it, page keys choose another, Insert adds one, Delete takes it away.`
}

/** When the body is to be there, and where it was then. */
function Times({ side }: { side: number }) {
  const { goals, facts } = walk
  return html`${goals.map(({ place: [x, z], at_s }, i) => {
    const reached = facts?.goals?.[i]
    return html`<g key=${i}>
      ${reached &&
      html`<path class="plan-missed" d=${`M${x} ${z}L${Math.round(reached.reached_x_cm)} ${Math.round(reached.reached_z_cm)}`} />`}
      <text class="plan-time" x=${x + 0.03 * side} y=${z - 0.02 * side} font-size=${0.042 * side}>${at_s} s</text>
    </g>`
  })}`
}

export function Plan() {
  const { line: way, spots: points, obstacles, walked, chosen, chosenObstacle, drawing, box } = walk
  const own = points.length - obstacles.length
  const side = 1.3 * box.span
  const [left, top] = [box.middle[0] - side / 2, box.middle[1] - side / 2]
  const { area, ...pointer } = usePlan(side)
  return html`<svg
    ref=${area} class=${`plan boxed${drawing ? ' is-drawing' : ''}`} viewBox=${`${left} ${top} ${side} ${side}`}
    role="application" aria-roledescription="plan" aria-label=${planText()} tabindex="0"
    onKeyDown=${press} ...${pointer}
  >
    <title>The floor from above. Drag what is on it; squares are ${gridStep(side) / 100} m</title>
    <${Grid} left=${left} top=${top} side=${side} />
    ${obstacles.map(
      ({ place: [ox, oz], radius_cm }, i) => html`<circle
        key=${i} class=${`plan-obstacle${i === chosenObstacle ? ' is-chosen' : ''}`} cx=${ox} cy=${oz} r=${radius_cm}
      />`,
    )}
    <polyline class=${`plan-curve${walk.way === 'goals' ? ' is-goals' : ''}`} points=${line(way)} />
    <polyline class="plan-walked" points=${line(walked)} />
    ${walk.way === 'goals' && html`<${Times} side=${side} />`}
    ${points.slice(0, own).map(
      ([px, pz], i) => html`<circle
        key=${i} class=${`plan-point${i === 0 ? ' is-first' : ''}${i === chosen ? ' is-chosen' : ''}`} cx=${px} cy=${pz}
        r=${0.016 * side}
      />`,
    )}
  </svg>`
}

function arrivedText({ path_cm, goals, arrived }: WalkFacts): string {
  if (walk.way === 'goals') return goalsText(goals, arrived)
  if (path_cm === null) return arrived ? 'every action is done' : 'not all actions are done'
  const off = `${Math.round(path_cm)} cm off on the mean`
  return arrived ? off : `${off}; the end is not reached`
}

/** Whether it got where it should, and how well it keeps to the path. */
function Off() {
  const { facts, error, busy } = walk
  if (error) return html`<${Problem} text=${error} />`
  if (!facts) return html`<p class="dim" role="status">${busy ? 'Finding a walk…' : ''}</p>`
  const { path_worst_cm, clearance_cm, arrived, transitions } = facts
  const said = arrivedText(facts)
  const most = path_worst_cm === null ? '' : `${Math.round(path_worst_cm)} cm at most, `
  const round = clearance_cm === null ? '' : clearance_cm < 0 ? 'it enters an obstacle, ' : `${Math.round(clearance_cm)} cm from obstacles, `
  return html`<p class=${`path-off flex-row${arrived ? '' : ' is-short'}`} role="status" aria-busy=${String(busy)}>
    <${Icon} name=${arrived ? 'check' : 'warning'} /><b>${said}</b>
    <span class="dim">${most}${round}${plural(transitions, 'transition')}</span>
  </p>`
}

const ways: [Way, string, string][] = [
  ['path', 'Along a path', 'The character walks what is drawn on the floor'],
  ['goals', 'To places', 'The character is at places at times'],
  ['through', 'Through actions', 'The character does labelled actions one after the other'],
]

function Tools({ graph }: { graph: Graph }) {
  return html`<div class="compare-fields">
    ${walk.way === 'path' &&
    html`<${Button}
      icon="rename" kind=${walk.drawing ? 'primary' : ''} aria-pressed=${String(walk.drawing)}
      title="Then drag over the floor of the view, or over the plan" onClick=${() => walk.setDrawing(!walk.drawing)}
    >Draw a path<//>`}
    ${walk.way !== 'through' &&
    html`<${Button} icon="plus" title="A circle that the body goes round: drag it, or its edge, on the plan" onClick=${() => walk.addObstacle()}>
      Obstacle
    <//>`}
    <${Button} title="The whole way from above" onClick=${() => walk.showAll()}>See all<//>
    <${Button} icon="open" disabled=${!walk.made} title="Play or pause (Space)" onClick=${() => player.toggle()}>Walk<//>
    ${graph.labels.length > 0 &&
    html`<${Choice}
      name="Style" about="Only motion with this label, and what is interpolated from it" value=${walk.style}
      options=${[['', 'any'], ...graph.labels]} set=${(style: string) => walk.set({ style })}
    />`}
    <${RowNumber}
      operation="graph walk" row="dwell" value=${walk.dwell_s ?? graph.settings.dwell_s} step=${0.1}
      set=${(dwell: number) => walk.set({ dwell_s: dwell === graph.settings.dwell_s ? null : dwell })}
    />
    <${FeetHeld} on=${walk.clean} set=${(clean: boolean) => walk.set({ clean })} />
  </div>`
}

/** Numbers of what is chosen on the plan. */
function ChosenField() {
  const { way, chosen, chosenObstacle, goals, obstacles } = walk
  const obstacle = obstacles[chosenObstacle]
  if (obstacle) {
    return html`<${NumberField}
      name="Radius" about="Of the chosen obstacle" value=${obstacle.radius_cm} least=${leastRadius_cm} most=${mostRadius_cm} step=${5}
      set=${(radius: number) => walk.setRadius(radius, true)}
    ><span class="dim">cm</span><//>`
  }
  if (way !== 'goals' || chosen === 0) return null
  const [least, most] = timesOf(goals, chosen)
  return html`<${NumberField}
    name="At" about="When the body is at the chosen place" value=${goals[chosen]!.at_s} least=${least} most=${most} step=${leastStep_s}
    set=${(at_s: number) => walk.setTime(at_s)}
  ><span class="dim">s</span><//>`
}

const hints: Record<Way, string> = {
  path: 'Drag the points, here or in the view; the character walks it again.',
  goals: 'Click the plan to add a place, drag one to move it: the character is there at that time.',
  through: '',
}

export function PathTab({ graph }: { graph: Graph }) {
  useChanges(walk)
  useEntered(
    () => walk.enter(graph),
    () => walk.leave(),
  )
  const hint = walk.drawing ? 'Drag over the floor: the character walks what you draw.' : hints[walk.way]
  const some = graph.labels.length > 0 ? ways : ways.filter(([way]) => way !== 'through')
  return html`<div class="compare-fields">
      <${Switch} name="Walk" value=${walk.way} options=${some} set=${(way: Way) => walk.setWay(way)} />
    </div>
    <${Tools} graph=${graph} />
    ${walk.way === 'through'
      ? html`<${Actions} graph=${graph} /><${Walked} />`
      : html`<div class="path-hint flex-row">
            <p class="dim">${hint} <span class="path-length">${(0.01 * lengthOf(walk.line)).toFixed(1)} m</span></p>
            <div class="path-chosen"><${ChosenField} key=${walk.chosen} /></div>
          </div>
          <${Plan} />`}
    <${Off} />
    <${Pieces} />
    <${Faults} />
    <${Figures} facts=${walk.facts} busy=${walk.busy} />
    <${KeepForm}
      base="walk" kept=${walk.kept} ready=${walk.made !== null && !walk.error} keep=${(name: string) => walk.keep(name)}
    />`
}
