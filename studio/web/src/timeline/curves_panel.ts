// curves_panel.ts - curves of chosen channels under the tracks: what to draw, and what is drawn with its
// values.
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Clip } from '../api'
import { messageOf } from '../attempt'
import { IconButton, Select } from '../controls'
import { html } from '../html'
import { player } from '../player'
import { change, getState, tell, useStore } from '../store'
import { curveCache, isOfClip, jointChoices, measures, mostCurves, splitName, unitOf } from './curve_data'
import { CurvePlot, curveColour } from './curve_plot'
import { Playhead } from './playhead'
import { listenToPointer } from './pointer'
import './curves.css'

function toggleCurve(name: string): void {
  const { curves } = getState()
  if (curves.includes(name)) change({ curves: curves.filter((each) => each !== name) })
  else if (curves.length >= mostCurves) tell(`At most ${mostCurves} curves at once; remove one first.`)
  else change({ curves: [...curves, name] })
}

function Chooser({ clip, curves }: { clip: Clip; curves: string[] }) {
  const choices = jointChoices(clip)
  const [picked, pick] = useState('')
  const joint = choices.some((each) => each.joint === picked) ? picked : (choices[0]?.joint ?? '')
  const those = (named: boolean) =>
    choices.filter((each) => each.named === named).map((each) => [each.joint, each.label] as const)
  const groups = [
    { group: 'Joints with a role', options: those(true) },
    { group: 'Other joints', options: those(false) },
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
  return html`<div class="tl-plot" tabindex="-1" ref=${area}>
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
