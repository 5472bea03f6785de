// parts.ts - the parts of the page that are fetched when they are first needed: the panels in the library's place, the
// dialogs, and what draws curves. What the page begins with imports none of them, only their types.
import { useEffect, useState } from 'preact/hooks'
import { tell } from './store'
import { t } from './words/words'

const fetches = {
  compare: () => import('./compare/panel'),
  transition: () => import('./transition/panel'),
  blend: () => import('./blend/panel'),
  loop: () => import('./loop/panel'),
  retarget: () => import('./retarget/panel'),
  search: () => import('./search/panel'),
  motifs: () => import('./motifs/panel'),
  doctor: () => import('./doctor/panel'),
  param: () => import('./param/panel'),
  graph: () => import('./graph/panel'),
  sketch: () => import('./sketch/panel'),
  clusters: () => import('./clusters/panel'),
  puppets: () => import('./puppets/panel'),
  curves: () => import('./timeline/curves_panel'),
  dialogs: () => import('./dialogs/open_dialog'),
  guide: () => import('./doors/guide'),
  history: () => import('./history_list'),
}

type PartName = keyof typeof fetches
export type Part<Name extends PartName> = Awaited<ReturnType<(typeof fetches)[Name]>>

const here: { [Name in PartName]?: Part<Name> } = {}

/** Null while it has not come. */
export function partNow<Name extends PartName>(name: Name): Part<Name> | null {
  return here[name] ?? null
}

async function fetchPart<Name extends PartName>(name: Name): Promise<Part<Name> | null> {
  try {
    here[name] = (await fetches[name]()) as (typeof here)[Name]
  } catch {
    // Parts are named by what is in them: another build of the program has others.
    tell(t('This part of the page is not available. Is the studio still running? If it was updated, reload the page.'), 'error')
  }
  return partNow(name)
}

let requests = 0

/** Does something with a part: at once if it is here, otherwise when it has come. Of several requests only the last one is
 *  still wanted then. */
export function withPart<Name extends PartName>(name: Name, use: (part: Part<Name>) => void): void {
  const request = ++requests
  const now = partNow(name)
  if (now) return use(now)
  void fetchPart(name).then((part) => part && request === requests && use(part))
}

/** For what is drawn as soon as its part is here. */
export function usePart<Name extends PartName>(name: Name): Part<Name> | null {
  const [, redraw] = useState(0)
  useEffect(() => {
    let gone = false
    if (!partNow(name)) void fetchPart(name).then(() => gone || redraw((n) => n + 1))
    return () => {
      gone = true
    }
  }, [name])
  return partNow(name)
}
