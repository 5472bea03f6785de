// act_bar.ts - what can be done with the ticked matches, always in reach below them.
import { useState } from 'preact/hooks'
import { useChanges } from '../changes'
import { Button, TextField, useLabels, useWritable } from '../controls'
import { html } from '../html'
import { labelsIn } from '../library/select'
import { ExportButton } from '../making/parts'
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
  const button = (name: string, disabled: boolean, on: boolean) =>
    html`<${Button} kind="quiet" disabled=${disabled} onClick=${() => searching.tickAll(on)}>${name}<//>`
  return html`<div class="act-ticks">
    <span>${count} of ${of}<span class="visually-hidden"> ticked</span></span>
    ${button('All', count === of, true)}${button('None', count === 0, false)}
  </div>`
}

export function ActBar() {
  useChanges(searching)
  const writable = useWritable()
  const allLabels = useLabels()
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
      <${TextField} name="Name" about="Of new clips and files, with a number" value=${name ?? prefix} set=${setName} />
      <${TextField} name="Labels" about="Commas between several" value=${labels} set=${setLabels} list="search-labels" />
    </div>
    <div class="act-row">
      ${writable &&
      html`<${Button} type="submit" icon="cut" kind="primary" disabled=${busy || none}>Cut into clips<//>
        <${Button}
          icon="label" disabled=${none || known.length === 0} onClick=${() => void labelClips(ticked, known)}
          title=${known.length ? 'Put these labels on the clips that the matches are in' : 'Write a label first'}
        >Label clips<//>`}
      <${Button}
        icon="blend" disabled=${ticked.length < 2} onClick=${() => void blendThem(ticked)}
        title=${ticked.length < 2 ? 'A blend has two parts at least' : 'Mix them in the panel Blend'}
      >Blend<//>
      <${Button}
        icon="param" disabled=${ticked.length < 2} onClick=${parameterizeThem}
        title=${ticked.length < 2 ? 'A family has two examples at least' : 'A family of motions, asked for by what they do'}
      >Parameterize<//>
      <${ExportButton}
        formats=${formats} disabled=${none} several=${true}
        run=${(format: string, going: (done: number) => boolean) => exportThem(ticked, prefix, format, going)}
      />
    </div>
    <datalist id="search-labels">${allLabels.map((label) => html`<option key=${label} value=${label} />`)}</datalist>
  </form>`
}
