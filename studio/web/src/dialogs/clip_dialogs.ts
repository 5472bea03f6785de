// clip_dialogs.ts - dialogs about clips: another name, a description, labels, the last question before something is deleted for
// good, and what makes one clip of another.
import { useMemo, useState } from 'preact/hooks'
import { editClips, purgeClips, refresh, renameClip } from '../actions'
import type { Card, Kept } from '../api'
import { attempt } from '../attempt'
import { Button, valueOf } from '../controls'
import { html } from '../html'
import { Icon } from '../icons'
import { labelCounts, labelsIn, selectedVisible } from '../library/select'
import { openClips } from '../open_clips'
import { actInto } from '../operations'
import { getState, tell } from '../store'
import { freeName } from '../timeline/segment'
import { plural, t } from '../words/words'
import { closeDialog, Dialog, FormDialog, LineField } from './dialog'

// Small dialogs about the selected clips: another name, a description, and the last question before something is deleted
// for good.

/** The clips that a dialog is about: those selected when it opened. */
function selectedCards(): Card[] {
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
    title=${t`Rename ${card?.name ?? ''}`} id="rename-form" button="Rename" ready=${wanted !== '' && over <= 0}
    submit=${submit}
  >
    <${LineField}
      id="new-name" name="New name" data-first spellcheck=${false} aria-describedby="new-name-length" value=${name}
      set=${setName} onFocus=${(event: Event) => (event.currentTarget as HTMLInputElement).select()}
    />
    <p id="new-name-length" class="wrong" role="status">
      ${over > 0 && t`A name has at most ${longestName_bytes} bytes; this one has ${plural(over, 'byte')} too many.`}
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
  /** What the button says that empties the field of all clips, or leaves each as it is. */
  empty: string
  leave: string
  /** Null: they differ and stay as they are. */
  before: string | null
  now: string | null
  set: (text: string | null) => void
}

