// panel.ts - "Families", in the library's place: motions by what they do. A family is chosen or built; then what is
// wanted is dragged, here or in the view, and the motion that does it plays there.
import { operate } from '../api'
import { attempt } from '../attempt'
import { Button, Check, Choice, leaveField } from '../controls'
import { html } from '../html'
import { Icon } from '../icons'
import { exportFile, Progress } from '../jobs'
import { ExportButton, FeetHeld, Figures, KeepForm, Missing, PanelHead, Problem, SavedChoice } from '../making/parts'
import { useSession } from '../making/session'
import { openClips } from '../open_clips'
import { lineOf, showCommand } from '../operations'
import { player } from '../player'
import { tell, useStore } from '../store'
import { plural, t } from '../words/words'
import { FamilyForm } from './build_form'
import { Controls } from './controls'
import { missText, numberText, reasonsOf, spotsOf } from './param_data'
import { parameters } from './session'
import '../blend/blend.css'
import './param.css'

export { parameters } from './session'

/** What the server says that it does, as the page says it. */
const steps: Record<string, string> = {
  aligning: t('laying the examples over each other'),
  comparing: t('looking for what does not belong'),
  sampling: t('learning what their blends do'),
  'trying blends': t('looking for blends that are faulty'),
}

function Building() {
  const { job: number, jobName } = parameters
  const job = useStore(({ jobs }) => jobs.get(number))
  const step = job?.state === 'waiting' ? t('waiting for other work') : (steps[job?.what ?? ''] ?? '')
  return html`<${Progress} number=${number} name=${jobName} step=${step} title="Nothing is kept of it" />`
}

/** From this share of faulty blends on an example may not belong there. */
const blame = 0.5
const mostTold = 40

