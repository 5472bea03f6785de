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

/** What was selected or open, what is only proposed beside it, and what the user has ticked; in this order. */
interface Ticks {
  known: number[]
  proposed: number[]
  own: number[]
}

/** Those that are selected or open come first; where there are too few, some that go with them. */
function proposal({ least, most }: Picking): Ticks {
  const { cards, selected } = getState()
  const known = cards.filter(({ id }) => selected.has(id))
  const open = workedOn().flatMap((id) => cards.find((card) => card.id === id) ?? [])
  const chosen = known.length ? known : open
  const all = chosen.length >= least || least > 2 ? chosen : proposePair(cards, chosen[0])
  const ids = all.slice(0, most === 1 ? 1 : Math.max(least, Math.min(most, chosen.length))).map(({ id }) => id)
  return { known: ids.slice(0, chosen.length), proposed: ids.slice(chosen.length), own: [] }
}

const only = (id: number): Ticks => ({ known: [], proposed: [], own: [id] })

/** What is only proposed gives way to what the user ticks, as long as there are enough without it. */
function tickedOf({ known, proposed, own }: Ticks, least: number): number[] {
  return [...known, ...proposed.slice(0, Math.max(0, least - known.length - own.length)), ...own]
}

/** In the order in which they were ticked; one too many takes the place of the last. */
function toggled(ticks: Ticks, id: number, { least, most }: Picking): Ticks {
  const { known, proposed, own } = ticks
  const without = (ids: number[]) => ids.filter((each) => each !== id)
  if (tickedOf(ticks, least).includes(id)) return { known: without(known), proposed: without(proposed), own: without(own) }
  const left = [...known, ...own].slice(0, most - 1)
  return { known: left.slice(0, known.length), proposed, own: [...left.slice(known.length), id] }
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
  const [ticks, setTicks] = useState(first)
  const ids = tickedOf(ticks, picking.least)
  const [text, setText] = useState('')
  const { cards } = getState()
  const fitting = cardsAbout(cards, text)
  // What is ticked is taken, so it is always seen: on top, whatever is typed.
  const top = [...new Set([...first.known, ...first.proposed, ...ids])].flatMap((id) => {
    return (ids.includes(id) ? cards : fitting).find((card) => card.id === id) ?? []
  })
  const others = fitting.filter((card) => !top.includes(card))
  const rows = [...top, ...others.slice(0, mostRows)]
  /** Of one clip: the first that is like what is typed, so that Enter takes it. */
  const type = (event: Event) => {
    const words = valueOf(event)
    const found = cardsAbout(cards, words)
    setText(words)
    if (picking.most === 1 && found[0] && !found.some(({ id }) => ids.includes(id))) setTicks(only(found[0].id))
  }
  const ready = ids.length >= picking.least && ids.length <= picking.most
  const submit = async () => {
    closeDialog()
    picking.run(ids)
  }
  return html`<${FormDialog} title=${picking.title} id="pick-form" button=${picking.button} ready=${ready} submit=${submit}>
    <input
      class="field" type="search" data-first aria-label="Type to find clips" placeholder="Type to find clips" autocomplete="off"
      spellcheck=${false} value=${text} onInput=${type}
    />
    <div class="pick-list boxed" role="group" aria-label="Clips" tabindex="0">
      ${rows.map(
        (card) => html`<${Row}
          key=${card.id} card=${card} place=${ids.indexOf(card.id)} most=${picking.most}
          toggle=${() => setTicks(picking.most === 1 ? only(card.id) : toggled(ticks, card.id, picking))}
        />`,
      )}
      ${fitting.length === 0 && html`<p class="dim">No clip is like that.</p>`}
      ${others.length > mostRows && html`<p class="dim">and ${others.length - mostRows} more: type to find them</p>`}
    </div>
  <//>`
}