/** A field for words of several clips. Where these differ nothing happens to them until something is typed. */
function WordsField({ field, title, hint, empty, leave, before, now, set }: WordsProps) {
  const shared = {
    id: field,
    class: 'field',
    placeholder: now === null ? t('they differ, and stay as they are') : hint,
    value: now ?? '',
    onInput: (event: Event) => set(valueOf(event)),
  }
  return html`<label for=${field}>${title}</label>
    ${field === 'description'
      ? html`<textarea ...${shared} rows="4" data-first></textarea>`
      : html`<input ...${shared} />`}
    ${before === null &&
    html`<button type="button" class="link" onClick=${() => set(now === null ? '' : null)}>
      ${now === null ? empty : leave}
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
  const shared = (name: Words) => ({
    field: name,
    before: before[name],
    now: now[name],
    set: (text: string | null) => setNow({ ...now, [name]: text }),
  })
  return html`<${FormDialog} title=${t`Describe ${what}`} id="describe-form" button="Save" submit=${submit}>
    <${WordsField}
      ...${shared('description')} title="Description" hint="" empty=${t('Empty the description of all')}
      leave=${t('Leave every description as it is')}
    />
    <${WordsField}
      ...${shared('licence')} title="Licence" hint=${t('such as CC BY-NC 4.0')} empty=${t('Empty the licence of all')}
      leave=${t('Leave every licence as it is')}
    />
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
  return html`<${Dialog} title=${t`Delete ${what} for good?`} foot=${foot}>
    <p>The frames leave the library file. This cannot be undone.</p>
    ${cards.length > 1 &&
    html`<ul class="names boxed">
      ${cards.slice(0, 12).map((card) => html`<li key=${card.id}>${card.name}</li>`)}
      ${cards.length > 12 && html`<li class="dim">and ${cards.length - 12} more</li>`}
    </ul>`}
  </${Dialog}>`
}

// The labels of the selected clips. A label that only some have is shown as mixed and stays so until it is clicked: then
// all have it, then none.

type Having = 'all' | 'some' | 'none'

function havingOf(cards: readonly Card[], label: string): Having {
  const count = cards.filter((card) => card.labels.includes(label)).length
  return count === 0 ? 'none' : count === cards.length ? 'all' : 'some'
}

const ariaChecked = { all: 'true', some: 'mixed', none: 'false' } as const

interface RowProps {
  label: string
  having: Having
  onToggle: () => void
}

function LabelToggle({ label, having, onToggle }: RowProps) {
  return html`<button
    type="button" class=${`chip label-toggle ${having}`} role="checkbox" aria-checked=${ariaChecked[having]}
    onClick=${onToggle}
  >
    <${Icon} name=${having === 'all' ? 'check' : having === 'some' ? 'filter' : 'plus'} />${label}
    ${having === 'some' && html`<span class="dim">some</span>`}
  </button>`
}

/** What was clicked, over what the clips had when the dialog opened. */
function useLabels(cards: readonly Card[]) {
  const [chosen, setChosen] = useState<ReadonlyMap<string, Having>>(new Map())
  const before = useMemo(() => new Set(cards.flatMap((card) => card.labels)), [cards])
  const labels = [...new Set([...before, ...chosen.keys()])].sort((a, b) => a.localeCompare(b))
  const having = (label: string) => chosen.get(label) ?? havingOf(cards, label)
  // From what is chosen by then: several labels may be added at one go.
  const set = (label: string, to: Having) => setChosen((sofar) => new Map(sofar).set(label, to))
  const difference = (wanted: Having) =>
    labels.filter((label) => having(label) === wanted && havingOf(cards, label) !== wanted)
  return { labels, having, set, add: () => difference('all'), drop: () => difference('none') }
}

interface AddProps {
  known: string[]
  text: string
  setText: (text: string) => void
  onAdd: (label: string) => void
}

function AddLabel({ known, text, setText, onAdd }: AddProps) {
  const submit = (event: Event) => {
    event.preventDefault()
    labelsIn(text).forEach(onAdd)
    setText('')
  }
  return html`<form class="form flex-column add-label" onSubmit=${submit}>
    <label for="new-label">Add a label</label>
    <div class="row">
      <input
        id="new-label" class="field" data-first list="known-labels" autocomplete="off" value=${text}
        onInput=${(event: Event) => setText(valueOf(event))}
      />
      <${Button} type="submit" icon="plus" disabled=${!text.trim()}>Add<//>
    </div>
    <datalist id="known-labels">${known.map((label) => html`<option key=${label} value=${label} />`)}</datalist>
  </form>`
}

export function LabelsDialog() {
  const [cards] = useState(selectedCards)
  const { labels, having, set, add, drop } = useLabels(cards)
  const known = useMemo(() => labelCounts(getState().cards).map(([label]) => label), [])
  const others = known.filter((label) => !labels.includes(label)).slice(0, 16)
  const [text, setText] = useState('')
  const save = async () => {
    // What is still in the field is meant, too.
    const typed = labelsIn(text).filter((label) => havingOf(cards, label) !== 'all')
    const change = {
      add: [...new Set([...add(), ...typed])],
      drop: drop().filter((label) => !labelsIn(text).includes(label)),
    }
    const nothing = change.add.length + change.drop.length === 0
    if (nothing || (await editClips(cards.map((card) => card.id), change))) closeDialog()
  }
  const foot = html`<${Button} onClick=${closeDialog}>Cancel<//>
    <${Button} kind="primary" onClick=${() => void save()}>Save labels<//>`
  const what = cards.length === 1 ? cards[0]!.name : plural(cards.length, 'clip')
  const next = (label: string) => set(label, having(label) === 'all' ? 'none' : 'all')
  const toggles = (some: string[]) =>
    some.map(
      (label) =>
        html`<${LabelToggle} key=${label} label=${label} having=${having(label)} onToggle=${() => next(label)} />`,
    )
  return html`<${Dialog} title=${t`Labels of ${what}`} foot=${foot}>
    <div class="label-toggles" role="group" aria-label="Labels">
      ${labels.length === 0 ? html`<p class="dim">No labels yet.</p>` : toggles(labels)}
    </div>
    <${AddLabel} known=${known} text=${text} setText=${setText} onAdd=${(label: string) => set(label, 'all')} />
    ${others.length > 0 &&
    html`<h3>Labels of other clips</h3>
      <div class="label-toggles" role="group" aria-label="Labels of other clips">${toggles(others)}</div>`}
  </${Dialog}>`
}

// What makes one clip of another: the same with feet held still.

/** The clip that was meant when the dialog opened. */
function useSubject(): Card | null {
  const [card] = useState(() => getState().subject)
  return card
}

function useName(card: Card | null, what: string) {
  const taken = new Set(getState().cards.map(({ name }) => name))
  const base = `${card?.name ?? ''}-${what}`
  return useState(taken.has(base) ? freeName(base, taken) : base)
}

function NameField({ name, set }: { name: string; set: (name: string) => void }) {
  return html`<${LineField} id="made-name" name="New clip" data-first spellcheck=${false} value=${name} set=${set} />`
}

async function keep(operation: string, body: object, name: string): Promise<void> {
  const done = await attempt(async () => {
    const made = await actInto<Kept>(operation, body, name)
    tell(t`Saved as ${made.name}`, 'info', { label: t('Open'), run: () => void openClips([made.id]) })
    refresh()
  })
  if (done) closeDialog()
}

export function CleanDialog() {
  const card = useSubject()
  const [name, setName] = useName(card, 'still')
  return html`<${FormDialog}
    title=${t`Clean the feet of ${card?.name ?? ''}`} id="clean-form" button="Clean the feet"
    ready=${Boolean(name.trim() && card)} submit=${() => keep('clean', { clip: card!.id }, name.trim())}
  >
    <p>
      A new clip in which planted heels and toes stay where they are planted. The legs follow, and the root moves as
      little as they need.
    </p>
    <${NameField} name=${name} set=${setName} />
  <//>`
}
