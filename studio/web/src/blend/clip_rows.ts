// clip_rows.ts - the clips of a blend: their frames, how much of each, adding and taking away.
import { api } from '../api'
import { attempt } from '../attempt'
import { IconButton, Select, valueOf } from '../controls'
import { html } from '../html'
import { mostClips } from '../opening'
import { useStore } from '../store'
import { blend } from './session'
import { normal, withShare } from './weights'

/** First and last frame that take part. */
function Frames({ at }: { at: number }) {
  const { clip, segment } = blend.clips[at]!
  const start = segment?.start ?? 0
  const last = (segment?.end ?? clip.frames) - 1
  const field = (name: string, value: number, set: (frame: number) => void) => html`<input
    class="field" type="number" min="0" max=${clip.frames - 1} aria-label=${`${name} frame of ${clip.name}`}
    title=${`${name} frame that takes part`} value=${value}
    onChange=${(event: Event) => {
      const frame = (event.currentTarget as HTMLInputElement).valueAsNumber
      if (Number.isInteger(frame) && frame >= 0 && frame < clip.frames) set(frame)
    }}
  />`
  return html`<span class="blend-frames flex-row">
    ${field('First', start, (frame) => blend.cut(at, Math.min(frame, last - 1), last + 1))}–
    ${field('Last', last, (frame) => blend.cut(at, start, Math.max(frame, start + 1) + 1))}
  </span>`
}

function Row({ at, share }: { at: number; share: number }) {
  const { clip } = blend.clips[at]!
  const few = blend.clips.length <= 2
  return html`<li>
    <i class=${`swatch of-clip-${at + 1}`} aria-hidden="true">${at + 1}</i>
    <span class="blend-name ellipsis" title=${clip.name}>${clip.name}</span>
    <${Frames} at=${at} />
    <input
      type="range" min="0" max="1" step="0.01" aria-label=${`Weight of ${clip.name}`} value=${share}
      onInput=${(event: Event) => blend.setWeights(withShare(blend.shownWeights, at, Number(valueOf(event))))}
    />
    <output>${share.toFixed(2)}</output>
    <${IconButton}
      icon="close" name=${`Take ${clip.name} out`} disabled=${few} onClick=${() => blend.remove(at)}
      title=${few ? 'A blend has two clips at least' : `Take ${clip.name} out`}
    />
  </li>`
}

export function AddClip() {
  const cards = useStore((state) => state.cards)
  const used = new Set(blend.clips.map(({ clip }) => clip.id))
  const free = cards.flatMap(({ id, name }) => (used.has(id) ? [] : [[id, name] as const]))
  const add = (id: string) => id && void attempt(async () => blend.add(await api.clip(Number(id))))
  if (blend.clips.length >= mostClips) return html`<span class="dim">no more than ${mostClips} clips</span>`
  // Another number of clips is another element: it begins with the hint again.
  return html`<${Select}
    key=${used.size} kind="blend-add" aria-label="Add a clip" value="" options=${[['', '+ Add a clip…'], ...free]} set=${add}
  />`
}

export function ClipRows() {
  const shares = normal(blend.shownWeights)
  return html`<ul class="blend-rows" aria-label="Clips of the blend">
      ${blend.clips.map(({ clip }, i) => html`<${Row} key=${`${i} ${clip.id}`} at=${i} share=${shares[i]} />`)}
    </ul>`
}
