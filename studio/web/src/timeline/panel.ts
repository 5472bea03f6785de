// panel.ts - the timeline under the viewer: transport, ruler, foot plants, labels of frames, curves and the marked
// segment of the leading clip.
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Clip, Mark } from '../api'
import { Changes, useChanges } from '../changes'
import { Button, IconButton, takeEvent, useWritable } from '../controls'
import { html } from '../html'
import { faultMark, madeMark } from '../making/made'
import { actionMark, transitionMark, type LiveBody } from '../live_body'
import { partNow, usePart } from '../parts'
import { change, getState, useStore } from '../store'
import { t } from '../words/words'
import { addPlant, ContactLabels, ContactRows } from './contact_rows'
import { plants, rowJoints } from './contact_state'
import { drawRuler, usePaper } from './drawing'
import { LaneNames, Lanes, useLanes } from './lanes'
import { followPlayhead, Playhead } from './playhead'
import { listenToPointer } from './pointer'
import { rangesInView } from './scale'
import { clearSegment, markSegment } from './segment'
import { SegmentBar, SegmentMark } from './segment_bar'
import { Transport } from './transport'
import { view } from './view'
import './timeline.css'
import './tracks.css'

// Where the view lies in the whole clip, and a way to move it.

function pressScrollbar(event: KeyboardEvent): void {
  const { span } = view.window
  const moves: Record<string, number> = {
    ArrowLeft: -span / 10,
    ArrowRight: span / 10,
    PageUp: -span,
    PageDown: span,
    Home: -view.frames,
    End: view.frames,
  }
  const by = moves[event.key]
  if (by === undefined) return
  takeEvent(event)
  view.pan(by)
}

function Scrollbar() {
  useChanges(view)
  const track = useRef<HTMLDivElement>(null)
  const segment = useStore((state) => state.segment)
  const { start, span } = view.window
  const share = (frames: number) => `${((100 * frames) / view.frames).toFixed(3)}%`
  const down = (event: PointerEvent) => {
    const bar = track.current
    if (!bar || event.button !== 0) return
    event.preventDefault()
    bar.focus()
    bar.setPointerCapture(event.pointerId)
    const { left, width } = bar.getBoundingClientRect()
    const frameAt = (x: number) => ((x - left) / width) * view.frames
    const at = frameAt(event.clientX)
    // Beside the thumb the view jumps there; on it, it keeps the place where it was gripped.
    const grip = at >= start && at <= start + span ? at - start : span / 2
    const moveTo = (x: number) => view.set({ start: frameAt(x) - grip, span })
    moveTo(event.clientX)
    bar.onpointermove = (moved) => moveTo(moved.clientX)
    bar.onpointerup = bar.onpointercancel = () => (bar.onpointermove = null)
  }
  return html`<div class="tl-scroll">
    <div
      class="tl-scrollbar" ref=${track} role="scrollbar" tabindex=${span < view.frames ? 0 : -1}
      aria-label="Frames in view" aria-controls="timeline-area" aria-orientation="horizontal" aria-valuemin="0"
      aria-valuemax=${Math.round(view.frames - span)} aria-valuenow=${Math.round(start)}
      aria-valuetext="frames ${Math.floor(start)} to ${Math.ceil(start + span) - 1}" onPointerDown=${down}
      onKeyDown=${pressScrollbar}
    >
      ${segment &&
      html`<div
        class="tl-scroll-segment"
        style=${{ left: share(segment.start), width: share(segment.end - segment.start) }}
      ></div>`}
      <div class="tl-thumb" style=${{ left: share(start), width: share(span) }}></div>
    </div>
  </div>`
}

/** "T-pose added by the exporter, frame 0" */
function markTitle({ kind, about, start, end }: Mark): string {
  const frames = end - start === 1 ? t`frame ${start}` : t`frames ${start} to ${end - 1}`
  if (about) return `${frames}: ${about}`
  if (kind.includes('invented')) return t`T-pose added by the exporter, ${frames}`
  return `${kind.replaceAll(/[-_]/g, ' ')}, ${frames}${kind.includes('dropout') ? t(': lost by the capture') : ''}`
}

const kindClass: Record<string, string> = { [madeMark]: ' is-made', [faultMark]: ' is-fault', [transitionMark]: ' is-transition', [actionMark]: ' is-action' }

/** Those of one kind are joined where they are close; what was seen lies over what it was seen in. */
function marksInView(marks: readonly Mark[]): Mark[] {
  const kinds = [...new Set(marks.map(({ kind }) => kind))].sort((a, b) => Number(a === faultMark) - Number(b === faultMark))
  return kinds.flatMap((kind) => rangesInView(marks.filter((mark) => mark.kind === kind), view.window, view.width))
}

function Marks({ clip, live }: { clip: Clip; live: LiveBody | undefined }) {
  useChanges(view)
  return html`${marksInView(live?.marks ?? clip.marks).map((mark) => {
    const left = view.x(mark.start)
    const title = markTitle(mark)
    return html`<div
      key=${`${mark.kind} ${mark.start}`} class=${`tl-mark${kindClass[mark.kind] ?? ''}`} role="img" aria-label=${title}
      title=${title}
      style=${{ transform: `translateX(${left}px)`, width: `${Math.max(3, view.x(mark.end) - left)}px` }}
    ></div>`
  })}`
}

function Ruler() {
  const canvas = usePaper(drawRuler, [])
  return html`<div class="tl-ruler"><canvas ref=${canvas} aria-hidden="true"></canvas></div>`
}

