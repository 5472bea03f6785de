// warp.ts - the timewarp of one clip: the grid of its distances to the clip that it is aligned with, the cheapest path
// through it, and the curve that was fitted to that.
import { useEffect, useMemo, useState } from 'preact/hooks'
import { api, type Clip, type Registration } from '../api'
import { messageOf } from '../attempt'
import { drawAcross, drawDown, Picture, sheetOf, type Sheet } from '../compare/grid_canvas'
import { comparedOf, readGrid, type Grid } from '../compare/grid_data'
import { shortNumber } from '../compare/readout'
import { Select } from '../controls'
import { html } from '../html'
import { compareDefaults } from '../opening'
import { usePaper, type Paper } from '../timeline/drawing'
import { t } from '../words/words'
import { blend } from './session'

const mostCells = 512

type Line = readonly (readonly [number, number])[]

/** The path is wide and light with a dark edge, so that it is seen on every shade, and the curve on it. */
function drawLine({ paint, box, clips }: Sheet, line: Line, inks: readonly (readonly [number, string])[]): void {
  const [down, across] = [clips[0].frames, clips[1].frames]
  for (const [wide, ink] of inks) {
    paint.lineWidth = wide
    paint.strokeStyle = ink
    paint.beginPath()
    line.forEach(([row, col], k) => {
      const x = box.left + ((col + 0.5) / across) * box.width
      const y = box.top + ((row + 0.5) / down) * box.height
      if (k) paint.lineTo(x, y)
      else paint.moveTo(x, y)
    })
    paint.stroke()
  }
}

function useGrid(a: number, b: number): { grid: Grid | null; error: string } {
  const [state, set] = useState<{ key: string; grid: Grid | null; error: string }>({ key: '', grid: null, error: '' })
  const key = `${a} ${b}`
  useEffect(() => {
    const abort = new AbortController()
    api
      .grid(comparedOf(a, b, compareDefaults), mostCells, mostCells, abort.signal)
      .then((bytes) => set({ key, grid: readGrid(bytes), error: '' }))
      .catch((cause) => abort.signal.aborted || set({ key, grid: null, error: messageOf(cause) }))
    return () => abort.abort()
  }, [key])
  return state.key === key ? state : { grid: null, error: '' }
}

interface WarpProps {
  clips: [Clip, Clip]
  path: Line
  curve: Line
}

function WarpCanvas({ clips, path, curve }: WarpProps) {
  const { grid, error } = useGrid(clips[0].id, clips[1].id)
  const picture = useMemo(() => new Picture(), [])
  const draw = (paper: Paper) => {
    const sheet = sheetOf(paper, clips)
    const { paint, box } = sheet
    paint.imageSmoothingEnabled = false
    if (grid) paint.drawImage(picture.get(grid, true), box.left, box.top, box.width, box.height)
    drawAcross(sheet)
    drawDown(sheet)
    drawLine(sheet, path, [[5.5, 'rgb(0 0 0 / 50%)'], [4, '#ffffff']])
    drawLine(sheet, curve, [[1.75, '#d6246e']])
  }
  const canvas = usePaper(draw, [grid, clips[0], clips[1], path, curve])
  const label = t`Timewarp of ${clips[1].name}, across, over its distances to ${clips[0].name}, down`
  return html`<div class="warp-place">
    <canvas ref=${canvas} class="compare-grid warp-grid" role="img" aria-label=${label}></canvas>
    ${error && html`<p class="compare-message" role="alert">${error}</p>`}
  </div>`
}

/** S(u) of a clip against that of its parent, in frames of both. */
function curveOf({ clips }: Registration, parent: number, own: number): Line {
  return clips[parent]!.times.map((time, k) => [time, clips[own]!.times[k]!] as const)
}

export function Timewarp() {
  const [wanted, want] = useState(1)
  const { registration, clips } = blend
  if (!registration || registration.clips.length !== clips.length) return null
  const choices = registration.clips.flatMap(({ parent }, i) => (parent === null ? [] : i))
  const own = choices.includes(wanted) ? wanted : (choices[0] ?? 0)
  const told = registration.clips[own]!
  const parent = (told.parent ?? 1) - 1
  const nameOf = (i: number) => clips[i]!.clip.name
  const distance = told.mean_distance
  const rooted = registration.unit === 'cm2'
  const far = distance === null ? '' : rooted ? `${shortNumber(Math.sqrt(distance))} cm` : shortNumber(distance)
  return html`<section class="blend-part flex-column blend-warp" aria-label="Timewarp">
    <div class="cut-row flex-row">
      <h3>Timewarp</h3>
      <${Select}
        aria-label="Clip whose timewarp is shown" value=${own} options=${choices.map((i) => [i, nameOf(i)])}
        set=${(clip: string) => want(Number(clip))}
      />
      <span class="dim">with ${nameOf(parent)}${far && t`, ${far} apart`}</span>
      <span class="making-space"></span>
      <span class="warp-key is-path">path</span><span class="warp-key is-curve">curve</span>
    </div>
    <${WarpCanvas}
      clips=${[clips[parent]!.clip, clips[own]!.clip]} path=${told.path ?? []}
      curve=${curveOf(registration, parent, own)}
    />
  </section>`
}
