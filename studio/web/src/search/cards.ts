// cards.ts - what was found, as film strips, each with a tick for what is done with it, and a check and a cross that say
// whether it is what was meant. Arrow keys go from one to the next, Enter chooses, Space ticks.
import { useState } from 'preact/hooks'
import type { Match } from '../api'
import { useChanges } from '../changes'
import { hasModifier, IconButton, takeEvent } from '../controls'
import { html } from '../html'
import { ClipName } from '../names'
import { t } from '../words/words'
import { distanceText, framesText, keyOf, type Verdict } from './match_data'
import { searching } from './session'
import { watched } from './showing'
import { Strip } from './strip'
import './matches.css'

/** "kicks, frames 120–180, 5.4 cm, tier 2, mirrored" */
export function describe(match: Match): string {
  const what = t`${match.name}, frames ${framesText(match)}`
  return match.tier === 0
    ? t`${what}, the query`
    : t`${what}, ${distanceText(match.path_distance, searching.squared)}, tier ${match.tier}${match.mirrored ? t(', mirrored') : ''}`
}

/** What is liked is searched for too: it has no distance. */
function farText(match: Match): string {
  return match.distance === 0 && searching.verdictOn(match) === 'like'
    ? t('liked')
    : distanceText(match.path_distance, searching.squared)
}

interface CardProps {
  match: Match
  number: number
  ticked: boolean
  /** The keyboard comes here. */
  active: boolean
  /** Its colour in the viewer, counted from 1; 0: it is not among them. */
  colour: number
  onFocus: () => void
}

function Tick({ match, ticked, active, onFocus }: Omit<CardProps, 'number' | 'colour'>) {
  return html`<input
    type="checkbox" class="match-tick" tabindex=${active ? 0 : -1} checked=${ticked}
    aria-label=${t`Keep ${match.name}, frames ${framesText(match)}`} title="Untick what is wrong" onFocus=${onFocus}
    onChange=${() => searching.tick(match, !ticked)}
  />`
}

const verdicts: [Verdict, 'check' | 'close', string, string][] = [
  ['like', 'check', t('More like'), t('This is meant: find what is like it too')],
  ['unlike', 'close', t('Not'), t('This is not meant: leave out what is more like it')],
]

function Verdicts({ match, active, onFocus }: Pick<CardProps, 'match' | 'active' | 'onFocus'>) {
  const now = searching.verdictOn(match)
  return verdicts.map(
    ([verdict, icon, name, title]) => html`<${IconButton}
      key=${verdict} icon=${icon} kind=${`match-${verdict}`} name=${t`${name} ${match.name}, frames ${framesText(match)}`}
      title=${title} tabindex=${active ? 0 : -1} aria-pressed=${String(now === verdict)} onFocus=${onFocus}
      onClick=${() => searching.judge(match, now === verdict ? null : verdict)}
    />`,
  )
}

function MatchCard({ match, number, ticked, active, colour, onFocus }: CardProps) {
  const chosen = searching.chosen === number
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== ' ') return
    event.preventDefault()
    searching.tick(match, !ticked)
  }
  const kind = `${ticked ? '' : ' is-off'}${chosen ? ' is-chosen' : ''}${number ? '' : ' is-query'}`
  const swatch = colour ? ` of-clip-${((colour - 1) % 10) + 1}` : ''
  return html`<li class=${`match${kind}${swatch}`}>
    <button
      type="button" class="match-main boxed" data-match=${number} tabindex=${active ? 0 : -1} aria-pressed=${String(chosen)}
      title=${describe(match)} onFocus=${onFocus} onKeyDown=${onKeyDown}
      onClick=${() => searching.choose(number)}
    >
      <${Strip} match=${match} />
      <span class="match-words flex-row">
        ${colour > 0 && html`<i class="match-dot"></i>`}
        <${ClipName} id=${match.clip} name=${match.name} kind="match-name" />
        <span class="dim">${framesText(match)}</span>
        <span class="match-far">${number ? farText(match) : 'query'}</span>
        ${match.mirrored && html`<span class="match-tier">mirrored</span>`}
        ${match.tier > 1 &&
        html`<span class="match-tier"><span class="visually-hidden">tier </span>${match.tier}</span>`}
      </span>
    </button>
    <${Tick} match=${match} ticked=${ticked} active=${active} onFocus=${onFocus} />
    ${number > 0 && !searching.settings.web && html`<${Verdicts} match=${match} active=${active} onFocus=${onFocus} />`}
  </li>`
}

/** How many cards are side by side. */
function columnsOf(list: HTMLElement): number {
  return getComputedStyle(list).gridTemplateColumns.split(' ').length
}

function goTo(event: KeyboardEvent, count: number): void {
  const list = event.currentTarget as HTMLElement
  const here = (event.target as HTMLElement).closest('li')?.querySelector<HTMLElement>('.match-main')
  const columns = columnsOf(list)
  const by: Record<string, number> = {
    ArrowRight: 1,
    ArrowLeft: -1,
    ArrowDown: columns,
    ArrowUp: -columns,
    Home: -count,
    End: count,
  }
  const step = by[event.key]
  if (step === undefined || !here || hasModifier(event)) return
  takeEvent(event)
  const to = Math.max(0, Math.min(count - 1, Number(here.dataset['match']) + step))
  list.querySelector<HTMLElement>(`[data-match="${to}"]`)?.focus()
}

export function MatchCards() {
  useChanges(searching)
  const [active, setActive] = useState(0)
  const { matches } = searching
  // Places of those in the view among its figures.
  const colours = new Map(watched(searching).map((match, i) => [match, i + 1]))
  const here = Math.min(active, matches.length - 1)
  const press = (event: KeyboardEvent) => goTo(event, matches.length)
  return html`<ul class="match-list" aria-label="Matches" onKeyDown=${press}>
    ${matches.map(
      (match, i) => html`<${MatchCard}
        key=${keyOf(match)} match=${match} number=${i} ticked=${searching.isTicked(match)} active=${i === here}
        colour=${colours.get(match) ?? 0} onFocus=${() => setActive(i)}
      />`,
    )}
  </ul>`
}