function LeftOutList() {
  const { built } = parameters
  if (!built || built.left_out.length === 0) return null
  return html`<p><${Icon} name="warning" />${built.left_out.length} left out</p>
    <ul tabindex="0" aria-label="Left out">
      ${reasonsOf(built.left_out).map(
        ({ about, list }) => html`<li key=${about}>${about}
          <ul>
            ${list.map(
              (one) => html`<li key=${`${one.id} ${one.start}`}>
                ${one.clip} <span class="dim">${one.start}–${one.end - 1}</span>
                ${!['joints', 'gone'].includes(one.reason) &&
                html`<${Button} kind="quiet" onClick=${() => void parameters.buildWith([one])}>Keep<//>`}
              </li>`,
            )}
          </ul>
        </li>`,
      )}
    </ul>`
}

function Findings() {
  const { built } = parameters
  if (!built || (built.fault_list.length === 0 && built.left_out.length === 0)) return null
  const blamed = new Set(built.examples.flatMap(({ blamed: share }, i) => (share > blame ? [i] : [])))
  const possible = blamed.size > 0 && built.examples.length - blamed.size >= 2
  const more = built.fault_list.length - mostTold
  return html`<section class="param-findings boxed" aria-label="What is odd">
    <${LeftOutList} />
    ${built.fault_list.length > 0 &&
    html`<p><${Icon} name="warning" />${plural(built.fault_list.length, 'fault')} in blends of neighbours</p>
      <ul tabindex="0" aria-label="Faults">
      ${built.fault_list.slice(0, mostTold).map(({ text }) => html`<li key=${text}>${text}</li>`)}
      ${more > 0 && html`<li class="dim">and ${more} more</li>`}
    </ul>`}
    ${possible &&
    html`<${Button} icon="close" onClick=${() => void parameters.buildWithout(blamed)}>
      Build without ${blamed.size === 1 ? t('the one') : t`the ${blamed.size}`} that most blends fail with
    <//>`}
  </section>`
}

function About() {
  const family = parameters.family!
  const spots = spotsOf(family)
  const several = spots.length > 1
  return html`<div class="param-about flex-row">
    <code>${family.features.join(' ')}</code>
    <span class="dim">${family.examples.length} examples, ${family.samples - family.examples.length} samples</span>
    ${several &&
    html`<${Choice}
      name="In the view" value=${parameters.spot} options=${spots.map((spot) => [spot, family.features[spot]])}
      set=${(spot: string) => parameters.setSpot(Number(spot))}
    />`}
  </div>`
}

/** How near what was made comes to what is wanted. */
function Miss() {
  const { asked, busy, error } = parameters
  if (error) return html`<${Problem} text=${error} />`
  if (!asked) return html`<p class="param-miss flex-row dim" role="status">${busy ? t('Making it…') : ''}</p>`
  const table = t`${numberText(asked.table_error)} ${asked.error_unit} unrefined`
  return html`<p class=${`param-miss flex-row${asked.outside ? ' is-outside' : ''}`} role="status">
    <${Icon} name=${asked.outside ? 'warning' : 'check'} /><b>${missText(asked)}</b>
    <span class="dim" title="How far off it would be by the table of samples alone">${table}</span>
  </p>`
}

/** Less than a per cent is nothing to see. */
const leastShare = 0.005

/** The examples it is made of, the largest share first. */
function Shares() {
  const { asked, family } = parameters
  if (!asked || !family) return null
  const said = asked.weights
    .map((weight, example) => ({ weight, example }))
    .filter(({ weight }) => Math.abs(weight) >= leastShare)
    .sort((a, b) => b.weight - a.weight)
  const most = said.slice(0, 6)
  const rest = said.length - most.length
  return html`<ol class="param-shares" aria-label="Made of">
    ${most.map(({ example, weight }) => {
      const { clip, start, end } = family.examples[example]!
      const bar = { width: `${Math.min(100, 100 * Math.abs(weight))}%` }
      return html`<li key=${example} class=${weight < 0 ? 'is-less' : ''}>
        <span class="param-part ellipsis">${clip} <span class="dim">${start}–${end - 1}</span></span>
        <i aria-hidden="true"><b style=${bar}></b></i><span class="param-share">${Math.round(100 * weight)} %</span>
      </li>`
    })}
    ${rest > 0 && html`<li class="dim">and ${rest} with less</li>`}
  </ol>`
}

function Watching() {
  const { comparing, clean, asked, family } = parameters
  const near = asked && family?.examples[asked.nearest]
  return html`<div class="compare-fields">
    <${Button}
      disabled=${parameters.moment_s === null} title="The frame at which it does that"
      onClick=${() => parameters.goToMoment()}
    >Go to key frame<//>
    <${Button} icon="open" disabled=${!asked} onClick=${() => player.toggle()} title="Play or pause (Space)">Play<//>
    <${Check}
      name="Nearest example" on=${comparing} set=${(on: boolean) => parameters.setComparing(on)}
      title=${near ? t`Also show ${near.clip} ${near.start}–${near.end - 1}, in the same time` : t('Also show it')}
    />
    <${FeetHeld} on=${clean} set=${(on: boolean) => parameters.setClean(on)} />
  </div>`
}

async function exportAs(format: string): Promise<void> {
  await attempt(async () => {
    const { body } = parameters
    const file = `${body.family}.${format}`
    const command = lineOf('param make', body, { file })
    const name = await exportFile(() => operate('param make', { ...body, output: file }))
    showCommand(command)
    tell(t`Exported ${name}`)
  })
}

const formats = [
  ['bvh', 'BVH'],
  ['glb', 'glTF'],
  ['fbx', 'FBX'],
] as const

function Working() {
  const { family, made, busy, error, kept } = parameters
  if (!family) return null
  const ready = made !== null && !error
  return html`<${About} />
    <${Findings} />
    <${Controls} family=${family} />
    <${Miss} />
    <${Watching} />
    <${Shares} />
    <${Figures} facts=${made?.facts ?? null} busy=${busy} />
    <${KeepForm} base=${family.name} kept=${kept} ready=${ready} keep=${(name: string) => parameters.keep(name)}>
      <${ExportButton} formats=${formats} disabled=${!ready} run=${exportAs} />
      ${kept && html`<${Button} kind="quiet" onClick=${() => void openClips([kept.id])}>Open ${kept.name}<//>`}
    <//>`
}

const leave = leaveField('.param-pad svg, .param-slider input')

export function Panel() {
  useSession(parameters)
  const { building, busyWith, error, family, families, job } = parameters
  return html`<section class="compare flex-column making param-panel" aria-label="Families" onKeyDown=${leave}>
    <${PanelHead} title="Families" hint="P">
      <${SavedChoice}
        field=${t('Family')} kind=${t('family')} stays=${t('examples')} names=${families?.map(({ name }) => name) ?? []}
        now=${building ? '' : (family?.name ?? '')} remove=${(name: string) => void parameters.remove(name)}
        open=${(name: string) => (name ? void parameters.open(name) : parameters.update({ building: true }))}
      />
    <//>
    ${job ? html`<${Building} />` : busyWith && html`<p class="dim" role="status">${busyWith}</p>`}
    ${(building || !family) && html`<${Problem} text=${error} />`}
    <${Missing}
      field=${t('Family')} rows=${families?.map(({ name, examples }) => ({ name, clips: examples })) ?? []}
      open=${(name: string) => void parameters.open(name)}
    />
    ${building ? html`<${FamilyForm} />` : html`<${Working} />`}
  </section>`
}
