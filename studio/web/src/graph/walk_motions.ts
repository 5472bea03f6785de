// walk_motions.ts - motions of families that are done on a path, or one after the other: what is asked of each, where, and what
// came of it, with a way to its frame.
import type { Graph } from '../api'
import { Button, Check, IconButton, NumberField } from '../controls'
import { html } from '../html'
import { labelColour } from '../timeline/lanes'
import { t } from '../words/words'
import { FamilyNumbers } from './family_fields'
import { lengthOf } from './floor_curve'
import { byFit, isOfGraph, mostMotions, performedText, type Motion } from './motions'
import { walk } from './path_session'
import { goTo } from './walk_parts'

/** Along the path, or at its end. */
function Where({ motion }: { motion: Motion }) {
  const length = Math.floor(lengthOf(walk.curve))
  const { key, along_cm } = motion
  return html`${along_cm !== null &&
    html`<${NumberField}
      name="At" about="So far along the path; the mark on the plan can be dragged" value=${along_cm} least=${0} most=${length}
      step=${10} set=${(along: number) => walk.setMotion(key, { along_cm: along })}
    ><span class="dim">cm</span><//>`}
    <${Check}
      name="At the end" title="The walk ends with it" on=${along_cm === null}
      set=${(end: boolean) => walk.setMotion(key, { along_cm: end ? null : Math.round(0.8 * length) })}
    />`
}

function CameOf({ motion }: { motion: Motion }) {
  const { refused, error, busy } = walk
  if (refused?.key === motion.key) return html`<p class="making-error" role="alert">${refused.message}</p>`
  const performed = walk.performed(motion.key)
  if (!performed || error || refused) return html`<p class="dim">${busy ? t('Finding a walk…') : ''}</p>`
  return html`<${Button}
    kind=${`quiet${performed.outside ? ' is-outside' : ''}`} title="Go to this frame" onClick=${() => goTo(performed.at)}
  >
    <b>frame ${performed.at}</b> ${performedText(performed, motion.family)}
  <//>`
}

function Row({ motion, number, count }: { motion: Motion; number: number; count: number }) {
  const { key, family, values } = motion
  const { name } = family
  return html`<li class=${walk.chosenMark?.key === key ? 'is-chosen' : ''}>
    <div role="group" aria-label=${t`${name}, motion ${number} of ${count}`}>
      <div class="walk-motion flex-row">
        <i class="walk-key" style=${{ background: labelColour(name) }}></i><b>${name}</b>
        <${FamilyNumbers} family=${family} values=${values} set=${(next: number[]) => walk.setMotion(key, { values: next })} />
        ${walk.way === 'path' && html`<${Where} motion=${motion} />`}
      </div>
      <${IconButton} icon="close" name=${t`Take out ${name}, motion ${number}`} title="Take it out" onClick=${() => walk.dropMotion(key)} />
      <${CameOf} motion=${motion} />
    </div>
  </li>`
}

const elsewhere = t('none of its examples is of a clip in this graph: perhaps it does not fit')
const notRound = t('A walk that goes round obstacles does no motions on its way')

export function Motions({ graph }: { graph: Graph }) {
  const { families, ordered, way, obstacles, motions } = walk
  if (!families?.length) return null
  const blocked = way === 'path' && obstacles.length > 0
  const full = motions.length >= mostMotions
  return html`<section class="walk-actions walk-motions boxed" aria-label=${way === 'path' ? t('Motions on the way') : t('Motions, in their order')}>
    <ol>
      ${ordered.map((motion, i) => html`<${Row} key=${motion.key} motion=${motion} number=${i + 1} count=${ordered.length} />`)}
    </ol>
    <div class="flex-row" role="group" aria-label="Add a motion">
      ${way === 'path' && html`<span class="dim">On the way:</span>`}
      ${byFit(families, graph).map((row) => {
        const fits = isOfGraph(row, graph)
        return html`<${Button}
          key=${row.name} kind=${fits ? 'quiet' : 'quiet dim'} disabled=${full || blocked}
          title=${blocked ? notRound : fits ? t`A motion of the family ${row.name}: ${row.features.join(', ')}` : `${row.name}: ${elsewhere}`}
          onClick=${() => void walk.addMotion(row.name)}
        >+ ${row.name}<//>`
      })}
    </div>
  </section>`
}
