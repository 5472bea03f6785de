// import_dialog.ts - an import from beginning to end: what will be read, how far it is, and the report.
import { useRef, useState } from 'preact/hooks'
import { importPicked, pickedFiles } from '../actions'
import type { Added, ImportResult, Job } from '../api'
import { Button } from '../controls'
import { html } from '../html'
import { Icon } from '../icons'
import { cancelJob, isGoing } from '../jobs'
import { labelsIn } from '../library/select'
import { openClips } from '../open_clips'
import { change, useStore } from '../store'
import { plural, t } from '../words/words'
import { closeDialog, Dialog, LineField } from './dialog'

// What came of every file: added and how it was read, there already, skipped, or failed and why.

function measures({ height_cm, units, up, claimed_fps }: Added): string {
  const height = height_cm > 0 ? t` · ${Math.round(height_cm)} cm tall` : ''
  return t`${units}, ${up} up${height} · ${Number(claimed_fps.toFixed(2))} fps`
}

function AddedRow({ row }: { row: Added }) {
  const open = () => {
    closeDialog()
    void openClips([row.id])
  }
  return html`<tr>
    <th scope="row">
      <button type="button" class="link" title="Open in the viewer" onClick=${open}>${row.name}</button>
    </th>
    <td>${row.frames}</td>
    <td>
      <span title=${t`units: ${row.units_why}; up: ${row.up_why}`}>${measures(row)}</span>
      ${row.warnings.map(
        (warning) => html`<div class="warned" key=${warning}><${Icon} name="warning" />${warning}</div>`,
      )}
    </td>
  </tr>`
}

interface Named {
  path: string
  why?: string
  is?: string
}

function Paths({ title, rows, className = '' }: { title: string; rows: Named[]; className?: string }) {
  if (rows.length === 0) return null
  return html`<section class=${className}>
    <h3>${title}</h3>
    <ul class="report-list">
      ${rows.map(
        (row) => html`<li key=${row.path}>
          <span>${row.path}</span>
          ${row.why && html` <span class="why">${row.why}</span>`}
          ${row.is && html` <span class="dim">is ${row.is}</span>`}
        </li>`,
      )}
    </ul>
  </section>`
}

function failure({ path, line, message }: ImportResult['errors'][number]): Named {
  return { path, why: line > 0 ? t`line ${line}: ${message}` : message }
}

function ImportReport({ result }: { result: ImportResult }) {
  const { added, duplicates, skipped, errors } = result
  const others = [
    errors.length && t`${errors.length} failed`,
    duplicates.length && t`${duplicates.length} there already`,
    skipped.length && t`${skipped.length} skipped`,
  ].filter(Boolean)
  return html`<div class="report flex-column">
    <p role="status">${[t`${plural(added.length, 'clip')} added`, ...others].join(', ')}.</p>
    <${Paths} title="Failed" rows=${errors.map(failure)} className="wrong" />
    ${added.length > 0 &&
    html`<section>
      <h3>Added</h3>
      <table>
        <thead>
          <tr>
            <th scope="col">Clip</th>
            <th scope="col">Frames</th>
            <th scope="col">Read as</th>
          </tr>
        </thead>
        <tbody>
          ${added.map((row) => html`<${AddedRow} key=${row.path} row=${row} />`)}
        </tbody>
      </table>
    </section>`}
    <${Paths} title="In the library already" rows=${duplicates.map(({ path, name }) => ({ path, is: name }))} />
    <${Paths} title="Skipped: no known format" rows=${skipped.map((path) => ({ path }))} />
  </div>`
}

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
      ${busy ? t('Sending…') : t('Import')}
    <//>`
  return html`<${Dialog} title=${t`Import ${plural(files.length, 'file')}`} foot=${foot} onClose=${cancel}>
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
      <p role="status">${job?.what || t('waiting')}${known && t` · ${job.done} of ${job.total}`}</p>
    </div>
  </${Dialog}>`
}

function Ended({ job }: { job: Job }) {
  const foot = html`<${Button} kind="primary" data-first onClick=${close}>Done<//>`
  const result = job.result as ImportResult | null
  const title = job.state === 'cancelled' ? t('Import cancelled') : job.state === 'failed' ? t('Import failed') : t('Imported')
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
