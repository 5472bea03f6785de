// toolbar.ts - the buttons on the viewer's edge: how the body is drawn, what else is shown, how clips are
// arranged, and the camera.
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Clip } from '../api'
import { Button, IconButton, takeEvent, useWritable, valueOf } from '../controls'
import { html } from '../html'
import type { IconName } from '../icons'
import { compareOpen, make, makeLoop, makeRetarget, mostClips, type Mixing } from '../opening'
import { roleName } from '../role_names'
import { change, changeView, useStore, type Arrangement, type ViewOptions } from '../store'
import { t } from '../words/words'
import { MOST_EACH_WAY } from './ghosts'
import { TURN_HINT } from './screen'

type Switch = 'floor' | 'shadows' | 'path' | 'prints'

const bodies: [ViewOptions['body'], string][] = [
  ['body', t('Body')],
  ['sticks', t('Sticks')],
  ['silhouette', t('Silhouette')],
]

const switches: [Switch, IconName, string][] = [
  ['floor', 'floor', t('Floor')],
  ['shadows', 'shadow', t('Shadows')],
  ['path', 'path', t('Path of the root')],
  ['prints', 'prints', t('Foot plants')],
]

const arrangements: [Arrangement, string][] = [
  ['overlaid', t('Overlaid')],
  ['side', t('Side by side')],
  ['aligned', t('Aligned')],
  ['tiles', t('Grid')],
]

interface PopoverProps {
  icon: IconName
  name: string
  on: boolean
  children: unknown
}

/** A button that opens a small panel under it; Escape and a press elsewhere close it. */
function Popover({ icon, name, on, children }: PopoverProps) {
  const [open, setOpen] = useState(false)
  const place = useRef<HTMLDivElement>(null)
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
    takeEvent(event)
    setOpen(false)
    place.current?.querySelector('button')?.focus()
  }
  return html`<div class="viewer-popover" ref=${place} onKeyDown=${onKey}>
    <${IconButton}
      icon=${icon} name=${`${name}: settings`} title=${name} kind=${on ? 'is-on' : ''} aria-expanded=${String(open)}
      onClick=${() => setOpen(!open)}
    />
    ${open && html`<div class="viewer-popover-panel boxed" role="group" aria-label=${name}>${children}</div>`}
  </div>`
}

function OnionSettings({ view }: { view: ViewOptions }) {
  const slider = (name: string, text: string, limits: object, key: 'onionCount' | 'onionStep_s') => html`<label
    class="viewer-range"
  >
    <span>${name}</span><output>${text}</output>
    <input
      type="range" ...${limits} value=${view[key]}
      onInput=${(event: Event) => changeView({ onion: true, [key]: Number(valueOf(event)) })}
    />
  </label>`
  return html`
    <label class="viewer-check flex-row">
      <input type="checkbox" checked=${view.onion} onChange=${() => changeView({ onion: !view.onion })} />
      Show onion skin
    </label>
    ${slider(t('Ghosts each way'), String(view.onionCount), { min: 1, max: MOST_EACH_WAY, step: 1 }, 'onionCount')}
    ${slider(t('Time between'), `${view.onionStep_s.toFixed(2)} s`, { min: 0.05, max: 1, step: 0.05 }, 'onionStep_s')}
    <p class="viewer-ramp flex-row"><span>past</span><i aria-hidden="true"></i><span>future</span></p>`
}

/** Joints with a role first, in the order of the body; then the others by name. */
function trailChoices(clip: Clip): { joint: number; name: string }[] {
  const roles = Object.entries(clip.roles).filter(([, joint]) => joint >= 0)
  const withRole = roles.map(([role, joint]) => ({ joint, name: roleName(role) }))
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
    <div class="viewer-popover-head flex-row">
      <span>Trails of the last second</span>
      <${Button} kind="quiet" disabled=${!view.trails.length} onClick=${() => changeView({ trails: [] })}>None<//>
    </div>
    <div class="viewer-joints" tabindex="0" role="group" aria-label="Joints">
      ${trailChoices(clip).map(
        ({ joint, name }) => html`<label class="viewer-check flex-row" key=${joint}>
          <input type="checkbox" checked=${view.trails.includes(joint)} onChange=${() => flip(joint)} />
          ${name}
        </label>`,
      )}
    </div>`
}

/** What can be made of the open clips. */
function MakeTools() {
  const shown = useStore((state) => state.shown)
  const busy = useStore((state) => state.compare !== null || state.making !== 'none')
  const writable = useWritable()
  const open = (kind: Mixing) => () => void make(kind, shown.map(({ clip }) => clip.id))
  const [one, two] = [shown.length === 1 && writable, shown.length === 2]
  const some = shown.length > 1 && shown.length <= mostClips
  const tools: [fits: boolean, icon: IconName, name: string, title: string, act: () => void][] = [
    [one, 'loop', t('Make a loop'), t('Make a loop: a seamless cycle of a stretch of the clip (A)'), () => void makeLoop(shown[0].clip.id)],
    [one, 'feet', t('Clean feet…'), t('Clean feet: hold planted feet still'), () => change({ dialog: 'clean', subject: shown[0].clip })],
    [two, 'compare', t('Compare'), t('Compare: how alike the frames of the two clips are (C)'), compareOpen],
    [two, 'transition', t('Transition'), t('Transition: go from one clip over into the other (T)'), open('transition')],
    [some, 'blend', t('Blend'), t('Blend: mix the clips (B)'), open('blend')],
    [
      shown.length < 3,
      'retarget',
      t('Retarget'),
      t('Retarget: the motion of the clip on the body of another (H)'),
      () => void makeRetarget(shown.map(({ clip }) => clip.id)),
    ],
  ]
  if (busy || (shown.length === 1 && !writable)) return null
  return html`<div class="viewer-tools" role="group" aria-label="Make">
    ${tools.map(
      ([fits, icon, name, title, act]) =>
        fits && html`<${IconButton} key=${name} icon=${icon} name=${name} title=${title} worded=${true} onClick=${act} />`,
    )}
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
          html`<${IconButton}
            key=${body} icon=${body} name=${name} worded=${true} kind="is-late" aria-pressed=${view.body === body} onClick=${() => changeView({ body })}
          />`,
      )}
    </div>
    <div class="viewer-tools" role="group" aria-label="What the view shows">
      ${switches.map(
        ([key, icon, name]) =>
          html`<${IconButton}
            key=${key} icon=${icon} name=${name} worded=${true} kind="is-late" aria-pressed=${view[key]}
            onClick=${() => changeView({ [key]: !view[key] })}
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
        ([key, name]) => html`<${Button}
          key=${key} kind="quiet" aria-pressed=${arrangement === key} onClick=${() => change({ arrangement: key })}
        >${name}<//>`,
      )}
    </div>`}
    <${MakeTools} />
    <div class="viewer-tools viewer-camera" role="group" aria-label="Camera">
      <${IconButton}
        icon="follow" name="Follow the figure" keys="F" worded=${true} kind="is-late" aria-pressed=${view.follow}
        onClick=${() => changeView({ follow: !view.follow })}
      />
      <${IconButton}
        icon="reset" name="Reset the camera" worded=${true} kind="is-late" title=${t`Reset the camera (R). ${TURN_HINT}`} onClick=${onReset}
      />
    </div>
  </div>`
}
