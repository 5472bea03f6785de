// pinch.ts - two fingers on what the wheel zooms, which has `data-pinch`. It hears of them what a browser tells of two fingers
// on a touchpad: a wheel with the control key, and one to the side where they move along.

let fingers = new Map<number, PointerEvent>()
let area: Element | null = null
let pinching = false

function tell(area: Element, near: MouseEvent[], wheel: WheelEventInit): void {
  const [clientX, clientY] = middleOf(near)
  area.dispatchEvent(new WheelEvent('wheel', { clientX, clientY, bubbles: true, cancelable: true, ...wheel }))
}

function middleOf([a, b]: MouseEvent[]): [number, number] {
  return [(a!.clientX + b!.clientX) / 2, (a!.clientY + b!.clientY) / 2]
}

function apart([a, b]: MouseEvent[]): number {
  return Math.max(1, Math.hypot(a!.clientX - b!.clientX, a!.clientY - b!.clientY))
}

/** What the first finger began is over. */
function endDrag({ pointerId, target }: PointerEvent): void {
  target!.dispatchEvent(new PointerEvent('pointercancel', { pointerId, pointerType: 'touch', bubbles: true }))
}

function down(event: PointerEvent): void {
  const under = event.pointerType === 'touch' && (event.target as Element).closest?.('[data-pinch]')
  if (!under || (fingers.size > 0 && under !== area) || fingers.size === 2) return
  const [first] = [...fingers.values()]
  area = under
  fingers.set(event.pointerId, event)
  if (!first) return
  event.stopImmediatePropagation()
  endDrag(first)
  // That ended no finger.
  fingers = new Map([first, event].map((each) => [each.pointerId, each]))
  pinching = true
}

function move(event: PointerEvent): void {
  if (!fingers.has(event.pointerId)) return
  const before = [...fingers.values()]
  fingers.set(event.pointerId, event)
  if (!pinching) return
  event.stopImmediatePropagation()
  if (fingers.size < 2 || !area) return
  const now = [...fingers.values()]
  // Handlers zoom by a hundredth of a control wheel's way, as a power of e.
  tell(area, now, { ctrlKey: true, deltaY: -100 * Math.log(apart(now) / apart(before)) })
  tell(area, now, { deltaX: middleOf(before)[0] - middleOf(now)[0] })
}

function up(event: PointerEvent): void {
  if (!fingers.delete(event.pointerId) || !pinching) return
  event.stopImmediatePropagation()
  if (fingers.size === 0) pinching = false
}

export function listenToPinches(): void {
  window.addEventListener('pointerdown', down, true)
  window.addEventListener('pointermove', move, true)
  window.addEventListener('pointerup', up, true)
  window.addEventListener('pointercancel', up, true)
}
