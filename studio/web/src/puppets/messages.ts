// messages.ts - what those who react answer to where the main character went, as docs/studio-api.md lays it out ("Puppets").
// No DOM here.

/** Messages of reactors begin with this; smaller numbers are streams and steered characters. */
export const reactors = 512

const headBytes = 16
const rowBytes = 44
const perJoint = 7

/** One that reacts, now. */
export interface Answer {
  react: number
  /** The moment of the demonstrations that is followed. */
  run: number
  moment_s: number
  /** It goes on from what was done before, not from the situation alone. */
  coherent: boolean
  x: number
  y: number
  dir: number
  /** Of coherence. */
  weight: number
  /** Share of the steps led by the situation, over about the last second. */
  balance: number
  /** How far its body is from where it should be. */
  away_cm: number
  /** Seven for each joint of its body, place in cm and rotation (w, x, y, z); empty without one. Borrowed. */
  values: Float32Array
}

export interface Answers {
  time_s: number
  rows: Answer[]
}

/** Null: it is no such message, or half of one. */
export function readAnswers(message: ArrayBuffer): Answers | null {
  const view = new DataView(message)
  if (message.byteLength < headBytes || view.getUint32(0, true) !== reactors) return null
  const count = view.getUint32(4, true)
  const answers: Answers = { time_s: view.getFloat64(8, true), rows: [] }
  let at = headBytes
  for (let i = 0; i < count; i++) {
    if (at + rowBytes > message.byteLength) return null
    const joints = view.getUint32(at + 40, true)
    const next = at + rowBytes + 4 * perJoint * joints
    if (next > message.byteLength) return null
    answers.rows.push(readRow(view, at, new Float32Array(message, at + rowBytes, perJoint * joints)))
    at = next
  }
  return answers
}

function readRow(view: DataView, at: number, values: Float32Array): Answer {
  const whole = (by: number) => view.getUint32(at + by, true)
  const number = (by: number) => view.getFloat32(at + by, true)
  return {
    react: whole(0),
    run: whole(4),
    moment_s: number(8),
    coherent: whole(12) !== 0,
    x: number(16),
    y: number(20),
    dir: number(24),
    weight: number(28),
    balance: number(32),
    away_cm: number(36),
    values,
  }
}
