// export_menu.ts - the dialog that exports clips: the leading one of the viewer or its marked segment, or those that are
// selected in the library. Choose a program or a format, read what it does not keep, wait, and the browser downloads what was
// made: one file, or an archive of several.
import { useEffect, useState } from 'preact/hooks'
import { api, type Card, type Clip, type Format, type Job, type Preset } from '../api'
import { messageOf } from '../attempt'
import { Button, Select, valueOf } from '../controls'
import { closeDialog, Dialog } from '../dialogs/dialog'
import { html } from '../html'
import { resultOf, saveFile, shareOf } from '../jobs'
import { exportMany, exportOf, showCommand } from '../operations'
import { tell, useStore, type Segment } from '../store'
import { plural, t } from '../words/words'
import './export.css'
import './timeline.css'

/** What a format is good for; one that is not named here is described by the server's row. */
const uses: Record<string, string> = {
  bvh: t('Skeleton and motion as text, for Blender, MotionBuilder, Maya'),
  glb: t('Binary glTF with animation, for game engines and the web'),
  fbx: t('Skeleton and curves for Unreal, Unity, Maya, MotionBuilder'),
  amc: t('Acclaim motion, with its skeleton beside it as ASF'),
  npy: t('Positions of all joints as a NumPy array'),
  npz: t('Positions with names, parents and rate, for NumPy'),
}

const drawings: [format: string, name: string, what: string][] = [
  ['mp4', 'MP4', t('A video of the figure, to show and to send')],
  ['png', t('PNG strip'), t('One picture with poses side by side, for documents')],
]

/** One file of its own, which the server makes of a clip by its ending. */
const single = new Set(['bvh', 'glb', 'fbx', 'mp4', 'png'])

/** Licences such as CC BY-NC say so in their short names. */
function isNonCommercial(licence: string): boolean {
  return /non[- ]?commercial|\bnc\b/i.test(licence)
}

interface FormatProps {
  format: string
  drawn: boolean
  choose: (format: string) => void
}

function FormatCards({ format, drawn, choose }: FormatProps) {
  const formats = useStore((state) => state.about?.formats ?? [])
  const written = formats.filter(({ writes }) => writes)
  const cards = written.map(({ name, description }) => [name, name.toUpperCase(), uses[name] ?? description] as const)
  return html`<fieldset class="tl-fieldset flex-column">
    <legend>As</legend>
    <div class="tl-cards">
      ${[...cards, ...(drawn ? drawings : [])].map(
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

/** What the chosen format does not keep, before it is too late. */
function Lost({ format }: { format: string }) {
  const row = useStore((state) => state.about?.formats.find(({ name }: Format) => name === format))
  if (!row?.lost_writing) return null
  return html`<p class="tl-lost" role="note">Not kept in ${row.name.toUpperCase()}: ${row.lost_writing}.</p>`
}

function presetWords({ units, up, root }: Preset): string {
  return t`${units}, ${up} up${root ? t`, a joint ${root} on the floor` : ''}`
}

interface PresetProps {
  preset: string
  fps: string
  choose: (preset: string) => void
  setFps: (fps: string) => void
}

/** For which program, and at which rate. */
function PresetRow({ preset, fps, choose, setFps }: PresetProps) {
  const presets = useStore((state) => state.about?.presets ?? [])
  const row = presets.find(({ name }) => name === preset)
  const options = [['', t('any program')], ...presets.map(({ name, title }) => [name, title] as const)]
  return html`<div class="tl-preset flex-row">
    <label>For <${Select} value=${preset} options=${options} set=${choose} aria-label="For" title="Units, axes and format that this program expects" /></label>
    <label>
      Frames a second
      <input
        class="field number" type="number" min="0.1" max="10000" step="any" placeholder="as they are" value=${fps}
        onInput=${(event: Event) => setFps(valueOf(event))}
      />
    </label>
    ${row && html`<span class="dim">${presetWords(row)}</span>`}
  </div>`
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
    ${part(true, t`The clip ${clip.name}`, clip.frames)}
    ${segment && part(false, t`Frames ${segment.start}–${segment.end - 1}`, segment.end - segment.start)}
    ${!segment && html`<p class="dim">Mark a segment on the timeline to export only that.</p>`}
  </fieldset>`
}

function Progress({ job }: { job: Job | undefined }) {
  return html`<div class="tl-progress flex-row">
    <progress aria-label="Export" ...${shareOf(job)}></progress>
    <span role="status">${job?.state === 'running' ? job.what || t('working') : t('waiting')}</span>
  </div>`
}

/** An export as it was chosen. */
interface Choice {
  clips: readonly (Clip | Card)[]
  segment: Segment | null
  format: string
  preset: string
  fps: string
}

interface Exported {
  name?: string
  failed?: { path: string; message: string }[]
}

