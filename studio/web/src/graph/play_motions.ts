// play_motions.ts - "Do": what a steered character is asked for, by a key, a button or a click on the floor: actions of its graph,
// and motions of families with their numbers.
import type { Graph } from '../api'
import { Button, IconButton } from '../controls'
import { html } from '../html'
import { missText } from '../param/param_data'
import { t } from '../words/words'
import { FamilyNumbers } from './family_fields'
import { isOfGraph } from './motions'
import { pointOf, steering, type Doable } from './play_session'

/** How far it has got with it. */
function stateOf(name: string): 'doing' | 'pending' | '' {
  return steering.doing === name ? 'doing' : steering.pending === name ? 'pending' : ''
}

const words = { doing: t('it does that now'), pending: t('it is on its way to that'), '': '' }

function Answer({ name }: { name: string }) {
  const { refused, answered } = steering
  if (refused?.name === name) return html`<p class="making-error" role="alert">${refused.message}</p>`
  if (answered?.name !== name || answered.error === null) return null
  const { error, error_unit = '', outside = false } = answered
  return html`<p class=${outside ? 'is-outside' : 'dim'} role="status">${missText({ error, error_unit, outside })}</p>`
}

function Row({ doable, number, graph, disabled }: { doable: Doable; number: number; graph: Graph; disabled: boolean }) {
  const { name, row, family, values } = doable
  const state = stateOf(name)
  const far = row && !isOfGraph(row, graph)
  const about = row ? t`A motion of the family ${name}: ${row.features.join(', ')}` : t`The action ${name}, all of it`
  const point = family && pointOf(family) >= 0
  return html`<li class=${`${row ? 'is-family' : ''}${state ? ` is-${state}` : ''}`}>
    <div role="group" aria-label=${row ? t`Family ${name}` : t`Action ${name}`}>
      <div class="walk-motion flex-row">
        <${Button}
          kind=${far ? 'dim' : ''} disabled=${disabled} aria-pressed=${String(state !== '')}
          title=${far ? t`${about}. None of its examples is of a clip in this graph: perhaps it does not fit` : about}
          onClick=${() => steering.ask(name)}
        >
          ${number <= 9 && html`<kbd>${number}</kbd>${' '}`}${name}
          ${state && html`<span class="visually-hidden">, ${words[state]}</span>`}
        <//>
        ${point &&
        html`<${IconButton}
          icon="floor" name=${t`${name} where the floor is clicked`} disabled=${disabled}
          title="Then click the floor: it is done at that place, as the character sees it now"
          aria-pressed=${String(steering.aimed === name)} onClick=${() => steering.aim(name)}
        />`}
        ${family &&
        html`<${FamilyNumbers} family=${family} values=${values} set=${(next: number[]) => steering.setValues(name, next)} />`}
      </div>
      <${Answer} name=${name} />
    </div>
  </li>`
}

const noRequests = t('A character that is steered by matching takes no requests; steer it by graph.')

export function DoList({ graph }: { graph: Graph }) {
  const { doables, running, controller } = steering
  if (doables.length === 0) return null
  const matches = controller !== 'graph'
  return html`<section class="walk-actions walk-motions play-motions boxed" aria-label="Do">
    <p class="dim">
      ${matches ? noRequests : t('Do, by a click or its key: it goes to where that can begin, does it, and is steered on.')}
    </p>
    <ol>
      ${doables.map(
        (doable, i) => html`<${Row}
          key=${doable.name} doable=${doable} number=${i + 1} graph=${graph} disabled=${!running || matches}
        />`,
      )}
    </ol>
  </section>`
}
