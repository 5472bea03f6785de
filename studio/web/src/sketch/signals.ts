// signals.ts - the curves of clips that were found, asked for once each.
import { useEffect, useState } from 'preact/hooks'
import { api } from '../api'
import { getState } from '../store'

const mostKept = 200
const kept = new Map<string, Float32Array>()
const asking = new Map<string, Promise<Float32Array>>()

/** Another program may have changed a clip. */
export function forgetSignals(): void {
  kept.clear()
}

function fetchSignal(clip: number, dof: string): Promise<Float32Array> {
  const key = `${clip} ${dof}`
  const before = asking.get(key)
  if (before) return before
  const frames = getState().cards.find(({ id }) => id === clip)?.frames ?? 0
  const asked = api.signals(clip, [dof], 0, frames).then((values) => {
    for (const oldest of kept.keys()) if (kept.size >= mostKept) kept.delete(oldest)
    kept.set(key, values)
    return values
  })
  asking.set(key, asked)
  void asked.catch(() => undefined).then(() => asking.delete(key))
  return asked
}

/** What is here already, and the rest as soon as it has come. */
export function useSignals(clips: readonly number[], dof: string): ReadonlyMap<number, Float32Array> {
  const [, redraw] = useState(0)
  const wanted = clips.join()
  useEffect(() => {
    let gone = false
    const missing = clips.filter((clip) => !kept.has(`${clip} ${dof}`))
    // A curve that cannot be had is no loss worth a message; the name and the figures stay.
    for (const clip of missing) fetchSignal(clip, dof).then(() => gone || redraw((n) => n + 1), () => undefined)
    return () => {
      gone = true
    }
  }, [wanted, dof])
  return new Map(clips.flatMap((clip) => (kept.has(`${clip} ${dof}`) ? [[clip, kept.get(`${clip} ${dof}`)!]] : [])))
}
