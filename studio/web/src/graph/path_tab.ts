// path_tab.ts - the tab "Path": a path is drawn on the floor, and the character walks it.
import type { Graph } from '../api'
import { useChanges, useEntered } from '../changes'
import { Button, Choice } from '../controls'
import { html } from '../html'
import { Icon } from '../icons'
import { FeetHeld, Figures, KeepForm, Problem } from '../making/parts'
import { player } from '../player'
import { lengthOf } from './path_data'
import { walk } from './path_session'
import { Plan } from './plan'

/** How well it keeps to the path. */
function Off() {
  const { facts, error, busy } = walk
  if (error) return html`<${Problem} text=${error} />`
  if (!facts) return html`<p class="dim" role="status">${busy ? 'Finding a walk…' : ''}</p>`
  const { path_cm, path_worst_cm, arrived, transitions } = facts
  const off = `${Math.round(path_cm ?? 0)} cm off on the mean`
  return html`<p class=${`path-off flex-row${arrived ? '' : ' is-short'}`} role="status" aria-busy=${String(busy)}>
    <${Icon} name=${arrived ? 'check' : 'warning'} /><b>${arrived ? off : `${off}; the end is not reached`}</b>
    <span class="dim">${Math.round(path_worst_cm ?? 0)} cm at worst, ${transitions} transitions</span>
  </p>`
}

/** From which clips it is put together, in their order. */
function Pieces() {
  const { facts } = walk
  if (!facts?.pieces) return null
  const total = Math.max(1, facts.frames)
  return html`<ol class="path-pieces" aria-label="Made of">
    ${facts.pieces.slice(0, 400).map(
      ({ at, length, clip, start, end }) => html`<li
        key=${at} style=${{ flexGrow: length / total }} title=${`${clip} ${start}–${end - 1}`}
      >
        <span>${clip}</span>
      </li>`,
    )}
  </ol>`
}

function Tools({ graph }: { graph: Graph }) {
  return html`<div class="compare-fields">
    <${Button}
      icon="rename" kind=${walk.drawing ? 'primary' : ''} aria-pressed=${String(walk.drawing)}
      title="Then drag over the floor of the view, or over the plan" onClick=${() => walk.setDrawing(!walk.drawing)}
    >Draw a path<//>
    <${Button} title="The whole path from above" onClick=${() => walk.showAll()}>See all<//>
    <${Button} icon="open" disabled=${!walk.made} title="Play or pause (Space)" onClick=${() => player.toggle()}>Walk<//>
    ${graph.labels.length > 0 &&
    html`<${Choice}
      name="Style" about="Only motion with this label, and what is interpolated from it" value=${walk.style}
      options=${[['', 'any'], ...graph.labels]} set=${(style: string) => walk.set({ style })}
    />`}
    <${FeetHeld} on=${walk.clean} set=${(clean: boolean) => walk.set({ clean })} />
  </div>`
}

export function PathTab({ graph }: { graph: Graph }) {
  useChanges(walk)
  useEntered(
    () => walk.enter(graph),
    () => walk.leave(),
  )
  const hint = walk.drawing
    ? 'Drag over the floor: the character walks what you draw.'
    : 'Drag the points, here or in the view; the character walks it again.'
  return html`<${Tools} graph=${graph} />
    <p class="dim">${hint} <span class="path-length">${(0.01 * lengthOf(walk.curve)).toFixed(1)} m</span></p>
    <${Plan} />
    <${Off} />
    <${Pieces} />
    <${Figures} facts=${walk.facts} busy=${walk.busy} />
    <${KeepForm}
      base="walk" kept=${walk.kept} ready=${walk.made !== null && !walk.error} keep=${(name: string) => walk.keep(name)}
    />`
}
