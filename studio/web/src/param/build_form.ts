// build_form.ts - a new family: its examples, what they differ in, and its name. The features and their words are the
// program's own table.
import { useEffect, useState } from 'preact/hooks'
import { api, type Clip, type Feature, type FeatureTable, type Word } from '../api'
import { Button, Choice, IconButton, valueOf } from '../controls'
import { html } from '../html'
import { BuildForm } from '../making/parts'
import { ClipName } from '../names'
import { pickClips } from '../opening'
import { prefixOf } from '../search/match_data'
import { t } from '../words/words'
import { leadingHand } from './hands'
import { featureText, frameMoment, newDraft, pinsOf, slotsOf, type Draft, type Material } from './param_data'
import { parameters } from './session'

const mostFeatures = 8

interface First {
  clip: Clip | null
  /** What it is done with; '': not known yet. */
  hand: string
}

/** The clip whose joints can be chosen, and the hand that does it in the first example. */
function useFirst(part: Material['parts'][number] | undefined): First {
  const [first, set] = useState<First>({ clip: null, hand: '' })
  useEffect(() => {
    if (!part) return
    let gone = false
    const put = (clip: Clip | null, hand: string) => {
      if (!gone) set({ clip, hand })
    }
    const usual = newDraft.joint
    void api.clip(part.clip.id).then(
      (clip) => leadingHand(clip, part.segment).then((hand) => put(clip, hand), () => put(clip, usual)),
      () => put(null, usual),
    )
    return () => {
      gone = true
    }
  }, [part?.clip.id])
  return first
}

interface WordProps {
  name: string
  value: string
  words: readonly Word[]
  set: (value: string) => void
}

function WordChoice({ name, value, words, set }: WordProps) {
  const options = words.map((word) => [word.name, word.name === frameMoment ? t('frame…') : word.name, word.about] as const)
  const about = words.find((word) => word.name === value)?.about
  return html`<${Choice} name=${name} title=${about} value=${value} options=${options} set=${set} />`
}

/** Roles first: they are the same for every skeleton. */
function JointChoice({ clip, value, set }: { clip: Clip | null; value: string; set: (value: string) => void }) {
  const roles = Object.entries(clip?.roles ?? {}).flatMap(([role, joint]) => (joint >= 0 ? [role] : []))
  const joints = (clip?.joints ?? []).map(({ name }) => name).filter((name) => !roles.includes(name))
  const unknown = roles.includes(value) || joints.includes(value) ? [] : [value]
  const groups = [
    { group: t('By role'), options: roles },
    { group: t('By name'), options: joints },
  ]
  return html`<${Choice} name="Joint" value=${value} options=${[...unknown, ...groups]} set=${set} />`
}

function FrameField({ draft, set }: { draft: Draft; set: (fields: Partial<Draft>) => void }) {
  return html`<input
    class="field param-frame" type="number" min="0" aria-label="Frame of the first example" value=${draft.frame}
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
    return html`<${WordChoice} name="Relative to" value=${draft.from} words=${table.places} set=${to('from')} />`
  }
  if (slot === 'AMOUNT') {
    return html`<${WordChoice} name="Amount" value=${draft.amount} words=${amountsOf(table)} set=${to('amount')} />`
  }
  if (slot === 'WHEN') {
    return html`<${WordChoice} name="Moment" value=${draft.when} words=${table.moments} set=${to('when')} />
      ${draft.when === frameMoment && html`<${FrameField} draft=${draft} set=${set} />`}`
  }
  return html`<label class="compare-field flex-row">
    <span>Label</span>
    <input
      class="field" title="Clips have it with a number: mood=0.7" autocomplete="off" spellcheck=${false} value=${draft.label}
      onInput=${(event: Event) => set({ label: valueOf(event) })}
    />
  </label>`
}

function FeatureRow(row: RowProps) {
  const { draft, table, set, remove } = row
  const kind = table.features.find(({ name }) => name === draft.kind) as Feature | undefined
  return html`<li>
    <div class="compare-fields">
      <${WordChoice} name="What" value=${draft.kind} words=${table.features} set=${(next: string) => set({ kind: next })} />
      ${kind && slotsOf(kind).map((slot) => html`<${Slot} key=${slot} slot=${slot} ...${row} />`)}
      ${remove &&
      html`<${IconButton} icon="close" name="Without this feature" onClick=${remove} />`}
    </div>
    <p class="dim">${kind?.about}${kind?.unit ? t`, in ${kind.unit}` : ''}</p>
  </li>`
}

function Examples() {
  const parts = parameters.material?.parts ?? []
  if (parts.length === 0) {
    return html`<div class="param-empty dim">
      <p>
        A family is made of examples of one movement: reaches, kicks. Then it makes any motion between them: the hand there,
        the kick so high.
      </p>
      <p>Find one in a clip: all that are like it are listed, and <b>Family</b> below them takes those that are ticked.</p>
      <p class="compare-fields">
        <${Button} icon="search" kind="primary" onClick=${() => pickClips('search')}>Find examples<//>
        <${Button} icon="param" onClick=${() => pickClips('family')}>Of whole clips…<//>
      </p>
    </div>`
  }
  return html`<section class="param-examples" aria-label="Examples">
    <h3>${parts.length} examples${parameters.material?.found ? t(', aligned as they were found') : ''}</h3>
    <ol tabindex="0" aria-label="Parts of clips">
      ${parts.map(
        ({ clip, segment: { start, end } }, i) => html`<li key=${i}>
          <${ClipName} id=${clip.id} name=${clip.name} /> <span class="dim">${start}–${end - 1}</span>
        </li>`,
      )}
    </ol>
  </section>`
}

export function FamilyForm() {
  const [changed, setDrafts] = useState<Draft[] | null>(null)
  const [pins, setPins] = useState('')
  const { table, material, busyWith, families } = parameters
  const first = material?.parts[0]?.clip
  const { clip, hand } = useFirst(material?.parts[0])
  const fresh = { ...newDraft, joint: hand || newDraft.joint }
  const drafts = changed ?? [fresh]
  if (!material || !table || !first) return html`<${Examples} />`
  const setAt = (at: number) => (fields: Partial<Draft>) =>
    setDrafts(drafts.map((draft, i) => (i === at ? { ...draft, ...fields } : draft)))
  return html`<${BuildForm}
    name="New family" kind="param-build" suggested=${prefixOf(first.name)} button="Build the family"
    taken=${families?.map(({ name }) => name) ?? []} ready=${busyWith === '' && hand !== '' && material.parts.length > 1}
    build=${(name: string) =>
      void parameters.build(name, drafts.map((draft) => featureText(draft, table)), pinsOf(pins))}
  >
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
    <${Button}
      icon="plus" kind="quiet param-more" disabled=${drafts.length >= mostFeatures}
      onClick=${() => setDrafts([...drafts, fresh])}
    >One more feature<//>
    <label class="compare-field flex-row">
      <span>Pins</span>
      <input
        class="field" autocomplete="off" spellcheck=${false} value=${pins} placeholder="walk#30,run#41; …"
        title="Frames that belong together: one of the first example and of others that are aligned wrongly"
        onInput=${(event: Event) => setPins(valueOf(event))}
      />
    </label>
  <//>`
}
