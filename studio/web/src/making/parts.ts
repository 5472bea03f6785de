// parts.ts - what the panels that make motion have in common: their head, method, feet, figures beside the preview, and forms
// that build, save and export.
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { restoreClips } from '../actions'
import type { Kept } from '../api'
import { Button, Check, Choice, IconButton, Select, TextField, useNaming, useWritable } from '../controls'
import { shortNumber } from '../compare/readout'
import { html } from '../html'
import { closeMaking } from '../opening'
import { change, useStore } from '../store'
import { freeName } from '../timeline/segment'
import { plural, t } from '../words/words'
import type { MadeFacts } from './made'
import '../compare/compare.css'
import './making.css'

// The head of a panel

export function PanelHead({ title, hint, children }: { title: string; hint: string; children?: ComponentChildren }) {
  const close = t`Back to the library (${hint})`
  return html`<header>
    <h2>${title}</h2>
    ${children}
    <${IconButton} icon="close" name="Back to the library" title=${close} kind="making-close" onClick=${closeMaking} />
  </header>`
}

interface SavedProps {
  /** Of the field, and what one of them is called: "Graph", "motion graph". */
  field: string
  kind: string
  /** What is left of one that is removed. */
  stays: string
  names: readonly string[]
  /** '': a new one. */
  now: string
  open: (name: string) => void
  remove: (name: string) => void
}

/** Which of those that the library has is open; the first choice is to make a new one. */
export function SavedChoice({ field, kind, stays, names, now, open, remove }: SavedProps) {
  const writable = useWritable()
  return html`<${Choice} name=${field} kind="saved-choice" value=${now} options=${[['', t('new…')], ...names]} set=${open} />
    ${writable &&
    now &&
    html`<${IconButton}
      icon="trash" name=${t`Remove the ${kind} ${now}`} title=${t`Remove ${now}: its ${stays} stay`}
      onClick=${() => remove(now)}
    />`}`
}

interface MissingProps {
  /** What one of them is called: "Graph". */
  field: string
  rows: readonly { name: string; clips: readonly { id: number }[] }[]
  open: (name: string) => void
}

/** Saved things whose clips were removed, each with the way to have it whole again. */
export function Missing({ field, rows, open }: MissingProps) {
  const writable = useWritable()
  const removed = useStore((state) => state.removedCards)
  const lacking = rows.flatMap(({ name, clips }) => {
    const gone = removed.filter(({ id }) => clips.some((clip) => clip.id === id))
    return gone.length ? [{ name, gone }] : []
  })
  const restore = async (name: string, ids: number[]) => {
    await restoreClips(ids)
    open(name)
  }
  return html`${lacking.map(
    ({ name, gone }) => html`<p key=${name} class="making-missing flex-row">
      <span>
        ${field} ${name} needs ${gone.length > 3 ? plural(gone.length, 'clip') : gone.map((card) => card.name).join(', ')}:
        ${' '}${gone.length === 1 ? t('it was') : t('they were')} removed.
      </span>
      ${writable &&
      html`<${Button} title=${t`Bring back what ${name} is made of`} onClick=${() => void restore(name, gone.map(({ id }) => id))}>Restore<//>`}
    </p>`,
  )}`
}

export function Problem({ text }: { text: string }) {
  return text ? html`<p class="making-error" role="alert">${text}</p>` : null
}

// How it is made

const methods: [name: string, text: string, about: string][] = [
  ['registered', t('time-aligned'), t('In step and in place: along an alignment of the clips')],
  ['untimed', t('frame-to-frame'), t('In place, but frame with frame: no timewarp')],
  ['linear', t('linear'), t('Frame with frame, root positions averaged: the thing to compare with')],
]

export function MethodChoice({ method, set }: { method: string; set: (method: string) => void }) {
  const about = methods.find(([name]) => name === method)?.[2]
  return html`<${Choice} name="Method" title=${about} value=${method} options=${methods} set=${set} />`
}

export function FeetHeld({ on, set }: { on: boolean; set: (on: boolean) => void }) {
  return html`<${Check} name="Feet held" title="Planted feet stay where they are planted" on=${on} set=${set} />`
}

// What was made

/** Beyond these an eye sees it. */
const most = { slide_cm: 0.3, jump: 1.1, knee: 1.5 }

interface FigureProps {
  name: string
  title: string
  bad?: boolean
  children: ComponentChildren
}

export function Figure({ name, title, bad = false, children }: FigureProps) {
  return html`<div title=${title} class=${bad ? 'is-bad' : ''}>
    <dt>${name}</dt>
    <dd>${children}${bad && html`<span class="visually-hidden"> (too much)</span>`}</dd>
  </div>`
}

const centimetres = (value: number) => value.toFixed(value >= 10 ? 1 : 2)
const ratio = (value: number | null) => (value === null ? '–' : `${shortNumber(value)}×`)

interface FiguresProps {
  facts: MadeFacts | null
  busy: boolean
  /** Further ones. */
  more?: ComponentChildren
  /** Beside them. */
  children?: ComponentChildren
}

