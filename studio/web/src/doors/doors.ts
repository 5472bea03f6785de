// doors.ts - the four ways into the studio, with words: what can be found, mixed, walked and taught. They stand in the header
// whatever is open, and as cards with pictures when the studio opens.
import { useEffect, useRef, useState } from 'preact/hooks'
import { Button, takeEvent } from '../controls'
import { html } from '../html'
import { Icon, type IconName } from '../icons'
import { openClusters, openFinding, openGraphs, openLoop, openMotifs, openPuppets, openSketch } from '../opening'
import { openCompare, openMixing, openRetarget, parameterize } from '../opening'
import { change, type DoorName } from '../store'
import { t } from '../words/words'
import { DoorPicture } from './pictures'
import './doors.css'

/** What is behind a door: how it is opened, what it is for, and its key. */
export interface Tool {
  icon: IconName
  name: string
  about: string
  keys: string
  open: () => void
}

export interface Door {
  name: DoorName
  title: string
  icon: IconName
  about: string
  tools: Tool[]
}

const tool = (icon: IconName, name: string, keys: string, about: string, open: () => void): Tool => ({ icon, name, keys, about, open })

export const doors: Door[] = [
  {
    name: 'find',
    title: t('Find'),
    icon: 'search',
    about: t('Point at one movement, get every one like it.'),
    tools: [
      tool('search', t('Search'), 'M', t('More like a marked segment, or like a clip'), openFinding),
      tool('loop', t('Motifs'), 'Y', t('What repeats in the library, without a query'), openMotifs),
      tool('sketch', t('Sketch'), 'D', t('Draw how a joint moves, find clips that do'), openSketch),
      tool('compare', t('Compare'), 'C', t('How alike the frames of two clips are'), openCompare),
    ],
  },
  {
    name: 'mix',
    title: t('Mix'),
    icon: 'blend',
    about: t('Make new motion of what you have.'),
    tools: [
      tool('blend', t('Blend'), 'B', t('Something between two to nine clips'), () => openMixing('blend')),
      tool('transition', t('Transition'), 'T', t('From one clip into another'), () => openMixing('transition')),
      tool('loop', t('Loop'), 'A', t('A seamless cycle of a clip'), openLoop),
      tool('param', t('Families'), 'P', t('Motions by what they do: reach there, kick so high'), () => parameterize(null)),
      tool('retarget', t('Retarget'), 'H', t('The motion of a clip on the body of another'), openRetarget),
    ],
  },
  {
    name: 'walk',
    title: t('Walk'),
    icon: 'path',
    about: t('Draw a path and it is walked; steer by keys.'),
    tools: [
      tool('graph', t('Motion graphs'), 'G', t('Walk any path, steer with the keys'), () => openGraphs()),
      tool('clusters', t('Cluster graphs'), 'N', t('Switch from clip to clip where they are alike'), () => openClusters(null)),
    ],
  },
  {
    name: 'react',
    title: t('React'),
    icon: 'puppets',
    about: t('Show how a character reacts to another, and play with it.'),
    tools: [tool('puppets', t('Puppets'), 'U', t('Taught by mouse in half a minute'), () => openPuppets())],
  },
]

/** A minute with what is behind a door, on the clips of this library. */
export function beginTry(name: DoorName): void {
  change({ guide: name, welcome: false })
}

/** The page that opened with the doors is over: there is something to do. */
function go(open: () => void): void {
  change({ welcome: false })
  open()
}

function ToolRow({ tool, done }: { tool: Tool; done: (event: MouseEvent) => void }) {
  const { icon, name, about, keys, open } = tool
  const run = (event: MouseEvent) => {
    done(event)
    go(open)
  }
  return html`<button type="button" class="door-tool" title=${keys ? `${about} (${keys})` : about} onClick=${run}>
    <${Icon} name=${icon} />
    <span class="door-tool-name">${name}</span>
    ${keys && html`<kbd>${keys}</kbd>`}
    <span class="dim">${about}</span>
  </button>`
}

function DoorMenu({ door, open, set }: { door: Door; open: boolean; set: (open: boolean) => void }) {
  const place = useRef<HTMLDivElement>(null)
  const close = () => {
    set(false)
    place.current?.querySelector('button')?.focus()
  }
  useEffect(() => {
    if (!open) return
    const outside = (event: Event) => {
      if (!(event.target as Element).closest?.('.doors')) set(false)
    }
    window.addEventListener('pointerdown', outside)
    return () => window.removeEventListener('pointerdown', outside)
  }, [open])
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || !open) return
    takeEvent(event)
    close()
  }
  /** By keys the focus goes back to the door: a dialog that asks for clips gives it back there. */
  const done = (event: MouseEvent) => (event.detail === 0 ? close() : set(false))
  const begin = () => {
    set(false)
    beginTry(door.name)
  }
  return html`<div class="door" ref=${place} onKeyDown=${onKeyDown}>
    <${Button}
      icon=${door.icon} kind=${open ? 'quiet is-on' : 'quiet'} aria-expanded=${String(open)} title=${door.about}
      aria-controls=${`door-${door.name}`} onClick=${() => set(!open)}
    >${door.title}<//>
    ${open &&
    html`<div class="door-panel boxed" id=${`door-${door.name}`} role="group" aria-label=${door.title}>
      <p class="door-about"><${DoorPicture} name=${door.name} />${door.about}</p>
      ${door.tools.map((each) => html`<${ToolRow} key=${each.name} tool=${each} done=${done} />`)}
      <${Button} kind="door-try" icon="open" title="Step by step, on the clips of this library; Escape leaves it" onClick=${begin}>
        Try it, one minute
      <//>
    </div>`}
  </div>`
}

/** The doors in the header. */
export function Doors() {
  const [open, setOpen] = useState<DoorName | null>(null)
  return html`<nav class="doors" aria-label="What to do">
    ${doors.map(
      (door) => html`<${DoorMenu}
        key=${door.name} door=${door} open=${open === door.name} set=${(on: boolean) => setOpen(on ? door.name : null)}
      />`,
    )}
  </nav>`
}

/** A door as a card, for the start. */
export function DoorCard({ door }: { door: Door }) {
  return html`<section class="door-card boxed" aria-label=${door.title}>
    <${DoorPicture} name=${door.name} />
    <h3>${door.title}</h3>
    <p class="dim">${door.about}</p>
    <div class="door-words">
      ${door.tools.map(
        ({ name, about, keys, open }) => html`<button
          key=${name} type="button" class="link" title=${keys ? `${about} (${keys})` : about} onClick=${() => go(open)}
        >${name}</button>`,
      )}
    </div>
    <${Button} icon="open" title="Step by step, on the clips of this library; Escape leaves it" onClick=${() => beginTry(door.name)}>
      Try it, one minute
    <//>
  </section>`
}
