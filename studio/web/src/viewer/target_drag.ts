// target_drag.ts - the wanted place taken with the pointer and moved in the plane that one looks onto. It comes before the
// camera's own dragging: what begins on the sphere does not turn the view.
import { Raycaster, Vector2, Vector3, type Camera } from 'three'
import type { TargetCloud } from './targets'

/** Gives what ends it. */
export function dragTarget(canvas: HTMLCanvasElement, cloud: TargetCloud, camera: Camera): () => void {
  const caster = new Raycaster()
  const point = new Vector2()
  const looking = new Vector3()
  let pointer = -1
  const aim = ({ clientX, clientY }: PointerEvent) => {
    const box = canvas.getBoundingClientRect()
    point.set((2 * (clientX - box.left)) / box.width - 1, 1 - (2 * (clientY - box.top)) / box.height)
    caster.setFromCamera(point, camera)
    return caster.ray
  }
  const down = (event: PointerEvent) => {
    if (event.button !== 0 || !cloud.isUnder(aim(event))) return
    event.stopImmediatePropagation()
    event.preventDefault()
    pointer = event.pointerId
    canvas.setPointerCapture(pointer)
    canvas.style.cursor = 'grabbing'
  }
  const move = (event: PointerEvent) => {
    if (!cloud.shown) return
    if (event.pointerId !== pointer) {
      canvas.style.cursor = event.buttons === 0 && cloud.isUnder(aim(event)) ? 'grab' : ''
      return
    }
    event.stopImmediatePropagation()
    const place = cloud.placeUnder(aim(event), camera.getWorldDirection(looking))
    if (place) cloud.move(place)
  }
  const up = (event: PointerEvent) => {
    if (event.pointerId !== pointer) return
    event.stopImmediatePropagation()
    pointer = -1
    canvas.style.cursor = ''
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
