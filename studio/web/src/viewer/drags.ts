// drags.ts - what the pointer takes in the view and moves: the wanted place of a family, and a path on the floor. It comes before
// the camera's own dragging: what begins on something does not turn the view. And clicks on the floor, which turn nothing.
import { Plane, Raycaster, Vector2, Vector3, type Camera, type Ray } from 'three'
import { grip_px } from '../controls'
import type { Spot } from '../store'
import type { Stage } from './character'
import type { FloorPathView } from './floor_path'
import type { TargetCloud } from './targets'

interface Drag {
  /** The ray takes something, which is now dragged. `grip`: how far beside it that may be, to a metre from the eye. */
  take: (ray: Ray, grip: number) => boolean
  move: (ray: Ray) => void
  drop?: () => void
  /** Of the pointer over it; null: nothing is there. */
  cursor: (ray: Ray, held: boolean) => string | null
}

function aimer(canvas: HTMLCanvasElement, camera: Camera): (event: PointerEvent) => Ray {
  const caster = new Raycaster()
  const point = new Vector2()
  return ({ clientX, clientY }) => {
    const box = canvas.getBoundingClientRect()
    point.set((2 * (clientX - box.left)) / box.width - 1, 1 - (2 * (clientY - box.top)) / box.height)
    caster.setFromCamera(point, camera)
    return caster.ray
  }
}

/** Gives what ends it. */
function listen(canvas: HTMLCanvasElement, camera: Camera, { take, move, drop, cursor }: Drag): () => void {
  const aim = aimer(canvas, camera)
  let pointer = -1
  const gripOf = ({ pointerType }: PointerEvent) => {
    const wide = 2 / camera.projectionMatrix.elements[5]! // what is seen a metre away
    return (grip_px[pointerType === 'touch' ? 1 : 0] * wide) / Math.max(1, canvas.clientHeight)
  }
  const down = (event: PointerEvent) => {
    // A second finger beside one that drags turns nothing.
    if (pointer >= 0) return event.stopImmediatePropagation()
    if (event.button !== 0 || !take(aim(event), gripOf(event))) return
    event.stopImmediatePropagation()
    event.preventDefault()
    pointer = event.pointerId
    canvas.setPointerCapture(pointer)
    canvas.style.cursor = cursor(aim(event), true) ?? ''
  }
  const moved = (event: PointerEvent) => {
    const held = event.pointerId === pointer
    const ray = aim(event)
    const kind = held || event.buttons === 0 ? cursor(ray, held) : ''
    if (kind === null) return
    canvas.style.cursor = kind
    if (!held) return
    event.stopImmediatePropagation()
    move(ray)
  }
  const up = (event: PointerEvent) => {
    if (event.pointerId !== pointer) return
    event.stopImmediatePropagation()
    pointer = -1
    canvas.style.cursor = ''
    drop?.()
  }
  const stop = new AbortController()
  const options = { capture: true, signal: stop.signal }
  canvas.addEventListener('pointerdown', down, options)
  canvas.addEventListener('pointermove', moved, options)
  canvas.addEventListener('pointerup', up, options)
  canvas.addEventListener('pointercancel', up, options)
  return () => stop.abort()
}

/** The wanted place is moved in the plane that one looks onto. */
export function dragTarget(canvas: HTMLCanvasElement, cloud: TargetCloud, camera: Camera): () => void {
  const looking = new Vector3()
  return listen(canvas, camera, {
    take: (ray, grip) => cloud.isUnder(ray, grip),
    move: (ray) => {
      const place = cloud.placeUnder(ray, camera.getWorldDirection(looking))
      if (place) cloud.move(place)
    },
    cursor: (ray, held) => {
      if (!cloud.shown) return null
      return held ? 'grabbing' : cloud.isUnder(ray) ? 'grab' : ''
    },
  })
}

/** Nearer to the last place than this nothing is added to a path. */
const STEP_CM = 8

/** A path is drawn, or one of its points moved. */
export function dragFloorPath(canvas: HTMLCanvasElement, view: FloorPathView, stage: Stage): () => void {
  let doing: { point: number; last: Spot | null } | { places: Spot[] } | null = null
  return listen(canvas, stage.camera, {
    take: (ray, grip) => {
      if (!view.path) return false
      const place = view.path.drawing ? view.placeUnder(ray) : null
      const point = view.path.drawing ? -1 : view.pointUnder(ray, stage, grip)
      doing = place ? { places: [place] } : point < 0 ? null : { point, last: null }
      return doing !== null
    },
    move: (ray) => {
      const place = view.placeUnder(ray)
      if (!place || !doing || !view.path) return
      if ('point' in doing) {
        doing.last = place
        return view.path.move(doing.point, place, false)
      }
      const last = doing.places[doing.places.length - 1]!
      if (Math.hypot(place[0] - last[0], place[1] - last[1]) < STEP_CM) return
      doing.places.push(place)
      view.path.draw(doing.places, false)
    },
    drop: () => {
      if (doing && 'places' in doing) view.path?.draw(doing.places, true)
      else if (doing?.last) view.path?.move(doing.point, doing.last, true)
      doing = null
    },
    cursor: (ray, held) => {
      if (!view.path) return null
      if (view.path.drawing) return 'crosshair'
      return held ? 'grabbing' : view.pointUnder(ray, stage) >= 0 ? 'grab' : ''
    },
  })
}

/** A pointer that moved farther than this was not a click; pixels. */
const STILL = 4

/** Where the floor is clicked, in cm of the world; `click` gives what wants to know, or null. */
export function clickFloor(canvas: HTMLCanvasElement, stage: Stage, click: () => ((place: Spot) => void) | null): () => void {
  const aim = aimer(canvas, stage.camera)
  const floor = new Plane(new Vector3(0, 1, 0), 0)
  const spot = new Vector3()
  let pressed: PointerEvent | null = null
  const down = (event: PointerEvent) => {
    pressed = event.button === 0 ? event : null
  }
  const up = (event: PointerEvent) => {
    const still = pressed && Math.hypot(event.clientX - pressed.clientX, event.clientY - pressed.clientY) < STILL
    pressed = null
    if (!still || !aim(event).intersectPlane(floor, spot)) return
    click()?.([100 * spot.x + stage.origin[0]!, 100 * spot.z + stage.origin[2]!])
  }
  const stop = new AbortController()
  canvas.addEventListener('pointerdown', down, { signal: stop.signal })
  canvas.addEventListener('pointerup', up, { signal: stop.signal })
  return () => stop.abort()
}
