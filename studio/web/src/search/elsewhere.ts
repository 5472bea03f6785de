// elsewhere.ts - the same search in all libraries of the folder: what is found in any of them, the nearest first, with the
// library that it is of. A click opens it there.
import { useEffect, useState } from 'preact/hooks'
import { api } from '../api'
import type { FoundElsewhere } from '../api_search'
import { attempt } from '../attempt'
import { useChanges } from '../changes'
import { Button } from '../controls'
import { fileOf, goToLibrary, libraryNames, ownLibrary } from '../folder'
import { html } from '../html'
import { lineOf, showCommand } from '../operations'
import { plural, t } from '../words/words'
import { distanceText, framesText } from './match_data'
import { searching } from './session'

/** More are not looked at; the program lists them all. */
const most = 100

function Row({ match }: { match: FoundElsewhere }) {
  const go = () => void goToLibrary(match.library ?? '', match)
  return html`<li>
    <button type="button" class="elsewhere-row flex-row" title=${t`Open it in ${match.library ?? ''}`} onClick=${go}>
      <span class="elsewhere-library ellipsis">${match.library}</span>
      <span class="match-name ellipsis">${match.clip}</span>
      <span>${framesText(match)}</span>
      <span class="dim">${distanceText(match.distance, true)}</span>
    </button>
  </li>`
}

export function Elsewhere() {
  useChanges(searching)
  const [found, setFound] = useState<FoundElsewhere[] | null>(null)
  const [busy, setBusy] = useState(false)
  const names = libraryNames()
  const asked = searching.query ? JSON.stringify(searching.body) : ''
  // Another query, or another threshold: what was found is another's.
  useEffect(() => setFound(null), [asked])
  if (names.length === 0 || !searching.query || searching.settings.web) return null
  const search = async () => {
    setBusy(true)
    await attempt(async () => {
      const body = { ...searching.body, also: names.filter((name) => name !== ownLibrary()), limit: most }
      const answer = await api.findElsewhere(body)
      setFound(answer.matches.slice(1))
      const line = lineOf('search', { ...body, also: body.also.map(fileOf) })
      if (line) showCommand(line)
    })
    setBusy(false)
  }
  return html`<section class="elsewhere" aria-label="All libraries" aria-busy=${String(busy)}>
    <${Button} icon="search" disabled=${busy} onClick=${() => void search()}>${t`Search all ${names.length} libraries`}<//>
    ${found && html`<p class="dim" role="status">${plural(found.length, 'match', 'matches')}</p>`}
    ${found &&
    html`<ol aria-label="Matches in all libraries">
      ${found.map((match) => html`<${Row} key=${`${match.library} ${match.id} ${match.start}`} match=${match} />`)}
    </ol>`}
  </section>`
}
