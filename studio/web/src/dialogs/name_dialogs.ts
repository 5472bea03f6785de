// name_dialogs.ts - small dialogs about the selected clips: another name, a description, and the last question before
// something is deleted for good.
import { useState } from 'preact/hooks'
import { editClips, plural, purgeClips, renameClip } from '../actions'
import type { Card } from '../api'
import { html } from '../html'
import { getState } from '../store'
import { closeDialog, Dialog } from './dialog'

/** The clips that a dialog is about: those selected when it opened. */
export function selectedCards(): Card[] {
  const { cards, removedCards, selected } = getState()
  return [...cards, ...removedCards].filter((card) => selected.has(card.id))
}

function valueOf(event: Event): string {
  return (event.currentTarget as HTMLInputElement).value
}

function Cancel() {
  return html`<button type="button" class="button" onClick=${closeDialog}>Cancel</button>`
}

export function RenameDialog() {
  const [card] = useState(() => selectedCards()[0])
  const [name, setName] = useState(card?.name ?? '')
  const submit = async (event: Event) => {
    event.preventDefault()
    if (!card || name === card.name || (await renameClip(card.id, name.trim()))) closeDialog()
  }
  const foot = html`<${Cancel} />
    <button type="submit" form="rename-form" class="button primary" disabled=${!name.trim()}>Rename</button>`
  return html`<${Dialog} title=${`Rename ${card?.name ?? ''}`} foot=${foot}>
    <form id="rename-form" class="form" onSubmit=${submit}>
      <label for="new-name">New name</label>
      <input
        id="new-name"
        class="field"
        data-first
        maxlength="200"
        autocomplete="off"
        spellcheck=${false}
        value=${name}
        onInput=${(event: Event) => setName(valueOf(event))}
        onFocus=${(event: Event) => (event.currentTarget as HTMLInputElement).select()}
      />
    </form>
  </${Dialog}>`
}

/** What all of them say, or nothing when they differ. */
function common(cards: readonly Card[], field: 'description' | 'licence'): string {
  const first = cards[0]?.[field] ?? ''
  return cards.every((card) => card[field] === first) ? first : ''
}

export function DescribeDialog() {
  const [cards] = useState(selectedCards)
  const [before] = useState({ description: common(cards, 'description'), licence: common(cards, 'licence') })
  const [now, setNow] = useState(before)
  const changed = {
    ...(now.description !== before.description && { description: now.description }),
    ...(now.licence !== before.licence && { licence: now.licence }),
  }
  const submit = async (event: Event) => {
    event.preventDefault()
    const ids = cards.map((card) => card.id)
    if (Object.keys(changed).length === 0 || (await editClips(ids, changed))) closeDialog()
  }
  const foot = html`<${Cancel} /><button type="submit" form="describe-form" class="button primary">Save</button>`
  const what = cards.length === 1 ? cards[0]!.name : plural(cards.length, 'clip')
  return html`<${Dialog} title=${`Describe ${what}`} foot=${foot}>
    <form id="describe-form" class="form" onSubmit=${submit}>
      <label for="description">Description</label>
      <textarea
        id="description"
        class="field"
        rows="4"
        data-first
        value=${now.description}
        onInput=${(event: Event) => setNow({ ...now, description: valueOf(event) })}
      ></textarea>
      <label for="licence">Licence</label>
      <input
        id="licence"
        class="field"
        placeholder="such as CC BY-NC 4.0"
        value=${now.licence}
        onInput=${(event: Event) => setNow({ ...now, licence: valueOf(event) })}
      />
    </form>
  </${Dialog}>`
}

export function PurgeDialog() {
  const [cards] = useState(selectedCards)
  const what = cards.length === 1 ? cards[0]!.name : plural(cards.length, 'clip')
  const purge = () => {
    closeDialog()
    void purgeClips(cards.map((card) => card.id))
  }
  const foot = html`<button type="button" class="button" data-first onClick=${closeDialog}>Keep</button>
    <button type="button" class="button danger" onClick=${purge}>Delete for good</button>`
  return html`<${Dialog} title=${`Delete ${what} for good?`} foot=${foot}>
    <p>The frames leave the library file. This cannot be undone.</p>
    ${cards.length > 1 &&
    html`<ul class="names">
      ${cards.slice(0, 12).map((card) => html`<li key=${card.id}>${card.name}</li>`)}
      ${cards.length > 12 && html`<li class="dim">and ${cards.length - 12} more</li>`}
    </ul>`}
  </${Dialog}>`
}
