// panel.ts - "Blend", in the library's place: clips and their weights, by a pad, sliders or curves over time; their foot
// plants and timewarps; and what is made of them with its figures. The viewer shows it while it is changed.
import { useEffect, useState } from 'preact/hooks'
import { api, type KeptCurve } from '../api'
import { attempt } from '../attempt'
import { Button, Check, Choice, IconButton, leaveField, Select, Switch, useWritable, valueOf } from '../controls'
import { html } from '../html'
import { onLibrary } from '../live'
import { FeetHeld, Figures, KeepForm, MethodChoice, Missing, PanelHead, Problem } from '../making/parts'
import { useSession } from '../making/session'
import { ClipName, clipOptions } from '../names'
import { mostClips } from '../opening'
import { lineOf, showCommand } from '../operations'
import { useStore } from '../store'
import { t } from '../words/words'
import { CurveEditor } from './curve_editor'
import { WeightPad } from './pad'
import { PlantBars } from './plants'
import { blend } from './session'
import { Timewarp } from './warp'
import { normal, withShare } from './weights'
import './blend.css'

// The clips of a blend: their frames, how much of each, adding and taking away.

/** First and last frame that take part. */
function Frames({ at }: { at: number }) {
  const { clip, segment } = blend.clips[at]!
  const start = segment?.start ?? 0
  const last = (segment?.end ?? clip.frames) - 1
  const field = (name: string, value: number, set: (frame: number) => void) => html`<input
    class="field" type="number" min="0" max=${clip.frames - 1} aria-label=${t`${name} frame of ${clip.name}`}
    title=${t`${name} frame that takes part`} value=${value}
    onChange=${(event: Event) => {
      const frame = (event.currentTarget as HTMLInputElement).valueAsNumber
      if (Number.isInteger(frame) && frame >= 0 && frame < clip.frames) set(frame)
    }}
  />`
  return html`<span class="blend-frames flex-row">
    ${field(t('First'), start, (frame) => blend.cut(at, Math.min(frame, last - 1), last + 1))}–
    ${field(t('Last'), last, (frame) => blend.cut(at, start, Math.max(frame, start + 1) + 1))}
  </span>`
}

function Row({ at, share }: { at: number; share: number }) {
  const { clip } = blend.clips[at]!
  const few = blend.clips.length <= 2
  return html`<li>
    <i class=${`swatch of-clip-${at + 1}`} aria-hidden="true">${at + 1}</i>
    <${ClipName} id=${clip.id} name=${clip.name} kind="blend-name" />
    <${Frames} at=${at} />
    <input
      type="range" min="0" max="1" step="0.01" aria-label=${t`Weight of ${clip.name}`} value=${share}
      onInput=${(event: Event) => blend.setWeights(withShare(blend.shownWeights, at, Number(valueOf(event))))}
    />
    <output>${share.toFixed(2)}</output>
    <${IconButton}
      icon="close" name=${t`Take ${clip.name} out`} disabled=${few} onClick=${() => blend.remove(at)}
      title=${few ? t('A blend has two clips at least') : t`Take ${clip.name} out`}
    />
  </li>`
}

function AddClip() {
  const cards = useStore((state) => state.cards)
  const used = new Set(blend.clips.map(({ clip }) => clip.id))
  const free = clipOptions(cards, (id) => used.has(id))
  const add = (id: string) => id && void attempt(async () => blend.add(await api.clip(Number(id))))
  if (blend.clips.length >= mostClips) return html`<span class="dim">no more than ${mostClips} clips</span>`
  // Another number of clips is another element: it begins with the hint again.
  return html`<${Select}
    key=${used.size} kind="blend-add" aria-label="Add a clip" value="" options=${[['', t('+ Add a clip…')], ...free]} set=${add}
  />`
}

function ClipRows() {
  const shares = normal(blend.shownWeights)
  return html`<ul class="blend-rows" aria-label="Clips of the blend">
      ${blend.clips.map(({ clip }, i) => html`<${Row} key=${`${i} ${clip.id}`} at=${i} share=${shares[i]} />`)}
    </ul>`
}

// Alignments that the library keeps: opening one, keeping this one, forgetting one.