/** How good what was made is. */
export function Figures({ facts, busy, more, children }: FiguresProps) {
  if (!facts) {
    return html`<p class="dim" role="status">${busy ? t('Making it…') : t('Nothing is made yet.')}</p>`
  }
  const { slide_before_cm: before, slide_after_cm: after, jump_ratio: jump, knee_ratio: knee } = facts
  const slid = after !== null && after > most.slide_cm
  return html`<div class="making-result boxed flex-row">
  <dl class="making-figures" aria-label="Figures" aria-busy=${String(busy)}>
    <${Figure} name="Length" title="Frames and seconds of what is made">
      ${facts.frames} <span class="dim">${(facts.frames / facts.fps).toFixed(2)} s</span>
    <//>
    <${Figure} name="Slide" bad=${slid} title="Largest drift of a plant, without and with held feet">
      ${after === null
        ? '–'
        : html`${facts.cleaned && before !== null && html`<span class="dim">${centimetres(before)} → </span>`}
          ${centimetres(after)} cm`}
    <//>
    <${Figure}
      name="Jump" bad=${jump !== null && jump > most.jump}
      title="Largest step of a joint from frame to frame, over the largest in the clips"
    >
      ${ratio(jump)}
    <//>
    <${Figure}
      name="Knees" bad=${knee !== null && knee > most.knee} title="The same of the knees alone: they must not pop"
    >
      ${ratio(knee)}
    <//>
    <${Figure} name="Root" title="How far the root was moved at most, so that feet can be held">
      ${centimetres(facts.root_moved_cm)} cm
    <//>
    ${more}
  </dl>
  ${children}
  </div>`
}

// Building and saving

interface BuildProps {
  /** Of the form. */
  name: string
  /** What it is called until something else is typed. */
  suggested: string
  /** Names of those that there are. */
  taken: readonly string[]
  ready: boolean
  button: string
  build: (name: string) => void
  kind?: string
  children: ComponentChildren
  /** Below the name. */
  foot?: ComponentChildren
}

/** A form for something new that the library keeps under a name. */
export function BuildForm({ name: label, suggested, taken, ready, button, build, kind = '', children, foot }: BuildProps) {
  const writable = useWritable()
  const [typed, set] = useState<string | null>(null)
  const name = (typed ?? suggested).trim()
  const submit = (event: Event) => {
    event.preventDefault()
    if (name) build(name)
  }
  return html`<form class=${kind} aria-label=${label} onSubmit=${submit}>
    ${children}
    <div class="compare-cut">
      <${TextField} name="Name" value=${typed ?? suggested} set=${set} />
      <${Button} type="submit" icon="check" kind="primary" disabled=${!writable || !ready || !name}>${button}<//>
      ${taken.includes(name) && html`<span class="dim">in place of the one of that name</span>`}
    </div>
    ${foot}
  </form>`
}

interface KeepProps {
  base: string
  kept: Kept | null
  ready: boolean
  /** Saves it under this name; false if that failed. */
  keep: (name: string) => Promise<boolean>
  /** In place of the export of what was saved. */
  children?: ComponentChildren
}

/** The name, "Keep as clip", and once it is kept its export. */
export function KeepForm({ base, kept, ready, keep, children }: KeepProps) {
  const writable = useWritable()
  const cards = useStore((state) => state.cards)
  const suggested = freeName(base, new Set(cards.map((card) => card.name)))
  const { name, set, busy, submit } = useNaming(suggested, base, keep)
  if (!writable && !children) return null
  const title = kept ? t`Export ${kept.name}` : t('Keep it first, then it can be exported')
  return html`<form class="compare-cut" onSubmit=${submit} aria-label="Keep">
    ${writable &&
    html`<${TextField} name="New clip" value=${name} set=${set} />
      <${Button} type="submit" icon="check" kind="primary" disabled=${busy || !ready}>Keep as clip<//>`}
    ${children ??
    html`<${Button} icon="import" title=${title} disabled=${!kept} onClick=${() => change({ dialog: 'export', exported: [] })}>
      Export…
    <//>`}
  </form>`
}

interface ExportProps {
  formats: readonly (readonly [format: string, name: string])[]
  disabled: boolean
  /** Makes the files; asked with how many are done before each, it gives false to stop. */
  run: (format: string, going: (done: number) => boolean) => Promise<void>
  /** Several files: the button stops them. */
  several?: boolean
}

/** A button that exports, and in which format. */
export function ExportButton({ formats, disabled, run, several = false }: ExportProps) {
  const [format, setFormat] = useState(formats[0]![0])
  const [done, setDone] = useState<number | null>(null)
  const [stop] = useState({ wanted: false })
  const going = done !== null
  const press = async () => {
    stop.wanted = going
    if (going) return
    setDone(0)
    await run(format, (count) => {
      setDone(count)
      return !stop.wanted
    })
    setDone(null)
  }
  const stops = going && several
  return html`<span class="act-export">
    <${Button} icon=${stops ? 'close' : 'import'} disabled=${disabled || (going && !several)} onClick=${() => void press()}>
      ${stops ? t`Stop (${done} done)` : t('Export')}
    <//>
    <${Select} aria-label="Export as" value=${format} options=${formats} disabled=${stops} set=${setFormat} />
  </span>`
}
