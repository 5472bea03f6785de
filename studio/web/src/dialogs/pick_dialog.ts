// pick_dialog.ts - which clips something is about, where none were selected: a list to tick, with a proposal on top.
import { useState } from 'preact/hooks'
import type { Card } from '../api'
import { valueOf } from '../controls'
import { proposePair } from '../doors/propose'
import { html } from '../html'
import { seconds } from '../library/list'
import { cardsAbout } from '../library/select'
import { ClipName } from '../names'
import { compareClips, findMoreLike, make, makeLoop, makeRetarget, mostClips, parameterizeClips, workedOn } from '../opening'
import { getState, type PickKind } from '../store'
import { t } from '../words/words'
import { closeDialog, FormDialog } from './dialog'

interface Picking {
  title: string
  least: number
  most: number
  button: string
  run: (ids: number[]) => void
}

const kinds: Record<PickKind, Picking> = {
  compare: { title: t('Compare which two clips?'), least: 2, most: 2, button: t('Compare'), run: (ids) => void compareClips(ids) },
  transition: { title: t('From which clip into which?'), least: 2, most: 2, button: t('Go from one to the other'), run: (ids) => void make('transition', ids) },
  blend: { title: t('Blend which clips?'), least: 2, most: mostClips, button: t('Blend'), run: (ids) => void make('blend', ids) },
  retarget: { title: t('Which motion, on which body?'), least: 2, most: 2, button: t('Retarget'), run: (ids) => void makeRetarget(ids) },
  loop: { title: t('A loop of which clip?'), least: 1, most: 1, button: t('Find loops'), run: ([id]) => void makeLoop(id!) },
  search: { title: t('More like which clip?'), least: 1, most: 1, button: t('Open it'), run: ([id]) => void findMoreLike(id!) },
  family: { title: t('A family of which clips?'), least: 2, most: 256, button: t('Make a family'), run: parameterizeClips },
}

/** More are found by typing. */
const mostRows = 60

/** Those that are selected or open come first; where there are too few, some that go with them. */
function proposal({ least, most }: Picking): number[] {
  const { cards, selected } = getState()
  const known = cards.filter(({ id }) => selected.has(id))
  const open = workedOn().flatMap((id) => cards.find((card) => card.id === id) ?? [])
  const chosen = known.length ? known : open
  const all = chosen.length >= least || least > 2 ? chosen : proposePair(cards, chosen[0])
  return all.slice(0, most === 1 ? 1 : Math.max(least, Math.min(most, chosen.length))).map(({ id }) => id)
}

/** In the order in which they were ticked; one too many takes the place of the last. */
function ticked(ids: number[], id: number, most: number): number[] {
  if (ids.includes(id)) return ids.filter((each) => each !== id)
  return [...ids.slice(0, most - 1), id]
}

function Row({ card, place, most, toggle }: { card: Card; place: number; most: number; toggle: () => void }) {
  return html`<label class="pick-row flex-row">
    <input type=${most === 1 ? 'radio' : 'checkbox'} name="pick" checked=${place >= 0} onChange=${toggle} />
    <${ClipName} id=${card.id} name=${card.name} kind="pick-name" />
    ${place >= 0 && most > 1 && html`<span class="dim">${place === 0 ? t('first') : place === 1 ? t('second') : place + 1}</span>`}
    <span class="dim">${seconds(card.seconds)}</span>
  </label>`
}

export function PickDialog() {
  const [picking] = useState(() => kinds[getState().pick])
  const [first] = useState(() => proposal(picking))
  const [ids, setIds] = useState(first)
  const [text, setText] = useState('')
  const { cards } = getState()
  const rank = ({ id }: Card) => (first.includes(id) ? first.indexOf(id) : first.length)
  const fitting = [...cardsAbout(cards, text)].sort((a, b) => rank(a) - rank(b))
  const rows = fitting.slice(0, mostRows)
  const ready = ids.length >= picking.least && ids.length <= picking.most
  const submit = async () => {
    closeDialog()
    picking.run(ids)
  }
  return html`<${FormDialog} title=${picking.title} id="pick-form" button=${picking.button} ready=${ready} submit=${submit}>
    <input
      class="field" type="search" data-first aria-label="Type to find clips" placeholder="Type to find clips" autocomplete="off"
      spellcheck=${false} value=${text} onInput=${(event: Event) => setText(valueOf(event))}
    />
    <div class="pick-list boxed" role="group" aria-label="Clips" tabindex="0">
      ${rows.map(
        (card) => html`<${Row}
          key=${card.id} card=${card} place=${ids.indexOf(card.id)} most=${picking.most}
          toggle=${() => setIds(picking.most === 1 ? [card.id] : ticked(ids, card.id, picking.most))}
        />`,
      )}
      ${rows.length === 0 && html`<p class="dim">No clip is like that.</p>`}
      ${fitting.length > rows.length && html`<p class="dim">and ${fitting.length - rows.length} more: type to find them</p>`}
    </div>
  <//>`
}
