// curve_plot.ts - uPlot as wide as the view. Its axes are left out, so that a frame is at the same x as in
// the rows above; the few numbers of the y axis are painted inside.
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import type { Clip } from '../api'
import { curveCache, unitOf } from './curve_data'
import { onTheme } from './drawing'
import { roundNumbers, secondTicks, thin } from './scale'
import { view } from './view'

/** Told apart in dark and in light, and by people who see red and green alike. */
const colours = ['#4c9be8', '#e8853d', '#2fa877', '#c678dd', '#c9a227', '#e0607e', '#38a9b8', '#8f8f99']

export function curveColour(at: number): string {
  return colours[at % colours.length]
}

function property(element: Element, name: string): string {
  return getComputedStyle(element).getPropertyValue(name).trim() || '#888'
}

export class CurvePlot {
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
