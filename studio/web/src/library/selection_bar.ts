// selection_bar.ts - what can be done with the selected clips. It is always there: one that came with the first click
// would push the card away from under the second.
import { plural, removeClips, restoreClips } from '../actions'
import type { Card } from '../api'
import { compareClips } from '../compare/opening'
import { openClusters } from '../clusters/opening'
import { graphOfClips } from '../graph/opening'
import { html } from '../html'
import { Icon, type IconName } from '../icons'
import { make, mostClips } from '../making/opening'
import { addToView, openClips } from '../open_clips'
import { parameterizeClips } from '../param/opening'
import { findMoreLike } from '../search/opening'
import { change, useStore } from '../store'

interface Act {
  icon: IconName
  name: string
  title: string
  run: () => void
  shown: boolean
  /** The words on it, where the name is longer. */
  short?: string
  /** Only its icon. */
  small?: boolean
  className?: string
}

function openActs(ids: number[], viewing: boolean): Act[] {
  const one = ids.length === 1
  const open = () => void openClips(ids)
  return [
    { icon: 'open', name: 'Open', title: 'Open in the viewer (Enter)', run: open, shown: one },
    { icon: 'together', name: 'Open together', short: 'Open', title: 'Open all selected clips at once', run: open, shown: !one },
    {
      icon: 'search',
      name: 'Find more',
      title: 'Find more like this clip (M, or mark a segment of it)',
      run: () => void findMoreLike(ids[0]!),
      shown: one,
      small: true,
    },
    {
      icon: 'compare',
      name: 'Compare',
      title: 'Compare: how alike the frames of the two clips are (C)',
      run: () => void compareClips(ids),
      shown: ids.length === 2,
      small: true,
    },
    {
      icon: 'transition',
      name: 'Transition',
      title: 'Transition: go from one clip over into the other (T)',
      run: () => void make('transition', ids),
      shown: ids.length === 2,
      small: true,
    },
    {
      icon: 'blend',
      name: 'Blend',
      title: 'Blend: mix the clips (B)',
      run: () => void make('blend', ids),
      shown: ids.length >= 2 && ids.length <= mostClips,
      small: true,
    },
    {
      icon: 'param',
      name: 'Parameterize',
      title: 'Parameterize: a family of motions, asked for by what they do (P)',
      run: () => parameterizeClips(ids),
      shown: ids.length >= 2,
      small: true,
    },
    {
      icon: 'graph',
      name: 'Motion graph',
      title: 'Motion graph: walks of any length out of these clips (G)',
      run: () => graphOfClips(ids),
      shown: ids.length >= 2,
      small: true,
    },
    {
      icon: 'clusters',
      name: 'Cluster graph',
      title: 'Cluster graph: these clips in small pieces, switched where they are alike (N)',
      run: () => openClusters(ids),
      shown: ids.length >= 2,
      small: true,
    },
    {
      icon: 'plus',
      name: 'Add to view',
      title: 'Add to view: show beside the clips that are open',
      run: () => void addToView(ids),
      shown: viewing,
      small: true,
    },
  ]
}

function editActs(ids: number[]): Act[] {
  const ask = (dialog: 'labels' | 'rename' | 'describe') => () => change({ dialog })
  const one = ids.length === 1
  return [
    { icon: 'label', name: 'Labels…', title: 'Labels…', run: ask('labels'), shown: true, small: true },
    { icon: 'rename', name: 'Rename…', title: 'Rename…', run: ask('rename'), shown: one, small: true },
    {
      icon: 'note',
      name: 'Describe…',
      title: 'Describe: description and licence…',
      run: ask('describe'),
      shown: true,
      small: true,
    },
    {
      icon: 'trash',
      name: 'Remove',
      title: 'Remove; it can be restored (Delete)',
      run: () => void removeClips(ids),
      shown: true,
      small: true,
      className: 'danger',
    },
  ]
}

function removedActs(ids: number[]): Act[] {
  return [
    { icon: 'restore', name: 'Restore', title: 'Bring back', run: () => void restoreClips(ids), shown: true },
    {
      icon: 'trash',
      name: 'Delete for good…',
      title: 'Delete for good',
      run: () => change({ dialog: 'purge' }),
      shown: true,
      className: 'danger',
    },
  ]
}

function ActButton({ act }: { act: Act }) {
  const { icon, name, short, title, run, small = false, className = '' } = act
  return html`<button
    type="button"
    class=${`button ${small ? 'quiet icon' : ''} ${className}`}
    aria-label=${small || short ? name : undefined}
    title=${title}
    onClick=${run}
  >
    <${Icon} name=${icon} />${!small && (short ?? name)}
  </button>`
}

export function SelectionBar({ cards }: { cards: readonly Card[] }) {
  const selected = useStore((state) => state.selected)
  const removed = useStore((state) => state.filter.removed)
  const open = useStore((state) => state.shown)
  const ids = cards.map((card) => card.id).filter((id) => selected.has(id))
  if (ids.length === 0) {
    const hint = removed ? 'Select clips to restore them' : 'Double-click opens, Ctrl and Shift select more'
    return html`<div class="selection-bar"><span class="hint dim">${hint}</span></div>`
  }
  const viewing = open.length > 0 && ids.some((id) => !open.some(({ clip }) => clip.id === id))
  const acts = (removed ? removedActs(ids) : [...openActs(ids, viewing), ...editActs(ids)]).filter((act) => act.shown)
  const none: Act = {
    icon: 'close',
    name: 'Select none',
    title: 'Select none (Escape)',
    run: () => change({ selected: new Set<number>() }),
    shown: true,
    small: true,
  }
  const buttons = (some: Act[]) => some.map((act) => html`<${ActButton} key=${act.name} act=${act} />`)
  return html`<div class="selection-bar" role="toolbar" aria-label="Selected clips">
    <span class="count" title=${plural(ids.length, 'clip')}>${ids.length} selected</span>
    ${buttons([...acts, none])}
  </div>`
}
