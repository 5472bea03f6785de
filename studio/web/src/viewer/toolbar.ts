// toolbar.ts - the buttons on the viewer's edge: how the body is drawn, what else is shown, how clips are
// arranged, and the camera.
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Clip } from '../api'
import { compareOpen } from '../compare/opening'
import { html } from '../html'
import { Icon, type IconName } from '../icons'
import { make, mostClips, type Making } from '../making/opening'
import { change, changeView, useStore, type Arrangement, type ViewOptions } from '../store'
import { MOST_EACH_WAY } from './ghosts'
import { ViewerIcon, type ViewerIconName } from './viewer_icons'

type Switch = 'floor' | 'shadows' | 'path' | 'prints'

const bodies: [ViewOptions['body'], string][] = [
  ['body', 'Body'],
  ['sticks', 'Sticks'],
  ['silhouette', 'Silhouette'],
]

const switches: [Switch, ViewerIconName, string][] = [
  ['floor', 'floor', 'Floor'],
  ['shadows', 'shadow', 'Shadows'],
  ['path', 'path', 'Path of the root'],
  ['prints', 'prints', 'Foot plants'],
]

const arrangements: [Arrangement, string][] = [
  ['overlaid', 'Overlaid'],
  ['side', 'Side by side'],
  ['aligned', 'Aligned'],
  ['tiles', 'Grid'],
]

interface ToggleProps {
  icon: ViewerIconName
  name: string
  title?: string
  on: boolean
  press: () => void
}

function Toggle({ icon, name, title, on, press }: ToggleProps) {
  return html`<button
    type="button"
    class="button quiet icon"
    aria-pressed=${String(on)}
    aria-label=${name}
    title=${title ?? name}
    onClick=${press}
  ><${ViewerIcon} name=${icon} /></button>`
}

interface PopoverProps {
  icon: ViewerIconName
  name: string
  on: boolean
  children: unknown
}

/** A button that opens a small panel under it; Escape and a press elsewhere close it. */
function Popover({ icon, name, on, children }: PopoverProps) {
  const [open, setOpen] = useState(false)
  const place = useRef<HTMLDivElement>(null)
  const button = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (!open) return
    const outside = (event: PointerEvent) => {
      if (!place.current?.contains(event.target as Node)) setOpen(false)
    }
    window.addEventListener('pointerdown', outside)
    return () => window.removeEventListener('pointerdown', outside)
  }, [open])
  const onKey = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || !open) return
    event.preventDefault()
    event.stopPropagation()
    setOpen(false)
    button.current?.focus()
  }
  return html`<div class="viewer-popover" ref=${place} onKeyDown=${onKey}>
    <button
      ref=${button}
      type="button"
      class=${`button quiet icon${on ? ' is-on' : ''}`}
      aria-expanded=${String(open)}
      aria-label=${`${name}: settings`}
      title=${name}
      onClick=${() => setOpen(!open)}
    ><${ViewerIcon} name=${icon} /></button>
    ${open && html`<div class="viewer-popover-panel" role="group" aria-label=${name}>${children}</div>`}
  </div>`
}

function OnionSettings({ view }: { view: ViewOptions }) {
  const number = (event: Event) => Number((event.currentTarget as HTMLInputElement).value)
  return html`
    <label class="viewer-check">
      <input type="checkbox" checked=${view.onion} onChange=${() => changeView({ onion: !view.onion })} />
      Show onion skin
    </label>
    <label class="viewer-range">
      <span>Ghosts each way</span><output>${view.onionCount}</output>
      <input
        type="range" min="1" max=${MOST_EACH_WAY} step="1" value=${view.onionCount}
        onInput=${(event: Event) => changeView({ onion: true, onionCount: number(event) })}
      />
    </label>
    <label class="viewer-range">
      <span>Time between</span><output>${view.onionStep_s.toFixed(2)} s</output>
      <input
        type="range" min="0.05" max="1" step="0.05" value=${view.onionStep_s}
        onInput=${(event: Event) => changeView({ onion: true, onionStep_s: number(event) })}
      />
    </label>
    <p class="viewer-ramp"><span>past</span><i aria-hidden="true"></i><span>future</span></p>`
}

/** Joints with a role first, in the order of the body; then the others by name. */
function trailChoices(clip: Clip): { joint: number; name: string }[] {
  const roles = Object.entries(clip.roles).filter(([, joint]) => joint >= 0)
  const withRole = roles.map(([role, joint]) => ({ joint, name: role.replaceAll('_', ' ') }))
  const known = new Set(roles.map(([, joint]) => joint))
  const all = clip.joints.map(({ name }, joint) => ({ joint, name }))
  return [...withRole, ...all.filter(({ joint }) => !known.has(joint))]
}

