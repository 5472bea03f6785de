// export_menu.ts - the dialog that exports the leading clip or its marked segment: choose, wait, and the
// browser downloads what was made.
import { useEffect, useState } from 'preact/hooks'
import { api, type Clip, type ExportResult, type Job } from '../api'
import { showCommand } from '../commands'
import { closeDialog, Dialog } from '../dialogs/dialog'
import { html } from '../html'
import { exportOf } from '../operations'
import { tell, useStore, type Segment } from '../store'
import { icon } from './icons'
import './export.css'
import './timeline.css'

interface FormatCard {
  format: string
  name: string
  what: string
}

const formats: FormatCard[] = [
  { format: 'bvh', name: 'BVH', what: 'Skeleton and motion as text, for Blender, MotionBuilder, Maya' },
  { format: 'glb', name: 'GLB', what: 'Binary glTF with animation, for game engines and the web' },
  { format: 'mp4', name: 'MP4', what: 'A video of the figure, to show and to send' },
  { format: 'png', name: 'PNG strip', what: 'One picture with poses side by side, for documents' },
]

/** Licences such as CC BY-NC say so in their short names. */
export function isNonCommercial(licence: string): boolean {
  return /non[- ]?commercial|\bnc\b/i.test(licence)
}

/** The job as the live socket tells it; asked for now and then, in case the socket is down. */
function useJob(number: number): Job | undefined {
  const live = useStore((state) => state.jobs)
  const [asked, setAsked] = useState<Job | undefined>(undefined)
  const known = live.get(number)
  const over = known && known.state !== 'waiting' && known.state !== 'running'
  useEffect(() => {
    setAsked(undefined)
    if (!number || over) return
    const timer = setInterval(() => api.job(number).then(setAsked, () => undefined), 700)
    return () => clearInterval(timer)
  }, [number, over])
  const answer = asked?.job === number ? asked : undefined
  return over ? known : (answer ?? known)
}

function download(job: Job, name: string): void {
  const link = document.createElement('a')
  link.href = api.jobFileAddress(job.job)
  link.download = name
  document.body.append(link)
  link.click()
  link.remove()
}

function FormatCards({ format, choose }: { format: string; choose: (format: string) => void }) {
  return html`<fieldset class="tl-fieldset">
    <legend>As</legend>
    <div class="tl-cards">
      ${formats.map(
        (card) => html`<label key=${card.format} class="tl-card">
          <input
            type="radio"
            name="export-format"
            value=${card.format}
            checked=${card.format === format}
            onChange=${() => choose(card.format)}
          />
          <span class="tl-card-name">${card.name}</span>
          <span class="tl-card-what">${card.what}</span>
        </label>`,
      )}
    </div>
  </fieldset>`
}

interface PartProps {
  clip: Clip
  segment: Segment | null
  whole: boolean
  choose: (whole: boolean) => void
}

function PartChoice({ clip, segment, whole, choose }: PartProps) {
  const part = (isWhole: boolean, title: string, frames: number) =>
    html`<label class="tl-radio">
      <input type="radio" name="export-part" checked=${whole === isWhole} onChange=${() => choose(isWhole)} />
      ${title} <span class="dim">${`${frames} frames · ${(frames / clip.fps).toFixed(2)} s`}</span>
    </label>`
  return html`<fieldset class="tl-fieldset">
    <legend>What</legend>
    ${part(true, `The clip ${clip.name}`, clip.frames)}
    ${segment && part(false, `Frames ${segment.start}–${segment.end - 1}`, segment.end - segment.start)}
    ${!segment && html`<p class="dim">Mark a segment on the timeline to export only that.</p>`}
  </fieldset>`
}

function Progress({ job }: { job: Job | undefined }) {
  const known = job && job.total > 0
  return html`<div class="tl-progress">
    <progress
      aria-label="Export"
      max=${known ? job.total : undefined}
      value=${known ? job.done : undefined}
    ></progress>
    <span role="status">${job?.state === 'running' ? job.what || 'working' : 'waiting'}</span>
  </div>`
}

interface Running {
  number: number
  command: string
}

/** Begins an export and sees it through. */
function useExport() {
  const [running, setRunning] = useState<Running>({ number: 0, command: '' })
  const [error, setError] = useState('')
  const job = useJob(running.number)
  const state = job?.state
  useEffect(() => {
    if (!job || state === 'waiting' || state === 'running') return
    if (state === 'done') {
      const { name } = job.result as ExportResult
      download(job, name)
      showCommand(running.command)
      tell(`Exported ${name}`)
      closeDialog()
    } else setError(state === 'cancelled' ? 'Cancelled.' : (job.error?.message ?? 'It did not work.'))
    setRunning({ number: 0, command: '' })
  }, [state, job?.job])
  const start = async (clip: Clip, format: string, segment: Segment | null) => {
    setError('')
    try {
      const { command, start } = exportOf(clip.id, segment, `${clip.name}.${format}`)
      const { job: number } = await start()
      setRunning({ number, command: command ?? '' })
    } catch (cause) {
      setError(cause instanceof Error ? cause.message : String(cause))
    }
  }
  const cancel = () => api.cancel(running.number).catch((cause) => setError(cause.message))
  return { busy: running.number > 0, job, error, start, cancel }
}

export function Licence({ licence }: { licence: string }) {
  if (!licence) return null
  const limited = isNonCommercial(licence)
  return html`<p class=${limited ? 'tl-licence tl-warning' : 'tl-licence'}>
    ${limited ? 'Not for commercial use. ' : ''}Licence: ${licence}
  </p>`
}

function ExportOf({ clip }: { clip: Clip }) {
  const segment = useStore((state) => state.segment)
  const [whole, setWhole] = useState(!segment)
  const [format, setFormat] = useState('bvh')
  const work = useExport()
  const part = whole ? null : segment
  const submit = (event: Event) => {
    event.preventDefault()
    void work.start(clip, format, part)
  }
  // Closing it while it works cancels the export.
  const close = work.busy ? work.cancel : closeDialog
  const foot = html`<button type="button" class="button" onClick=${close}>
      ${work.busy ? 'Cancel the export' : 'Close'}
    </button>
    <button type="submit" form="export-form" class="button primary" disabled=${work.busy}>
      ${icon('export')} Export
    </button>`
  return html`<${Dialog} title="Export" foot=${foot} onClose=${close}>
    <form class="tl-export-form" id="export-form" onSubmit=${submit}>
      <${PartChoice} clip=${clip} segment=${segment} whole=${!part} choose=${setWhole} />
      <${FormatCards} format=${format} choose=${setFormat} />
      <${Licence} licence=${clip.licence} />
      ${work.busy && html`<${Progress} job=${work.job} />`}
      ${work.error && html`<p class="tl-error" role="alert">${work.error}</p>`}
    </form>
  <//>`
}

export function ExportDialog() {
  const open = useStore((state) => state.dialog === 'export')
  const clip = useStore((state) => state.shown[0]?.clip)
  useEffect(() => {
    if (!open || clip) return
    tell('Open a clip first, then export it.')
    closeDialog()
  }, [open, clip])
  return open && clip ? html`<${ExportOf} clip=${clip} />` : null
}
