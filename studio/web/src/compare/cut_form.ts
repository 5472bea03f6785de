// cut_form.ts - "Cut here": the first clip up to the chosen frame, then the second from there on, as a new clip.
import { useState } from 'preact/hooks'
import { refresh } from '../actions'
import type { Clip, Kept } from '../api'
import { attempt } from '../attempt'
import { useChanges } from '../changes'
import { Button, TextField, useNaming, WholeInput } from '../controls'
import { html } from '../html'
import { openClips } from '../open_clips'
import { closeCompare } from '../opening'
import { actInto } from '../operations'
import { tell, useStore } from '../store'
import { freeName } from '../timeline/segment'
import { comparison } from './session'

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
  const [smooth, setSmooth] = useState(0)
  const at = comparison.chosen
  const suggested = freeName(`${clips[0].name}-${clips[1].name}`, new Set(cards.map((card) => card.name)))
  const save = async (name: string) => at !== null && cut(clips, at[0], at[1], smooth, name)
  const { name, set, busy, submit } = useNaming(suggested, `${clips[0].id} ${clips[1].id}`, save)
  const title = at ? `${clips[0].name} before frame ${at[0]}, then ${clips[1].name} from frame ${at[1]} on` : ''
  return html`<form class="compare-cut" onSubmit=${submit} aria-label="Cut here">
    <${TextField} name="New clip" value=${name} set=${set} />
    <label class="compare-field flex-row">
      <span>Smooth</span>
      <${WholeInput}
        title="Frames around the cut over which one fades into the other" least=${0} most=${mostSmooth} value=${smooth}
        set=${setSmooth}
      />
    </label>
    <${Button} type="submit" icon="cut" kind="primary" title=${title} disabled=${busy || !at}>Cut here<//>
  </form>`
}
