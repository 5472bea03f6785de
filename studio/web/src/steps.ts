// steps.ts - when a change of the library was made here: its answer says which step of the history it is.

const madeAt = new Map<number, number>()

export function noteStep(answer: unknown): void {
  const step = stepOf(answer)
  if (step) madeAt.set(step, Date.now())
}

/** 0: it changed nothing. */
export function stepOf(answer: unknown): number {
  const step = (answer as { step?: unknown } | null)?.step
  return typeof step === 'number' ? step : 0
}

/** In milliseconds since 1970; undefined: not here. */
export function whenMade(step: number): number | undefined {
  return madeAt.get(step)
}
