// build_form.ts - a new family: its examples, what they differ in, and its name. The features and their words are the
// program's own table.
import { useEffect, useState } from 'preact/hooks'
import { api, type Clip, type Feature, type FeatureTable, type Word } from '../api'
import { html } from '../html'
import { Icon } from '../icons'
import { valueOf } from '../making/parts'
import { prefixOf } from '../search/match_data'
import { useStore } from '../store'
import { featureText, frameMoment, newDraft, slotsOf, type Draft } from './param_data'
import { parameters } from './session'

const mostFeatures = 8

/** The clip whose joints can be chosen. */
function useFirstClip(id: number | undefined): Clip | null {
  const [clip, set] = useState<Clip | null>(null)
  useEffect(() => {
    if (id !== undefined) void api.clip(id).then(set, () => set(null))
  }, [id])
  return clip
}

interface ChoiceProps {
  name: string
  value: string
  words: readonly Word[]
  set: (value: string) => void
}

function Choice({ name, value, words, set }: ChoiceProps) {
  return html`<label class="compare-field">
    <span>${name}</span>
    <select
      class="field"
      title=${words.find((word) => word.name === value)?.about}
      value=${value}
      onChange=${(event: Event) => set(valueOf(event))}
    >
      ${words.map(
        (word) => html`<option key=${word.name} value=${word.name} title=${word.about} selected=${word.name === value}>
          ${word.name === frameMoment ? 'frame…' : word.name}
        </option>`,
      )}
    </select>
  </label>`
}

/** Roles first: they are the same for every skeleton. */
function JointChoice({ clip, value, set }: { clip: Clip | null; value: string; set: (value: string) => void }) {
  const roles = Object.entries(clip?.roles ?? {}).flatMap(([role, joint]) => (joint >= 0 ? [role] : []))
  const joints = (clip?.joints ?? []).map(({ name }) => name).filter((name) => !roles.includes(name))
  const known = roles.includes(value) || joints.includes(value)
  const option = (name: string) => html`<option key=${name} value=${name} selected=${name === value}>${name}</option>`
  return html`<label class="compare-field">
    <span>Joint</span>
    <select class="field" value=${value} onChange=${(event: Event) => set(valueOf(event))}>
      ${!known && option(value)}
      <optgroup label="By role">${roles.map(option)}</optgroup>
      <optgroup label="By name">${joints.map(option)}</optgroup>
    </select>
  </label>`
}

function FrameField({ draft, set }: { draft: Draft; set: (fields: Partial<Draft>) => void }) {
  return html`<input
    class="field param-frame"
    type="number"
    min="0"
    aria-label="Frame of the first example"
    value=${draft.frame}
    onInput=${(event: Event) => set({ frame: Math.max(0, Math.round(Number(valueOf(event)) || 0)) })}
  />`
}

interface RowProps {
  draft: Draft
  table: FeatureTable
  clip: Clip | null
  set: (fields: Partial<Draft>) => void
  remove: (() => void) | null
}

function amountsOf({ amounts, amounts_about: abouts }: FeatureTable): Word[] {
  return amounts.map((name, i) => ({ name, about: abouts[i] ?? '' }))
}

function Slot({ slot, draft, table, clip, set }: Omit<RowProps, 'remove'> & { slot: string }) {
  const to = (key: keyof Draft) => (value: string) => set({ [key]: value })
  if (slot === 'JOINT') return html`<${JointChoice} clip=${clip} value=${draft.joint} set=${to('joint')} />`
  if (slot === 'FROM') {
    return html`<${Choice} name="Told from" value=${draft.from} words=${table.places} set=${to('from')} />`
  }
  if (slot === 'AMOUNT') {
    return html`<${Choice} name="Amount" value=${draft.amount} words=${amountsOf(table)} set=${to('amount')} />`
  }
  if (slot === 'WHEN') {
    return html`<${Choice} name="Moment" value=${draft.when} words=${table.moments} set=${to('when')} />
      ${draft.when === frameMoment && html`<${FrameField} draft=${draft} set=${set} />`}`
  }
  return html`<label class="compare-field">
    <span>Label</span>
    <input
      class="field"
      title="Clips have it with a number: mood=0.7"
      autocomplete="off"
      spellcheck=${false}
      value=${draft.label}
      onInput=${(event: Event) => set({ label: valueOf(event) })}
    />
  </label>`
}