function TrailSettings({ view, clip }: { view: ViewOptions; clip: Clip }) {
  const flip = (joint: number) => {
    const on = view.trails.includes(joint)
    changeView({ trails: on ? view.trails.filter((j) => j !== joint) : [...view.trails, joint] })
  }
  return html`
    <div class="viewer-popover-head">
      <span>Trails of the last second</span>
      <button
        type="button" class="button quiet" disabled=${!view.trails.length}
        onClick=${() => changeView({ trails: [] })}
      >None</button>
    </div>
    <div class="viewer-joints" tabindex="0" role="group" aria-label="Joints">
      ${trailChoices(clip).map(
        ({ joint, name }) => html`<label class="viewer-check" key=${joint}>
          <input type="checkbox" checked=${view.trails.includes(joint)} onChange=${() => flip(joint)} />
          ${name}
        </label>`,
      )}
    </div>`
}

export const TURN_HINT =
  'Drag to turn, right-drag to move, wheel to zoom. With the view focused: Alt+arrows turn, ' +
  'Alt+plus and Alt+minus zoom; so do 4 6 8 2 + − of the number pad.'

function makeButton(icon: IconName, name: string, title: string, press: () => void) {
  return html`<button type="button" class="button quiet icon" aria-label=${name} title=${title} onClick=${press}>
    <${Icon} name=${icon} />
  </button>`
}

/** What can be made of the open clips. */
function MakeTools() {
  const shown = useStore((state) => state.shown)
  const busy = useStore((state) => state.compare !== null || state.making !== 'none')
  const writable = useStore((state) => state.about?.library.writable ?? true)
  const ask = (dialog: 'loop' | 'clean') => () => change({ dialog, subject: shown[0].clip })
  const open = (kind: Making) => () => void make(kind, shown.map(({ clip }) => clip.id))
  if (busy) return null
  if (shown.length === 1) {
    if (!writable) return null
    return html`<div class="viewer-tools" role="group" aria-label="Make">
      ${makeButton('loop', 'Loop…', 'Loop: a stretch of the clip that can go on for ever', ask('loop'))}
      ${makeButton('feet', 'Clean feet…', 'Clean feet: hold planted feet still', ask('clean'))}
    </div>`
  }
  return html`<div class="viewer-tools" role="group" aria-label="Make">
    ${shown.length === 2 &&
    html`${makeButton('compare', 'Compare', 'Compare: how alike the frames of the two clips are (C)', compareOpen)}
    ${makeButton('transition', 'Transition', 'Transition: go from one clip over into the other (T)', open('transition'))}`}
    ${shown.length <= mostClips && makeButton('blend', 'Blend', 'Blend: mix the clips (B)', open('blend'))}
  </div>`
}

export function Toolbar({ onReset }: { onReset: () => void }) {
  const view = useStore((state) => state.view)
  const shown = useStore((state) => state.shown)
  const arrangement = useStore((state) => state.arrangement)
  const ghosts = shown.some(({ held }) => held)
  if (shown.length === 0) return null
  const { clip } = shown[0]
  return html`<div class="viewer-toolbar" role="toolbar" aria-label="Viewer">
    <div class="viewer-tools" role="group" aria-label="Body">
      ${bodies.map(
        ([body, name]) =>
          html`<${Toggle}
            key=${body} icon=${body} name=${name} on=${view.body === body} press=${() => changeView({ body })}
          />`,
      )}
    </div>
    <div class="viewer-tools" role="group" aria-label="Show">
      ${switches.map(
        ([key, icon, name]) =>
          html`<${Toggle}
            key=${key} icon=${icon} name=${name} on=${view[key]}
            press=${() => changeView({ [key]: !view[key] })}
          />`,
      )}
      <${Popover} icon="onion" name="Onion skin" on=${view.onion}><${OnionSettings} view=${view} /><//>
      <${Popover} icon="trails" name="Joint trails" on=${view.trails.length > 0}>
        <${TrailSettings} view=${view} clip=${clip} />
      <//>
    </div>
    ${shown.length > 1 &&
    !ghosts &&
    html`<div class="viewer-tools" role="group" aria-label="Arrangement of the clips">
      ${arrangements.map(
        ([key, name]) => html`<button
          key=${key} type="button" class="button quiet" aria-pressed=${String(arrangement === key)}
          onClick=${() => change({ arrangement: key })}
        >${name}</button>`,
      )}
    </div>`}
    <${MakeTools} />
    <div class="viewer-tools viewer-camera" role="group" aria-label="Camera">
      <${Toggle}
        icon="follow" name="Follow the figure" title="Follow the figure (F)" on=${view.follow}
        press=${() => changeView({ follow: !view.follow })}
      />
      <button
        type="button" class="button quiet icon" aria-label="Reset the camera"
        title=${`Reset the camera (R). ${TURN_HINT}`} onClick=${onReset}
      ><${ViewerIcon} name="reset" /></button>
    </div>
  </div>`
}
