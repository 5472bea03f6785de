// act_bar.ts - what can be done with the ticked matches, always in reach below them.
import { useEffect, useState } from 'preact/hooks'
import { clearFilter, labelFrames, refresh } from '../actions'
import { operate, type Kept, type Match } from '../api'
import { attempt } from '../attempt'
import { useChanges } from '../changes'
import { Button, TextField, useLabels, useWritable } from '../controls'
import { html } from '../html'
import { exportFile } from '../jobs'
import { labelsIn } from '../library/select'
import { ExportButton } from '../making/parts'
import { blendParts, clipsWithActions, graphWithActions, mostClips, parameterize } from '../opening'
import { exportOf, lineOf, showCommand } from '../operations'
import { change, getState, tell, useStore } from '../store'
import { plural, t } from '../words/words'
import { actionOf, namesFor, prefixOf } from './match_data'
import { clipOf } from './motions'
import { searching } from './session'

// What is done with the ticked matches: clips of their own, files, a blend, labels.

/** As a command names it. */
function partOf({ clip, name, start, end }: Match) {
  return { clip: { id: clip, name }, segment: { start, end } }
}

/** Of all matches the search cuts itself. */
function cutCommand(matches: readonly Match[], bodies: object[], prefix: string, labels: string[]): string | null {
  const all = searching.complete && matches.length === searching.matches.length
  if (all) return lineOf('search', { ...searching.body, cut: prefix, add: labels })
  return bodies.map((body) => lineOf('cut', body)).join(' && ')
}

/** Every match as a clip of its own; those of the other side are mirrored back, in a second go. */
async function cutIntoClips(matches: readonly Match[], prefix: string, labels: string[]): Promise<boolean> {
  return attempt(async () => {
    const names = namesFor(prefix, matches.length)
    const bodies = [false, true].flatMap((mirror) => {
      const cuts = matches.flatMap(({ clip, start, end, mirrored }, i) =>
        mirrored === mirror ? [{ clip, start, end, name: names[i]! }] : [],
      )
      return cuts.length ? [{ cuts, label: labels, ...(mirror && { mirror }) }] : []
    })
    const command = cutCommand(matches, bodies, prefix, labels)
    const clips: Kept[] = []
    for (const body of bodies) clips.push(...(await operate<{ clips: Kept[] }>('cut', body)).clips)
    showCommand(command)
    tell(t`Cut into ${plural(clips.length, 'clip')}`, 'info', { label: t('Show them'), run: () => showCut(clips) })
    refresh()
  })
}

/** In the library, selected. */
function showCut(clips: readonly { id: number }[]): void {
  const { text, labels, skeleton, shortest_s, longest_s } = getState().filter
  if (text || labels.length || skeleton || shortest_s || longest_s) clearFilter()
  change({ making: 'none', selected: new Set(clips.map(({ id }) => id)) })
}

/** The frames of the matches get them. Of all matches the search does it itself. */
async function labelMatches(matches: readonly Match[], labels: string[]): Promise<void> {
  const frames = matches.map(({ clip, start, end }) => ({ clip, start, end }))
  const all = searching.complete && matches.length === searching.matches.length && labels.length === 1
  const done = await labelFrames(frames, labels, true, plural(matches.length, 'match', 'matches'))
  if (done && all) showCommand(lineOf('search', { ...searching.body, label_matches: labels[0] }))
}

/** The parts in the panel "Blend", as many as it takes. */
async function blendThem(matches: readonly Match[]): Promise<void> {
  await attempt(async () => {
    const some = matches.slice(0, mostClips)
    const clips = await Promise.all(some.map(({ clip }) => clipOf(clip)))
    if (matches.length > some.length) tell(t`The nearest ${mostClips} of ${matches.length} are blended`)
    blendParts(some.map(({ start, end }, i) => ({ clip: clips[i]!, segment: { start, end } })))
  })
}

/** The ticked ones as examples of a family, aligned along the match graph. */
function parameterizeThem(): void {
  const { query, answer, ticked, matches, asked } = searching
  if (!query || !answer) return
  const all = searching.complete && ticked.length === matches.length
  const numbers = ticked.map((match) => matches.indexOf(match))
  const found = { search: answer.search, matches: all ? null : numbers, settings: asked }
  parameterize({ parts: ticked.map(partOf), found })
}

/** One file after the other, under names of ours: several of one clip would all be called alike. `going` hears how many are
 *  done, and its false ends it. */
async function exportThem(
  matches: readonly Match[],
  prefix: string,
  format: string,
  going: (done: number) => boolean,
): Promise<void> {
  await attempt(async () => {
    const names = namesFor(prefix, matches.length).map((name) => `${name}.${format}`)
    const exports = matches.map(({ clip, start, end }, i) => exportOf(clip, { start, end }, names[i]!))
    for (const [i, { start }] of exports.entries()) {
      if (!going(i)) return tell(t`Stopped after ${plural(i, 'file')}`)
      await exportFile(start, names[i]!)
    }
    showCommand(exports.map(({ command }) => command).join(' && '))
    tell(t`Exported ${plural(matches.length, 'file')}`)
  })
}

