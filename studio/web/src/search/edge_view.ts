// edge_view.ts - the chosen match, closer: its time alignment on the grid of distances, and what it costs over time.
import { useEffect, useState } from 'preact/hooks'
import { api, type EdgePath, type Match, type SearchAnswer } from '../api'
import { messageOf } from '../attempt'
import { useChanges } from '../changes'
import { Picture } from '../compare/grid_canvas'
import { readGrid, type Grid } from '../compare/grid_data'
import { IconButton } from '../controls'
import { html } from '../html'
import { Problem } from '../making/parts'
import { ClipName } from '../names'
import { usePaper, type Paper } from '../timeline/drawing'
import { PlayLine } from '../timeline/playhead'
import { frameTicks, type Window } from '../timeline/scale'
import { t } from '../words/words'
import { distanceText, framesText } from './match_data'
import { searching } from './session'

// Paints a time alignment over the part of the grid of distances around it, with axes in frames.

export interface Alignment {
  /** Frames in view, of the first clip down and of the second across; what the grid shows. */
  windows: [Window, Window]
  cells: readonly [number, number][]
  grid: Grid | null
}

interface Box {
  left: number
  top: number
  width: number
  height: number
}

const pictures = new WeakMap<Grid, Picture>()

function pictureOf(grid: Grid, squared: boolean): HTMLCanvasElement {
  const picture = pictures.get(grid) ?? new Picture()
  pictures.set(grid, picture)
  return picture.get(grid, squared)
}

/** White with a dark edge, so that it is seen on every shade. */
function paintPath(paint: CanvasRenderingContext2D, box: Box, { windows: [down, across], cells }: Alignment): void {
  for (const [wide, ink] of [[5, 'rgb(0 0 0 / 55%)'], [2.5, '#ffffff']] as const) {
    paint.lineWidth = wide
    paint.strokeStyle = ink
    paint.lineJoin = 'round'
    paint.beginPath()
    cells.forEach(([row, col], i) => {
      const x = box.left + ((col + 0.5 - across.start) / across.span) * box.width
      const y = box.top + ((row + 0.5 - down.start) / down.span) * box.height
      if (i) paint.lineTo(x, y)
      else paint.moveTo(x, y)
    })
    paint.stroke()
  }
}

function paintAxes(paint: CanvasRenderingContext2D, box: Box, { windows }: Alignment, rem: number): void {
  const [down, across] = windows
  paint.textAlign = 'center'
  paint.textBaseline = 'top'
  for (const { frame, label } of frameTicks(across, box.width, 3 * rem)) {
    const x = box.left + ((frame - across.start) / across.span) * box.width
    if (!label || x > box.left + box.width - 0.5 * rem) continue
    paint.fillRect(Math.round(x), box.top + box.height, 1, 3)
    paint.fillText(label, x, box.top + box.height + 4)
  }
  paint.textAlign = 'right'
  paint.textBaseline = 'middle'
  for (const { frame, label } of frameTicks(down, box.height, 1.4 * rem)) {
    const y = box.top + ((frame - down.start) / down.span) * box.height
    if (!label || y > box.top + box.height - 0.2 * rem) continue
    paint.fillRect(box.left - 3, Math.round(y), 3, 1)
    paint.fillText(label, box.left - 5, Math.max(y, box.top + 0.4 * rem))
  }
}

function drawAlignment({ paint, width, height, rem, colour }: Paper, what: Alignment, squared: boolean): void {
  const box: Box = { left: 2.2 * rem, top: 2, width: width - 2.2 * rem - 2, height: height - 1.1 * rem - 2 }
  paint.font = `${0.66 * rem}px ${colour('font-family')}`
  paint.fillStyle = colour('--surface-2')
  paint.fillRect(box.left, box.top, box.width, box.height)
  paint.imageSmoothingEnabled = false
  if (what.grid) paint.drawImage(pictureOf(what.grid, squared), box.left, box.top, box.width, box.height)
  paintPath(paint, box, what)
  paint.fillStyle = colour('--text-dim')
  paintAxes(paint, box, what, rem)
}

/** All that is drawn of one edge: its two matches, `from` down and `to` across. */
interface Closer {
  key: string
  path: EdgePath
  matches: [Match, Match]
  grid: Grid | null
}

async function fetchGrid(search: number, edge: number): Promise<Grid | null> {
  try {
    return readGrid(await api.searchEdgeGrid(search, edge))
  } catch {
    // Too large, or forgotten by now: the path is shown without it.
    return null
  }
}

async function look(key: string, answer: SearchAnswer, edge: number): Promise<Closer> {
  const { matches } = answer
  const path = await searching.edge(edge)
  const grid = await fetchGrid(answer.search, edge)
  return { key, path, matches: [matches[path.from]!, matches[path.to]!], grid }
}

function useCloser(): { closer: Closer | null; error: string } {
  const { answer, chosenEdge } = searching
  const key = answer && chosenEdge >= 0 ? `${answer.search} ${chosenEdge}` : ''
  const [state, set] = useState<{ closer: Closer | null; error: string }>({ closer: null, error: '' })
  useEffect(() => {
    if (!key) return
    let gone = false
    look(key, answer!, chosenEdge).then(
      (closer) => gone || set({ closer, error: '' }),
      (cause) => gone || set({ closer: null, error: messageOf(cause) }),
    )
    return () => {
      gone = true
    }
  }, [key])
  // While the next one comes the last one stays, as long as it is of this answer.
  return key ? state : { closer: null, error: '' }
}

