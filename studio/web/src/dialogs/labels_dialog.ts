// labels_dialog.ts - the labels of the selected clips. A label that only some have is shown as mixed and stays so until
// it is clicked: then all have it, then none.
import { useMemo, useState } from 'preact/hooks'
import { editClips, plural } from '../actions'
import type { Card } from '../api'
import { Button, valueOf } from '../controls'
import { html } from '../html'
import { Icon } from '../icons'
import { labelCounts, labelsIn } from '../library/select'
import { getState } from '../store'
import { closeDialog, Dialog } from './dialog'
import { selectedCards } from './name_dialogs'

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
  return html`<${Dialog} title=${`Labels of ${what}`} foot=${foot}>
    <div class="label-toggles" role="group" aria-label="Labels">
      ${labels.length === 0 ? html`<p class="dim">No labels yet.</p>` : toggles(labels)}
    </div>
    <${AddLabel} known=${known} text=${text} setText=${setText} onAdd=${(label: string) => set(label, 'all')} />
    ${others.length > 0 &&
    html`<h3>Labels of other clips</h3>
      <div class="label-toggles" role="group" aria-label="Labels of other clips">${toggles(others)}</div>`}
  </${Dialog}>`
}
