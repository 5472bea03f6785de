// picture.ts - the canvas, who is in it, and what is said where nothing can be drawn. What the page puts over it are its
// children.
import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { FetchFrames } from '../frames'
import { html } from '../html'
import { useStore } from '../store'
import { t } from '../words/words'
import type { Tiles } from './arrange'
import { Legend, TileNames } from './legend'
import { describe, startViewer } from './screen'
import type { LegendRow } from './viewer'
import './viewer.css'

export const NEEDS_WEBGL =
  t('The 3D view needs WebGL, which this browser does not offer. Turn on hardware acceleration, or use another browser.')

interface PictureProps {
  fetchFrames: FetchFrames
  /** Does the work when it is time for the first picture; gives what forgets it. */
  when: (work: () => void) => () => void
  /** What is said where there is no WebGL. */
  noWebgl: string
  children?: ComponentChildren
}

export function Picture({ fetchFrames, when, noWebgl, children }: PictureProps) {
  const tiled = useStore((state) => state.arrangement === 'tiles' && state.shown.length > 1)
  const shown = useStore((state) => state.shown)
  const body = useStore((state) => state.view.body)
  const pawns = useStore((state) => state.pawns !== null)
  const canvas = useRef<HTMLCanvasElement>(null)
  const [legend, setLegend] = useState<LegendRow[]>([])
  const [tiles, setTiles] = useState<Tiles>({ columns: 1, rows: 1 })
  const [loaded, setLoaded] = useState(1)
  const [failure, setFailure] = useState('')
  const [missing, setMissing] = useState(false)
  useEffect(() => {
    const onLoading = (share: number, message: string) => {
      setLoaded(share)
      setFailure(message)
    }
    const onLegend = (rows: LegendRow[], next: Tiles) => {
      setLegend(rows)
      setTiles(next)
    }
    let end: () => void = () => undefined
    const forget = when(() => {
      try {
        end = startViewer(canvas.current!, fetchFrames, { onLegend, onLoading })
      } catch {
        setMissing(true)
      }
    })
    return () => {
      forget()
      end()
    }
  }, [])
  if (missing) {
    return html`<section class="viewer" aria-label="Viewer"><p class="viewer-message" role="alert">${noWebgl}</p></section>`
  }
  return html`<section class="viewer" aria-label="Viewer">
    <canvas
      ref=${canvas} class="viewer-canvas" tabindex="0" role="img" aria-label=${describe(shown, body, pawns)}
    ></canvas>
    ${children}
    ${tiled ? html`<${TileNames} rows=${legend} tiles=${tiles} />` : html`<${Legend} rows=${legend} />`}
    ${failure && html`<p class="viewer-message" role="alert">${failure}</p>`}
    ${!failure &&
    loaded < 1 &&
    html`<progress class="viewer-loading" aria-label="Loading frames" value=${loaded}></progress>`}
  </section>`
}
