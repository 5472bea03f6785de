// path_tab.ts - the tab "Walk": a path is drawn on the floor, places are put there with their times, or actions and motions are
// named, and the character walks them.
import { useRef } from 'preact/hooks'
import type { Graph } from '../api'
import { useChanges, useEntered } from '../changes'
import { arrowWays, Button, Choice, grip_px, hasModifier, IconButton, NumberField, Switch, takeEvent } from '../controls'
import { byKeys } from '../focus'
import { html } from '../html'
import { Icon } from '../icons'
import { FeetHeld, Figures, KeepForm, Problem } from '../making/parts'
import { RowNumber } from '../making/row_field'
import { player } from '../player'
import type { Spot } from '../store'
import { plural, t } from '../words/words'
import { apart, lengthOf, placeAlong } from './floor_curve'
import { aheadOf, facingOf, goalsText, headingTo, leastRadius_cm, leastStep_s, mostRadius_cm, timesOf } from './goals'
import { walk, type WalkFacts, type Way } from './path_session'
import { Motions } from './walk_motions'
import { Actions, Faults, Pieces } from './walk_parts'

// The floor from above, in the panel: the path with its points, and where the body went. All that the pointer does in the
// view, keys do here.

const step_cm = 10
const longStep_cm = 50
/** Of the plan's side: how near a point is taken, and how far ahead of a place its handle is. */
const reach = 0.045
const handle = 0.085

function pressPen(event: KeyboardEvent, by: number): void {
  const way = arrowWays[event.key]
  if (way) walk.penBy([by * way[0], by * way[1]])
  else if (event.key === 'Insert' || event.key === ' ') walk.penCorner()
  else if (event.key === 'Backspace' || event.key === 'Delete') walk.penBack()
  else if (event.key === 'Enter') walk.penEnd()
  else if (event.key === 'Escape') walk.penLeave()
  else return
  takeEvent(event)
}

