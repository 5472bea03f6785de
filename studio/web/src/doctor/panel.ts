// panel.ts - "Doctor", in the library's place: the open clip with all that is known of it, what is wrong with it and what was
// repaired; under it a report for the whole library, the worst kinds first.
import type { Clip } from '../api'
import { Button, IconButton, useWritable } from '../controls'
import { html } from '../html'
import { Progress } from '../jobs'
import { PanelHead, Problem } from '../making/parts'
import { useSession } from '../making/session'
import { ClipName } from '../names'
import { useStore } from '../store'
import { plural, t } from '../words/words'
import { Correct, StaleNotice } from './correct'
import { doctor, keyOf, type Finding, type Kind, type Patient, type Repair } from './session'
import './doctor.css'

export { doctor } from './session'

/** More are listed by `marey doctor --long`. */
const mostShown = 200

function sizeText({ size, unit }: Finding): string {
  const digits = size >= 100 ? 0 : size >= 10 ? 1 : 2
  return unit === 'frames' ? plural(size, 'frame') : `${Number(size.toFixed(digits))} ${unit}`
}

function framesOf({ start, end }: { start: number; end: number }): string {
  return end > start + 1 ? `${start}–${end - 1}` : String(start)
}

/** What cannot be mended is left out. */
const marks = t('Mark the frames where it leaps: search, blends and graphs ignore them; it can be taken back')

interface RowProps {
  clip: Patient
  finding: Finding
  /** The list is of several clips. */
  named?: boolean
}

