// floor_drag.ts - a path on the floor drawn with the pointer, and its points moved. It comes before the camera's own
// dragging, as that of targets does.
import { Raycaster, Vector2 } from 'three'
import type { Spot } from '../store'
import type { Stage } from './character'
import type { FloorPathView } from './floor_path'

/** Nearer to the last place than this nothing is added. */
const STEP_CM = 8

/** What the pointer does: nothing, move a point, or draw. */
type Doing = { point: number; last: Spot | null } | { places: Spot[] } | null

/** Gives what ends it. */
export function dragFloorPath(canvas: HTMLCanvasElement, view: FloorPathView, stage: Stage): () => void {
  const caster = new Raycaster()
  const at = new Vector2()
  let pointer = -1
  let doing: Doing = null
  const aim = ({ clientX, clientY }: PointerEvent) => {
    const box = canvas.getBoundingClientRect()
    at.set((2 * (clientX - box.left)) / box.width - 1, 1 - (2 * (clientY - box.top)) / box.height)
    caster.setFromCamera(at, stage.camera)
    return caster.ray
  }
  const begin = (event: PointerEvent): Doing => {
    const ray = aim(event)
    if (view.path?.drawing) {
      const place = view.placeUnder(ray)
      return place && { places: [place] }
    }
    const point = view.pointUnder(ray, stage)
    return point < 0 ? null : { point, last: null }
  }
  const down = (event: PointerEvent) => {
    if (event.button !== 0 || !view.path) return
    doing = begin(event)
    if (!doing) return
    event.stopImmediatePropagation()
    event.preventDefault()
    pointer = event.pointerId
    canvas.setPointerCapture(pointer)
    canvas.style.cursor = view.path.drawing ? 'crosshair' : 'grabbing'
  }
  const idle = (event: PointerEvent) => {
    const over = event.buttons === 0 && !view.path!.drawing && view.pointUnder(aim(event), stage) >= 0
    canvas.style.cursor = view.path!.drawing ? 'crosshair' : over ? 'grab' : ''
  }
  const move = (event: PointerEvent) => {
    if (!view.path) return
    if (event.pointerId !== pointer || !doing) return idle(event)
    event.stopImmediatePropagation()
    const place = view.placeUnder(aim(event))
    if (!place) return
    if ('point' in doing) {
      doing.last = place
      return view.path.move(doing.point, place, false)
    }
    const last = doing.places[doing.places.length - 1]!
    if (Math.hypot(place[0] - last[0], place[1] - last[1]) < STEP_CM) return
    doing.places.push(place)
    view.path.draw(doing.places, false)
  }
  const up = (event: PointerEvent) => {
    if (event.pointerId !== pointer) return
    event.stopImmediatePropagation()
    pointer = -1
    canvas.style.cursor = ''
    if (doing && 'places' in doing) view.path?.draw(doing.places, true)
    else if (doing?.last) view.path?.move(doing.point, doing.last, true)
    doing = null
  }
  const listeners: [string, (event: PointerEvent) => void][] = [
    ['pointerdown', down],
    ['pointermove', move],
    ['pointerup', up],
    ['pointercancel', up],
  ]
  for (const [name, listener] of listeners) canvas.addEventListener(name, listener as EventListener, true)
  return () => {
    for (const [name, listener] of listeners) canvas.removeEventListener(name, listener as EventListener, true)
  }
}
