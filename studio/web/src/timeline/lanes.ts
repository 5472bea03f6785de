// lanes.ts - labels of frames: a lane for every label under the foot plants, a bar for every stretch. A click marks its
// frames, Delete takes the label off them; the bar below labels the frames that are marked.
import { useState } from 'preact/hooks'
import { framesHaving, labelFrames } from '../actions'
import type { Clip, Stretch } from '../api'
import { useChanges } from '../changes'
import { Button, takeEvent, useLabels, valueOf, useWritable } from '../controls'
import { html } from '../html'
import { useStore, type Segment } from '../store'
import { plural, t } from '../words/words'
import { rangesInView } from './scale'
import { markSegment } from './segment'
import { view } from './view'

const none: Stretch[] = []

/** Of a clip in the library, as its card has them. */
function useStretches(clip: number): Stretch[] {
  return useStore((state) => state.cards.find(({ id }) => id === clip)?.stretches ?? none)
}

/** A colour that is the label's own. */
export function labelColour(label: string): string {
  return `hsl(${[...label].reduce((hue, letter) => (hue * 31 + letter.codePointAt(0)!) % 360, 7)} 60% 52%)`
}

/** Its labels, by where each is first. What was made and is no clip yet has its own. */
export function useLanes({ id, stretches: made }: Clip): { label: string; colour: string; stretches: Stretch[] }[] {
  const kept = useStretches(id)
  const stretches = id > 0 ? kept : made
  return [...new Set(stretches.map(({ label }) => label))].map((label) => ({
    label,
    colour: labelColour(label),
    stretches: stretches.filter((one) => one.label === label),
  }))
}

function pressKey(clip: number, { label, start, end }: Stretch, writable: boolean, event: KeyboardEvent): void {
  const bar = event.currentTarget as HTMLElement
  const sides: Record<string, Element | null> = {
    ArrowLeft: bar.previousElementSibling,
    ArrowRight: bar.nextElementSibling,
  }
  if (event.key in sides) {
    const side = sides[event.key]
    if (side instanceof HTMLElement) side.focus()
  } else if (event.key === 'Delete' || event.key === 'Backspace') {
    // Were the focus nowhere, a second Delete would mean the clips that are selected in the library.
    document.getElementById('timeline-area')?.focus({ preventScroll: true })
    if (writable) void labelFrames([{ clip, start, end }], [label], false, plural(end - start, 'frame'))
  } else return
  takeEvent(event)
}

function Bar({ clip, stretch, first }: { clip: number; stretch: Stretch; first: boolean }) {
  const { label, start, end } = stretch
  const writable = useWritable() && clip > 0
  const left = view.x(start)
  const name = t`${label}, frames ${start} to ${end - 1}`
  const click = (event: MouseEvent) => {
    // The page takes the focus from buttons that were clicked; a bar needs it, for its keys.
    event.stopPropagation()
    markSegment(start, end)
  }
  return html`<button
    type="button" class="tl-stretch" tabindex=${first ? 0 : -1} aria-label=${name} aria-describedby="timeline-lane-help"
    title=${name} style=${{ transform: `translateX(${left}px)`, width: `${Math.max(2, view.x(end) - left)}px` }}
    onClick=${click} onPointerDown=${(event: PointerEvent) => event.button === 0 && !event.shiftKey && event.stopPropagation()}
    onKeyDown=${(event: KeyboardEvent) => pressKey(clip, stretch, writable, event)}
  ></button>`
}

export function Lanes({ clip }: { clip: Clip }) {
  useChanges(view)
  const lanes = useLanes(clip)
  return html`${lanes.map(
      ({ label, colour, stretches }) => html`<div
        key=${label} class="tl-lane" role="group" aria-label="Frames labelled ${label}" style=${{ '--tl-side': colour }}
      >
        ${rangesInView(stretches, view.window, view.width).map(
          (stretch, at) => html`<${Bar} key=${stretch.start} clip=${clip.id} stretch=${stretch} first=${at === 0} />`,
        )}
      </div>`,
    )}
    <p id="timeline-lane-help" hidden>Enter marks its frames, Delete takes the label off them, arrows go to others.</p>`
}

export function LaneNames({ clip }: { clip: Clip }) {
  return html`${useLanes(clip).map(
    ({ label, colour }) => html`<div
      key=${label} class="tl-lane-name flex-row" title=${label} style=${{ '--tl-side': colour }}
    >
      <span class="tl-swatch"></span><span>${label}</span>
    </div>`,
  )}`
}

/** Of the marked frames: a label for them, or one less. */
export function SegmentLabel({ clip, segment }: { clip: number; segment: Segment }) {
  const [typed, set] = useState('')
  const known = useLabels()
  const stretches = useStretches(clip)
  const label = typed.trim()
  const frames = { clip, ...segment }
  const has = label !== '' && framesHaving(frames, stretches, label, true).length > 0
  const put = (on: boolean) => void labelFrames([frames], [label], on, plural(segment.end - segment.start, 'frame'))
  const submit = (event: Event) => {
    event.preventDefault()
    if (label) put(true)
  }
  return html`<form class="tl-group flex-row" onSubmit=${submit}>
    <input
      type="text" class="field tl-text" value=${typed} aria-label="Label of these frames" placeholder="label"
      autocomplete="off" spellcheck=${false} list="timeline-labels" onInput=${(event: Event) => set(valueOf(event))}
    />
    <${Button} type="submit" icon="label" title="Put the label on these frames" disabled=${!label}>
      <span class="tl-long">Label frames</span>
    <//>
    <${Button} title="Take the label off these frames (Delete on its bar)" disabled=${!has} onClick=${() => put(false)}>Take off<//>
    <datalist id="timeline-labels">${known.map((one) => html`<option key=${one} value=${one} />`)}</datalist>
  </form>`
}
