// panel.ts - how alike two clips are, in the library's place: settings, the grid, the pair of frames in numbers, and the
// cut. The viewer beside it shows both clips at the pair that is pointed at.
import { useEffect } from 'preact/hooks'
import type { Clip } from '../api'
import { useChanges } from '../changes'
import { IconButton, leaveField, useWritable } from '../controls'
import { html } from '../html'
import { closeCompare } from '../opening'
import { useStore, type Compare } from '../store'
import { CutForm } from './cut_form'
import { GridCanvas } from './grid_canvas'
import { PairsBar, Readout } from './readout'
import { comparison } from './session'
import { ClipChoices, Settings } from './settings'
import './compare.css'

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
