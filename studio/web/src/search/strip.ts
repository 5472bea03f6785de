// strip.ts - a match as a film strip: a few poses of its segment, drawn when it comes into view.
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Match } from '../api'
import { html } from '../html'
import { filmStrip, type Drawing, type FilmStrip } from './figure_paths'
import { keyOf } from './match_data'
import { motionOf, posesOf } from './motions'

const posesEach = 7
/** Room for one pose, as a share of its height. */
const cellShare = 0.66
const bone_cm = 7
const head_cm = 11

const drawn = new Map<string, FilmStrip>()
const mostDrawn = 600

export function forgetStrips(): void {
  drawn.clear()
}

async function draw(match: Match): Promise<FilmStrip> {
  const before = drawn.get(keyOf(match))
  if (before) return before
  const motion = await motionOf(match)
  const strip = filmStrip(motion.clip, await posesOf(motion), posesEach)
  for (const oldest of drawn.keys()) if (drawn.size >= mostDrawn) drawn.delete(oldest)
  drawn.set(keyOf(match), strip)
  return strip
}

/** The strip once it is there; `wanted` is false while it is out of sight. */
export function useStrip(match: Match, wanted: boolean): FilmStrip | null {
  const key = keyOf(match)
  const [strip, set] = useState<{ key: string; strip: FilmStrip } | null>(null)
  useEffect(() => {
    if (!wanted) return
    let gone = false
    // A strip that cannot be had is no loss worth a message; the name and the frames stay.
    draw(match).then((next) => gone || set({ key, strip: next }), () => undefined)
    return () => {
      gone = true
    }
  }, [key, wanted])
  return drawn.get(key) ?? (strip?.key === key ? strip.strip : null)
}

export function FigureDrawing({ drawing, x = 0 }: { drawing: Drawing; x?: number }) {
  const { left, middle, right, head } = drawing
  // Seen so, the right side is the nearer one.
  return html`<g class="figure" transform=${`translate(${x} 0)`}>
    <path class="of-left" d=${left} stroke-width=${bone_cm} />
    <path class="of-middle" d=${middle} stroke-width=${bone_cm} />
    ${head && html`<circle class="of-head" cx=${head[0]} cy=${head[1] - head_cm} r=${head_cm} />`}
    <path class="of-right" d=${right} stroke-width=${bone_cm} />
  </g>`
}

/** Whether an element is, or nearly is, on the screen; once seen it stays so. */
function useSeen() {
  const element = useRef<HTMLDivElement>(null)
  const [seen, set] = useState(false)
  useEffect(() => {
    if (seen || !element.current) return
    const watcher = new IntersectionObserver((entries) => entries.some((one) => one.isIntersecting) && set(true), {
      rootMargin: '200px',
    })
    watcher.observe(element.current)
    return () => watcher.disconnect()
  }, [seen])
  return { element, seen }
}

export function Strip({ match }: { match: Match }) {
  const { element, seen } = useSeen()
  const strip = useStrip(match, seen)
  const high = strip ? strip.height_cm + 2 * head_cm : 1
  const wide = high * cellShare
  return html`<div class="match-film" ref=${element}>
    ${strip &&
    html`<svg viewBox=${`0 ${-high} ${wide * posesEach} ${high + 6}`} aria-hidden="true">
      <path class="ground" d=${`M0 3H${wide * posesEach}`} />
      ${strip.drawings.map(
        (drawing, i) => html`<${FigureDrawing} key=${i} drawing=${drawing} x=${(i + 0.5) * wide} />`,
      )}
    </svg>`}
  </div>`
}