function press(event: KeyboardEvent): void {
  if (hasModifier(event)) return
  const way = arrowWays[event.key]
  const by = event.shiftKey ? longStep_cm : step_cm
  if (walk.drawing) return pressPen(event, by)
  const [x, z] = walk.spots[walk.chosen]!
  if (way && walk.chosenMark) walk.slideMark(by * (way[0] - way[1]))
  else if (way) walk.move(walk.chosen, [x + by * way[0], z + by * way[1]], 'later')
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

/** What the pointer does: it moves a point, turns a place, makes an obstacle larger, or draws. */
type Doing = { point: number; grip?: Spot } | { turn: number } | { edge: Spot } | { places: Spot[] } | null

/** The obstacle whose edge, or else whose inside is there. */
function takeObstacle(place: Spot, near: number): Doing {
  const { obstacles, own: first } = walk
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

/** The one of some spots that is nearest to a place, if it is near; -1: none is. */
function nearestOf(spots: readonly Spot[], place: Spot, near: number): number {
  const offs = spots.map((point) => apart(point, place))
  const point = offs.indexOf(Math.min(...offs))
  return point >= 0 && offs[point]! < near ? point : -1
}

/** Marks lie on the path, perhaps on a point of it: they come first. */
function takeSpot(place: Spot, side: number, near: number): Doing {
  const { spots, own, obstacles, goals, way } = walk
  const first = own + obstacles.length
  const mark = nearestOf(spots.slice(first), place, 0.7 * near)
  if (mark >= 0) return { point: first + mark }
  const point = nearestOf(spots.slice(0, own), place, near)
  if (point >= 0) return { point }
  if (way !== 'goals') return null
  const handles = goals.map((goal, i) => aheadOf(goal.place, facingOf(goals, i), handle * side))
  const turn = nearestOf(handles, place, 0.6 * near)
  return turn < 0 ? null : { turn }
}

function usePlan(side: number) {
  const area = useRef<SVGSVGElement>(null)
  const doing = useRef<Doing>(null)
  const spot = (event: PointerEvent): Spot => {
    const toPlan = area.current!.getScreenCTM()!.inverse()
    const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(toPlan)
    return [x, y]
  }
  const take = (place: Spot, near: number): Doing => {
    if (walk.drawing) return { places: [place] }
    const spot = takeSpot(place, side, near)
    if (spot) return spot
    const taken = takeObstacle(place, 0.5 * near)
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
    if ('turn' in now) return walk.setHeading(now.turn, headingTo(walk.goals[now.turn]!.place, place), over)
    if ('edge' in now) return walk.setRadius(Math.min(mostRadius_cm, Math.max(leastRadius_cm, apart(now.edge, place))), over)
    now.places.push(place)
    walk.draw(now.places, over)
  }
  return {
    area,
    onPointerDown: (event: PointerEvent) => {
      if (event.button !== 0) return
      const scale = area.current!.getScreenCTM()!.a || 1
      doing.current = take(spot(event), Math.max(reach * side, grip_px[event.pointerType === 'touch' ? 1 : 0] / scale))
      area.current!.focus({ preventScroll: true })
      if (!doing.current) return
      event.preventDefault()
      area.current!.setPointerCapture(event.pointerId)
      if ('point' in doing.current) walk.choose(doing.current.point)
      if ('turn' in doing.current) walk.choose(doing.current.turn)
    },
    onPointerMove: (event: PointerEvent) => change(spot(event), false),
    onPointerCancel: () => {
      doing.current = null
    },
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

function chosenText(): string {
  const { chosen, chosenObstacle, chosenMark, obstacles, goals, own, way } = walk
  const obstacle = obstacles[chosenObstacle]
  if (chosenMark) return t`Motion ${chosenMark.family.name}, ${chosenMark.along_cm} cm along the path`
  if (obstacle) return t`Obstacle ${chosenObstacle + 1} of ${obstacles.length}, radius ${obstacle.radius_cm} cm`
  if (way !== 'goals') return t`Point ${chosen + 1} of ${own}`
  const { at_s, heading_deg } = goals[chosen]!
  const faces = heading_deg === null ? '' : t`, heading ${heading_deg} degrees`
  return t`Place ${chosen + 1} of ${own}, at ${at_s} s${faces}`
}

/** The chosen one, and what keys do, in words. */
function planText(): string {
  if (walk.drawing && byKeys()) {
    const [x, z] = walk.pen?.at ?? walk.points[0]!
    return t`Drawing, the pen is ${Math.round(x)} cm right, ${Math.round(-z)} cm ahead. Arrow keys move it, Insert sets a corner, Enter walks the path, Escape leaves it as it was.`
  }
  const [x, z] = walk.spots[walk.chosen]!
  const place = t`${Math.round(x)} cm right, ${Math.round(-z)} cm ahead`
  return t`${chosenText()}, ${place}. Arrow keys move it, page keys choose another, Insert adds one, Delete takes it away.`
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

/** Where the body faces at each place: what is dragged to turn it is hollow while it may face anywhere. */
function Headings({ side }: { side: number }) {
  const { goals } = walk
  return html`${goals.map((goal, i) => {
    const [x, z] = aheadOf(goal.place, facingOf(goals, i), handle * side)
    const set = goal.heading_deg !== null
    return html`<g key=${i} class=${`plan-heading${set ? ' is-set' : ''}`}>
      <path d=${`M${goal.place[0]} ${goal.place[1]}L${x.toFixed(1)} ${z.toFixed(1)}`} />
      <circle cx=${x.toFixed(1)} cy=${z.toFixed(1)} r=${0.011 * side}>
        <title>${set ? t`Heading ${goal.heading_deg} degrees` : t('Drag it to set the heading')}</title>
      </circle>
    </g>`
  })}`
}

/** What is done on the path: where it is asked for, and where the body was when it began. */
function Marks({ side }: { side: number }) {
  const { motions, curve, walked, facts, chosenMark } = walk
  return html`${motions.map(({ key, family, along_cm }) => {
    const [x, z] = placeAlong(curve, along_cm ?? Infinity)
    const r = 0.022 * side
    const performed = walk.performed(key)
    const began = performed && facts && walked[Math.round((performed.at / facts.frames) * (walked.length - 1))]
    const kind = `${along_cm === null ? ' is-end' : ''}${key === chosenMark?.key ? ' is-chosen' : ''}`
    return html`<g key=${key}>
      ${began && html`<path class="plan-missed" d=${`M${x.toFixed(1)} ${z.toFixed(1)}L${began[0].toFixed(1)} ${began[1].toFixed(1)}`} />`}
      <path class=${`plan-mark${kind}`} d=${`M${x.toFixed(1)} ${(z - r).toFixed(1)}l${r} ${r}l${-r} ${r}l${-r} ${-r}z`} />
      <text class="plan-time" x=${x + 0.03 * side} y=${z + 0.045 * side} font-size=${0.042 * side}>${family.name}</text>
    </g>`
  })}`
}

/** Where the path is tighter than a body can turn: rings on what was drawn. */
function Roundings({ side }: { side: number }) {
  return html`${(walk.route?.rounded ?? []).map(
    ({ along_cm, x, z, off_cm }) => html`<circle key=${along_cm} class="plan-tight" cx=${x} cy=${z} r=${0.03 * side}>
      <title>Too tight: the walk passes ${Math.round(off_cm)} cm from here</title>
    </circle>`,
  )}`
}

export function Plan() {
  const { line: way, spots: points, own, obstacles, walked, chosen, chosenObstacle, drawing, box } = walk
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
    <polyline class="plan-followed" points=${line(walk.tight)} />
    <polyline class="plan-walked" points=${line(walked)} />
    ${walk.way === 'path' && html`<${Roundings} side=${side} />`}
    ${walk.way === 'goals' && html`<${Times} side=${side} /><${Headings} side=${side} />`}
    ${points.slice(0, own).map(
      ([px, pz], i) => html`<circle
        key=${i} class=${`plan-point${i === 0 ? ' is-first' : ''}${i === chosen ? ' is-chosen' : ''}`} cx=${px} cy=${pz}
        r=${0.016 * side}
      />`,
    )}
    ${walk.way === 'path' && html`<${Marks} side=${side} />`}
    ${walk.pen && html`<circle class="plan-pen" cx=${walk.pen.at[0]} cy=${walk.pen.at[1]} r=${0.02 * side} />`}
  </svg>`
}

function arrivedText({ path_cm, goals, arrived }: WalkFacts): string {
  if (walk.way === 'goals') return goalsText(goals, arrived)
  if (walk.way === 'motions') return arrived ? t('every motion is done') : t('not all motions are done')
  if (path_cm === null) return arrived ? t('every action is done') : t('not all actions are done')
  const off = t`${Math.round(path_cm)} cm off on the mean`
  return arrived ? off : t`${off}; the end is not reached`
}

/** Said before the walk is found. */
function Rounded() {
  const { route, way } = walk
  if (way !== 'path' || !route || route.rounded.length === 0) return null
  const { rounded, rounded_cm, radius_cm } = route
  return html`<p class="path-rounded flex-row" role="status">
    <${Icon} name="warning" /><b>Rounded at ${plural(rounded.length, 'place')}</b>
    <span class="dim">up to ${Math.round(rounded_cm)} cm from what was drawn: a body turns on ${Math.round(radius_cm)} cm of radius at this speed</span>
  </p>`
}

/** Whether it got where it should, and how well it keeps to the path. */
function Off() {
  const { facts, error, refused, busy } = walk
  if (error) return html`<${Problem} text=${error} />`
  if (refused) return null
  if (!facts) return html`<p class="dim" role="status">${busy ? t('Finding a walk…') : ''}</p>`
  const { path_worst_cm, clearance_cm, arrived, transitions } = facts
  const said = arrivedText(facts)
  const most = path_worst_cm === null ? '' : t`${Math.round(path_worst_cm)} cm at most, `
  const round = clearance_cm === null ? '' : clearance_cm < 0 ? t('it enters an obstacle, ') : t`${Math.round(clearance_cm)} cm from obstacles, `
  return html`<p class=${`path-off flex-row${arrived ? '' : ' is-short'}`} role="status" aria-busy=${String(busy)}>
    <${Icon} name=${arrived ? 'check' : 'warning'} /><b>${said}</b>
    <span class="dim">${most}${round}${plural(transitions, 'transition')}</span>
  </p>`
}

const ways: [Way, string, string][] = [
  ['path', t('Along a path'), t('The character walks what is drawn on the floor')],
  ['goals', t('To places'), t('The character is at places at times')],
  ['through', t('Through actions'), t('The character does labelled actions one after the other')],
  ['motions', t('Through motions'), t('The character does motions of families one after the other')],
]

/** Without labels or families there is nothing to go through. */
function waysOf(graph: Graph): typeof ways {
  const has: Partial<Record<Way, boolean>> = { through: graph.labels.length > 0, motions: (walk.families?.length ?? 0) > 0 }
  return ways.filter(([way]) => has[way] ?? true)
}

/** The keys are where they draw. */
function toggleDrawing(): void {
  walk.setDrawing(!walk.drawing)
  if (walk.drawing && byKeys()) document.querySelector<SVGSVGElement>('.graph-panel .plan')?.focus()
}

function Tools({ graph }: { graph: Graph }) {
  const does = walk.way === 'path' && walk.motions.length > 0
  return html`<div class="compare-fields">
    ${walk.way === 'path' &&
    html`<${Button}
      icon="rename" kind=${walk.drawing ? 'primary' : ''} aria-pressed=${String(walk.drawing)}
      title="Then drag over the floor of the view, or over the plan" onClick=${toggleDrawing}
    >Draw a path<//>`}
    ${walk.onFloor &&
    html`<${Button}
      icon="plus" disabled=${does} onClick=${() => walk.addObstacle()}
      title=${does ? t('A walk with motions on its way goes round no obstacles') : t('A circle that the body goes round: drag it, or its edge, on the plan')}
    >Obstacle<//>`}
    <${Button} title="The whole way from above" onClick=${() => walk.showAll()}>See all<//>
    <${Button} icon="open" disabled=${!walk.made} title="Play or pause (Space)" onClick=${() => player.toggle()}>Walk<//>
    ${graph.labels.length > 0 &&
    html`<${Choice}
      name="Style" about="Only motion with this label, and what is interpolated from it" value=${walk.style}
      options=${[['', t('any')], ...graph.labels]} set=${(style: string) => walk.set({ style })}
    />`}
    <${RowNumber}
      operation="graph walk" row="dwell" name="Dwell" value=${walk.dwell_s ?? graph.settings.dwell_s} step=${0.1}
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
  if (way !== 'goals') return null
  const [least, most] = timesOf(goals, chosen)
  const { at_s: at, heading_deg } = goals[chosen]!
  return html`${chosen > 0 &&
    html`<${NumberField}
      name="At" about="When the body is at the chosen place" value=${at} least=${least} most=${most} step=${leastStep_s}
      set=${(at_s: number) => walk.setTime(at_s)}
    ><span class="dim">s</span><//>`}
    <${NumberField}
      name="Heading" about="Where the body faces then, counter-clockwise from right; drag the handle of the place, or type it"
      value=${heading_deg ?? ''} least=${-180} most=${360} step=${5} placeholder="any"
      set=${(degrees: number) => walk.setHeading(chosen, degrees, true)}
    ><span class="dim">°</span><//>
    ${heading_deg !== null &&
    html`<${IconButton} icon="close" name="Any heading" title="It may face anywhere" onClick=${() => walk.setHeading(chosen, null, true)} />`}`
}

const hints: Record<Way, string> = {
  path: t('Drag the points, here or in the view; the character walks it again.'),
  goals: t('Click the plan to add a place; drag it, or its handle to turn it.'),
  through: '',
  motions: '',
}

export function PathTab({ graph }: { graph: Graph }) {
  useChanges(walk)
  useEntered(
    () => walk.enter(graph),
    () => walk.leave(),
  )
  const drawn = byKeys()
    ? t('Arrow keys move the pen, Insert sets a corner, Enter walks it.')
    : t('Drag over the floor: the character walks what you draw.')
  const hint = walk.drawing ? drawn : hints[walk.way]
  return html`<div class="compare-fields">
      <${Switch} name="Walk" value=${walk.way} options=${waysOf(graph)} set=${(way: Way) => walk.setWay(way)} />
    </div>
    <${Tools} graph=${graph} />
    ${!walk.onFloor
      ? html`${walk.way === 'through' ? html`<${Actions} graph=${graph} />` : html`<${Motions} graph=${graph} />`}<${Walked} />`
      : html`<div class="path-hint flex-row">
            <p class="dim">${hint} <span class="path-length">${(0.01 * lengthOf(walk.line)).toFixed(1)} m</span></p>
            <div class=${`path-chosen${walk.way === 'goals' ? ' is-goals' : ''}`}><${ChosenField} key=${walk.chosen} /></div>
          </div>
          <${Plan} />
          ${walk.way === 'path' && html`<${Motions} graph=${graph} />`}`}
    <${Rounded} />
    <${Off} />
    <${Pieces} />
    <${Faults} />
    <${Figures} facts=${walk.facts} busy=${walk.busy} />
    <${KeepForm}
      base="walk" kept=${walk.kept} ready=${walk.made !== null && !walk.error && !walk.refused} keep=${(name: string) => walk.keep(name)}
    />`
}
