// name_dialogs.ts - small dialogs about the selected clips: another name, a description, and the last question before
// something is deleted for good.
import { useState } from 'preact/hooks'
import { editClips, plural, purgeClips, renameClip } from '../actions'
import type { Card } from '../api'
import { Button, valueOf } from '../controls'
import { html } from '../html'
import { selectedVisible } from '../library/select'
import { getState } from '../store'
import { closeDialog, Dialog, FormDialog, LineField } from './dialog'

/** The clips that a dialog is about: those selected when it opened. */
export function selectedCards(): Card[] {
  return selectedVisible(getState())
}

const longestName_bytes = 200

export function RenameDialog() {
  const [card] = useState(() => selectedCards()[0])
  const [name, setName] = useState(card?.name ?? '')
  const wanted = name.trim()
  const over = new TextEncoder().encode(wanted).length - longestName_bytes
  const submit = async () => {
    if (!card || wanted === card.name || (await renameClip(card.id, wanted))) closeDialog()
  }
  return html`<${FormDialog}
    title=${`Rename ${card?.name ?? ''}`} id="rename-form" button="Rename" ready=${wanted !== '' && over <= 0}
    submit=${submit}
  >
    <${LineField}
      id="new-name" name="New name" data-first spellcheck=${false} aria-describedby="new-name-length" value=${name}
      set=${setName} onFocus=${(event: Event) => (event.currentTarget as HTMLInputElement).select()}
    />
    <p id="new-name-length" class="wrong" role="status">
      ${over > 0 && `A name has at most ${longestName_bytes} bytes; this one has ${plural(over, 'byte')} too many.`}
    </p>
  <//>`
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
  const submit = async () => {
    const ids = cards.map((card) => card.id)
    if (Object.keys(changed).length === 0 || (await editClips(ids, changed))) closeDialog()
  }
  const what = cards.length === 1 ? cards[0]!.name : plural(cards.length, 'clip')
  const field = (name: Words, title: string, hint: string) =>
    html`<${WordsField}
      field=${name} title=${title} hint=${hint} before=${before[name]} now=${now[name]}
      set=${(text: string | null) => setNow({ ...now, [name]: text })}
    />`
  return html`<${FormDialog} title=${`Describe ${what}`} id="describe-form" button="Save" submit=${submit}>
    ${field('description', 'Description', '')} ${field('licence', 'Licence', 'such as CC BY-NC 4.0')}
  <//>`
}

export function PurgeDialog() {
  const [cards] = useState(selectedCards)
  const what = cards.length === 1 ? cards[0]!.name : plural(cards.length, 'clip')
  const purge = () => {
    closeDialog()
    void purgeClips(cards.map((card) => card.id))
  }
  const foot = html`<${Button} data-first onClick=${closeDialog}>Keep<//>
    <${Button} kind="danger" onClick=${purge}>Delete for good<//>`
  return html`<${Dialog} title=${`Delete ${what} for good?`} foot=${foot}>
    <p>The frames leave the library file. This cannot be undone.</p>
    ${cards.length > 1 &&
    html`<ul class="names boxed">
      ${cards.slice(0, 12).map((card) => html`<li key=${card.id}>${card.name}</li>`)}
      ${cards.length > 12 && html`<li class="dim">and ${cards.length - 12} more</li>`}
    </ul>`}
  </${Dialog}>`
}