function FindingRow({ clip, finding, named = false }: RowProps) {
  const writable = useWritable()
  const { kind, joint, certainty, fix, other } = finding
  const where = t`${kind}${joint ? t` of ${joint}` : ''}${other ? t` of ${other}` : ''} in ${clip.name}, frames ${framesOf(finding)}`
  return html`<li class="finding flex-row">
    <button
      type="button" class="finding-main boxed" aria-pressed=${String(doctor.at === keyOf(clip, finding))} title=${t`Show the ${where}; ${Math.round(100 * certainty)} % certain`}
      onClick=${() => void doctor.show(clip, finding)}
    >
      ${named && html`<${ClipName} id=${clip.id} name=${clip.name} kind="finding-clip" />`}
      <span class="chip">${kind}</span>
      <span class="finding-joint ellipsis">${other ? t`as ${other}` : (joint ?? t('whole body'))}</span>
      <span class="dim">${framesOf(finding)}</span>
      <span class="finding-size">${sizeText(finding)}</span>
    </button>
    ${writable &&
    fix &&
    html`<${Button} title=${fix === 'mark' ? marks : t('Fix this one; it can be taken back')} aria-label=${t`Fix ${where}`}
      onClick=${() => void doctor.fixOne(clip, finding)}>Fix<//>`}
  </li>`
}

function RepairRow({ clip, repair }: { clip: Patient; repair: Repair }) {
  const writable = useWritable()
  const { flaw, kind, joint, start, end, to } = repair
  const frames = end > start ? framesOf(repair) : ''
  const where = t`${flaw ?? [kind, to].filter(Boolean).join(' ')}${joint ? t` of ${joint}` : ''} in ${clip.name}${frames && t`, frames ${frames}`}`
  return html`<li class="finding flex-row">
    <button type="button" class="finding-main boxed" aria-pressed=${String(doctor.at === keyOf(clip, repair))} title=${flaw ? t`Show what was repaired: ${where}` : t`Show what was set: ${where}`}
      onClick=${() => void doctor.show(clip, repair)}>
      <span class="chip made">${flaw ?? t('set')}</span>
      <span class="finding-joint ellipsis">${flaw ? (joint ?? (kind === 'mark' ? t('frames marked') : t('whole body'))) : [kind, to, joint].filter(Boolean).join(' ')}</span>
      <span class="dim">${frames}</span>
    </button>
    ${writable &&
    html`<${IconButton} icon="undo" name=${t`Undo ${where}`} title="Take it back: the captured frames are still there"
      onClick=${() => void doctor.undoOne(clip, repair)} />`}
  </li>`
}

interface GroupProps {
  clip: Patient
  how: 'fix' | 'undo'
  kind: string
  /** So many of this kind, of which some can be fixed, or taken back. */
  count: number
  some: number
}

/** Over several of one kind: all of them at once. */
function GroupRow({ clip, how, kind, count, some }: GroupProps) {
  const writable = useWritable()
  const what = kind === 'set' ? t('set by hand') : kind
  const word = how === 'fix' ? t('Fix') : t('Undo')
  return html`<li class="finding finding-group flex-row">
    <strong class="finding-joint ellipsis">${what} <span class="dim">${count}</span></strong>
    ${writable &&
    some > 1 &&
    html`<${Button} aria-label=${t`${word} all ${some} ${what} of ${clip.name}`} onClick=${() => void doctor.changeAll(how, kind, clip)}
      >${word} all ${some}<//>`}
  </li>`
}

/** By kind, as they come. */
function groupsOf<T>(items: readonly T[], kindOf: (item: T) => string): [string, T[]][] {
  const groups = new Map<string, T[]>()
  for (const item of items) groups.set(kindOf(item), [...(groups.get(kindOf(item)) ?? []), item])
  return [...groups]
}

function FindingList({ clip }: { clip: Patient }) {
  return html`<ul class="doctor-list" aria-label="Findings of the open clip">
    ${groupsOf(clip.findings, ({ kind }) => kind).map(([kind, list]) => {
      const some = list.filter(({ fix }) => fix).length
      return html`${list.length > 1 && html`<${GroupRow} clip=${clip} how="fix" kind=${kind} count=${list.length} some=${some} />`}
      ${list.map((finding) => html`<${FindingRow} key=${finding.place} clip=${clip} finding=${finding} />`)}`
    })}
  </ul>`
}

/** Few are open at once; findings come behind. */
const fewRepairs = 5

function RepairList({ clip }: { clip: Patient }) {
  return html`<details class="doctor-repairs" open=${clip.repairs.length <= fewRepairs}>
    <summary>${plural(clip.repairs.length, 'repair')}, which can be taken back</summary>
    <ul class="doctor-list" aria-label="Repairs of the open clip">
      ${groupsOf(clip.repairs, ({ flaw }) => flaw ?? 'set').map(
        ([kind, list]) =>
          html`${list.length > 1 &&
          html`<${GroupRow} clip=${clip} how="undo" kind=${kind} count=${list.length} some=${list.length} />`}
          ${list.map((repair) => html`<${RepairRow} key=${repair.place} clip=${clip} repair=${repair} />`)}`,
      )}
    </ul>
  </details>`
}

function Facts({ clip }: { clip: Clip }) {
  const rows: [string, string][] = [
    [t('Description'), clip.description],
    [t('Licence'), clip.licence],
    [t('Source'), clip.source],
    [t('Skeleton'), `${clip.skeleton}, ${plural(clip.joints.length, 'joint')}`],
    [t('Length'), t`${plural(clip.frames, 'frame')}, ${clip.seconds.toFixed(2)} s at ${Number(clip.fps.toFixed(2))} fps`],
  ]
  return html`<dl class="doctor-facts">
    ${rows.filter(([, text]) => text).map(([name, text]) => html`<dt class="dim">${name}</dt><dd>${text}</dd>`)}
  </dl>`
}

/** The open clip. */
function Inspector({ clip }: { clip: Clip }) {
  const writable = useWritable()
  const patient = doctor.of(clip.id)
  const fixable = patient?.findings.some(({ fix }) => fix)
  return html`<section class="doctor-clip flex-column" aria-label="Open clip">
    <div class="flex-row">
      <strong class="ellipsis"><${ClipName} id=${clip.id} name=${clip.name} /></strong>
      <span class="making-space"></span>
      ${writable &&
      patient &&
      fixable &&
      html`<${Button} title="Fix every finding of this clip that is certain" onClick=${() => void doctor.changeAll('fix', 'all', patient)}
        >Fix all<//>`}
    </div>
    <${Facts} clip=${clip} />
    ${writable && html`<${Correct} clip=${clip} />`}
    ${patient &&
    html`${patient.repairs.length > 0 && html`<${RepairList} clip=${patient} />`}
      <${FindingList} clip=${patient} />
      ${patient.findings.length === 0 && html`<p class="dim">Nothing is wrong with it.</p>`}`}
  </section>`
}

function KindRow({ row }: { row: Kind }) {
  const writable = useWritable()
  const chosen = doctor.kind === row.kind
  return html`<li class="finding flex-row">
    <button type="button" class="finding-main boxed" aria-pressed=${String(chosen)} title=${row.about}
      onClick=${() => doctor.choose(chosen ? '' : row.kind)}>
      <span class="chip">${row.kind}</span>
      <span class="finding-joint ellipsis dim">${row.about}</span>
      <span class="finding-size">${row.findings} in ${plural(row.clips, 'clip')}</span>
    </button>
    ${writable &&
    row.fixable > 0 &&
    html`<${Button} title=${t`Fix ${row.fixable} of ${row.findings} in all clips; it can be taken back`}
      aria-label=${t`Fix all ${row.kind} findings`} onClick=${() => void doctor.changeAll('fix', row.kind)}>Fix all<//>`}
  </li>`
}

function Report() {
  const { answer, kind } = doctor
  if (!answer) return null
  const all = answer.clips.flatMap((clip) =>
    clip.findings.filter((finding) => !kind || finding.kind === kind).map((finding) => ({ clip, finding })),
  )
  // The worst first; a first frame that is ignored anyway comes last.
  const weight = ({ finding }: (typeof all)[number]) => (finding.fix ? 1 : 0) + finding.certainty
  const shown = all.sort((a, b) => weight(b) - weight(a)).slice(0, mostShown)
  return html`<section class="doctor-report flex-column" aria-label="Report">
    <p class="dim" role="status">
      ${all.length === 0 ? t('Nothing is wrong with these clips.') : t`${plural(all.length, 'finding')}, the most certain first`}
    </p>
    <ul class="doctor-list" aria-label="Kinds of findings">
      ${answer.kinds.map((row) => html`<${KindRow} key=${row.kind} row=${row} />`)}
    </ul>
    <ul class="doctor-list doctor-long" aria-label="Findings">
      ${shown.map(({ clip, finding }, i) => html`<${FindingRow} key=${i} clip=${clip} finding=${finding} named />`)}
    </ul>
    ${all.length > shown.length && html`<p class="dim">… and ${all.length - shown.length} more</p>`}
  </section>`
}

export function Panel() {
  useSession(doctor)
  const open = useStore((state) => state.shown[0]?.clip ?? null)
  const { job, jobName, error, stale } = doctor
  return html`<section class="compare flex-column making doctor-panel" aria-label="Doctor">
    <${PanelHead} title="What is wrong here?" hint="X" />
    ${job > 0 && html`<${Progress} number=${job} name=${jobName} />`}
    <${Problem} text=${error} />
    <${StaleNotice} stale=${stale} />
    ${open && open.id > 0 && html`<${Inspector} clip=${open} />`}
    <${Report} />
  </section>`
}
