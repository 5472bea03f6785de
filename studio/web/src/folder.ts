// folder.ts - the libraries beside this one, where the studio was opened on a folder of them: each has a studio of its own, and
// the page goes to it by its address, to a place in it by what stands behind '#'.
import { api } from './api'
import { attempt } from './attempt'
import { openClips } from './open_clips'
import { getState } from './store'
import { markSegment } from './timeline/segment'

/** Frames [start, end) of a clip, by its number in its library. */
export interface Place {
  id: number
  start: number
  end: number
}

/** Names of all, this one among them; none where the studio has one library. */
export function libraryNames(): readonly string[] {
  const { about } = getState()
  const names = about?.libraries ?? []
  return names.length > 1 ? names : []
}

export function ownLibrary(): string {
  const { about } = getState()
  return about?.own_library == null ? '' : (about.libraries[about.own_library] ?? '')
}

/** A library's file, which lies beside this one's. */
export function fileOf(name: string): string {
  const path = getState().about?.library.path ?? ''
  return `${path.slice(0, path.lastIndexOf('/') + 1)}${name}.marey`
}

/** Opens a library, and in it a place. */
export async function goToLibrary(name: string, place: Place | null = null): Promise<void> {
  const number = libraryNames().indexOf(name)
  if (name === ownLibrary()) {
    if (place) await openPlace(place)
    return
  }
  await attempt(async () => {
    const { address } = await api.openLibrary(number)
    location.assign(place ? `${address}#clip=${place.id}&start=${place.start}&end=${place.end}` : address)
  })
}

export async function openPlace({ id, start, end }: Place): Promise<void> {
  await openClips([id])
  if (getState().shown[0]?.clip.id === id) markSegment(start, end)
}

/** What the address asks for; null: nothing. */
export function placeOfAddress(): Place | null {
  const said = new URLSearchParams(location.hash.slice(1))
  const [id, start, end] = ['clip', 'start', 'end'].map((key) => Number(said.get(key)))
  const whole = [id, start, end].every((number) => Number.isSafeInteger(number))
  return whole && id! > 0 && start! >= 0 && end! > start! ? { id: id!, start: start!, end: end! } : null
}
