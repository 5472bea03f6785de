// kept.ts - registrations that the library keeps: opening one, keeping this one, forgetting one.
import { useEffect, useState } from 'preact/hooks'
import { api, type KeptCurve } from '../api'
import { attempt } from '../attempt'
import { showCommand } from '../commands'
import { html } from '../html'
import { Icon } from '../icons'
import { valueOf } from '../making/parts'
import { lineOf } from '../operations'
import { useStore } from '../store'
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
      class="field"
      aria-label="Name of the registration"
      placeholder="name of the registration"
      autocomplete="off"
      spellcheck=${false}
      value=${name}
      onInput=${(event: Event) => setName(valueOf(event))}
    />
    <button type="submit" class="button" disabled=${!name.trim() || !blend.registration}>Keep registration</button>
  </form>`
}

export function Registrations() {
  const [curves, load] = useKept()
  const writable = useStore((state) => state.about?.library.writable ?? true)
  const open = (event: Event) => {
    const name = valueOf(event)
    if (!name) return
    showCommand(lineOf('curves', {}))
    void blend.openCurve(name)
  }
  const forget = async () => {
    if (blend.curve !== null && (await blend.removeCurve(blend.curve))) load()
  }
  return html`<div class="compare-fields blend-kept">
    <label class="compare-field">
      <span>Registration</span>
      <select class="field" value=${blend.curve ?? ''} onChange=${open}>
        <option value="">of these clips</option>
        ${curves.map(
          ({ name }) => html`<option key=${name} value=${name} selected=${name === blend.curve}>${name}</option>`,
        )}
      </select>
    </label>
    ${writable &&
    blend.curve !== null &&
    html`<button
      type="button"
      class="button quiet icon"
      aria-label=${`Forget the registration ${blend.curve}`}
      title=${`Forget ${blend.curve}: the clips stay`}
      onClick=${forget}
    >
      <${Icon} name="trash" />
    </button>`}
    ${writable && blend.curve === null && html`<${KeepCurve} done=${load} />`}
  </div>`
}
