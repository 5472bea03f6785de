// material.ts - what a puppet can learn from besides the mouse: two clips of the library, a table of places, a ready-made
// demonstration.
import { useState } from 'preact/hooks'
import { Button, Choice, takeEvent, valueOf } from '../controls'
import { html } from '../html'
import { useStore } from '../store'
import { puppets } from './session'
import { showing } from './show_session'

function Add({ disabled, run }: { disabled: boolean; run: () => void }) {
  return html`<${Button} icon="plus" disabled=${disabled} onClick=${run}>Add<//>`
}

/** Both from their first frames on: where the hips are and face. */
export function AddClips() {
  const cards = useStore((state) => state.cards)
  const [main, setMain] = useState(String(puppets.clips[0] ?? cards[0]?.id ?? ''))
  const [react, setReact] = useState(String(puppets.clips[1] ?? cards[1]?.id ?? ''))
  const options = cards.map(({ id, name }) => [id, name] as const)
  const [a, b] = [main, react].map((id) => cards.find((card) => String(card.id) === id))
  const add = () => a && b && showing.add({ what: 'clips', main: a, react: b })
  return html`<div class="compare-fields">
    <${Choice} name="Main" kind="puppet-select" value=${main} options=${options} set=${setMain} />
    <${Choice} name="Reacts" kind="puppet-select" value=${react} options=${options} set=${setReact} />
    <${Add} disabled=${!a || !b} run=${add} />
  </div>`
}

const columns = 'time,main_x,main_y,main_dir,react_x,react_y,react_dir'

export function AddCsv() {
  const [text, setText] = useState('')
  const [called, setCalled] = useState('pasted.csv')
  const take = async (file: File | undefined) => {
    if (!file) return
    setCalled(file.name)
    setText(await file.text())
  }
  const drop = (event: DragEvent) => {
    takeEvent(event)
    void take(event.dataTransfer?.files[0])
  }
  const choose = (event: Event) => void take((event.currentTarget as HTMLInputElement).files?.[0])
  const add = () => {
    showing.add({ what: 'csv', text, called })
    setText('')
    setCalled('pasted.csv')
  }
  return html`<div class="puppet-csv" onDragOver=${(event: Event) => event.preventDefault()} onDrop=${drop}>
    <textarea
      class="field" rows="3" spellcheck=${false} aria-label="Table of places" placeholder=${`${columns}\nseconds, cm, radians; drop a file or paste`}
      value=${text} onInput=${(event: Event) => setText(valueOf(event))}
    ></textarea>
    <div class="compare-fields">
      <label class="button puppet-file">
        Choose a file<input type="file" class="visually-hidden" accept=".csv,text/csv" onChange=${choose} />
      </label>
      ${text && html`<span class="dim">${called}</span>`}
      <${Add} disabled=${text.trim() === ''} run=${add} />
    </div>
  </div>`
}

export function AddReady() {
  const ready = puppets.table?.ready ?? []
  const [name, setName] = useState(ready[0]?.name ?? '')
  const now = ready.find((each) => each.name === name)
  const options = ready.map((each) => [each.name, `${each.name}, ${Math.round(each.seconds)} s`] as const)
  return html`<div class="compare-fields">
    <${Choice} name="Behaviour" kind="puppet-select" value=${name} options=${options} set=${setName} />
    <${Add} disabled=${!now} run=${() => showing.add({ what: 'ready', name })} />
    ${now && html`<span class="dim">${now.about}</span>`}
  </div>`
}
