// guide.ts - a minute with what is behind a door, on the clips of this library: a few steps, each with what to do, a button
// that does it, and a way on. A step that was done by hand goes on by itself. Escape and Leave end it; nothing is undone.
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Card, Clip } from '../api'
import { Button } from '../controls'
import { byKeys, enterRegion } from '../focus'
import { html } from '../html'
import { playByItself } from '../motion'
import { titleOf } from '../names'
import { openClips } from '../open_clips'
import { findMore, make, openGraphs, openPuppets } from '../opening'
import { partNow, type Part } from '../parts'
import { player } from '../player'
import { change, getState, useStore, type DoorName, type Segment } from '../store'
import { t } from '../words/words'
import { doors } from './doors'
import { firstToSee, proposeJoined, proposePair } from './propose'

interface Step {
  text: string
  /** What the step is about, for who would rather watch; absent: it is read. */
  act?: { label: string; run: () => void }
  /** It was done: the next one. */
  done?: () => boolean
}

/** How long the movement is that is looked for. */
const segment_s = 1.5

function part<Name extends Parameters<typeof partNow>[0]>(name: Name): Part<Name> | null {
  return partNow(name) as Part<Name> | null
}

/** Where most happens: the frames in which feet are put down and lifted most often; the middle, where none are. */
function liveliest({ frames, fps, contacts }: Clip): Segment {
  const length = Math.min(frames, Math.round(segment_s * fps))
  const edges = contacts.flatMap(({ start, end }) => [start, end]).filter((frame) => frame > 0 && frame < frames)
  const inside = (start: number) => edges.filter((frame) => frame >= start && frame < start + length).length
  const starts = edges.map((frame) => Math.max(0, Math.min(frames - length, frame - Math.round(0.2 * fps))))
  const start = starts.reduce((best, now) => (inside(now) > inside(best) ? now : best), Math.round((frames - length) / 2))
  return { start, end: start + length }
}

/** Opens a clip and marks a movement in it. */
async function markMovement(card: Card): Promise<void> {
  await openClips([card.id])
  const clip = getState().shown[0]?.clip
  if (clip?.id !== card.id) return
  const segment = liveliest(clip)
  change({ segment })
  player.seekFrame(segment.start)
  playByItself()
}

function findSteps(): Step[] {
  const { cards, shown } = getState()
  const card = cards.find(({ id }) => id === shown[0]?.clip.id) ?? firstToSee(cards)
  if (!card) return []
  void markMovement(card)
  const searching = () => part('search')?.searching
  return [
    {
      text: t`This is ${titleOf(card)}. A moment of it is marked on the timeline; drag its ends if you like. Then press Find more.`,
      act: { label: t('Find more'), run: findMore },
      done: () => getState().making === 'search',
    },
    {
      text: t('Here is every moment of the library that is like it, the nearest first. Click one: it plays laid over yours.'),
      act: { label: t('Show the nearest'), run: () => searching()?.choose(Math.min(1, (searching()?.matches.length ?? 1) - 1)) },
      done: () => (searching()?.chosen ?? -1) > 0,
    },
    { text: t('The slider takes more or fewer. Cut into clips saves those that are ticked; Label all puts a word on them.') },
  ]
}

function mixSteps(): Step[] {
  const [a, b] = proposePair(getState().cards)
  if (!a || !b) return []
  void make('blend', [a.id, b.id])
  const weights = () => part('blend')?.blend.shownWeights ?? []
  return [
    {
      text: t`${titleOf(a)} and ${titleOf(b)} are mixed, half and half and in step. Drag the point between them, or a slider: the motion follows.`,
      act: { label: t('More of the second'), run: () => part('blend')?.blend.setWeights([0.2, 0.8]) },
      done: () => weights().length === 2 && Math.abs(weights()[0]! - weights()[1]!) > 0.05,
    },
    { text: t('Keep as clip puts it into the library. A transition, a loop and families of motions are behind the same door.') },
  ]
}

