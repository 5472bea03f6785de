// welcome.ts - when the studio opens: a clip plays, and under it are the four doors. It is over with the first thing that is
// opened, and can be switched off.
import { useState } from 'preact/hooks'
import { Check, IconButton } from '../controls'
import { html } from '../html'
import { playByItself } from '../motion'
import { openClips } from '../open_clips'
import { change, getState, subscribe } from '../store'
import { DoorCard, doors } from './doors'
import { firstToSee } from './propose'

const key = 'marey-welcome'

function wanted(): boolean {
  try {
    return localStorage.getItem(key) !== 'no'
  } catch {
    return true
  }
}

function want(on: boolean): void {
  try {
    localStorage.setItem(key, on ? 'yes' : 'no')
  } catch {
    // A browser that keeps nothing opens with the doors every time.
  }
}

/** Opens a clip and the doors, unless the user has begun with something already. */
export async function beginWelcome(): Promise<void> {
  const { cards, shown, making, filter } = getState()
  const clip = firstToSee(cards)
  if (!wanted() || !clip || shown.length > 0 || making !== 'none' || filter.text) return
  await openClips([clip.id])
  if (getState().shown[0]?.clip.id !== clip.id) return
  // Nothing was done yet that a command could repeat.
  change({ welcome: true, command: '' })
  playByItself()
  const stop = subscribe(() => {
    const { welcome, shown, making, compare } = getState()
    const another = shown.length !== 1 || shown[0]!.clip.id !== clip.id
    if (welcome && (another || making !== 'none' || compare)) change({ welcome: false })
    if (!getState().welcome) stop()
  })
}

export function Welcome() {
  const [again, setAgain] = useState(wanted)
  const set = (on: boolean) => {
    want(on)
    setAgain(on)
  }
  return html`<section class="welcome flex-column" aria-label="What would you like to do?">
    <header class="flex-row">
      <h2>What would you like to do?</h2>
      <span class="making-space"></span>
      <${Check} name="Show at the start" title="When the studio opens" on=${again} set=${set} />
      <${IconButton}
        icon="close" name="To the timeline" keys="Escape" onClick=${() => change({ welcome: false })}
      />
    </header>
    <div class="door-cards">${doors.map((door) => html`<${DoorCard} key=${door.name} door=${door} />`)}</div>
  </section>`
}
