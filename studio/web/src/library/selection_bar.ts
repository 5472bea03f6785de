// selection_bar.ts - what can be done with the selected clips. It is always there: one that came with the first click
// would push the card away from under the second.
import { plural, removeClips, restoreClips } from '../actions'
import type { Card } from '../api'
import { Button, IconButton } from '../controls'
import { html } from '../html'
import type { IconName } from '../icons'
import { addToView, openClips } from '../open_clips'
import { compareClips, findMoreLike, make, mostClips, openClusters, openGraphs, parameterizeClips } from '../opening'
import { change, useStore, type State } from '../store'

/** How many clips it is for, what it does, and what is said about it. */
type Act = [shown: boolean, icon: IconName, name: string, run: () => void, title: string]

/** Those that are only an icon. */
function actsFor(ids: number[], viewing: boolean): Act[] {
  const ask = (dialog: State['dialog']) => () => change({ dialog })
  const [one, two, some] = [ids.length === 1, ids.length === 2, ids.length >= 2]
  const blendable = some && ids.length <= mostClips
  return [
    [one, 'search', 'Find more', () => void findMoreLike(ids[0]!), 'Find more like this clip (M, or mark a segment of it)'],
    [two, 'compare', 'Compare', () => void compareClips(ids), 'Compare: how alike the frames of the two clips are (C)'],
    [two, 'transition', 'Transition', () => void make('transition', ids), 'Transition: go from one clip over into the other (T)'],
    [blendable, 'blend', 'Blend', () => void make('blend', ids), 'Blend: mix the clips (B)'],
    [some, 'param', 'Parameterize', () => parameterizeClips(ids), 'Parameterize: a family of motions, asked for by what they do (P)'],
    [some, 'graph', 'Motion graph', () => openGraphs(ids), 'Motion graph: walks of any length out of these clips (G)'],
    [
      some,
      'clusters',
      'Cluster graph',
      () => openClusters({ clips: ids }),
      'Cluster graph: these clips in small pieces, switched where they are alike (N)',
    ],
    [viewing, 'plus', 'Add to view', () => void addToView(ids), 'Add to view: show beside the clips that are open'],
    [true, 'label', 'Labels…', ask('labels'), 'Labels…'],
    [one, 'rename', 'Rename…', ask('rename'), 'Rename…'],
    [true, 'note', 'Describe…', ask('describe'), 'Describe: description and licence…'],
    [true, 'trash', 'Remove', () => void removeClips(ids), 'Remove; it can be restored (Delete)'],
  ]
}

function PresentActs({ ids, viewing }: { ids: number[]; viewing: boolean }) {
  const open = () => void openClips(ids)
  return html`${ids.length === 1
      ? html`<${Button} icon="open" title="Open in the viewer (Enter)" onClick=${open}>Open<//>`
      : html`<${Button} icon="together" aria-label="Open together" title="Open all selected clips at once" onClick=${open}>
          Open
        <//>`}
    ${actsFor(ids, viewing).map(
      ([shown, icon, name, run, title]) =>
        shown &&
        html`<${IconButton}
          key=${name} icon=${icon} name=${name} title=${title} kind=${icon === 'trash' ? 'danger' : ''} onClick=${run}
        />`,
    )}`
}

function RemovedActs({ ids }: { ids: number[] }) {
  const purge = () => change({ dialog: 'purge' })
  return html`<${Button} icon="restore" title="Bring back" onClick=${() => void restoreClips(ids)}>Restore<//>
    <${Button} icon="trash" kind="danger" title="Delete for good" onClick=${purge}>Delete for good…<//>`
}

export function SelectionBar({ cards }: { cards: readonly Card[] }) {
  const selected = useStore((state) => state.selected)
  const removed = useStore((state) => state.filter.removed)
  const open = useStore((state) => state.shown)
  const ids = cards.map((card) => card.id).filter((id) => selected.has(id))
  if (ids.length === 0) {
    const hint = removed ? 'Select clips to restore them' : 'Double-click opens, Ctrl and Shift select more'
    return html`<div class="selection-bar flex-row"><span class="hint dim">${hint}</span></div>`
  }
  const viewing = open.length > 0 && ids.some((id) => !open.some(({ clip }) => clip.id === id))
  const clear = () => change({ selected: new Set<number>() })
  return html`<div class="selection-bar flex-row" role="toolbar" aria-label="Selected clips">
    <span class="count" title=${plural(ids.length, 'clip')}>${ids.length} selected</span>
    ${removed ? html`<${RemovedActs} ids=${ids} />` : html`<${PresentActs} ids=${ids} viewing=${viewing} />`}
    <${IconButton} icon="close" name="Select none" title="Select none (Escape)" onClick=${clear} />
  </div>`
}
