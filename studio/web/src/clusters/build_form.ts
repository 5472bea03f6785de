// build_form.ts - a new cluster graph: its clips, how frames are linked, its threshold and its name.
import { useEffect, useState } from 'preact/hooks'
import { plural } from '../actions'
import { Progress } from '../graph/job'
import { html } from '../html'
import { Icon } from '../icons'
import { valueOf } from '../making/parts'
import { useStore } from '../store'
import { useChanges } from '../timeline/view'
import { useTyped } from '../typed'
import { building, type Of } from './building'
import { clusters } from './session'

function ClipChoice() {
  const cards = useStore((state) => state.cards)
  const labels = [...new Set(cards.flatMap((card) => card.labels))].sort()
  const { of, clips, example } = building
  const now = of.what === 'label' ? `label ${of.label}` : of.what
  const choose = (event: Event) => {
    const value = valueOf(event)
    const label: Of = { what: 'label', label: value.slice(6) }
    building.set({ of: value.startsWith('label ') ? label : { what: value as 'all' | 'clips' | 'example' } })
  }
  const option = (value: string, text: string) =>
    html`<option key=${value} value=${value} selected=${value === now}>${text}</option>`
  return html`<label class="compare-field">
    <span>Of</span>
    <select class="field" value=${now} onChange=${choose}>
      ${example && option('example', `the best ${plural(example.take, 'clip')} of the sketch`)}
      ${clips.length > 0 && option('clips', plural(clips.length, 'selected clip'))}
      ${option('all', 'all clips')}
      <optgroup label="Clips with a label">${labels.map((label) => option(`label ${label}`, label))}</optgroup>
    </select>
  </label>`
}

function LinkChoice() {
  const links = clusters.table?.links ?? []
  const now = building.link || (links[0]?.name ?? '')
  const set = (event: Event) => {
    const link = valueOf(event)
    building.set({ link: link === links[0]?.name ? '' : link })
  }
  return html`<label class="compare-field">
    <span>Link</span>
    <select class="field" value=${now} title=${links.find(({ name }) => name === now)?.about} onChange=${set}>
      ${links.map(({ name }) => html`<option key=${name} value=${name} selected=${name === now}>${name}</option>`)}
    </select>
  </label>`
}

function Threshold() {
  const { table } = clusters
  const least = table?.threshold ?? 100
  const typed = useTyped(building.threshold ?? least, (value) => {
    if (value > 0) building.set({ threshold: value === least ? null : value })
  })
  const about = 'How far apart frames of one node may be: a lower one makes more and smaller nodes'
  return html`<label class="compare-field" title=${about}>
    <span>Threshold</span>
    <input class="field cluster-threshold" type="number" min="0" step="any" ...${typed} />
    <span>${table?.unit}</span>
  </label>`
}

export function BuildForm() {
  useChanges(building)
  const writable = useStore((state) => state.about?.library.writable ?? true)
  const [name, setName] = useState<string | null>(null)
  const { material, table } = clusters
  useEffect(() => building.enter(), [material])
  useEffect(() => () => building.leave(), [])
  const { of, job, link } = building
  const chosen = (name ?? (of.what === 'label' ? of.label : of.what === 'example' ? 'sketched' : 'clusters')).trim()
  const about = table?.links.find((each) => each.name === (link || table.links[0]?.name))?.about
  const replaces = table?.clusters.some((row) => row.name === chosen)
  const build = (event: Event) => {
    event.preventDefault()
    if (chosen) void building.build(chosen)
  }
  return html`<form class="graph-build" aria-label="New cluster graph" onSubmit=${build}>
    <p class="dim">
      Frames that are alike become one node, whatever clip they are from. Inside a node the motion can switch from any
      of its clips to any other, so clips are used again in pieces of half a dozen frames.
    </p>
    <div class="compare-fields"><${ClipChoice} /><${LinkChoice} /><${Threshold} /></div>
    ${about && html`<p class="dim">${link || table?.links[0]?.name}: ${about}.</p>`}
    <div class="compare-cut">
      <label class="compare-field compare-name">
        <span>Name</span>
        <input
          class="field" autocomplete="off" spellcheck=${false} value=${name ?? chosen}
          onInput=${(event: Event) => setName(valueOf(event))}
        />
      </label>
      <button type="submit" class="button primary" disabled=${!writable || job > 0 || chosen === ''}>
        <${Icon} name="check" />Build it
      </button>
      ${replaces && html`<span class="dim">in place of the one of that name</span>`}
    </div>
    ${job > 0 && html`<${Progress} number=${job} name=${`Building ${chosen}`} />`}
  </form>`
}
