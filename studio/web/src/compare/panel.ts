// panel.ts - how alike two clips are, in the library's place: settings, the grid, the pair of frames in numbers, and the
// cut. The viewer beside it shows both clips at the pair that is pointed at.
import { useEffect, useState } from 'preact/hooks'
import { refresh } from '../actions'
import type { Clip, Kept } from '../api'
import { attempt } from '../attempt'
import { useChanges } from '../changes'
import { Button, IconButton, leaveField, TextField, useNaming, useWritable, WholeInput } from '../controls'
import { html } from '../html'
import { openClips } from '../open_clips'
import { closeCompare } from '../opening'
import { actInto } from '../operations'
import { tell, useStore, type Compare } from '../store'
import { freeName } from '../timeline/segment'
import { t } from '../words/words'
import { GridCanvas } from './grid_canvas'
import { PairsBar, Readout } from './readout'
import { comparison } from './session'
import { ClipChoices, Settings } from './settings'
import './compare.css'

// "Cut here": the first clip up to the chosen frame, then the second from there on, as a new clip.

const mostSmooth = 600

async function cut([a, b]: [Clip, Clip], i: number, j: number, smooth: number, name: string): Promise<boolean> {
  return attempt(async () => {
    const made = await actInto<Kept>('similar', { a: a.id, b: b.id, at: [i, j], ...(smooth && { smooth }) }, name)
    const open = () => {
      closeCompare()
      void openClips([made.id])
    }
    tell(t`Saved as ${made.name}`, 'info', { label: t('Open'), run: open })
    refresh()
  })
}

function CutForm({ clips }: { clips: [Clip, Clip] }) {
  useChanges(comparison)
  const cards = useStore((state) => state.cards)
  const [smooth, setSmooth] = useState(0)
  const at = comparison.chosen
  const suggested = freeName(`${clips[0].name}-${clips[1].name}`, new Set(cards.map((card) => card.name)))
  const save = async (name: string) => at !== null && cut(clips, at[0], at[1], smooth, name)
  const { name, set, busy, submit } = useNaming(suggested, `${clips[0].id} ${clips[1].id}`, save)
  const title = at ? t`${clips[0].name} before frame ${at[0]}, then ${clips[1].name} from frame ${at[1]} on` : ''
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

function Place({ clips }: { clips: [Clip, Clip] }) {
  useChanges(comparison)
  const { error, grid, busy } = comparison
  return html`<div class="compare-place" aria-busy=${String(busy)}>
    <${GridCanvas} clips=${clips} />
    ${error && html`<p class="compare-message" role="alert">${error}</p>`}
    ${!error && !grid && html`<p class="compare-message dim" role="status">Comparing…</p>`}
  </div>`
}

function Comparing({ clips, how }: { clips: [Clip, Clip]; how: Compare }) {
  const writable = useWritable()
  useEffect(() => comparison.want(clips[0], clips[1], how), [clips[0], clips[1], how])
  useEffect(() => () => comparison.leave(), [])
  return html`<${Settings} how=${how} />
    <${Place} clips=${clips} />
    <${PairsBar} how=${how} />
    <${Readout} clips=${clips} />
    ${writable && html`<${CutForm} clips=${clips} />`}`
}

const leave = leaveField('canvas')

export function Panel() {
  const how = useStore((state) => state.compare)
  const a = useStore((state) => state.shown[0]?.clip)
  const b = useStore((state) => state.shown[1]?.clip)
  // One of them was removed, or something else was opened.
  useEffect(() => {
    if (!a || !b) closeCompare()
  }, [a, b])
  return html`<section class="compare flex-column" aria-label="Compare" onKeyDown=${leave}>
    <header>
      <h2>Compare</h2>
      ${a && b && html`<${ClipChoices} clips=${[a, b]} />`}
      <${IconButton} icon="close" name="Back to the library" keys="C" onClick=${closeCompare} />
    </header>
    ${how && a && b && html`<${Comparing} clips=${[a, b]} how=${how} />`}
  </section>`
}
