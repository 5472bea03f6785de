// name_dialogs.ts - small dialogs about the selected clips: another name, a description, and the last question before
// something is deleted for good.
import { useState } from 'preact/hooks'
import { editClips, plural, purgeClips, renameClip } from '../actions'
import type { Card } from '../api'
import { html } from '../html'
import { selectedVisible } from '../library/select'
import { getState } from '../store'
import { closeDialog, Dialog } from './dialog'

/** The clips that a dialog is about: those selected when it opened. */
export function selectedCards(): Card[] {
  return selectedVisible(getState())
}

function valueOf(event: Event): string {
  return (event.currentTarget as HTMLInputElement).value
}

function Cancel() {
  return html`<button type="button" class="button" onClick=${closeDialog}>Cancel</button>`
}

const longestName_bytes = 200

function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length
}

export function RenameDialog() {
  const [card] = useState(() => selectedCards()[0])
  const [name, setName] = useState(card?.name ?? '')
  const wanted = name.trim()
  const over = bytesOf(wanted) - longestName_bytes
  const submit = async (event: Event) => {
    event.preventDefault()
    if (!wanted || over > 0) return
    if (!card || wanted === card.name || (await renameClip(card.id, wanted))) closeDialog()
  }
  const foot = html`<${Cancel} />
    <button type="submit" form="rename-form" class="button primary" disabled=${!wanted || over > 0}>Rename</button>`
  return html`<${Dialog} title=${`Rename ${card?.name ?? ''}`} foot=${foot}>
    <form id="rename-form" class="form" onSubmit=${submit}>
      <label for="new-name">New name</label>
      <input
        id="new-name"
        class="field"
        data-first
        autocomplete="off"
        spellcheck=${false}
        aria-describedby="new-name-length"
        value=${name}
        onInput=${(event: Event) => setName(valueOf(event))}
        onFocus=${(event: Event) => (event.currentTarget as HTMLInputElement).select()}
      />
      <p id="new-name-length" class="wrong" role="status">
        ${over > 0 && `A name has at most ${longestName_bytes} bytes; this one has ${plural(over, 'byte')} too many.`}
      </p>
    </form>
  </${Dialog}>`
}

type Words = 'description' | 'licence'

/** What all of them say, or null when they differ. */
function common(cards: readonly Card[], field: Words): string | null {
  const first = cards[0]?.[field] ?? ''
  return cards.every((card) => card[field] === first) ? first : null
}

interface WordsProps {
  field: Words
  title: string
  hint: string
  /** Null: they differ and stay as they are. */
  before: string | null
  now: string | null
  set: (text: string | null) => void
}

/** A field for words of several clips. Where these differ nothing happens to them until something is typed. */
function WordsField({ field, title, hint, before, now, set }: WordsProps) {
  const shared = {
    id: field,
    class: 'field',
    placeholder: now === null ? 'they differ, and stay as they are' : hint,
    value: now ?? '',
    onInput: (event: Event) => set(valueOf(event)),
  }
  return html`<label for=${field}>${title}</label>
    ${field === 'description'
      ? html`<textarea ...${shared} rows="4" data-first></textarea>`
      : html`<input ...${shared} />`}
    ${before === null &&
    html`<button type="button" class="link" onClick=${() => set(now === null ? '' : null)}>
      ${now === null ? `Empty the ${field} of all` : `Leave every ${field} as it is`}
    </button>`}`
}

export function DescribeDialog() {
  const [cards] = useState(selectedCards)
  const [before] = useState({ description: common(cards, 'description'), licence: common(cards, 'licence') })
  const [now, setNow] = useState(before)
  const changed = {
    ...(now.description !== null && now.description !== before.description && { describe: now.description }),
    ...(now.licence !== null && now.licence !== before.licence && { licence: now.licence }),
  }
  const submit = async (event: Event) => {
    event.preventDefault()
    const ids = cards.map((card) => card.id)
    if (Object.keys(changed).length === 0 || (await editClips(ids, changed))) closeDialog()
  }
  const foot = html`<${Cancel} /><button type="submit" form="describe-form" class="button primary">Save</button>`
  const what = cards.length === 1 ? cards[0]!.name : plural(cards.length, 'clip')
  const field = (name: Words, title: string, hint: string) =>
    html`<${WordsField}
      field=${name}
      title=${title}
      hint=${hint}
      before=${before[name]}
      now=${now[name]}
      set=${(text: string | null) => setNow({ ...now, [name]: text })}
    />`
  return html`<${Dialog} title=${`Describe ${what}`} foot=${foot}>
    <form id="describe-form" class="form" onSubmit=${submit}>
      ${field('description', 'Description', '')} ${field('licence', 'Licence', 'such as CC BY-NC 4.0')}
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