function FeatureRow(row: RowProps) {
  const { draft, table, set, remove } = row
  const kind = table.features.find(({ name }) => name === draft.kind) as Feature | undefined
  return html`<li>
    <div class="compare-fields">
      <${Choice} name="What" value=${draft.kind} words=${table.features} set=${(next: string) => set({ kind: next })} />
      ${kind && slotsOf(kind).map((slot) => html`<${Slot} key=${slot} slot=${slot} ...${row} />`)}
      ${remove &&
      html`<button
        type="button"
        class="button quiet icon"
        aria-label="Without this feature"
        title="Without this feature"
        onClick=${remove}
      >
        <${Icon} name="close" />
      </button>`}
    </div>
    <p class="dim">${kind?.about}${kind?.unit ? `, in ${kind.unit}` : ''}</p>
  </li>`
}

function Examples() {
  const parts = parameters.material?.parts ?? []
  if (parts.length === 0) {
    return html`<p class="param-empty dim">
      A family is made of examples of one movement. Select clips in the library, or search for a movement and untick what
      is wrong; then choose <b>Parameterize</b>.
    </p>`
  }
  return html`<section class="param-examples" aria-label="Examples">
    <h3>${parts.length} examples${parameters.material?.found ? ', aligned as they were found' : ''}</h3>
    <ol tabindex="0" aria-label="Parts of clips">
      ${parts.map(
        ({ clip, segment: { start, end } }, i) => html`<li key=${i}>
          ${clip.name} <span class="dim">${start}–${end - 1}</span>
        </li>`,
      )}
    </ol>
  </section>`
}

export function BuildForm() {
  const writable = useStore((state) => state.about?.library.writable ?? true)
  const [drafts, setDrafts] = useState<Draft[]>([newDraft])
  const [name, setName] = useState<string | null>(null)
  const { table, material, busyWith, families } = parameters
  const first = material?.parts[0]?.clip
  const clip = useFirstClip(first?.id)
  if (!material || !table || !first) return html`<${Examples} />`
  const chosen = (name ?? prefixOf(first.name)).trim()
  const ready = chosen !== '' && busyWith === '' && writable && material.parts.length > 1
  const replaces = families?.some((family) => family.name === chosen)
  const setAt = (at: number) => (fields: Partial<Draft>) =>
    setDrafts(drafts.map((draft, i) => (i === at ? { ...draft, ...fields } : draft)))
  const build = (event: Event) => {
    event.preventDefault()
    if (chosen) void parameters.build(chosen, drafts.map((draft) => featureText(draft, table)))
  }
  return html`<form class="param-build" aria-label="New family" onSubmit=${build}>
    <${Examples} />
    <h3>What they differ in</h3>
    <ul class="param-features">
      ${drafts.map(
        (draft, i) => html`<${FeatureRow}
          key=${i} draft=${draft} table=${table} clip=${clip} set=${setAt(i)}
          remove=${drafts.length > 1 ? () => setDrafts(drafts.filter((_, at) => at !== i)) : null}
        />`,
      )}
    </ul>
    <button
      type="button" class="button quiet param-more" disabled=${drafts.length >= mostFeatures}
      onClick=${() => setDrafts([...drafts, newDraft])}
    >
      <${Icon} name="plus" />One more feature
    </button>
    <div class="compare-cut">
      <label class="compare-field compare-name">
        <span>Name</span>
        <input
          class="field" autocomplete="off" spellcheck=${false} value=${name ?? chosen}
          onInput=${(event: Event) => setName(valueOf(event))}
        />
      </label>
      <button type="submit" class="button primary" disabled=${!ready}>
        <${Icon} name="check" />Build the family
      </button>
      ${replaces && html`<span class="dim">in place of the one of that name</span>`}
    </div>
  </form>`
}
