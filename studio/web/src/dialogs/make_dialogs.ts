// make_dialogs.ts - dialogs that make one clip of another: a loop of it, or the same with feet held still.
import { useEffect, useState } from 'preact/hooks'
import { refresh } from '../actions'
import { api, type Card, type Kept, type LoopCut, type Loops } from '../api'
import { attempt } from '../attempt'
import { shortNumber } from '../compare/readout'
import { html } from '../html'
import { openClips } from '../open_clips'
import { actInto } from '../operations'
import { getState, tell } from '../store'
import { freeName } from '../timeline/segment'
import { closeDialog, Dialog } from './dialog'

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
  return html`<label for="made-name">New clip</label>
    <input
      id="made-name"
      class="field"
      data-first
      autocomplete="off"
      spellcheck=${false}
      value=${name}
      onInput=${(event: Event) => set((event.currentTarget as HTMLInputElement).value)}
    />`
}

function Foot({ form, doing, ready }: { form: string; doing: string; ready: boolean }) {
  return html`<button type="button" class="button" onClick=${closeDialog}>Cancel</button>
    <button type="submit" form=${form} class="button primary" disabled=${!ready}>${doing}</button>`
}

async function keep(operation: string, body: object, name: string): Promise<void> {
  const done = await attempt(async () => {
    const made = await actInto<Kept>(operation, body, name)
    tell(`Kept as ${made.name}`, 'info', { label: 'Open', run: () => void openClips([made.id]) })
    refresh()
  })
  if (done) closeDialog()
}

interface ChoiceProps {
  loops: Loops
  chosen: number
  choose: (at: number) => void
}

function costOf({ cost }: LoopCut, unit: string): string {
  return unit === 'cm2' ? `${shortNumber(Math.sqrt(Math.max(0, cost)))} cm` : shortNumber(cost)
}

function LoopChoice({ loops, chosen, choose }: ChoiceProps) {
  return html`<fieldset class="loops">
    <legend>Best loops</legend>
    <div class="loops-list" tabindex="0" role="group" aria-label="Loops, the best first">
      ${loops.loops.map(
        (loop, i) => html`<label key=${i}>
          <input type="radio" name="loop" checked=${i === chosen} onChange=${() => choose(i)} />
          <span>frames ${loop.start}–${loop.end}</span>
          <span class="dim">${((loop.end - loop.start) / loops.fps).toFixed(2)} s</span>
          <span class="dim">${costOf(loop, loops.unit)} apart</span>
        </label>`,
      )}
    </div>
  </fieldset>`
}

export function LoopDialog() {
  const card = useSubject()
  const [name, setName] = useName(card, 'loop')
  const [inPlace, setInPlace] = useState(false)
  const [loops, setLoops] = useState<Loops | null>(null)
  const [chosen, choose] = useState(0)
  const [busy, setBusy] = useState(false)
  useEffect(() => {
    if (card) void attempt(async () => setLoops(await api.loops(card.id)))
  }, [])
  const submit = async (event: Event) => {
    event.preventDefault()
    const loop = loops?.loops[chosen]
    if (!card || !loop) return
    setBusy(true)
    await keep('loop', { clip: card.id, at: [loop.start, loop.end], in_place: inPlace }, name.trim())
    setBusy(false)
  }
  const ready = Boolean(name.trim() && loops?.loops.length && !busy)
  const foot = html`<${Foot} form="loop-form" doing="Make the loop" ready=${ready} />`
  return html`<${Dialog} title=${`Loop of ${card?.name ?? ''}`} foot=${foot}>
    <form id="loop-form" class="form" onSubmit=${submit}>
      ${!loops && html`<p class="dim" role="status">Seeking loops…</p>`}
      ${loops?.loops.length === 0 && html`<p>There is none: no two of its frames are alike enough.</p>`}
      ${loops && loops.loops.length > 0 && html`<${LoopChoice} loops=${loops} chosen=${chosen} choose=${choose} />`}
      <label class="loops-place">
        <input type="checkbox" checked=${inPlace} onChange=${() => setInPlace(!inPlace)} />
        In place: the body stays over one point
      </label>
      <${NameField} name=${name} set=${setName} />
    </form>
  </${Dialog}>`
}

export function CleanDialog() {
  const card = useSubject()
  const [name, setName] = useName(card, 'still')
  const [busy, setBusy] = useState(false)
  const submit = async (event: Event) => {
    event.preventDefault()
    if (!card || !name.trim()) return
    setBusy(true)
    await keep('clean', { clip: card.id }, name.trim())
    setBusy(false)
  }
  const foot = html`<${Foot} form="clean-form" doing="Clean the feet" ready=${Boolean(name.trim()) && !busy} />`
  return html`<${Dialog} title=${`Clean the feet of ${card?.name ?? ''}`} foot=${foot}>
    <form id="clean-form" class="form" onSubmit=${submit}>
      <p>
        A new clip in which planted heels and toes stay where they are planted. The legs follow, and the root moves as
        little as they need.
      </p>
      <${NameField} name=${name} set=${setName} />
    </form>
  </${Dialog}>`
}
