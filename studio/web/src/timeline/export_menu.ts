// export_menu.ts - the dialog that exports the leading clip or its marked segment: choose, wait, and the
// browser downloads what was made.
import { useEffect, useState } from 'preact/hooks'
import { api, type Clip, type Job } from '../api'
import { messageOf } from '../attempt'
import { Button } from '../controls'
import { closeDialog, Dialog } from '../dialogs/dialog'
import { html } from '../html'
import { resultOf, saveFile, shareOf } from '../jobs'
import { exportOf, showCommand } from '../operations'
import { tell, useStore, type Segment } from '../store'
import './export.css'
import './timeline.css'

const formats: [format: string, name: string, what: string][] = [
  ['bvh', 'BVH', 'Skeleton and motion as text, for Blender, MotionBuilder, Maya'],
  ['glb', 'GLB', 'Binary glTF with animation, for game engines and the web'],
  ['fbx', 'FBX', 'Skeleton and curves for Unreal, Unity, Maya, MotionBuilder'],
  ['mp4', 'MP4', 'A video of the figure, to show and to send'],
  ['png', 'PNG strip', 'One picture with poses side by side, for documents'],
]

/** Licences such as CC BY-NC say so in their short names. */
function isNonCommercial(licence: string): boolean {
  return /non[- ]?commercial|\bnc\b/i.test(licence)
}

function FormatCards({ format, choose }: { format: string; choose: (format: string) => void }) {
  return html`<fieldset class="tl-fieldset flex-column">
    <legend>As</legend>
    <div class="tl-cards">
      ${formats.map(
        ([one, name, what]) => html`<label key=${one} class="tl-card boxed">
          <input
            type="radio" name="export-format" value=${one} checked=${one === format} onChange=${() => choose(one)}
          />
          <span class="tl-card-name">${name}</span>
          <span class="tl-card-what">${what}</span>
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
    html`<label class="tl-radio flex-row">
      <input type="radio" name="export-part" checked=${whole === isWhole} onChange=${() => choose(isWhole)} />
      ${title} <span class="dim">${`${frames} frames · ${(frames / clip.fps).toFixed(2)} s`}</span>
    </label>`
  return html`<fieldset class="tl-fieldset flex-column">
    <legend>What</legend>
    ${part(true, `The clip ${clip.name}`, clip.frames)}
    ${segment && part(false, `Frames ${segment.start}–${segment.end - 1}`, segment.end - segment.start)}
    ${!segment && html`<p class="dim">Mark a segment on the timeline to export only that.</p>`}
  </fieldset>`
}

function Progress({ job }: { job: Job | undefined }) {
  return html`<div class="tl-progress flex-row">
    <progress aria-label="Export" ...${shareOf(job)}></progress>
    <span role="status">${job?.state === 'running' ? job.what || 'working' : 'waiting'}</span>
  </div>`
}

/** Begins an export and sees it through. */
function useExport() {
  const [number, setNumber] = useState(0)
  const [error, setError] = useState('')
  const job = useStore((state) => state.jobs.get(number))
  const start = async (clip: Clip, format: string, segment: Segment | null) => {
    setError('')
    try {
      const { command, start: begin } = exportOf(clip.id, segment, `${clip.name}.${format}`)
      let begun = 0
      const made = await resultOf<{ name: string }>(begin, (job) => setNumber((begun = job)))
      if (made) {
        saveFile(api.jobFileAddress(begun), made.name)
        showCommand(command)
        tell(`Exported ${made.name}`)
        closeDialog()
      } else setError('Cancelled.')
    } catch (cause) {
      setError(messageOf(cause))
    }
    setNumber(0)
  }
  const cancel = () => api.cancel(number).catch((cause) => setError(cause.message))
  return { busy: number > 0, job, error, start, cancel }
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
  const foot = html`<${Button} onClick=${close}>${work.busy ? 'Cancel the export' : 'Close'}<//>
    <${Button} type="submit" form="export-form" icon="export" kind="primary" disabled=${work.busy}>Export<//>`
  return html`<${Dialog} title="Export" foot=${foot} onClose=${close}>
    <form class="tl-export-form flex-column" id="export-form" onSubmit=${submit}>
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
