// import_report.ts - what came of every file: added and how it was read, there already, skipped, or failed and why.
import { plural } from '../actions'
import type { ImportResult, ImportRow, Report } from '../api'
import { html } from '../html'
import { Icon } from '../icons'
import { openClips } from '../open_clips'
import { closeDialog } from './dialog'

function measures(report: Report): string {
  const height = report.height_cm > 0 ? ` · ${Math.round(report.height_cm)} cm tall` : ''
  return `${report.units}, ${report.up} up${height} · ${Number(report.claimed_fps.toFixed(2))} fps`
}

function Added({ row }: { row: ImportRow }) {
  const open = () => {
    closeDialog()
    if (row.id !== undefined) void openClips([row.id])
  }
  return html`<tr>
    <th scope="row">
      ${row.id === undefined
        ? (row.name ?? row.path)
        : html`<button type="button" class="link" title="Open in the viewer" onClick=${open}>${row.name}</button>`}
    </th>
    <td>${row.frames ?? ''}</td>
    <td>
      ${row.report &&
      html`<span title=${`units: ${row.report.units_why}; up: ${row.report.up_why}`}>${measures(row.report)}</span>`}
      ${row.report?.warnings.map(
        (warning) => html`<div class="warned" key=${warning}><${Icon} name="warning" />${warning}</div>`,
      )}
    </td>
  </tr>`
}

function Paths({ title, rows, className = '' }: { title: string; rows: ImportRow[]; className?: string }) {
  if (rows.length === 0) return null
  return html`<section class=${className}>
    <h3>${title}</h3>
    <ul class="report-list">
      ${rows.map(
        (row) => html`<li key=${row.path}>
          <span>${row.path}</span>
          ${row.message && html` <span class="why">${row.message}</span>`}
          ${!row.message && row.name && html` <span class="dim">is ${row.name}</span>`}
        </li>`,
      )}
    </ul>
  </section>`
}

export function ImportReport({ result }: { result: ImportResult }) {
  const { added, duplicates, skipped, failed } = result
  const others = [
    failed.length && `${failed.length} failed`,
    duplicates.length && `${duplicates.length} there already`,
    skipped.length && `${skipped.length} skipped`,
  ].filter(Boolean)
  return html`<div class="report">
    <p role="status">${[`${plural(added.length, 'clip')} added`, ...others].join(', ')}.</p>
    <${Paths} title="Failed" rows=${failed} className="wrong" />
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
          ${added.map((row) => html`<${Added} key=${row.path} row=${row} />`)}
        </tbody>
      </table>
    </section>`}
    <${Paths} title="In the library already" rows=${duplicates} />
    <${Paths} title="Skipped: no known format" rows=${skipped} />
  </div>`
}
