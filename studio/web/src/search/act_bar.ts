// act_bar.ts - what can be done with the ticked matches, always in reach below them.
import { useRef, useState } from 'preact/hooks'
import { html } from '../html'
import { Icon } from '../icons'
import { labelsIn } from '../library/select'
import { valueOf } from '../making/parts'
import { useStore } from '../store'
import { useChanges } from '../timeline/view'
import { blendThem, cutIntoClips, exportThem, labelClips, parameterizeThem } from './acts'
import { prefixOf } from './match_data'
import { searching } from './session'

const formats: [string, string][] = [
  ['bvh', 'BVH'],
  ['glb', 'glTF'],
  ['mp4', 'Video'],
  ['png', 'Film strip'],
]

function Ticks({ count, of }: { count: number; of: number }) {
  const button = (name: string, disabled: boolean, on: boolean) => html`<button
    type="button" class="button quiet" disabled=${disabled} onClick=${() => searching.tickAll(on)}
  >${name}</button>`
  return html`<div class="act-ticks">
    <span>${count} of ${of}<span class="visually-hidden"> ticked</span></span>
    ${button('All', count === of, true)}${button('None', count === 0, false)}
  </div>`
}

function Export({ prefix, none }: { prefix: string; none: boolean }) {
  const [format, setFormat] = useState('bvh')
  const [done, setDone] = useState<number | null>(null)
  const stopped = useRef(false)
  const going = done !== null
  const { ticked } = searching
  const press = async () => {
    if (going) {
      stopped.current = true
      return
    }
    stopped.current = false
    await exportThem(ticked, prefix, format, (count) => {
      setDone(count)
      return !stopped.current
    })
    setDone(null)
  }
  return html`<span class="act-export">
    <button type="button" class="button" disabled=${none} onClick=${() => void press()}>
      <${Icon} name=${going ? 'close' : 'import'} />${going ? `Stop (${done} done)` : 'Export'}
    </button>
    <select
      class="field"
      aria-label="Export as"
      value=${format}
      disabled=${going}
      onChange=${(event: Event) => setFormat(valueOf(event))}
    >
      ${formats.map(([key, name]) => html`<option key=${key} value=${key}>${name}</option>`)}
    </select>
  </span>`
}

interface TextProps {
  name: string
  title: string
  value: string
  set: (text: string) => void
  list?: string
}

function Text({ name, title, value, set, list }: TextProps) {
  return html`<label class="compare-field compare-name" title=${title}>
    <span>${name}</span>
    <input
      class="field"
      autocomplete="off"
      spellcheck=${false}
      list=${list}
      value=${value}
      onInput=${(event: Event) => set(valueOf(event))}
    />
  </label>`
}

function KnownLabels() {
  const cards = useStore((state) => state.cards)
  const known = [...new Set(cards.flatMap(({ labels }) => labels))].sort()
  const options = known.map((label) => html`<option key=${label} value=${label} />`)
  return html`<datalist id="search-labels">${options}</datalist>`
}

export function ActBar() {
  useChanges(searching)
  const writable = useStore((state) => state.about?.library.writable ?? true)
  const [name, setName] = useState<string | null>(null)
  const [labels, setLabels] = useState('')
  const [busy, setBusy] = useState(false)
  const { ticked, matches, query } = searching
  const prefix = (name ?? prefixOf(query?.clip.name ?? 'match')).trim() || 'match'
  const none = ticked.length === 0
  const cut = async (event: Event) => {
    event.preventDefault()
    setBusy(true)
    if (await cutIntoClips(ticked, prefix, labelsIn(labels))) setName(null)
    setBusy(false)
  }
  const known = labelsIn(labels)
  return html`<form class="act-bar" onSubmit=${cut} aria-label="The ticked matches">
    <div class="act-row">
      <${Ticks} count=${ticked.length} of=${matches.length} />
      <${Text} name="Name" title="Of new clips and files, with a number" value=${name ?? prefix} set=${setName} />
      <${Text} name="Labels" title="Commas between several" value=${labels} set=${setLabels} list="search-labels" />
    </div>
    <div class="act-row">
      ${writable &&
      html`<button type="submit" class="button primary" disabled=${busy || none}>
          <${Icon} name="cut" />Cut into clips
        </button>
        <button
          type="button"
          class="button"
          title=${known.length ? 'Put these labels on the clips that the matches are in' : 'Write a label first'}
          disabled=${none || known.length === 0}
          onClick=${() => void labelClips(ticked, known)}
        >
          <${Icon} name="label" />Label clips
        </button>`}
      <button
        type="button"
        class="button"
        title=${ticked.length < 2 ? 'A blend has two parts at least' : 'Mix them in the panel Blend'}
        disabled=${ticked.length < 2}
        onClick=${() => void blendThem(ticked)}
      >
        <${Icon} name="blend" />Blend
      </button>
      <button
        type="button"
        class="button"
        title=${ticked.length < 2 ? 'A family has two examples at least' : 'A family of motions, asked for by what they do'}
        disabled=${ticked.length < 2}
        onClick=${parameterizeThem}
      >
        <${Icon} name="param" />Parameterize
      </button>
      <${Export} prefix=${prefix} none=${none} />
    </div>
    <${KnownLabels} />
  </form>`
}