function exportBy({ clips, segment, format, preset, fps }: Choice) {
  const options = { ...(preset && { for: preset }), ...(Number(fps) > 0 && { fps: Number(fps) }) }
  const [first] = clips
  const drawn = drawings.some(([name]) => name === format)
  if (clips.length === 1 && single.has(format)) {
    return exportOf(first!.id, segment, `${first!.name}.${format}`, drawn ? {} : options)
  }
  const name = clips.length === 1 ? first!.name : plural(clips.length, 'clip')
  return exportMany(clips.map(({ id }) => id), segment, format, name, options)
}

/** Begins an export and sees it through. */
function useExport() {
  const [number, setNumber] = useState(0)
  const [error, setError] = useState('')
  const job = useStore((state) => state.jobs.get(number))
  const start = async (choice: Choice) => {
    setError('')
    try {
      const { command, start: begin } = exportBy(choice)
      let begun = 0
      const made = await resultOf<Exported>(begin, (job) => setNumber((begun = job)))
      const [wrong] = made?.failed ?? []
      if (made?.name) {
        saveFile(api.jobFileAddress(begun), made.name)
        showCommand(command)
        tell(t`Exported ${made.name}`)
        if (wrong) tell(t`${plural(made.failed!.length, 'clip')} failed: ${wrong.path}: ${wrong.message}`, 'error')
        closeDialog()
      } else setError(wrong ? `${wrong.path}: ${wrong.message}` : t('Cancelled.'))
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
    ${limited ? t('Not for commercial use. ') : ''}Licence: ${licence}
  </p>`
}

/** Of all clips, each once; those that limit most come first. */
function licencesOf(clips: readonly (Clip | Card)[]): string[] {
  const all = [...new Set(clips.map(({ licence }) => licence))].filter(Boolean)
  return all.sort((a, b) => Number(isNonCommercial(b)) - Number(isNonCommercial(a))).slice(0, 5)
}

function Names({ clips }: { clips: readonly Card[] }) {
  const few = 6
  const names = clips.slice(0, few).map(({ name }) => name).join(', ')
  return html`<p>
    ${plural(clips.length, 'clip')}: <span class="dim">${names}${clips.length > few && t` and ${clips.length - few} more`}</span>
  </p>`
}

/** `clips`: those that were selected; otherwise the one in the viewer. */
function ExportOf({ clip, clips }: { clip: Clip | undefined; clips: readonly Card[] }) {
  const segment = useStore((state) => state.segment)
  const presets = useStore((state) => state.about?.presets ?? [])
  const [whole, setWhole] = useState(!segment)
  const [format, setFormat] = useState('bvh')
  const [preset, setPreset] = useState('')
  const [fps, setFps] = useState('')
  const work = useExport()
  const chosen = clips.length > 0 ? clips : [clip!]
  const part = whole || clips.length > 0 ? null : segment
  const submit = (event: Event) => {
    event.preventDefault()
    void work.start({ clips: chosen, segment: part, format, preset, fps })
  }
  const choosePreset = (name: string) => {
    setPreset(name)
    setFormat(presets.find((row) => row.name === name)?.format ?? format)
  }
  // Closing it while it works cancels the export.
  const close = work.busy ? work.cancel : closeDialog
  const foot = html`<${Button} onClick=${close}>${work.busy ? t('Cancel the export') : t('Close')}<//>
    <${Button} type="submit" form="export-form" icon="export" kind="primary" disabled=${work.busy}>Export<//>`
  return html`<${Dialog} title="Export" foot=${foot} onClose=${close}>
    <form class="tl-export-form flex-column" id="export-form" onSubmit=${submit}>
      ${clips.length > 0
        ? html`<${Names} clips=${clips} />`
        : html`<${PartChoice} clip=${clip} segment=${segment} whole=${!part} choose=${setWhole} />`}
      <${PresetRow} preset=${preset} fps=${fps} choose=${choosePreset} setFps=${setFps} />
      <${FormatCards} format=${format} drawn=${chosen.length === 1} choose=${setFormat} />
      <${Lost} format=${format} />
      ${licencesOf(chosen).map((licence) => html`<${Licence} key=${licence} licence=${licence} />`)}
      ${work.busy && html`<${Progress} job=${work.job} />`}
      ${work.error && html`<p class="tl-error" role="alert">${work.error}</p>`}
    </form>
  <//>`
}

export function ExportDialog() {
  const open = useStore((state) => state.dialog === 'export')
  const clip = useStore((state) => state.shown[0]?.clip)
  const exported = useStore((state) => state.exported)
  const cards = useStore((state) => state.cards)
  const wanted = new Set(exported)
  const clips = cards.filter(({ id }) => wanted.has(id))
  const any = clip !== undefined || clips.length > 0
  useEffect(() => {
    if (!open || any) return
    tell(t('Open a clip first, then export it.'))
    closeDialog()
  }, [open, any])
  return open && any ? html`<${ExportOf} clip=${clip} clips=${clips} />` : null
}
