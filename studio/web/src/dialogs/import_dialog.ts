// import_dialog.ts - an import from beginning to end: what will be read, how far it is, and the report.
import { useRef, useState } from 'preact/hooks'
import { importPicked, pickedFiles, plural } from '../actions'
import type { ImportResult, Job } from '../api'
import { Button } from '../controls'
import { html } from '../html'
import { cancelJob, isGoing } from '../jobs'
import { labelsIn } from '../library/select'
import { change, useStore } from '../store'
import { Dialog, LineField } from './dialog'
import { ImportReport } from './import_report'

function close(): void {
  change({ dialog: 'none', importJob: 0 })
}

function megabytes(bytes: number): string {
  return bytes < 1e5 ? `${Math.ceil(bytes / 1000)} kB` : `${(bytes / 1e6).toFixed(1)} MB`
}

/** Before: the files, and labels for all of them. */
function Offer() {
  const [files] = useState(pickedFiles)
  const [labels, setLabels] = useState('')
  const [busy, setBusy] = useState(false)
  const sending = useRef<AbortController | null>(null)
  const bytes = files.reduce((sum, { file }) => sum + file.size, 0)
  const submit = async (event: Event) => {
    event.preventDefault()
    setBusy(true)
    sending.current = new AbortController()
    await importPicked(labelsIn(labels), sending.current.signal)
    setBusy(false)
  }
  const cancel = () => {
    sending.current?.abort()
    close()
  }
  const foot = html`<${Button} onClick=${cancel}>Cancel<//>
    <${Button} type="submit" form="import-form" kind="primary" data-first disabled=${busy}>
      ${busy ? 'Sending…' : 'Import'}
    <//>`
  return html`<${Dialog} title=${`Import ${plural(files.length, 'file')}`} foot=${foot} onClose=${cancel}>
    <ul class="names boxed files" tabindex="0" aria-label="Files">
      ${files.slice(0, 200).map(({ path }) => html`<li key=${path}>${path}</li>`)}
      ${files.length > 200 && html`<li class="dim">and ${files.length - 200} more</li>`}
    </ul>
    <p class="dim">${megabytes(bytes)} in all. What is in the library already is not added twice.</p>
    <form id="import-form" class="form flex-column" onSubmit=${submit}>
      <${LineField}
        id="import-labels" name="Labels for all of them (optional, with commas between)" placeholder="walk, session 3"
        value=${labels} set=${setLabels}
      />
    </form>
  </${Dialog}>`
}

function Running({ number, job }: { number: number; job: Job | undefined }) {
  const known = job !== undefined && job.total > 0
  const foot = html`<${Button} onClick=${close}>Go on in the background<//>
    <${Button} data-first onClick=${() => void cancelJob(number)}>Cancel import<//>`
  return html`<${Dialog} title="Importing" foot=${foot} onClose=${close}>
    <div class="progress">
      <progress aria-label="Import" max=${known ? job.total : 1} ...${known ? { value: job.done } : {}}></progress>
      <p role="status">${job?.what || 'waiting'}${known && ` · ${job.done} of ${job.total}`}</p>
    </div>
  </${Dialog}>`
}

function Ended({ job }: { job: Job }) {
  const foot = html`<${Button} kind="primary" data-first onClick=${close}>Done<//>`
  const result = job.result as ImportResult | null
  const title = job.state === 'cancelled' ? 'Import cancelled' : job.state === 'failed' ? 'Import failed' : 'Imported'
  return html`<${Dialog} title=${title} className=${result ? 'wide' : ''} foot=${foot} onClose=${close}>
    ${job.error && job.state !== 'cancelled' && html`<p class="wrong">${job.error.message}</p>`}
    ${job.state === 'cancelled' && html`<p>The library is as it was before.</p>`}
    ${job.state === 'done' && result && html`<${ImportReport} result=${result} />`}
  </${Dialog}>`
}

export function ImportDialog() {
  const number = useStore((state) => state.importJob)
  const job = useStore((state) => state.jobs.get(state.importJob))
  if (number === 0) return html`<${Offer} key="offer" />`
  if (!job || isGoing(job)) return html`<${Running} key="running" number=${number} job=${job} />`
  return html`<${Ended} key="ended" job=${job} />`
}
