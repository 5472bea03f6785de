// saved_tab.ts - the tab "Saved": the behaviours of the library, with what each was shown.
import { useState } from 'preact/hooks'
import { api, type PuppetRow } from '../api'
import { Button, IconButton, useWritable, valueOf } from '../controls'
import { html } from '../html'
import { showCommand } from '../operations'
import { Licence } from '../timeline/export_menu'
import { plural, t } from '../words/words'
import { commands, fileOf } from './lessons'
import { Miniature } from './miniature'
import { playing } from './play_session'
import { puppets } from './session'
import { showing } from './show_session'

function play(name: string): void {
  playing.invite(name)
  puppets.update({ tab: 'play' })
}

function showMore(name: string): void {
  showing.more(name)
  puppets.update({ tab: 'show' })
}

function Rename({ name, done }: { name: string; done: () => void }) {
  const [to, setTo] = useState(name)
  const submit = async (event: Event) => {
    event.preventDefault()
    const wanted = to.trim()
    if (wanted && (wanted === name || (await puppets.rename(name, wanted)))) done()
  }
  return html`<form class="compare-fields" aria-label=${t`Rename ${name}`} onSubmit=${submit}>
    <input
      class="field" aria-label="New name" autocomplete="off" spellcheck=${false} value=${to}
      ref=${(field: HTMLInputElement | null) => field && !field.dataset.met && ((field.dataset.met = '1'), field.select())}
      onInput=${(event: Event) => setTo(valueOf(event))}
      onKeyDown=${(event: KeyboardEvent) => event.key === 'Escape' && (event.stopPropagation(), done())}
    />
    <${Button} type="submit" kind="primary" disabled=${to.trim() === ''}>Rename<//>
    <${Button} onClick=${done}>Cancel<//>
  </form>`
}

function Remove({ name, done }: { name: string; done: () => void }) {
  return html`<div class="compare-fields" role="group" aria-label=${t`Remove ${name}?`}>
    <span>Remove ${name} for good?</span>
    <${Button} kind="danger" onClick=${() => void puppets.remove(name)}>Remove<//>
    <${Button} onClick=${done}>Keep<//>
  </div>`
}

type Asking = 'none' | 'rename' | 'remove'

function Acts({ name, ask }: { name: string; ask: (what: Asking) => void }) {
  const writable = useWritable()
  const file = fileOf(name)
  return html`<div class="compare-fields">
    <${Button} icon="open" aria-label=${t`Play with ${name}`} onClick=${() => play(name)}>Play<//>
    ${writable &&
    html`<${Button}
        icon="plus" aria-label=${t`Show more to ${name}`} title="Demonstrations beside those it has"
        onClick=${() => showMore(name)}
      >Show more<//>
      <${IconButton} icon="rename" name=${t`Rename ${name}`} title="Rename" onClick=${() => ask('rename')} />`}
    <a class="button quiet" href=${api.puppetFileAddress(name)} download=${`${file}.puppet`} aria-label=${t`${name} as .puppet file`}>
      .puppet
    </a>
    <a
      class="button quiet" href=${api.puppetCsvAddress(name)} download=${`${file}.csv`} aria-label=${t`Demonstrations of ${name} as CSV`}
      onClick=${() => showCommand(commands.demonstrations(name))}
    >
      .csv
    </a>
    ${writable &&
    html`<${IconButton} icon="trash" name=${t`Remove ${name}`} title="Remove" onClick=${() => ask('remove')} />`}
  </div>`
}

function SavedCard({ row, place }: { row: PuppetRow; place: number }) {
  const { name, about, seconds, runs, licence } = row
  const [asking, setAsking] = useState<Asking>('none')
  const hue = (place % 8) + 1
  const done = () => setAsking('none')
  return html`<li class=${`puppet-kept boxed of-clip-${hue}`} aria-label=${name}>
    <${Miniature} puppet=${puppets.demonstrated(name)} colour=${`--clip-${hue}`} />
    <div class="puppet-about">
      <strong>${name}</strong>
      <span class="dim">
        ${seconds === null ? t('unreadable') : t`${seconds.toFixed(1)} s in ${plural(runs ?? 1, 'run')}`}
      </span>
      ${about && html`<p class="dim">${about}</p>`}
      ${licence && html`<${Licence} licence=${licence} />`}
    </div>
    ${asking === 'rename' && html`<${Rename} name=${name} done=${done} />`}
    ${asking === 'remove' && html`<${Remove} name=${name} done=${done} />`}
    ${asking === 'none' && html`<${Acts} name=${name} ask=${setAsking} />`}
  </li>`
}

export function SavedTab() {
  const kept = puppets.table?.puppets ?? []
  if (!kept.length) {
    return html`<p class="puppet-hint">
      Nothing is saved yet. In the tab
      ${' '}<button type="button" class="link" onClick=${() => puppets.update({ tab: 'show' })}>Show</button>${' '}
      you demonstrate a behaviour by mouse; what it learned is saved here, in the library.
    </p>`
  }
  return html`<ul class="puppet-shelf" aria-label="Saved behaviours">
    ${kept.map((row, i) => html`<${SavedCard} key=${row.name} row=${row} place=${i} />`)}
  </ul>`
}
