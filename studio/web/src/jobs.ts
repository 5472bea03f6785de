// jobs.ts - something long on the server: begun, waited for, shown with its progress, cancelled, and its file downloaded.
import { api, ApiError, type Job } from './api'
import { attempt } from './attempt'
import { Button } from './controls'
import { html } from './html'
import { noteJob } from './live'
import { noteStep } from './steps'
import { change, getState, subscribe, useStore } from './store'
import { t } from './words/words'

const pause_ms = 1000

export function isGoing({ state }: Job): boolean {
  return state === 'waiting' || state === 'running'
}

/** Until a job is over, or a while has passed. */
function overOrPause(number: number): Promise<void> {
  return new Promise((done) => {
    const end = () => {
      stop()
      clearTimeout(timer)
      done()
    }
    const stop = subscribe(() => overNow(number) && end())
    const timer = setTimeout(end, pause_ms)
  })
}

function overNow(number: number): Job | null {
  const job = getState().jobs.get(number)
  return job && !isGoing(job) ? job : null
}

/** A job once it is over. Its messages come by themselves; asking now and then covers a broken line. */
export async function finished(number: number): Promise<Job> {
  for (;;) {
    const job = overNow(number)
    if (job) return job
    await overOrPause(number)
    if (!overNow(number)) noteJob(await api.job(number))
  }
}

/** Its result; throws with the server's sentence, and null if it was cancelled. */
export async function resultOf<T>(begin: () => Promise<{ job: number }>, begun: (job: number) => void): Promise<T | null> {
  const { job } = await begin()
  begun(job)
  const { state, error, result } = await finished(job)
  if (state === 'cancelled') return null
  if (state !== 'done') throw new ApiError(0, error?.status ?? 'io', error?.message ?? t('it failed'))
  noteStep(result)
  return result as T
}

export async function cancelJob(number: number): Promise<void> {
  await attempt(async () => {
    await api.cancel(number)
  })
}

/** How much of a job is done, for a <progress>; nothing where it cannot tell. */
export function shareOf(job: Job | undefined): { max?: number; value?: number } {
  return job && job.total > 0 ? { max: job.total, value: job.done } : {}
}

/** All jobs that the server remembers: those of other windows, and of this one before it was loaded again. */
export async function loadJobs(): Promise<void> {
  const { jobs } = await api.jobs()
  const known = getState().jobs
  // The oldest first, as they come. What is known of one here may be newer, and has its result.
  change({ jobs: new Map([...[...jobs].reverse().map((job) => [job.job, job] as const), ...known]) })
}

/** In the header: how many jobs are going on, and the way to all of them. */
export function JobsButton() {
  const jobs = useStore((state) => state.jobs)
  const going = [...jobs.values()].filter(isGoing)
  if (jobs.size === 0) return null
  const one = going.find(({ state }) => state === 'running')
  return html`<${Button} kind="quiet jobs-button" title="Jobs: what takes long, and what it made" onClick=${() => change({ dialog: 'jobs' })}>
    Jobs${going.length > 0 && html` <span class="count">${going.length}</span>`}
    ${one && html`<progress aria-label="The job that runs" ...${shareOf(one)}></progress>`}
  <//>`
}

interface ProgressProps {
  number: number
  name: string
  /** Behind the name: what is done just now. */
  step?: string
  /** Of the button that cancels it. */
  title?: string
}

export function Progress({ number, name, step, title }: ProgressProps) {
  const job = useStore(({ jobs }) => jobs.get(number))
  return html`<div class="job-progress flex-row">
    <span role="status">${name}${step && html` <span class="dim">${step}</span>`}</span>
    <progress aria-label=${name} ...${shareOf(job)}></progress>
    <${Button} title=${title} onClick=${() => void cancelJob(number)}>Cancel<//>
  </div>`
}

/** Hands a file to the browser; `address` may be one of the page's own objects. */
export function saveFile(address: string, name: string): void {
  const link = document.createElement('a')
  link.href = address
  link.download = name
  document.body.append(link)
  link.click()
  link.remove()
  if (address.startsWith('blob:')) setTimeout(() => URL.revokeObjectURL(address), 60000)
}

/** For what is dragged out of the page: the browser downloads the file to where it is dropped. Browsers that do not know this
 *  drop the address. */
export function dragFile(event: DragEvent, address: string, name: string): void {
  const whole = new URL(address, location.href).href
  event.dataTransfer?.setData('DownloadURL', `application/octet-stream:${name.replaceAll(':', '_')}:${whole}`)
  event.dataTransfer?.setData('text/uri-list', whole)
}

/** A table that the page made. */
export function saveCsv(name: string, text: string): void {
  saveFile(URL.createObjectURL(new Blob([text], { type: 'text/csv' })), name)
}

/** Makes a file on the server and downloads it under a name of ours; gives the server's own. */
export async function exportFile(begin: () => Promise<{ job: number }>, name?: string): Promise<string> {
  let number = 0
  const made = await resultOf<{ name: string }>(begin, (job) => (number = job))
  if (!made) throw new Error(t('the export was cancelled'))
  saveFile(api.jobFileAddress(number), name ?? made.name)
  return made.name
}
