// curves_panel.ts - curves of chosen channels under the tracks: what to draw, and what is drawn with its
// values.
import { useEffect, useRef, useState } from 'preact/hooks'
import uPlot from 'uplot'
import { api, type Clip } from '../api'
import { messageOf } from '../attempt'
import { IconButton, Select } from '../controls'
import { html } from '../html'
import { player } from '../player'
import { roleName } from '../role_names'
import { change, getState, tell, useStore } from '../store'
import { t } from '../words/words'
import { onTheme } from './drawing'
import { Playhead } from './playhead'
import { listenToPointer } from './pointer'
import { roundNumbers, secondTicks, thin } from './scale'
import { view } from './view'
import 'uplot/dist/uPlot.min.css'
import './curves.css'

// The numbers of curves, asked for once per clip, and what can be drawn of a clip.

export interface JointChoice {
  joint: string
  label: string
  named: boolean
}

/** The server gives so many at once; more would be unreadable anyway. */
const mostCurves = 16

/** Joints that have a role come first, in the order of the roles. */
function jointChoices(clip: Clip): JointChoice[] {
  const order = getState().about?.roles ?? Object.keys(clip.roles)
  const roleOf = new Map(Object.entries(clip.roles).map(([role, joint]) => [joint, role]))
  const choices = clip.joints.map((joint, i) => {
    const role = roleOf.get(i)
    const label = role ? `${joint.name} (${roleName(role)})` : joint.name
    return { joint: joint.name, label, named: !!role, rank: role ? order.indexOf(role) : Infinity }
  })
  return choices.sort((a, b) => (a.rank === b.rank ? 0 : a.rank - b.rank))
}

/** What can be drawn of a joint: the file's own channels, then place and speed. */
export function measures(clip: Clip, joint: string): string[] {
  const channels = clip.has_channels ? (clip.joints.find((each) => each.name === joint)?.channels ?? []) : []
  return [...channels, 'x', 'y', 'z', 'speed']
}

/** A joint's name may itself have dots; the measure never has. */
function splitName(name: string): { joint: string; measure: string } {
  const dot = name.lastIndexOf('.')
  return { joint: name.slice(0, dot), measure: name.slice(dot + 1) }
}

function isOfClip(clip: Clip, name: string): boolean {
  const { joint, measure } = splitName(name)
  return clip.joints.some((each) => each.name === joint) && measures(clip, joint).includes(measure)
}

/** Curves of one unit share a scale; positions in the file are in the file's own unit. */
function unitOf(name: string): string {
  const { measure } = splitName(name)
  if (measure === 'speed') return 'cm/s'
  if (measure.endsWith('rotation')) return '°'
  if (measure.endsWith('position')) return t('file units')
  return 'cm'
}

class CurveCache {
  private clip = 0
  private readonly rows = new Map<string, Float32Array>()

  get(clip: number, name: string): Float32Array | undefined {
    return clip === this.clip ? this.rows.get(name) : undefined
  }

  /** Fetches what is missing. Curves of another clip are forgotten. */
  async load(clip: Clip, names: string[]): Promise<void> {
    if (clip.id !== this.clip) {
      this.clip = clip.id
      this.rows.clear()
    }
    const missing = names.filter((name) => !this.rows.has(name))
    if (!missing.length) return
    const all = await api.curves(clip.id, missing)
    // Another clip may have been opened meanwhile.
    if (clip.id !== this.clip) return
    missing.forEach((name, i) => {
      const row = all.subarray(i * clip.frames, (i + 1) * clip.frames)
      // What was not captured would flatten what was: it has no value.
      for (const mark of clip.made ? [] : clip.marks) row.fill(NaN, mark.start, mark.end)
      this.rows.set(name, row)
    })
  }
}

const curveCache = new CurveCache()

// UPlot as wide as the view. Its axes are left out, so that a frame is at the same x as in the rows above; the few numbers
// of the y axis are painted inside.

/** Told apart in dark and in light, and by people who see red and green alike. */
const colours = ['#4c9be8', '#e8853d', '#2fa877', '#c678dd', '#c9a227', '#e0607e', '#38a9b8', '#8f8f99']

function curveColour(at: number): string {
  return colours[at % colours.length]
}

function property(element: Element, name: string): string {
  return getComputedStyle(element).getPropertyValue(name).trim() || '#888'
}

class CurvePlot {
  private readonly plot: uPlot
  private readonly rows: Float32Array[]
  private readonly stops: (() => void)[]

