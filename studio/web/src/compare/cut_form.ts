// cut_form.ts - "Cut here": the first clip up to the chosen frame, then the second from there on, as a new clip.
import { useEffect, useState } from 'preact/hooks'
import { refresh } from '../actions'
import type { Clip, Kept } from '../api'
import { attempt } from '../attempt'
import { html } from '../html'
import { Icon } from '../icons'
import { openClips } from '../open_clips'
import { actInto } from '../operations'
import { tell, useStore } from '../store'
import { freeName } from '../timeline/segment'
import { useChanges } from '../timeline/view'
import { comparison } from './session'
import { closeCompare } from './opening'

const mostSmooth = 600

async function cut([a, b]: [Clip, Clip], i: number, j: number, smooth: number, name: string): Promise<boolean> {
  return attempt(async () => {
    const made = await actInto<Kept>('similar', { a: a.id, b: b.id, at: [i, j], ...(smooth && { smooth }) }, name)
    const open = () => {
      closeCompare()
      void openClips([made.id])
    }
    tell(`Saved as ${made.name}`, 'info', { label: 'Open', run: open })
    refresh()
  })
}

export function CutForm({ clips }: { clips: [Clip, Clip] }) {
  useChanges(comparison)
  const cards = useStore((state) => state.cards)
  const [name, setName] = useState<string | null>(null)
  const [smooth, setSmooth] = useState(0)
  const [busy, setBusy] = useState(false)
  useEffect(() => setName(null), [clips[0].id, clips[1].id])
  const at = comparison.chosen
  const suggested = freeName(`${clips[0].name}-${clips[1].name}`, new Set(cards.map((card) => card.name)))
  const save = async (event: Event) => {
    event.preventDefault()
    if (!at) return
    setBusy(true)
    if (await cut(clips, at[0], at[1], smooth, (name ?? suggested).trim() || suggested)) setName(null)
    setBusy(false)
  }
  const onSmooth = (event: Event) => {
    const value = Number((event.currentTarget as HTMLInputElement).value)
    if (Number.isInteger(value) && value >= 0 && value <= mostSmooth) setSmooth(value)
  }
  const title = at ? `${clips[0].name} before frame ${at[0]}, then ${clips[1].name} from frame ${at[1]} on` : ''
  return html`<form class="compare-cut" onSubmit=${save} aria-label="Cut here">
    <label class="compare-field compare-name">
      <span>New clip</span>
      <input
        class="field"
        autocomplete="off"
        spellcheck=${false}
        value=${name ?? suggested}
        onInput=${(event: Event) => setName((event.currentTarget as HTMLInputElement).value)}
      />
    </label>
    <label class="compare-field">
      <span>Smooth</span>
      <input
        class="field"
        type="number"
        min="0"
        max=${mostSmooth}
        title="Frames around the cut over which one fades into the other"
        value=${smooth}
        onInput=${onSmooth}
      />
    </label>
    <button type="submit" class="button primary" title=${title} disabled=${busy || !at}>
      <${Icon} name="cut" />Cut here
    </button>
  </form>`
}
