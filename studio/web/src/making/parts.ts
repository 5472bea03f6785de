// parts.ts - what the panels that make motion have in common: method, feet, figures beside the preview, and keeping.
import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { refresh } from '../actions'
import { api, type Clip, type Kept } from '../api'
import { attempt } from '../attempt'
import { shortNumber } from '../compare/readout'
import { html } from '../html'
import { Icon } from '../icons'
import { actInto } from '../operations'
import { player } from '../player'
import { change, getState, tell, useStore, type Shown } from '../store'
import { freeName } from '../timeline/segment'
import type { MadeFacts } from './made'
import { closeMaking } from './opening'
import '../compare/compare.css'
import './making.css'

export const methods: [string, string][] = [
  ['registered', 'In step and in place: along a registration of the clips'],
  ['untimed', 'In place, but frame with frame: no timewarp'],
  ['linear', 'Frame with frame, root positions averaged: the thing to compare with'],
]

export function valueOf(event: Event): string {
  return (event.currentTarget as HTMLInputElement | HTMLSelectElement).value
}

export function MethodChoice({ method, set }: { method: string; set: (method: string) => void }) {
  const now = methods.find(([name]) => name === method)
  return html`<label class="compare-field">
    <span>Method</span>
    <select class="field" title=${now?.[1]} value=${method} onChange=${(event: Event) => set(valueOf(event))}>
      ${methods.map(([name, what]) => html`<option key=${name} value=${name} title=${what}>${name}</option>`)}
    </select>
  </label>`
}

interface CheckProps {
  name: string
  title: string
  on: boolean
  set: (on: boolean) => void
  disabled?: boolean
}

export function Check({ name, title, on, set, disabled = false }: CheckProps) {
  return html`<label class="making-check" title=${title}>
    <input
      type="checkbox"
      checked=${on}
      disabled=${disabled}
      onChange=${(event: Event) => set((event.currentTarget as HTMLInputElement).checked)}
    />${name}
  </label>`
}

/** Beyond these an eye sees it. */
const most = { slide_cm: 0.3, jump: 1.1, knee: 1.5 }

interface FigureProps {
  name: string
  title: string
  bad?: boolean
  children: ComponentChildren
}

function Figure({ name, title, bad = false, children }: FigureProps) {
  return html`<div title=${title} class=${bad ? 'is-bad' : ''}>
    <dt>${name}</dt>
    <dd>${children}${bad && html`<span class="visually-hidden"> (too much)</span>`}</dd>
  </div>`
}

const centimetres = (value: number) => value.toFixed(value >= 10 ? 1 : 2)
const ratio = (value: number | null) => (value === null ? '–' : `${shortNumber(value)}×`)

/** How good what was made is. */
interface FiguresProps {
  facts: MadeFacts | null
  busy: boolean
  /** Beside them. */
  children?: ComponentChildren
}

export function Figures({ facts, busy, children }: FiguresProps) {
  if (!facts) {
    return html`<p class="dim" role="status">${busy ? 'Making it…' : 'Nothing is made yet.'}</p>`
  }
  const { slide_before_cm: before, slide_after_cm: after, jump_ratio: jump, knee_ratio: knee } = facts
  const slid = after !== null && after > most.slide_cm
  return html`<div class="making-result">
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
      name="Jump"
      bad=${jump !== null && jump > most.jump}
      title="Largest step of a joint from frame to frame, over the largest in the clips"
    >
      ${ratio(jump)}
    <//>
    <${Figure}
      name="Knees"
      bad=${knee !== null && knee > most.knee}
      title="The same of the knees alone: they must not pop"
    >
      ${ratio(knee)}
    <//>
    <${Figure} name="Root" title="How far the root was moved at most, so that feet can be held">
      ${centimetres(facts.root_moved_cm)} cm
    <//>
  </dl>
  ${children}
  </div>`
}

