// building.ts - how far the family is that is being built, and a way to stop that.
import { cancelJob } from '../actions'
import { html } from '../html'
import { useStore } from '../store'
import { parameters } from './session'

/** What the server says that it does, as the page says it. */
const steps: Record<string, string> = {
  aligning: 'laying the examples over each other',
  sampling: 'learning what their blends do',
  'trying blends': 'looking for blends that are faulty',
}

export function Building() {
  const { job: number, busyWith } = parameters
  const job = useStore(({ jobs }) => jobs.get(number))
  const known = job?.state === 'running' && job.total > 0
  const step = job?.state === 'waiting' ? 'waiting for other work' : (steps[job?.what ?? ''] ?? '')
  return html`<div class="param-building">
    <progress
      aria-label=${busyWith} max=${known ? job.total : undefined} value=${known ? job.done : undefined}
    ></progress>
    <span role="status">${busyWith} <span class="dim">${step}</span></span>
    <button type="button" class="button" title="Nothing is kept of it" onClick=${() => void cancelJob(number)}>
      Cancel
    </button>
  </div>`
}
