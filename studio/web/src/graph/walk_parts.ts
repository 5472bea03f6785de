// walk_parts.ts - what a walk does and what is seen of it: the actions that it goes through, the pieces of clips that it is
// made of, coloured by what is done in them, and its faults, each with a way to its frame.
import type { Graph } from '../api'
import { Button } from '../controls'
import { html } from '../html'
import { faultText } from '../making/made'
import { player } from '../player'
import { labelColour } from '../timeline/lanes'
import { t } from '../words/words'
import { walk } from './path_session'

const ofWhole = t('is a label of whole clips: any second of one is played')

/** It is not known in which frames it is done. */
function isVague(graph: Graph, label: string): boolean {
  return !graph.actions.includes(label)
}

/** The actions in their order, and those that can follow. */
export function Actions({ graph }: { graph: Graph }) {
  const { through } = walk
  const vague = [...new Set(through)].filter((label) => isVague(graph, label))
  return html`<div class="walk-actions boxed">
    <ol class="flex-row" aria-label="Actions, in their order">
      ${through.map(
        (label, i) => html`<li key=${i}>
          <button
            type="button" class="chip flex-row" title="Take it out" onClick=${() => walk.dropAction(i)}
            aria-label=${t`Take out ${label}, action ${i + 1} of ${through.length}`}
          ><i class="walk-key" style=${{ background: labelColour(label) }}></i>${label} <span aria-hidden="true">×</span></button>
        </li>`,
      )}
      ${through.length === 0 && html`<li class="dim">Add an action:</li>`}
    </ol>
    <div class="flex-row" role="group" aria-label="Add an action">
      ${[...graph.labels].sort((a, b) => Number(isVague(graph, a)) - Number(isVague(graph, b))).map(
        (label) => html`<${Button}
          key=${label} kind=${isVague(graph, label) ? 'quiet dim' : 'quiet'} onClick=${() => walk.addAction(label)}
          title=${isVague(graph, label) ? `${label} ${ofWhole}` : t`Then ${label}, all of it`}
        >+ ${label}<//>`,
      )}
    </div>
    ${vague.length > 0 && html`<p class="dim">${vague.join(', ')} ${ofWhole}; label the frames to have all of it</p>`}
  </div>`
}

/** From which clips it is put together, in their order. */
export function Pieces() {
  const { facts } = walk
  if (!facts?.pieces) return null
  const total = Math.max(1, facts.frames)
  return html`<ol class="path-pieces" aria-label="Made of">
    ${facts.pieces.slice(0, 400).map(
      ({ at, length, clip, start, end, label }) => html`<li
        key=${at} class=${label ? 'is-action' : ''} title=${`${label ? `${label}: ` : ''}${clip} ${start}–${end - 1}`}
        style=${{ flexGrow: length / total, '--action': label ? labelColour(label) : undefined }}
      >
        ${label && html`<b>${label}</b>${' '}`}<span>${clip}</span>
      </li>`,
    )}
  </ol>`
}

export function goTo(frame: number): void {
  player.set({ playing: false })
  player.seekFrame(frame)
}

/** Nothing of captured motion is seen to be amiss, or where it is. */
export function Faults() {
  const { facts, error, busy } = walk
  if (!facts || error) return null
  const { faults, searches } = facts
  const again = searches > 1 ? t`, after ${searches} searches` : ''
  if (faults.length === 0) return html`<p class="dim" role="status" aria-busy=${String(busy)}>no faults${again}</p>`
  return html`<section class="walk-faults" aria-label="Faults">
    <p class="dim">${faults.length === 1 ? '1 fault' : `${faults.length} faults`} left${again}</p>
    <ul>
      ${faults.map((fault) => {
        const { kind, frame } = fault
        const words = faultText(fault)
        return html`<li key=${`${kind} ${frame}`}>
          ${frame === undefined
            ? html`<span>${words}</span>`
            : html`<${Button} kind="quiet" title="Go to this frame" onClick=${() => goTo(frame)}>
                <b>frame ${frame}</b> ${words}
              <//>`}
        </li>`
      })}
    </ul>
  </section>`
}