  /** `names` are drawn; the place in `all` gives each its colour. */
  constructor(
    private readonly host: HTMLElement,
    private readonly clip: Clip,
    private readonly names: string[],
    all: string[],
  ) {
    this.rows = names.map((name) => curveCache.get(clip.id, name)!)
    this.plot = new uPlot(this.options(all), this.data(), host)
    const watcher = new ResizeObserver(() => this.follow())
    watcher.observe(host)
    const again = () => this.plot.redraw()
    this.stops = [view.on(() => this.follow()), onTheme(again), () => watcher.disconnect()]
    this.follow()
  }

  close(): void {
    this.stops.forEach((stop) => stop())
    this.plot.destroy()
  }

  private data(): uPlot.AlignedData {
    const thinned = thin(this.rows, this.clip.frames, view.window, view.width)
    return [thinned.x, ...thinned.rows] as uPlot.AlignedData
  }

  private follow(): void {
    const { clientWidth: width, clientHeight: height } = this.host
    if (!width || !height) return
    const { start, span } = view.window
    this.plot.batch(() => {
      if (width !== this.plot.width || height !== this.plot.height) this.plot.setSize({ width, height })
      this.plot.setData(this.data(), false)
      this.plot.setScale('x', { min: start, max: start + span })
    })
  }

  private options(all: string[]): uPlot.Options {
    const scales: Record<string, uPlot.Scale> = { x: { time: false, auto: false } }
    for (const unit of new Set(this.names.map(unitOf))) scales[unit] = { range: this.wholeRange(unit) }
    return {
      width: Math.max(1, this.host.clientWidth),
      height: Math.max(1, this.host.clientHeight),
      padding: [4, 0, 4, 0],
      legend: { show: false },
      cursor: { show: false },
      scales,
      axes: [{ show: false }, { show: false }],
      series: [
        {},
        ...this.names.map((name) => ({
          label: name,
          scale: unitOf(name),
          stroke: curveColour(all.indexOf(name)),
          width: 1.5,
          points: { show: false },
        })),
      ],
      hooks: { drawClear: [(plot) => this.drawGrid(plot)] },
    }
  }

  /** Of all frames, not of those in view: the picture must not jump up and down while panning. */
  private wholeRange(unit: string): uPlot.Range.MinMax {
    let low = Infinity
    let high = -Infinity
    this.names.forEach((name, i) => {
      if (unitOf(name) !== unit) return
      for (const value of this.rows[i]) {
        if (value < low) low = value
        if (value > high) high = value
      }
    })
    if (!(low <= high)) return [0, 1]
    const air = (high - low) * 0.05 || 1
    return [low - air, high + air]
  }

  /** Seconds as in the rows; round numbers for the first unit at the left, and for the second at the right.
      */
  private drawGrid(plot: uPlot): void {
    const { ctx, bbox } = plot
    const ratio = window.devicePixelRatio || 1
    ctx.save()
    ctx.fillStyle = property(this.host, '--line')
    ctx.globalAlpha = 0.55
    for (const tick of secondTicks(view.window, view.fps, view.width))
      ctx.fillRect(Math.round(view.x(tick.frame) * ratio), bbox.top, ratio, bbox.height)
    ctx.globalAlpha = 1
    const rem = parseFloat(getComputedStyle(document.documentElement).fontSize) || 16
    ctx.font = `${0.66 * rem * ratio}px ${property(this.host, '--font')}`
    ctx.textBaseline = 'middle'
    const units = [...new Set(this.names.map(unitOf))].slice(0, 2)
    units.forEach((unit, i) => this.drawNumbers(plot, unit, i === 1, ratio))
    ctx.restore()
  }

  private drawNumbers(plot: uPlot, unit: string, right: boolean, ratio: number): void {
    const { ctx, bbox } = plot
    const { min, max } = plot.scales[unit]
    if (min == null || max == null) return
    ctx.textAlign = right ? 'right' : 'left'
    const x = right ? bbox.left + bbox.width - 4 * ratio : bbox.left + 4 * ratio
    const numbers = roundNumbers(min, max)
    for (const value of numbers) {
      const y = bbox.top + (bbox.height * (max - value)) / (max - min)
      if (!right) {
        ctx.fillStyle = property(this.host, '--line')
        ctx.fillRect(bbox.left, Math.round(y), bbox.width, ratio)
      }
      ctx.fillStyle = property(this.host, '--text-dim')
      const last = value === numbers[numbers.length - 1]
      ctx.fillText(last ? `${value} ${unit}` : String(value), x, y + 8 * ratio)
    }
  }
}

function toggleCurve(name: string): void {
  const { curves } = getState()
  if (curves.includes(name)) change({ curves: curves.filter((each) => each !== name) })
  else if (curves.length >= mostCurves) tell(t`At most ${mostCurves} curves at once; remove one first.`)
  else change({ curves: [...curves, name] })
}

