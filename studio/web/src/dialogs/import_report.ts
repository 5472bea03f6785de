// import_report.ts - what came of every file: added and how it was read, there already, skipped, or failed and why.
import { plural } from '../actions'
import type { Added, ImportResult } from '../api'
import { html } from '../html'
import { Icon } from '../icons'
import { openClips } from '../open_clips'
import { closeDialog } from './dialog'

function measures({ height_cm, units, up, claimed_fps }: Added): string {
  const height = height_cm > 0 ? ` · ${Math.round(height_cm)} cm tall` : ''
  return `${units}, ${up} up${height} · ${Number(claimed_fps.toFixed(2))} fps`
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
      <span title=${`units: ${row.units_why}; up: ${row.up_why}`}>${measures(row)}</span>
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
  return { path, why: line > 0 ? `line ${line}: ${message}` : message }
}

export function ImportReport({ result }: { result: ImportResult }) {
  const { added, duplicates, skipped, errors } = result
  const others = [
    errors.length && `${errors.length} failed`,
    duplicates.length && `${duplicates.length} there already`,
    skipped.length && `${skipped.length} skipped`,
  ].filter(Boolean)
  return html`<div class="report flex-column">
    <p role="status">${[`${plural(added.length, 'clip')} added`, ...others].join(', ')}.</p>
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
