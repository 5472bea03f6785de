// finished.ts - waiting for a job's end.
import { api, type Job } from '../api'
import { noteJob } from '../live'
import { getState } from '../store'

const pause_ms = 150

/** Messages come by themselves; asking now and then covers a broken line. */
export async function finished(number: number): Promise<Job> {
  for (;;) {
    const job = getState().jobs.get(number) ?? (await api.job(number))
    if (job.state !== 'waiting' && job.state !== 'running') return job
    await new Promise((next) => setTimeout(next, pause_ms))
    noteJob(await api.job(number))
  }
}
