// jobs_dialog.ts - what takes long: how far it is, cancelling it, and the files that exports made, for as long as the server
// keeps them. Jobs of all windows are listed, and those of this one from before it was loaded again.
import { api, type Job } from '../api'
import { Button } from '../controls'
import { html } from '../html'
import { Icon } from '../icons'
import { cancelJob, dragFile, isGoing, shareOf } from '../jobs'
import { useStore } from '../store'
import { t } from '../words/words'
import { Dialog } from './dialog'

const kinds: Record<string, string> = {
  add: t('Import'),
  convert: t('Export'),
  render: t('Export'),
  doctor: t('Examination'),
  index: t('Search index'),
  motifs: t('Motifs'),
  'param build': t('Family'),
  'graph build': t('Motion graph'),
  'graph sweep': t('Motion graph'),
  'graph train': t('Policy'),
  'cluster build': t('Cluster graph'),
  'puppet train': t('Puppet'),
  'puppet run': t('Puppet'),
}

const states: Record<Job['state'], string> = {
  waiting: t('waiting'),
  running: t('running'),
  done: t('done'),
  failed: t('failed'),
  cancelled: t('cancelled'),
}

function nameOf({ kind }: Job): string {
  return kinds[kind] ?? kind[0]!.toUpperCase() + kind.slice(1)
}

/** A link that downloads a file, or is dragged to where it is to be. */
export function FileLink({ number, name }: { number: number; name: string }) {
  const address = api.jobFileAddress(number)
  return html`<a
    class="file-link" href=${address} download=${name} draggable=${true} title="Download it, or drag it out of the page"
    onDragStart=${(event: DragEvent) => dragFile(event, address, name)}
  >
    <${Icon} name="export" />${name}
  </a>`
}

function Row({ job }: { job: Job }) {
  const name = nameOf(job)
  const { state, what, file, error } = job
  return html`<li class="job-row flex-row boxed" aria-label=${`${name}, ${states[state]}`}>
    <span class="job-name">${name}</span>
    <span class="job-state dim">${state === 'running' && what ? what : states[state]}</span>
    ${state === 'running' && html`<progress aria-label=${name} ...${shareOf(job)}></progress>`}
    ${state === 'failed' && html`<span class="why">${error?.message}</span>`}
    ${file && html`<${FileLink} number=${job.job} name=${file} />`}
    ${isGoing(job) &&
    html`<${Button} title=${t`Cancel: ${name}`} onClick=${() => void cancelJob(job.job)}>Cancel<//>`}
  </li>`
}

export function JobsDialog() {
  const jobs = useStore((state) => state.jobs)
  const newest = [...jobs.values()].sort((a, b) => b.job - a.job)
  return html`<${Dialog} title="Jobs">
    <p class="dim">They go on when the page is closed or loaded again. Files are kept for ten minutes.</p>
    <ul class="job-list flex-column" aria-label="Jobs">
      ${newest.map((job) => html`<${Row} key=${job.job} job=${job} />`)}
    </ul>
  <//>`
}
