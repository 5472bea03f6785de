// legend.ts - whose body is whose: the names of the clips in the view, with their colours.
import { valueOf } from '../controls'
import { html } from '../html'
import { ClipName } from '../names'
import { player } from '../player'
import { change, getState, useStore } from '../store'
import { t } from '../words/words'
import type { Tiles } from './arrange'
import type { LegendRow } from './viewer'

/** The frame at which a clip is brought to where the leader is at its own; `place` counts the open clips. */
function alignAt(place: number, frame: number): void {
  const shown = getState().shown.map((one, i) => {
    const last = one.clip.frames - 1
    return i === place ? { ...one, alignFrame: Math.max(0, Math.min(last, Math.round(frame) || 0)) } : one
  })
  change({ shown })
}

/** The frame of an open clip that is on the screen now. */
function frameNow(place: number): number {
  const { shown } = getState()
  const leader = shown[0]
  const one = shown[place]
  const shift = one.alignFrame / one.clip.fps - leader.alignFrame / leader.clip.fps
  return (player.now.time + (place ? shift : 0)) * one.clip.fps
}

function AlignFrame({ place, name, frame }: { place: number; name: string; frame: number }) {
  return html`<input
      type="number" min="0" aria-label=${t`Frame of ${name} that is aligned`} value=${frame}
      onChange=${(event: Event) => alignAt(place, Number(valueOf(event)))}
    />
    <button
      type="button" title=${t`Align ${name} at the frame that is shown now`}
      aria-label=${t`Align ${name} here, at the frame that is shown now`} onClick=${() => alignAt(place, frameNow(place))}
    >
      here
    </button>`
}

/** Colours alone would not say it to every eye. */
function Sides() {
  return html`<span class="viewer-sides" role="img" aria-label="Left is blue, right is orange" title="Left is blue, right is orange">
    <i class="is-left">L</i><i class="is-right">R</i>
  </span>`
}

export function Legend({ rows }: { rows: LegendRow[] }) {
  const aligned = useStore((state) => state.arrangement === 'aligned')
  const shown = useStore((state) => state.shown)
  const searching = useStore((state) => state.making === 'search')
  const body = useStore((state) => state.view.body)
  const ghosts = shown.some(({ held }) => held)
  if (searching) return null
  if (rows.length === 1 && shown[0]) {
    const { clip } = shown[0]
    return html`<p class="viewer-name boxed">
      <${ClipName} id=${clip.id} name=${clip.name} />${body !== 'silhouette' && html`<${Sides} />`}
    </p>`
  }
  if (rows.length < 2) return null
  return html`<div class="viewer-legend boxed">
    <ul aria-label="Clips in the view">
      ${rows.map(
        ({ id, name, colour }, place) =>
          html`<li key=${`${place} ${id}`}>
            <i style=${{ background: colour }} aria-hidden="true"></i><${ClipName} id=${id} name=${name} />
            ${aligned &&
            !ghosts &&
            shown[place] &&
            html`<${AlignFrame} place=${place} name=${name} frame=${shown[place].alignFrame} />`}
          </li>`,
      )}
    </ul>
    ${body !== 'silhouette' && html`<${Sides} />`}
  </div>`
}

/** Who is in which of the small views. */
export function TileNames({ rows, tiles }: { rows: LegendRow[]; tiles: Tiles }) {
  const grid = {
    gridTemplateColumns: `repeat(${tiles.columns}, minmax(0, 1fr))`,
    gridTemplateRows: `repeat(${tiles.rows}, minmax(0, 1fr))`,
  }
  return html`<ul class="viewer-tiles" aria-label="Clips in the view" style=${grid}>
    ${rows.map(
      ({ id, name, colour }, place) => html`<li key=${`${place} ${id}`}>
        <span><i style=${{ background: colour }} aria-hidden="true"></i>${name}</span>
      </li>`,
    )}
  </ul>`
}