function walkSteps(): Step[] {
  const clips = proposeJoined(getState().cards).map(({ id }) => id)
  openGraphs()
  const graphs = () => part('graph')?.graphs
  const walk = () => part('graph')?.walk
  let first: unknown = null
  const build = () => {
    const taken = new Set(graphs()?.table?.graphs.map(({ name }) => name))
    let name = 'walks'
    for (let i = 2; taken.has(name); i++) name = `walks-${i}`
    void graphs()?.build({ kind: 'standard', name, clips })
  }
  return [
    {
      text: t`A motion graph joins clips where their frames are alike. ${clips.length} clips of this library will do; it takes some seconds.`,
      act: { label: t('Build it'), run: build },
      done: () => {
        if (getState().making !== 'graph' || !graphs()?.graph || graphs()?.building) return false
        graphs()?.update({ tab: 'path' })
        first ??= walk()?.points
        return true
      },
    },
    {
      text: t('This path is walked. Press Draw a path and drag over the floor, or drag one of the points: the character walks there.'),
      act: { label: t('Another path'), run: () => walk()?.draw([[0, 0], [150, 150], [300, 0], [450, 150], [600, 0]], true) },
      done: () => first !== null && walk()?.points !== first,
    },
    {
      text: t('Keep as clip saves the walk. In Play you steer it yourself, with the arrow keys.'),
      act: { label: t('To Play'), run: () => graphs()?.update({ tab: 'play' }) },
      done: () => graphs()?.tab === 'play',
    },
    { text: t('Press Play there, then hold an arrow key. Shift is faster.') },
  ]
}

function reactSteps(): Step[] {
  openPuppets()
  const puppets = () => part('puppets')?.puppets
  const playing = () => part('puppets')?.playing
  const teach = () => void puppets()
      ?.train({ name: 'follower', demonstrations: [{ ready: 'follower' }] }, null)
      .then((kept) => kept && playing()?.add('follower'))
  return [
    {
      text: t('The yellow one is you. Take someone who reacts: press + follower above the plan.'),
      act: { label: t('Take the follower'), run: teach },
      done: () => (playing()?.reactors.length ?? 0) > 0,
    },
    { text: t('Move the pointer over the plan: you go there, and the follower comes after you. Circle it, stop, run away.') },
    {
      text: t('In Show you teach one of your own: first how you move, then how it answers. Half a minute is enough.'),
      act: { label: t('To Show'), run: () => puppets()?.update({ tab: 'show' }) },
      done: () => puppets()?.tab === 'show',
    },
    { text: t('Press on the plan and move; then do it again as the one who reacts; then Train.') },
  ]
}

const tries: Record<DoorName, () => Step[]> = { find: findSteps, mix: mixSteps, walk: walkSteps, react: reactSteps }

/** Often enough: what is waited for changes in different parts of the page. */
const look_ms = 200

function Steps({ name }: { name: DoorName }) {
  const [steps, setSteps] = useState<Step[] | null>(null)
  const [at, setAt] = useState(0)
  useEffect(() => {
    setSteps(tries[name]())
  }, [])
  const step = steps?.[at]
  useEffect(() => {
    if (!step?.done) return
    const timer = setInterval(() => step.done!() && setAt(at + 1), look_ms)
    return () => clearInterval(timer)
  }, [step])
  const leave = () => change({ guide: null })
  if (!steps) return null
  if (!step) {
    return html`<p>There are too few clips in this library to try it on.</p>
      <footer><${Button} onClick=${leave}>Leave<//></footer>`
  }
  const last = at === steps.length - 1
  return html`<p aria-live="polite"><span class="dim">${at + 1} of ${steps.length}.</span> ${step.text}</p>
    <footer>
      ${step.act && html`<${Button} kind="primary" onClick=${step.act.run}>${step.act.label}<//>`}
      ${!last && !step.done && html`<${Button} kind="primary" onClick=${() => setAt(at + 1)}>Next<//>`}
      ${last && html`<${Button} kind="primary" onClick=${leave}>Done<//>`}
      ${!last && html`<${Button} kind="quiet" title="Leave this try (Escape); what is open stays" onClick=${leave}>Leave<//>`}
    </footer>`
}

export function Guide() {
  const name = useStore((state) => state.guide)
  const place = useRef<HTMLElement>(null)
  useEffect(() => {
    if (byKeys()) enterRegion(place.current)
  }, [name])
  const door = doors.find((each) => each.name === name)
  if (!name || !door) return null
  return html`<section ref=${place} class="guide boxed" aria-label=${t`Try: ${door.title}`}>
    <h2>${door.title}</h2>
    <${Steps} key=${name} name=${name} />
  </section>`
}