export function PanelHead({ title, hint, children }: { title: string; hint: string; children?: ComponentChildren }) {
  return html`<header>
    <h2>${title}</h2>
    ${children}
    <button
      type="button"
      class="button quiet icon making-close"
      aria-label="Back to the library"
      title=${`Back to the library (${hint})`}
      onClick=${closeMaking}
    >
      <${Icon} name="close" />
    </button>
  </header>`
}

/** A name that the library does not have. */
export function useFreeName(base: string): string {
  const cards = useStore((state) => state.cards)
  return freeName(base, new Set(cards.map((card) => card.name)))
}

/** The same, outside of a panel. */
export function nameFor(base: string): string {
  return freeName(base, new Set(getState().cards.map((card) => card.name)))
}

interface KeepProps {
  base: string
  kept: Kept | null
  ready: boolean
  /** Keeps it under this name; false if that failed. */
  keep: (name: string) => Promise<boolean>
}

/** The name, "Keep as clip", and once it is kept its export. */
export function KeepForm({ base, kept, ready, keep }: KeepProps) {
  const writable = useStore((state) => state.about?.library.writable ?? true)
  const suggested = useFreeName(base)
  const [name, setName] = useState<string | null>(null)
  const [busy, setBusy] = useState(false)
  useEffect(() => setName(null), [base])
  if (!writable) return null
  const save = async (event: Event) => {
    event.preventDefault()
    setBusy(true)
    if (await keep((name ?? suggested).trim() || suggested)) setName(null)
    setBusy(false)
  }
  return html`<form class="compare-cut" onSubmit=${save} aria-label="Keep">
    <label class="compare-field compare-name">
      <span>New clip</span>
      <input
        class="field"
        autocomplete="off"
        spellcheck=${false}
        value=${name ?? suggested}
        onInput=${(event: Event) => setName(valueOf(event))}
      />
    </label>
    <button type="submit" class="button primary" disabled=${busy || !ready}><${Icon} name="check" />Keep as clip</button>
    <button
      type="button"
      class="button"
      title=${kept ? `Export ${kept.name}` : 'Keep it first, then it can be exported'}
      disabled=${!kept}
      onClick=${() => change({ dialog: 'export' })}
    >
      <${Icon} name="import" />Export…
    </button>
  </form>`
}

/** Saves a generated clip, says so, and gives the clip that it has become. */
export async function keepMade(operation: string, body: object, name: string): Promise<Clip | null> {
  let clip: Clip | null = null
  await attempt(async () => {
    const kept = await actInto<Kept>(operation, body, name)
    tell(`Kept as ${kept.name}`)
    clip = await api.clip(kept.id)
    refresh()
  })
  return clip
}

/** Shows something else in the viewer at a moment of its leader. Playing goes on. */
export function showMade(shown: Shown[], time_s: number): void {
  const leader = shown[0]!.clip
  const { rangeStart, rangeEnd, frames, fps } = player.now
  const whole = rangeStart === 0 && rangeEnd === frames
  const same = leader.frames === frames && leader.fps === fps
  const aligned = shown.some(({ held }) => held)
  const { segment, arrangement } = getState()
  const how = aligned ? 'aligned' : arrangement === 'aligned' ? 'overlaid' : arrangement
  change({ shown, arrangement: how, ...(!same && segment && { segment: null }) })
  if (!same || (!whole && !segment)) player.load(leader.frames, leader.fps)
  player.seek(time_s)
}

/** Of a panel that is left: what it showed makes way for clips of the library. */
export function leaveMade(instead: readonly Clip[]): void {
  const { shown } = getState()
  if (!shown.some(({ clip, held }) => held || clip.id < 0)) return
  const clips = instead.filter((clip) => clip.id > 0)
  player.set({ playing: false })
  change({ shown: clips.map((clip) => ({ clip, alignFrame: 0 })), arrangement: 'overlaid', segment: null })
  player.load(clips[0]?.frames ?? 0, clips[0]?.fps ?? 30)
}

export function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause)
}
