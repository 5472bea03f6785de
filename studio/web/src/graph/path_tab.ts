// path_tab.ts - the tab "Walk": a path is drawn on the floor, or actions are named, and the character walks them.
import { useRef } from 'preact/hooks'
import { plural } from '../actions'
import type { Graph } from '../api'
import { useChanges, useEntered } from '../changes'
import { arrowWays, Button, Choice, hasModifier, Switch, takeEvent } from '../controls'
import { html } from '../html'
import { Icon } from '../icons'
import { FeetHeld, Figures, KeepForm, Problem } from '../making/parts'
import { RowNumber } from '../making/row_field'
import { player } from '../player'
import type { Spot } from '../store'
import { apart, lengthOf, walk, type Way } from './path_session'
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
  const [x, z] = walk.points[walk.chosen]!
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

/** What the pointer does: it moves a point, or draws. */
type Doing = { point: number } | { places: Spot[] } | null

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
    const offs = walk.points.map((point) => apart(point, place))
    const point = offs.indexOf(Math.min(...offs))
    return offs[point]! < reach * side ? { point } : null
  }
  const change = (place: Spot, over: boolean) => {
    const now = doing.current
    if (!now) return
    if ('point' in now) return walk.move(now.point, place, over)
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

export function Plan() {
  const { points, curve, walked, chosen, drawing, box } = walk
  const side = 1.3 * box.span
  const [left, top] = [box.middle[0] - side / 2, box.middle[1] - side / 2]
  const { area, ...pointer } = usePlan(side)
  const [x, z] = points[chosen]!
  const said = `Point ${chosen + 1} of ${points.length}, ${Math.round(x)} cm right, ${Math.round(-z)} cm ahead`
  const keys = 'Arrow keys move it, page keys choose another, Insert adds one, Delete takes it away.'
  return html`<svg
    ref=${area} class=${`plan boxed${drawing ? ' is-drawing' : ''}`} viewBox=${`${left} ${top} ${side} ${side}`}
    role="application" aria-roledescription="plan" aria-label=${`${said}. ${keys}`} tabindex="0"
    onKeyDown=${press} ...${pointer}
  >
    <title>The floor from above. Drag the points; squares are ${gridStep(side) / 100} m</title>
    <${Grid} left=${left} top=${top} side=${side} />
    <polyline class="plan-curve" points=${line(curve)} />
    <polyline class="plan-walked" points=${line(walked)} />
    ${points.map(
      ([px, pz], i) => html`<circle
        key=${i} class=${`plan-point${i === 0 ? ' is-first' : ''}${i === chosen ? ' is-chosen' : ''}`} cx=${px} cy=${pz}
        r=${0.016 * side}
      />`,
    )}
  </svg>`
}

/** Whether it got where it should, and how well it keeps to the path. */
function Off() {
  const { facts, error, busy } = walk
  if (error) return html`<${Problem} text=${error} />`
  if (!facts) return html`<p class="dim" role="status">${busy ? 'Finding a walk…' : ''}</p>`
  const { path_cm, path_worst_cm, arrived, transitions } = facts
  const short = path_cm === null ? 'not all actions are done' : 'the end is not reached'
  const off = path_cm === null ? 'every action is done' : `${Math.round(path_cm)} cm off on the mean`
  const said = arrived ? off : path_cm === null ? short : `${off}; ${short}`
  const most = path_worst_cm === null ? '' : `${Math.round(path_worst_cm)} cm at most, `
  return html`<p class=${`path-off flex-row${arrived ? '' : ' is-short'}`} role="status" aria-busy=${String(busy)}>
    <${Icon} name=${arrived ? 'check' : 'warning'} /><b>${said}</b>
    <span class="dim">${most}${plural(transitions, 'transition')}</span>
  </p>`
}

const ways: [Way, string, string][] = [
  ['path', 'Along a path', 'The character walks what is drawn on the floor'],
  ['through', 'Through actions', 'The character does labelled actions one after the other'],
]

function Tools({ graph }: { graph: Graph }) {
  return html`<div class="compare-fields">
    ${walk.way === 'path' &&
    html`<${Button}
      icon="rename" kind=${walk.drawing ? 'primary' : ''} aria-pressed=${String(walk.drawing)}
      title="Then drag over the floor of the view, or over the plan" onClick=${() => walk.setDrawing(!walk.drawing)}
    >Draw a path<//>`}
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

export function PathTab({ graph }: { graph: Graph }) {
  useChanges(walk)
  useEntered(
    () => walk.enter(graph),
    () => walk.leave(),
  )
  const hint = walk.drawing
    ? 'Drag over the floor: the character walks what you draw.'
    : 'Drag the points, here or in the view; the character walks it again.'
  return html`${graph.labels.length > 0 &&
    html`<div class="compare-fields">
      <${Switch} name="Walk" value=${walk.way} options=${ways} set=${(way: Way) => walk.setWay(way)} />
    </div>`}
    <${Tools} graph=${graph} />
    ${walk.way === 'path'
      ? html`<p class="dim">
            ${hint} <span class="path-length">${(0.01 * lengthOf(walk.curve)).toFixed(1)} m</span>
          </p>
          <${Plan} />`
      : html`<${Actions} graph=${graph} /><${Walked} />`}
    <${Off} />
    <${Pieces} />
    <${Faults} />
    <${Figures} facts=${walk.facts} busy=${walk.busy} />
    <${KeepForm}
      base="walk" kept=${walk.kept} ready=${walk.made !== null && !walk.error} keep=${(name: string) => walk.keep(name)}
    />`
}