function Tracks({ clip, live }: { clip: Clip; live: LiveBody | undefined }) {
  const area = useRef<HTMLDivElement>(null)
  const lanes = useLanes(clip).length
  useChanges(plants)
  useEffect(() => {
    const element = area.current
    if (!element) return
    const watcher = new ResizeObserver(() => view.resize(element.clientWidth))
    watcher.observe(element)
    const stops = [listenToPointer(element, addPlant), followPlayhead(), () => watcher.disconnect()]
    return () => stops.forEach((stop) => stop())
  }, [])
  return html`<div class="tl-tracks" style=${{ '--tl-plants': rowJoints(plants.now).length, '--tl-lanes': lanes }}>
    <div class="tl-labels flex-column">
      <div class="tl-corner" aria-hidden="true">seconds<br />frames</div>
      <${ContactLabels} />
      <${LaneNames} clip=${clip} />
    </div>
    <div class="tl-area flex-column" id="timeline-area" tabindex="-1" data-pinch ref=${area}>
      <${Ruler} />
      <${ContactRows} />
      <${Lanes} clip=${clip} />
      <${Marks} clip=${clip} live=${live} />
      <${SegmentMark} />
      <${Playhead} flag=${true} />
    </div>
  </div>`
}

function ContactBar({ clip }: { clip: Clip }) {
  useChanges(plants)
  const writable = useWritable()
  const { edited, busy, canUndo, canRedo } = plants
  const state = edited ? t('changed') : clip.contacts_set ? t('kept') : t('found')
  return html`<div class="tl-group flex-row tl-contact-bar" role="group" aria-label="Foot plants">
    <span class="dim tl-word" role="status">contacts ${state}</span>
    <${IconButton} icon="undo" name="Undo" keys="Ctrl+Z" disabled=${!canUndo} onClick=${() => plants.undo()} />
    <${IconButton} icon="redo" name="Redo" keys="Ctrl+Shift+Z" disabled=${!canRedo} onClick=${() => plants.redo()} />
    <${Button} disabled=${!edited || busy} onClick=${() => plants.revert()}>Revert<//>
    <${Button}
      title="Forget what was set and find the plants in the motion" onClick=${() => plants.findAgain()}
      disabled=${busy || !writable || (!clip.contacts_set && !edited)}
    >Find again<//>
    <${Button}
      kind="primary" title="Keep these in the library" disabled=${!edited || busy || !writable}
      onClick=${() => plants.save()}
    >Save contacts<//>
  </div>`
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLInputElement || target instanceof HTMLSelectElement
}

/** Keys that mean something only while the timeline has the focus. */
function pressKey(event: KeyboardEvent): void {
  const { key } = event
  const command = event.ctrlKey || event.metaKey
  if (key === 'Escape' && getState().segment) clearSegment()
  else if (isTyping(event.target)) return
  else if (command && key.toLowerCase() === 'z') event.shiftKey ? plants.redo() : plants.undo()
  else if (command && key.toLowerCase() === 'y') plants.redo()
  else if (command || event.altKey) return
  else if (key === '+' || key === '=') view.zoom(1 / 1.5)
  else if (key === '-') view.zoom(1.5)
  else if (key === '0') view.fit()
  else if (key === 'Delete' || key === 'Backspace') {
    // Nothing here has the focus that could be deleted, and the library's clips are not meant.
  }
  else return
  takeEvent(event)
}

/** Another leader: its whole length is shown, and a segment of the one before is forgotten. */
function useLeader(clip: Clip | undefined): void {
  const last = useRef(0)
  useEffect(() => {
    if (clip && (clip.id !== last.current || clip.frames !== view.frames)) {
      view.load(clip.frames, clip.fps)
      const segment = getState().segment
      if (last.current) clearSegment()
      else if (segment) markSegment(segment.start, segment.end)
    }
    if (!clip && getState().segment) change({ segment: null })
    last.current = clip?.id ?? 0
    plants.load(clip ?? null)
  }, [clip])
}

const noChanges = new Changes()

/** Of a motion that was made and is no clip yet. One of a family stays so when it is kept, as it goes on being dragged. */
function Made() {
  const making = useStore((state) => state.making)
  const parameters = (making === 'param' && partNow('param')?.parameters) || null
  useChanges(parameters ?? noChanges)
  const kept = parameters?.kept
  return html`<span class="dim">${kept ? t`kept as ${kept.name}` : t('not kept yet')}</span>`
}

function Curves({ clip }: { clip: Clip }) {
  const part = usePart('curves')
  return part && html`<${part.CurvesPanel} clip=${clip} />`
}

export function TimelinePanel() {
  const clip = useStore((state) => state.shown[0]?.clip)
  const live = useStore((state) => state.shown[0]?.live)
  const curves = useStore((state) => state.curves)
  const [wanted, want] = useState(false)
  useLeader(clip)
  useEffect(() => {
    if (curves.length) want(true)
  }, [curves])
  if (!clip)
    return html`<section class="timeline flex-column" aria-label="Timeline">
      <p class="tl-empty">Open a clip to see its timeline.</p>
    </section>`
  return html`<section class="timeline flex-column" aria-label="Timeline" onKeyDown=${pressKey}>
    <${Transport} kept=${clip.id > 0} curves=${wanted} toggleCurves=${() => want(!wanted)} />
    <div class="tl-body flex-column">
      <${Tracks} clip=${clip} live=${live} />
      ${wanted && clip.id > 0 && html`<${Curves} clip=${clip} />`}
    </div>
    <${Scrollbar} />
    <div class="tl-bar flex-row tl-tools">
      <${SegmentBar} clipName=${clip.id > 0 ? clip.name : null} />
      <span class="tl-space"></span>
      ${clip.id > 0 ? html`<${ContactBar} clip=${clip} />` : html`<${Made} />`}
    </div>
  </section>`
}