/** Asked for when the panel opens, and whenever one was kept or removed here. */
function useKept(): [KeptCurve[], () => void] {
  const [curves, set] = useState<KeptCurve[]>([])
  const load = () => void attempt(async () => set((await api.keptCurves()).curves))
  useEffect(() => {
    load()
    return onLibrary(load)
  }, [])
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

function Alignments() {
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
      options=${[['', t('of these clips')], ...curves.map(({ name }) => name)]}
    />
    ${writable &&
    blend.curve !== null &&
    html`<${IconButton}
      icon="trash" name=${t`Forget the alignment ${blend.curve}`} title=${t`Forget ${blend.curve}: the clips stay`}
      onClick=${forget}
    />`}
    ${writable && blend.curve === null && html`<${KeepCurve} done=${load} />`}
    <${Missing} field=${t('Alignment')} rows=${curves} open=${open} />
  </div>`
}

export { blend } from './session'

const slopes = [1, 2, 3, 4, 5, 6, 7, 8]

/** What is written is a pair of frames, or nothing. */
function Pin() {
  const { pin } = blend.settings
  const [wrong, setWrong] = useState(false)
  const set = (event: Event) => {
    const text = valueOf(event).trim()
    const pair = /^(\d+)\s*,\s*(\d+)$/.exec(text)
    setWrong(text !== '' && !pair)
    if (text === '' || pair) blend.set({ pin: pair && [Number(pair[1]), Number(pair[2])] })
  }
  return html`<label class="compare-field flex-row">
    <span>Pin</span>
    <input
      class="field" autocomplete="off" spellcheck=${false} size="9" value=${pin?.join(',') ?? ''} placeholder="30,41"
      title="Frames of the two that belong together, where they are aligned wrongly" aria-invalid=${String(wrong)}
      onChange=${set}
    />
  </label>`
}

function Settings() {
  const { settings, clips, curve } = blend
  const places = clips.map(({ clip }, i) => [i + 1, clip.name] as const)
  return html`<div class="compare-fields">
    <${MethodChoice} method=${settings.method} set=${(method: string) => blend.set({ method })} />
    <${Choice}
      name="Place" kind="blend-place" title="Where the blend starts on the floor: where this clip does"
      value=${settings.place} options=${[[0, t('by itself')], ...places]}
      set=${(place: string) => blend.set({ place: Number(place) })}
    />
    <${Choice}
      name="Slope" title="How much faster than another a clip may go: steps in a row along one alone" value=${settings.slope}
      options=${slopes} disabled=${curve !== null} set=${(slope: string) => blend.set({ slope: Number(slope) })}
    />
    ${clips.length === 2 && curve === null && html`<${Pin} />`}
    <${FeetHeld}
      on=${settings.clean} set=${(clean: boolean) => blend.set({ clean, ...(!clean && { twin: false }) })}
    />
  </div>`
}

/** Both bodies: feet held, and as they were. */
function Twin() {
  const { settings } = blend
  return html`<${Check}
    name="Before / after" title="Also show the blend as it is before feet are held; arrange both above the view"
    on=${settings.twin} disabled=${!settings.clean} set=${(twin: boolean) => blend.set({ twin })}
  />`
}

const ways = [
  [false, t('Constant')],
  [true, t('Over time')],
] as const

function Weights() {
  const { overTime } = blend.settings
  return html`<section class="blend-part flex-column blend-weights" aria-label="Weights">
    <div class="cut-row flex-row">
      <${Switch}
        name="Weights are" value=${overTime} options=${ways} set=${(over: boolean) => blend.set({ overTime: over })}
      />
    </div>
    ${overTime ? html`<${CurveEditor} />` : html`<${WeightPad} />`}
  </section>`
}

function Working() {
  const { made, busy, kept, settings, registrationError } = blend
  // Said once is enough.
  const error = blend.error === registrationError ? '' : blend.error
  return html`<${ClipRows} />
    <${Alignments} />
    <${Settings} />
    <div class=${`blend-both${settings.overTime ? ' is-stacked' : ''}`}>
      <${Weights} />
      <${PlantBars} />
    </div>
    <${Figures} facts=${made?.facts ?? null} busy=${busy}><${Twin} /><//>
    <${Problem} text=${error} />
    <${Timewarp} />
    <${KeepForm}
      base=${blend.newName} kept=${kept} ready=${made !== null && !blend.error} keep=${(name: string) => blend.keep(name)}
    />`
}

const leave = leaveField('.weight-pad, .key-column')

export function Panel() {
  useSession(blend)
  return html`<section class="compare flex-column making" aria-label="Blend" onKeyDown=${leave}>
    <${PanelHead} title="Blend" hint="B">${blend.clips.length > 1 && html`<${AddClip} />`}<//>
    ${blend.clips.length > 1 && html`<${Working} />`}
  </section>`
}
