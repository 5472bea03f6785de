// path_tab.ts - the tab "Path": a path is drawn on the floor, and the character walks it.
import { useRef } from 'preact/hooks'
import type { Graph } from '../api'
import { useChanges, useEntered } from '../changes'
import { arrowWays, Button, Choice, hasModifier, takeEvent } from '../controls'
import { html } from '../html'
import { Icon } from '../icons'
import { FeetHeld, Figures, KeepForm, Problem } from '../making/parts'
import { player } from '../player'
import type { Spot } from '../store'
import { apart, lengthOf, walk } from './path_session'

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

/** How well it keeps to the path. */
function Off() {
  const { facts, error, busy } = walk
  if (error) return html`<${Problem} text=${error} />`
  if (!facts) return html`<p class="dim" role="status">${busy ? 'Finding a walk…' : ''}</p>`
  const { path_cm, path_worst_cm, arrived, transitions } = facts
  const off = `${Math.round(path_cm ?? 0)} cm off on the mean`
  return html`<p class=${`path-off flex-row${arrived ? '' : ' is-short'}`} role="status" aria-busy=${String(busy)}>
    <${Icon} name=${arrived ? 'check' : 'warning'} /><b>${arrived ? off : `${off}; the end is not reached`}</b>
    <span class="dim">${Math.round(path_worst_cm ?? 0)} cm at most, ${transitions} transitions</span>
  </p>`
}

/** From which clips it is put together, in their order. */
function Pieces() {
  const { facts } = walk
  if (!facts?.pieces) return null
  const total = Math.max(1, facts.frames)
  return html`<ol class="path-pieces" aria-label="Made of">
    ${facts.pieces.slice(0, 400).map(
      ({ at, length, clip, start, end }) => html`<li
        key=${at} style=${{ flexGrow: length / total }} title=${`${clip} ${start}–${end - 1}`}
      >
        <span>${clip}</span>
      </li>`,
    )}
  </ol>`
}

function Tools({ graph }: { graph: Graph }) {
  return html`<div class="compare-fields">
    <${Button}
      icon="rename" kind=${walk.drawing ? 'primary' : ''} aria-pressed=${String(walk.drawing)}
      title="Then drag over the floor of the view, or over the plan" onClick=${() => walk.setDrawing(!walk.drawing)}
    >Draw a path<//>
    <${Button} title="The whole path from above" onClick=${() => walk.showAll()}>See all<//>
    <${Button} icon="open" disabled=${!walk.made} title="Play or pause (Space)" onClick=${() => player.toggle()}>Walk<//>
    ${graph.labels.length > 0 &&
    html`<${Choice}
      name="Style" about="Only motion with this label, and what is interpolated from it" value=${walk.style}
      options=${[['', 'any'], ...graph.labels]} set=${(style: string) => walk.set({ style })}
    />`}
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
  return html`<${Tools} graph=${graph} />
    <p class="dim">${hint} <span class="path-length">${(0.01 * lengthOf(walk.curve)).toFixed(1)} m</span></p>
    <${Plan} />
    <${Off} />
    <${Pieces} />
    <${Figures} facts=${walk.facts} busy=${walk.busy} />
    <${KeepForm}
      base="walk" kept=${walk.kept} ready=${walk.made !== null && !walk.error} keep=${(name: string) => walk.keep(name)}
    />`
}