const formats: [string, string][] = [
  ['bvh', 'BVH'],
  ['glb', 'glTF'],
  ['fbx', 'FBX'],
  ['mp4', t('Video')],
  ['png', t('Film strip')],
]

function Ticks({ count, of }: { count: number; of: number }) {
  const button = (name: string, disabled: boolean, on: boolean) =>
    html`<${Button} kind="quiet" disabled=${disabled} onClick=${() => searching.tickAll(on)}>${name}<//>`
  return html`<div class="act-ticks">
    <span>${count} of ${of}<span class="visually-hidden"> ticked</span></span>
    ${button(t('All'), count === of, true)}${button(t('None'), count === 0, false)}
  </div>`
}

/** The matches become an action, and the action a graph that can be walked: a click each. */
function ActionRow() {
  const [typed, set] = useState<string | null>(null)
  const cards = useStore((state) => state.cards)
  const { ticked, matches, query } = searching
  useEffect(() => set(null), [query?.clip.id])
  const card = cards.find(({ id }) => id === query?.clip.id)
  const action = typed ?? (query && card ? actionOf(card, query) : '')
  const names = labelsIn(action)
  const clips = names.length ? clipsWithActions(names).length : 0
  const all = ticked.length === matches.length
  const noGraph = names.length ? t('Label the matches first') : t('Write a label first')
  return html`<div class="act-row" role="group" aria-label="As an action">
    <${TextField}
      name="Action" about="The label that the frames of the matches get; commas between several" value=${action} set=${set}
      list="search-labels"
    />
    <${Button}
      icon="label" disabled=${ticked.length === 0 || names.length === 0} onClick=${() => void labelMatches(ticked, names)}
      title=${names.length ? t`Put ${names.join(', ')} on the frames of the matches` : t('Write a label first')}
    >${all ? t`Label all ${matches.length}` : t`Label ${ticked.length} of ${matches.length}`}<//>
    <${Button}
      icon="graph" disabled=${clips === 0} onClick=${() => graphWithActions(names)}
      title=${clips ? t`A motion graph of ${clips === 1 ? t('the clip') : t`the ${clips} clips`} with frames labelled ${names.join(', ')}, and a walk through it` : noGraph}
    >Graph with this action<//>
  </div>`
}

export function ActBar() {
  useChanges(searching)
  const writable = useWritable()
  const allLabels = useLabels()
  const [name, setName] = useState<string | null>(null)
  const [labels, setLabels] = useState('')
  const [busy, setBusy] = useState(false)
  const { ticked, matches, query } = searching
  const prefix = (name ?? prefixOf(query?.clip.name ?? 'match')).trim() || 'match'
  const none = ticked.length === 0
  // They are mirrored back when they are cut.
  const turned = ticked.some(({ mirrored }) => mirrored)
  const cutFirst = t('Some are mirrored: cut them into clips first, or untick them')
  const cut = async (event: Event) => {
    event.preventDefault()
    setBusy(true)
    if (await cutIntoClips(ticked, prefix, labelsIn(labels))) setName(null)
    setBusy(false)
  }
  return html`<form class="act-bar" onSubmit=${cut} aria-label="The ticked matches">
    <div class="act-row">
      <${Ticks} count=${ticked.length} of=${matches.length} />
      <${TextField} name="Name" about="Of new clips and files, with a number" value=${name ?? prefix} set=${setName} />
      <${TextField}
        name="Labels" about="Of new clips; commas between several" value=${labels} set=${setLabels} list="search-labels"
      />
    </div>
    <div class="act-row">
      ${writable &&
      html`<${Button} type="submit" icon="cut" kind="primary" disabled=${busy || none}>Cut into clips<//>`}
      <${Button}
        icon="blend" disabled=${ticked.length < 2 || turned} onClick=${() => void blendThem(ticked)}
        title=${turned ? cutFirst : ticked.length < 2 ? t('A blend has two parts at least') : t('Mix them in the panel Blend')}
      >Blend<//>
      <${Button}
        icon="param" disabled=${ticked.length < 2 || turned} onClick=${parameterizeThem}
        title=${turned ? cutFirst : ticked.length < 2 ? t('A family has two examples at least') : t('A family of motions, asked for by what they do')}
      >Family<//>
      <${ExportButton}
        formats=${formats} disabled=${none || turned} several=${true}
        run=${(format: string, going: (done: number) => boolean) => exportThem(ticked, prefix, format, going)}
      />
    </div>
    ${writable && html`<${ActionRow} />`}
    <datalist id="search-labels">${allLabels.map((label) => html`<option key=${label} value=${label} />`)}</datalist>
  </form>`
}
