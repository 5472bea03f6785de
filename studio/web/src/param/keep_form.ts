// keep_form.ts - what was made becomes a clip of the library, or a file.
import { useState } from 'preact/hooks'
import { api, operate, type ExportResult } from '../api'
import { attempt } from '../attempt'
import { showCommand } from '../commands'
import { html } from '../html'
import { Icon } from '../icons'
import { useFreeName, valueOf } from '../making/parts'
import { openClips } from '../open_clips'
import { lineOf } from '../operations'
import { tell, useStore } from '../store'
import { finished } from './finished'
import { parameters } from './session'

/** The browser saves it under the server's name. */
function download(job: number, name: string): void {
  const link = document.createElement('a')
  link.href = api.jobFileAddress(job)
  link.download = name
  document.body.append(link)
  link.click()
  link.remove()
}

async function exportIt(format: string): Promise<void> {
  await attempt(async () => {
    const { body } = parameters
    const file = `${body.family}.${format}`
    const command = lineOf('param make', body, { file })
    const { job } = await operate<{ job: number }>('param make', { ...body, output: file })
    const over = await finished(job)
    if (over.state !== 'done') throw new Error(over.error?.message ?? 'the export was cancelled')
    const { name } = over.result as ExportResult
    download(job, name)
    showCommand(command)
    tell(`Exported ${name}`)
  })
}

function Export({ ready }: { ready: boolean }) {
  const [format, setFormat] = useState('bvh')
  const [busy, setBusy] = useState(false)
  const press = async () => {
    setBusy(true)
    await exportIt(format)
    setBusy(false)
  }
  return html`<span class="act-export">
    <button type="button" class="button" disabled=${busy || !ready} onClick=${() => void press()}>
      <${Icon} name="import" />Export
    </button>
    <select class="field" aria-label="Export as" value=${format} onChange=${(event: Event) => setFormat(valueOf(event))}>
      <option value="bvh">BVH</option>
      <option value="glb">glTF</option>
    </select>
  </span>`
}

export function KeepAsked() {
  const writable = useStore((state) => state.about?.library.writable ?? true)
  const { family, made, error, kept } = parameters
  const suggested = useFreeName(family?.name ?? 'motion')
  const [name, setName] = useState<string | null>(null)
  const [busy, setBusy] = useState(false)
  const ready = made !== null && !error
  const save = async (event: Event) => {
    event.preventDefault()
    setBusy(true)
    if (await parameters.keep((name ?? suggested).trim() || suggested)) setName(null)
    setBusy(false)
  }
  return html`<form class="compare-cut" onSubmit=${save} aria-label="Keep">
    ${writable &&
    html`<label class="compare-field compare-name">
        <span>New clip</span>
        <input
          class="field" autocomplete="off" spellcheck=${false} value=${name ?? suggested}
          onInput=${(event: Event) => setName(valueOf(event))}
        />
      </label>
      <button type="submit" class="button primary" disabled=${busy || !ready}><${Icon} name="check" />Keep as clip</button>`}
    <${Export} ready=${ready} />
    ${kept &&
    html`<button type="button" class="button quiet" onClick=${() => void openClips([kept.id])}>Open ${kept.name}</button>`}
  </form>`
}
