// kept_tab.ts - the tab "Kept": the behaviours of the library, with what each was shown.
import { useState } from 'preact/hooks'
import { plural } from '../actions'
import { showCommand } from '../commands'
import { html } from '../html'
import { Icon } from '../icons'
import { valueOf } from '../making/parts'
import { useStore } from '../store'
import { Licence } from '../timeline/export_menu'
import { Miniature } from './miniature'
import { playing } from './play_session'
import { api, type PuppetRow } from './puppet_api'
import { commands, fileOf } from './puppet_commands'
import { puppets } from './session'
import { showing } from './show_session'

function play(name: string): void {
  playing.invite(name)
  puppets.setTab('play')
}

function showMore(name: string): void {
  showing.more(name)
  puppets.setTab('show')
}

function Rename({ name, done }: { name: string; done: () => void }) {
  const [to, setTo] = useState(name)
  const submit = async (event: Event) => {
    event.preventDefault()
    const wanted = to.trim()
    if (wanted && (wanted === name || (await puppets.rename(name, wanted)))) done()
  }
  return html`<form class="compare-fields" aria-label=${`Rename ${name}`} onSubmit=${submit}>
    <input
      class="field" aria-label="New name" autocomplete="off" spellcheck=${false} value=${to}
      ref=${(field: HTMLInputElement | null) => field && !field.dataset.met && ((field.dataset.met = '1'), field.select())}
      onInput=${(event: Event) => setTo(valueOf(event))}
      onKeyDown=${(event: KeyboardEvent) => event.key === 'Escape' && (event.stopPropagation(), done())}
    />
    <button type="submit" class="button primary" disabled=${to.trim() === ''}>Rename</button>
    <button type="button" class="button" onClick=${done}>Cancel</button>
  </form>`
}

function Remove({ name, done }: { name: string; done: () => void }) {
  return html`<div class="compare-fields" role="group" aria-label=${`Remove ${name}?`}>
    <span>Remove ${name} for good?</span>
    <button type="button" class="button danger" onClick=${() => void puppets.remove(name)}>Remove</button>
    <button type="button" class="button" onClick=${done}>Keep</button>
  </div>`
}

type Asking = 'none' | 'rename' | 'remove'

function Acts({ name, ask }: { name: string; ask: (what: Asking) => void }) {
  const writable = useStore((state) => state.about?.library.writable ?? true)
  const file = fileOf(name)
  return html`<div class="compare-fields">
    <button type="button" class="button" aria-label=${`Play with ${name}`} onClick=${() => play(name)}>
      <${Icon} name="open" />Play
    </button>
    ${writable &&
    html`<button
        type="button" class="button" aria-label=${`Show more to ${name}`} title="Demonstrations beside those it has"
        onClick=${() => showMore(name)}
      >
        <${Icon} name="plus" />Show more
      </button>
      <button type="button" class="button quiet icon" aria-label=${`Rename ${name}`} title="Rename" onClick=${() => ask('rename')}>
        <${Icon} name="rename" />
      </button>`}
    <a class="button quiet" href=${api.fileAddress(name)} download=${`${file}.puppet`} aria-label=${`${name} as .puppet file`}>
      .puppet
    </a>
    <a
      class="button quiet" href=${api.csvAddress(name)} download=${`${file}.csv`} aria-label=${`Demonstrations of ${name} as CSV`}
      onClick=${() => showCommand(commands.demonstrations(name))}
    >
      .csv
    </a>
    ${writable &&
    html`<button type="button" class="button quiet icon" aria-label=${`Remove ${name}`} title="Remove" onClick=${() => ask('remove')}>
      <${Icon} name="trash" />
    </button>`}
  </div>`
}

function KeptCard({ row, place }: { row: PuppetRow; place: number }) {
  const { name, about, seconds, runs, licence } = row
  const [asking, setAsking] = useState<Asking>('none')
  const hue = (place % 8) + 1
  const done = () => setAsking('none')
  return html`<li class=${`puppet-kept of-clip-${hue}`} aria-label=${name}>
    <${Miniature} puppet=${puppets.demonstrated(name)} colour=${`--clip-${hue}`} />
    <div class="puppet-about">
      <strong>${name}</strong>
      <span class="dim">
        ${seconds === null ? 'cannot be read' : `${seconds.toFixed(1)} s in ${plural(runs ?? 1, 'run')}`}
      </span>
      ${about && html`<p class="dim">${about}</p>`}
      ${licence && html`<${Licence} licence=${licence} />`}
    </div>
    ${asking === 'rename' && html`<${Rename} name=${name} done=${done} />`}
    ${asking === 'remove' && html`<${Remove} name=${name} done=${done} />`}
    ${asking === 'none' && html`<${Acts} name=${name} ask=${setAsking} />`}
  </li>`
}

export function KeptTab() {
  const kept = puppets.table?.puppets ?? []
  if (!kept.length) {
    return html`<p class="puppet-hint">
      Nothing is kept yet. In the tab
      ${' '}<button type="button" class="link" onClick=${() => puppets.setTab('show')}>Show</button>${' '}
      you demonstrate a behaviour by mouse; what it learned is kept here, in the library.
    </p>`
  }
  return html`<ul class="puppet-shelf" aria-label="Kept behaviours">
    ${kept.map((row, i) => html`<${KeptCard} key=${row.name} row=${row} place=${i} />`)}
  </ul>`
}
