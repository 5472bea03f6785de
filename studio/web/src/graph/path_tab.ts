// path_tab.ts - the tab "Path": a path is drawn on the floor, and the character walks it.
import { useEffect } from 'preact/hooks'
import type { Graph } from '../api'
import { html } from '../html'
import { Icon } from '../icons'
import { Check, Figures, KeepForm, valueOf } from '../making/parts'
import { player } from '../player'
import { useChanges } from '../timeline/view'
import { lengthOf } from './path_data'
import { walk } from './path_session'
import { Plan } from './plan'

function Style({ labels }: { labels: string[] }) {
  if (labels.length === 0) return null
  return html`<label class="compare-field" title="Only motion with this label, and what is interpolated from it">
    <span>Style</span>
    <select class="field" value=${walk.style} onChange=${(event: Event) => walk.setStyle(valueOf(event))}>
      <option value="" selected=${walk.style === ''}>any</option>
      ${labels.map((label) => html`<option key=${label} value=${label} selected=${label === walk.style}>${label}</option>`)}
    </select>
  </label>`
}

/** How well it keeps to the path. */
function Off() {
  const { facts, error, busy } = walk
  if (error) return html`<p class="making-error" role="alert">${error}</p>`
  if (!facts) return html`<p class="dim" role="status">${busy ? 'Finding a walk…' : ''}</p>`
  const { path_cm, path_worst_cm, arrived, transitions } = facts
  const off = `${Math.round(path_cm ?? 0)} cm off on the mean`
  return html`<p class=${`path-off${arrived ? '' : ' is-short'}`} role="status" aria-busy=${String(busy)}>
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
    <button
      type="button" class=${`button${walk.drawing ? ' primary' : ''}`} aria-pressed=${String(walk.drawing)}
      title="Then drag over the floor of the view, or over the plan" onClick=${() => walk.setDrawing(!walk.drawing)}
    >
      <${Icon} name="rename" />Draw a path
    </button>
    <button type="button" class="button" title="The whole path from above" onClick=${() => walk.showAll()}>See all</button>
    <button type="button" class="button" disabled=${!walk.made} title="Play or pause (Space)" onClick=${() => player.toggle()}>
      <${Icon} name="open" />Walk
    </button>
    <${Style} labels=${graph.labels} />
    <${Check}
      name="Feet held" title="Planted feet stay where they are planted" on=${walk.clean}
      set=${(on: boolean) => walk.setClean(on)}
    />
  </div>`
}

export function PathTab({ graph }: { graph: Graph }) {
  useChanges(walk)
  useEffect(() => {
    walk.enter(graph)
    return () => walk.leave()
  }, [])
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
