// kept.ts - alignments that the library keeps: opening one, keeping this one, forgetting one.
import { useEffect, useState } from 'preact/hooks'
import { api, type KeptCurve } from '../api'
import { attempt } from '../attempt'
import { showCommand } from '../commands'
import { Button, Choice, IconButton, useWritable, valueOf } from '../controls'
import { html } from '../html'
import { lineOf } from '../operations'
import { blend } from './session'

/** Asked for when the panel opens, and whenever one was kept or removed here. */
function useKept(): [KeptCurve[], () => void] {
  const [curves, set] = useState<KeptCurve[]>([])
  const load = () => void attempt(async () => set((await api.keptCurves()).curves))
  useEffect(load, [])
  return [curves, load]
}

function KeepCurve({ done }: { done: () => void }) {
  const [name, setName] = useState('')
  const save = async (event: Event) => {
    event.preventDefault()
    if (!name.trim() || !(await blend.keepCurve(name.trim()))) return
    setName('')
    done()
  }
  return html`<form class="blend-keep-curve" onSubmit=${save}>
    <input
      class="field" aria-label="Name of the alignment" placeholder="name of the alignment" autocomplete="off"
      spellcheck=${false} value=${name} onInput=${(event: Event) => setName(valueOf(event))}
    />
    <${Button} type="submit" disabled=${!name.trim() || !blend.registration}>Keep alignment<//>
  </form>`
}

export function Alignments() {
  const [curves, load] = useKept()
  const writable = useWritable()
  const open = (name: string) => {
    if (!name) return
    showCommand(lineOf('curves', {}))
    void blend.openCurve(name)
  }
  const forget = async () => {
    if (blend.curve !== null && (await blend.removeCurve(blend.curve))) load()
  }
  return html`<div class="compare-fields blend-kept">
    <${Choice}
      name="Alignment" value=${blend.curve ?? ''} set=${open}
      options=${[['', 'of these clips'], ...curves.map(({ name }) => name)]}
    />
    ${writable &&
    blend.curve !== null &&
    html`<${IconButton}
      icon="trash" name=${`Forget the alignment ${blend.curve}`} title=${`Forget ${blend.curve}: the clips stay`}
      onClick=${forget}
    />`}
    ${writable && blend.curve === null && html`<${KeepCurve} done=${load} />`}
  </div>`
}