function GridPicture({ closer }: { closer: Closer }) {
  const { matches, path, grid } = closer
  const window = ([start, end]: [number, number]) => ({ start, span: Math.max(1, end - start) })
  const what: Alignment = { windows: [window(path.rows), window(path.cols)], cells: path.cells, grid }
  const canvas = usePaper((paper) => drawAlignment(paper, what, searching.squared), [closer])
  const label = t`Time alignment of ${matches[1].name}, across, with ${matches[0].name}, down, over their distances`
  return html`<canvas ref=${canvas} class="edge-grid" role="img" aria-label=${label}></canvas>`
}

const plotWide = 300
const plotHigh = 100

/** What is plotted: over the frames of the query, or of the one that is nearer to it. */
interface Costs {
  match: Match
  /** Frame and cost, as a length where costs are squared ones. */
  points: [number, number][]
}

function costsOf({ path, matches }: Closer, root: (value: number) => number): Costs {
  const side = path.to === 0 || matches[1].path_distance < matches[0].path_distance ? 1 : 0
  const points = path.cells.flatMap((cell, i) => {
    const cost = path.costs[i] ?? null
    return cost === null ? [] : [[cell[side], root(cost)] as [number, number]]
  })
  return { match: matches[side], points }
}

function linePath({ match, points }: Costs, most: number): string {
  const span = Math.max(1, match.end - 1 - match.start)
  return points
    .map(([frame, cost], i) => {
      const x = (Math.max(0, Math.min(1, (frame - match.start) / span)) * plotWide).toFixed(1)
      return `${i ? 'L' : 'M'}${x} ${(plotHigh * (1 - cost / most)).toFixed(1)}`
    })
    .join('')
}

function CostPlot({ closer }: { closer: Closer }) {
  const { path } = closer
  const { squared, answer } = searching
  // By poses distances are others than those of the grid, velocities and weights of joints being in them.
  // So the card has the one figure, and here is only where it is far and where near.
  const poses = answer?.metric === 'poses'
  const threshold = poses ? 0 : searching.threshold
  const { distance } = path
  const root = (value: number) => (squared ? Math.sqrt(Math.max(0, value)) : value)
  const costs = costsOf(closer, root)
  const { match, points } = costs
  const share = (frame: number) => (frame - match.start) / Math.max(1, match.end - 1 - match.start)
  const highest = Math.max(0, ...points.map(([, cost]) => cost))
  const most = 1.12 * Math.max(root(threshold), highest)
  const limit = plotHigh * (1 - root(threshold) / most)
  const mean = plotHigh * (1 - root(distance) / most)
  const far = (value: number) => distanceText(squared ? value * value : value, squared)
  const mostText = t`${far(highest)} at most`
  const label = t`Cost over time: ${poses ? mostText : t`${distanceText(distance, squared)} on the average, ${mostText}`}`
  return html`<figure class="edge-costs flex-column">
    <figcaption>
      ${poses ? t('Points of the bodies apart') : t('Cost')} over the frames of ${match.tier === 0 ? t('the query') : match.name}${poses && `, ${mostText}`}
    </figcaption>
    <div class="edge-plot">
      <svg viewBox=${`0 0 ${plotWide} ${plotHigh}`} preserveAspectRatio="none" role="img" aria-label=${label}>
        ${!poses && html`<path class="limit" d=${`M0 ${limit}H${plotWide}`} />`}
        ${!poses && html`<path class="mean" d=${`M0 ${mean}H${plotWide}`} />`}
        <path class="cost" d=${linePath(costs, most)} />
      </svg>
      ${match.tier === 0 && html`<${PlayLine} share=${share} />`}
      ${!poses && html`<span class="edge-limit" style=${{ top: `${limit}%` }}>threshold</span>`}
      ${!poses && html`<span class="edge-mean" style=${{ top: `${mean}%` }}>mean ${distanceText(distance, squared)}</span>`}
    </div>
    <div class="edge-axis"><span>${match.start}</span><span>${match.end - 1}</span></div>
  </figure>`
}

export function EdgeView() {
  useChanges(searching)
  const { closer, error } = useCloser()
  const { chosen, matches, squared } = searching
  const match = matches[chosen]
  if (!match || chosen === 0) return null
  const through = closer && closer.path.from !== 0 && closer.path.to !== 0
  const other = closer && (closer.path.from === chosen ? closer.matches[1] : closer.matches[0])
  return html`<section class="edge-view" aria-label="The chosen match">
    <header>
      <strong class="match-name ellipsis"><${ClipName} id=${match.clip} name=${match.name} /></strong>
      <span>${framesText(match)}</span>
      <span>${distanceText(match.path_distance, squared)}</span>
      ${through && other && html`<span class="dim">through ${other.name} ${framesText(other)}</span>`}
      <${IconButton} icon="close" name="Close the chosen match" onClick=${() => searching.choose(-1)} />
    </header>
    <${Problem} text=${error} />
    ${closer &&
    html`<div class="edge-both"><${GridPicture} closer=${closer} /><${CostPlot} closer=${closer} /></div>`}
  </section>`
}
