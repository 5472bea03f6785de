// make_dialogs.ts - dialogs that make one clip of another: a loop of it, or the same with feet held still.
import { useEffect, useState } from 'preact/hooks'
import { refresh } from '../actions'
import { api, type Card, type Kept, type Loops } from '../api'
import { attempt } from '../attempt'
import { lengthText } from '../compare/readout'
import { html } from '../html'
import { openClips } from '../open_clips'
import { actInto } from '../operations'
import { getState, tell } from '../store'
import { freeName } from '../timeline/segment'
import { closeDialog, FormDialog, LineField } from './dialog'

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

function LoopChoice({ loops, chosen, choose }: ChoiceProps) {
  return html`<fieldset class="loops">
    <legend>Best loops</legend>
    <div class="loops-list boxed" tabindex="0" role="group" aria-label="Loops, the best first">
      ${loops.loops.map(
        (loop, i) => html`<label key=${i}>
          <input type="radio" name="loop" checked=${i === chosen} onChange=${() => choose(i)} />
          <span>frames ${loop.start}–${loop.end}</span>
          <span class="dim">${((loop.end - loop.start) / loops.fps).toFixed(2)} s</span>
          <span class="dim">${lengthText(loop.cost, loops.unit)} apart</span>
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
  useEffect(() => {
    if (card) void attempt(async () => setLoops(await api.loops(card.id)))
  }, [])
  const loop = loops?.loops[chosen]
  const submit = () => keep('loop', { clip: card!.id, at: [loop!.start, loop!.end], in_place: inPlace }, name.trim())
  return html`<${FormDialog}
    title=${`Loop of ${card?.name ?? ''}`} id="loop-form" button="Make the loop" submit=${submit}
    ready=${Boolean(name.trim() && card && loop)}
  >
    ${!loops && html`<p class="dim" role="status">Seeking loops…</p>`}
    ${loops?.loops.length === 0 && html`<p>There is none: no two of its frames are alike enough.</p>`}
    ${loops && loop && html`<${LoopChoice} loops=${loops} chosen=${chosen} choose=${choose} />`}
    <label class="loops-place flex-row">
      <input type="checkbox" checked=${inPlace} onChange=${() => setInPlace(!inPlace)} />
      In place: the body stays over one point
    </label>
    <${NameField} name=${name} set=${setName} />
  <//>`
}

export function CleanDialog() {
  const card = useSubject()
  const [name, setName] = useName(card, 'still')
  return html`<${FormDialog}
    title=${`Clean the feet of ${card?.name ?? ''}`} id="clean-form" button="Clean the feet"
    ready=${Boolean(name.trim() && card)} submit=${() => keep('clean', { clip: card!.id }, name.trim())}
  >
    <p>
      A new clip in which planted heels and toes stay where they are planted. The legs follow, and the root moves as
      little as they need.
    </p>
    <${NameField} name=${name} set=${setName} />
  <//>`
}
