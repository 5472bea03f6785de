// show_plan.ts - the plan on which a puppet is taught: press, and the pass is recorded for as long as the pointer is held.
import { takeEvent } from '../controls'
import { html } from '../html'
import { useMoving } from './canvas'
import { drawGrid, drawHint, drawPuck, drawWay } from './plan_draw'
import { showing } from './show_session'
import { secondsOf, type Sample } from './takes'

const spots = (samples: readonly Sample[]) => samples.map(([, x, y]) => [x, y] as const)

const hint = ['Press and move', 'Recording while you hold the button']

/** How much of the pass is over, along the lower edge. */
function elapsed(): number {
  const { byMouse, recorder, next, time_s } = showing
  if (recorder && next === 'main') return 0
  const seconds = secondsOf(byMouse?.main ?? [])
  return seconds ? Math.min(1, time_s / seconds) : 0
}

export function ShowPlan() {
  const canvas = useMoving(
    showing.moves,
    (paper) => {
      showing.resize(paper.width, paper.height)
      const { frame, recorder, places } = showing
      drawGrid(paper, frame)
      if (!places.main && !places.react) drawHint(paper, hint)
      const { main, react } = places
      if (main) drawWay(paper, frame, spots(showing.samplesOf('main')), '--wanted', 0.55)
      if (react) drawWay(paper, frame, spots(showing.samplesOf('react')), '--clip-1', 0.7)
      if (react) drawPuck(paper, frame, { place: react, colour: '--clip-1', name: 'reacts', radius_cm: 16, trail: [] })
      if (main) drawPuck(paper, frame, { place: main, colour: '--wanted', name: 'main', radius_cm: 18, trail: [] })
      const { paint, width, height, colour } = paper
      paint.fillStyle = colour(recorder ? '--danger' : '--text-dim')
      paint.fillRect(0, height - 3, width * elapsed(), 3)
    },
    [],
  )
  const { hand } = showing
  const down = (event: PointerEvent) => {
    if (event.button !== 0) return
    ;(event.currentTarget as HTMLElement).setPointerCapture(event.pointerId)
    hand.follow(event)
    hand.pressed = true
    showing.begin()
  }
  const move = (event: PointerEvent) => {
    if (!hand.pressed) return
    hand.follow(event)
    showing.lead(performance.now())
  }
  const up = () => {
    if (!hand.pressed) return
    hand.pressed = false
    showing.end()
    hand.at = null
  }
  const press = (event: KeyboardEvent) => {
    if (event.key !== 'Enter') return
    takeEvent(event)
    if (showing.recorder) showing.end()
    else showing.begin()
  }
  const { recorder, next } = showing
  const told = recorder ? 'Recording; Enter ends it' : next ? 'Enter begins to record' : 'Both are seen'
  return html`<canvas
    ref=${canvas} class=${`puppet-plan boxed${recorder ? ' is-recording' : ''}${next ? ' is-drawing' : ''}`} tabindex="0"
    role="application" aria-label=${`Plan from above. ${told}. Arrow keys move, Q and E turn the look, W looks ahead.`}
    onPointerDown=${down} onPointerMove=${move} onPointerUp=${up} onPointerCancel=${up} onKeyDown=${press}
  ></canvas>`
}
