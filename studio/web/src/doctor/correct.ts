// correct.ts - what a file got wrong about itself, or marey guessed wrong, is set right by the user: rate, units, up axis, roles
// of joints, and which frames are no captured motion.
import { useState } from 'preact/hooks'
import type { Clip } from '../api'
import { Button, Choice, NumberField } from '../controls'
import { html } from '../html'
import { openClusters, openGraphs, parameterize } from '../opening'
import { player } from '../player'
import { getState, tell, useStore } from '../store'
import { t } from '../words/words'
import { doctor, type Stale } from './session'

/** The words that `marey set` takes for a parameter. */
function wordsFor(name: string): string[] {
  const row = getState().operations.get('set')?.params.find((each) => each.name === name)
  return (row?.words ?? []).filter((word) => word !== 'guess')
}

function Values({ clip }: { clip: Clip }) {
  const { report, joints, roles } = clip
  const known = useStore((state) => state.about?.roles ?? [])
  const [fps, setFps] = useState(clip.fps)
  const [units, setUnits] = useState(report.units)
  const [up, setUp] = useState(report.up)
  const [role, setRole] = useState(known[0] ?? '')
  const [joint, setJoint] = useState<string | null>(null)
  const now = joints[roles[role] ?? -1]?.name ?? ''
  const body = {
    ...(fps !== clip.fps && { source_fps: fps }),
    ...(units !== report.units && { units }),
    ...(up !== report.up && { up }),
    ...(joint !== null && joint !== now && { roles: [`${role}=${joint}`] }),
  }
  const chooseRole = (next: string) => {
    setRole(next)
    setJoint(null)
  }
  return html`<div class="flex-row doctor-values">
      <${NumberField} name="Recorded at" about="Frames a second that the camera took, whatever the file says" value=${fps} least=${0.1}
        most=${10000} set=${setFps} step="any">fps<//>
      <${Choice} name="Units" about="The unit of length in the file" value=${units} options=${wordsFor('units')} set=${setUnits} />
      <${Choice} name="Up" about="The axis that points up in the file" value=${up} options=${wordsFor('up')} set=${setUp} />
    </div>
    <div class="flex-row doctor-values">
      <${Choice} name="Role" about="What a joint is in the body" value=${role} options=${known} set=${chooseRole} />
      <${Choice} name=${t('is')} about="The joint that has this role" value=${joint ?? now} set=${setJoint}
        options=${[['', t('no joint')], ...joints.map(({ name }) => name)]} />
      <${Button} disabled=${Object.keys(body).length === 0} onClick=${() => void doctor.set(clip, body)}>Set<//>
    </div>`
}

function Marks({ clip }: { clip: Clip }) {
  const segment = useStore((state) => state.segment)
  const frames = segment ? `${segment.start}-${segment.end}` : ''
  const some = segment ? ` ${segment.start}–${segment.end - 1}` : ''
  const marked = segment !== null && clip.marks.some(({ start, end }) => start < segment.end && segment.start < end)
  const startHere = () => {
    if (player.frame > 0) void doctor.set(clip, { mark: [`0-${player.frame}`] })
    else tell(t('Go to the first frame of the motion first.'))
  }
  return html`<div class="flex-row doctor-values">
    <${Button} disabled=${!segment} title="Frames of the segment are no captured motion: search, blends and graphs ignore them"
      onClick=${() => void doctor.set(clip, { mark: [frames] })}>Mark${some}<//>
    <${Button} disabled=${!marked} title="Frames of the segment are captured motion" onClick=${() => void doctor.set(clip, { unmark: [frames] })}
      >Unmark${some}<//>
    <${Button} title="All frames before the playhead are no captured motion" onClick=${startHere}>Motion starts here<//>
    ${!segment && html`<span class="dim">shift-drag on the timeline to choose frames</span>`}
  </div>`
}

/** What is set is a repair: it is listed with the others and can be taken back. */
export function Correct({ clip }: { clip: Clip }) {
  const { fps, report, roles } = clip
  // What is typed is for this clip as it is.
  const key = `${clip.id} ${fps} ${report.units} ${report.up} ${JSON.stringify(roles)}`
  return html`<details class="doctor-correct">
    <summary>Correct rate, units, roles, marks</summary>
    <${Values} key=${key} clip=${clip} />
    <${Marks} clip=${clip} />
  </details>`
}

const panels: Record<string, [name: string, open: () => void]> = {
  family: [t('Families'), () => parameterize(null)],
  graph: [t('Graphs'), () => openGraphs()],
  policy: [t('Graphs'), () => openGraphs()],
  cluster: [t('Clusters'), () => openClusters(null)],
}

/** What must be made again, since clips that it is made of changed. */
export function StaleNotice({ stale }: { stale: readonly Stale[] }) {
  if (stale.length === 0) return null
  const saved = stale.filter(({ name }) => name)
  const buttons = new Map(saved.flatMap(({ kind }) => (panels[kind] ? [panels[kind]] : [])))
  return html`<section class="doctor-stale boxed flex-column" aria-label="To be made again">
    ${saved.length > 0 &&
    html`<p>Made of the clip as it was, to be built again: ${saved.map(({ kind, name }) => `${kind} ${name}`).join(', ')}.</p>`}
    ${saved.length < stale.length && html`<p>The match webs of the clip are gone.</p>`}
    <div class="flex-row">
      ${[...buttons].map(([name, open]) => html`<${Button} key=${name} onClick=${open}>${name}<//>`)}
      ${saved.length < stale.length && html`<${Button} onClick=${() => void doctor.indexAgain()}>Make match webs<//>`}
      <${Button} kind="quiet" onClick=${() => doctor.forgetStale()}>Later<//>
    </div>
  </section>`
}