function Chooser({ clip, curves }: { clip: Clip; curves: string[] }) {
  const choices = jointChoices(clip)
  const [picked, pick] = useState('')
  const joint = choices.some((each) => each.joint === picked) ? picked : (choices[0]?.joint ?? '')
  const those = (named: boolean) =>
    choices.filter((each) => each.named === named).map((each) => [each.joint, each.label] as const)
  const groups = [
    { group: t('Joints with a role'), options: those(true) },
    { group: t('Other joints'), options: those(false) },
  ]
  return html`<div class="tl-chooser flex-row" role="group" aria-label="Curves to draw">
    <${Select}
      kind="tl-select" aria-label="Joint" value=${joint} set=${pick}
      options=${groups.filter(({ options }, i) => i === 0 || options.length > 0)}
    />
    ${measures(clip, joint).map((measure) => {
      const name = `${joint}.${measure}`
      return html`<button
        type="button" key=${measure} class="chip" aria-pressed=${curves.includes(name)} title="${name} (${unitOf(name)})"
        onClick=${() => toggleCurve(name)}
      >
        ${measure}
      </button>`
    })}
  </div>`
}

/** Three digits are enough for an eye, and keep the column narrow. */
function shortNumber(value: number | undefined): string {
  if (value === undefined || !Number.isFinite(value)) return '–'
  return Math.abs(value) >= 1000 ? value.toFixed(0) : value.toFixed(Math.abs(value) >= 100 ? 1 : 2)
}

/** The values are written directly while it plays. */
function Legend({ clip, curves, loaded }: { clip: Clip; curves: string[]; loaded: number }) {
  const list = useRef<HTMLUListElement>(null)
  useEffect(() => {
    const write = () => {
      const cells = list.current?.querySelectorAll<HTMLElement>('.tl-value')
      cells?.forEach((cell, i) => {
        cell.textContent = shortNumber(curveCache.get(clip.id, curves[i])?.[player.frame])
      })
    }
    write()
    return player.onTime(write)
  }, [clip.id, curves, loaded])
  return html`<ul class="tl-legend" ref=${list} aria-label="Curves">
    ${curves.map((name, i) => {
      const { joint, measure } = splitName(name)
      const short = measure.replace('position', 'pos').replace('rotation', 'rot')
      return html`<li key=${name} title="${name}, ${unitOf(name)}">
        <span class="tl-swatch" style=${{ background: curveColour(i) }}></span>
        <span class="tl-curve-name ellipsis">${joint}<span class="dim">.${short}</span></span>
        <span class="tl-value"></span>
        <${IconButton} icon="closeSolid" name="Remove ${name}" onClick=${() => toggleCurve(name)} />
      </li>`
    })}
  </ul>`
}

function PlotArea({ clip, curves, loaded }: { clip: Clip; curves: string[]; loaded: number }) {
  const area = useRef<HTMLDivElement>(null)
  const host = useRef<HTMLDivElement>(null)
  useEffect(() => (area.current ? listenToPointer(area.current) : undefined), [])
  useEffect(() => {
    if (!host.current) return
    const names = curves.filter((name) => curveCache.get(clip.id, name))
    const plot = new CurvePlot(host.current, clip, names, curves)
    return () => plot.close()
  }, [clip.id, curves, loaded])
  return html`<div class="tl-plot" tabindex="-1" data-pinch ref=${area}>
    <div ref=${host} role="img" aria-label="Curves of ${curves.join(', ')}"></div>
    <${Playhead} />
  </div>`
}

export function CurvesPanel({ clip }: { clip: Clip }) {
  const all = useStore((state) => state.curves)
  const curves = all.filter((name) => isOfClip(clip, name))
  const [loaded, setLoaded] = useState(0)
  const wanted = curves.join()
  useEffect(() => {
    let current = true
    curveCache.load(clip, curves).then(
      () => current && setLoaded((n) => n + 1),
      (error) => tell(messageOf(error), 'error'),
    )
    return () => {
      current = false
    }
  }, [clip.id, wanted])
  const shown = useKept(curves, wanted)
  return html`<div class="tl-curves flex-column">
    <${Chooser} clip=${clip} curves=${shown} />
    ${shown.length > 0 &&
    html`<div class="tl-curve-body">
      <${Legend} clip=${clip} curves=${shown} loaded=${loaded} />
      <${PlotArea} clip=${clip} curves=${shown} loaded=${loaded} />
    </div>`}
  </div>`
}

/** The same list as long as the names are the same, so that effects do not begin again. */
function useKept(names: string[], key: string): string[] {
  const kept = useRef({ key: '', names: [] as string[] })
  if (kept.current.key !== key) kept.current = { key, names }
  return kept.current.names
}
