// job.ts - something long on the server: begun, waited for, shown with its progress, and cancelled once unneeded.
import { cancelJob } from '../actions'
import { api, type Job } from '../api'
import { html } from '../html'
import { noteJob } from '../live'
import { getState, useStore } from '../store'

const pause_ms = 150

export function isGoing({ state }: Job): boolean {
  return state === 'waiting' || state === 'running'
}

/** Messages come by themselves; asking now and then covers a broken line. */
async function finished(number: number): Promise<Job> {
  for (;;) {
    const job = getState().jobs.get(number) ?? (await api.job(number))
    if (!isGoing(job) && (job.result !== null || job.state !== 'done')) return job
    await new Promise((next) => setTimeout(next, pause_ms))
    noteJob(await api.job(number))
  }
}

/** Its result; throws with the server's sentence, and null if it was cancelled. */
export async function resultOf<T>(begin: () => Promise<{ job: number }>, begun: (job: number) => void): Promise<T | null> {
  const { job } = await begin()
  begun(job)
  const over = await finished(job)
  if (over.state === 'cancelled') return null
  if (over.state !== 'done') throw new Error(over.error?.message ?? 'it failed')
  return over.result as T
}

export function Progress({ number, name }: { number: number; name: string }) {
  const job = useStore(({ jobs }) => jobs.get(number))
  const known = (job?.total ?? 0) > 0
  return html`<div class="graph-progress">
    <span role="status">${name}</span>
    <progress
      aria-label=${name} max=${known ? job!.total : undefined} value=${known ? job!.done : undefined}
    ></progress>
    <button type="button" class="button" onClick=${() => void cancelJob(number)}>Cancel</button>
  </div>`
}
