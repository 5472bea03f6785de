// gamepad.ts - a gamepad, as the standard mapping of the Gamepad API has it, looked at once a picture while something wants to
// know. Nothing here knows what its sticks and buttons do.

/** Of the standard mapping. */
export const padButtons = { a: 0, b: 1, x: 2, y: 3, leftBumper: 4, rightBumper: 5, leftTrigger: 6, rightTrigger: 7, start: 9 } as const

/** A stick at rest is not at 0. */
const deadZone = 0.18
/** A trigger that is pressed so far counts. */
const pressedFrom = 0.5

export interface Pad {
  name: string
  /** To the right and up, up to 1, 0 within the dead zone. */
  left: readonly [number, number]
  right: readonly [number, number]
  /** Buttons that are down, and of these those that were not at the last look. */
  down: ReadonlySet<number>
  pressed: readonly number[]
}

/** Beyond the dead zone it begins at 0, so that one can go as slowly as one likes. */
export function stickOf(x = 0, y = 0): [number, number] {
  const long = Math.hypot(x, y)
  if (long < deadZone) return [0, 0]
  const far = Math.min(1, (long - deadZone) / (1 - deadZone))
  return [(far * x) / long, (-far * y) / long]
}

function firstPad(): Gamepad | null {
  return navigator.getGamepads?.().find((pad) => pad?.connected) ?? null
}

/** Calls back once a picture; null: none is connected. Gives what ends it. */
export function watchGamepad(look: (pad: Pad | null, elapsed_s: number) => void): () => void {
  let due = 0
  let last_ms = 0
  let down = new Set<number>()
  const picture = (now: number) => {
    due = requestAnimationFrame(picture)
    const pad = firstPad()
    const elapsed_s = last_ms ? Math.min(0.1, (now - last_ms) / 1000) : 0
    last_ms = now
    if (!pad) {
      down = new Set()
      return look(null, elapsed_s)
    }
    const next = new Set(pad.buttons.flatMap(({ pressed, value }, i) => (pressed || value > pressedFrom ? i : [])))
    const pressed = [...next].filter((i) => !down.has(i))
    down = next
    const [lx, ly, rx, ry] = pad.axes
    look({ name: pad.id, left: stickOf(lx, ly), right: stickOf(rx, ry), down, pressed }, elapsed_s)
  }
  due = requestAnimationFrame(picture)
  return () => cancelAnimationFrame(due)
}
