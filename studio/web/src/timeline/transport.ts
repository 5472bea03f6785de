// transport.ts - playing: buttons, speed, loop and the read-outs. The read-outs are written directly while it
// plays.
import { useEffect, useRef } from 'preact/hooks'
import { Button, IconButton, valueOf } from '../controls'
import { html } from '../html'
import { clock, player } from '../player'
import { change, useStore } from '../store'
import { usePlayerState } from '../use_player'
import { t } from '../words/words'
import { clamp } from './scale'
import { view } from './view'

const speeds = [0.1, 0.25, 0.5, 1, 2, 4]

function nearestSpeed(speed: number): number {
  let best = 0
  speeds.forEach((each, i) => {
    if (Math.abs(Math.log(each / speed)) < Math.abs(Math.log(speeds[best] / speed))) best = i
  })
  return best
}

function setSpeed(speed: number): void {
  if (!Number.isFinite(speed)) return
  player.set({ speed: clamp(Math.abs(speed), 0.1, 4) * Math.sign(player.now.speed || 1) })
}

/** Plays that way, or pauses if it does. */
function playTowards(direction: 1 | -1): void {
  const { playing, speed } = player.now
  if (playing && Math.sign(speed) === direction) player.set({ playing: false })
  else player.play(direction * Math.abs(speed))
}

function Buttons() {
  const { playing, speed, loop, rangeStart, rangeEnd, live } = usePlayerState()
  const forwards = playing && speed > 0
  const backwards = playing && speed < 0
  return html`<div class="tl-group flex-row" role="group" aria-label="Play">
    <${IconButton} disabled=${live} icon="toStart" name="To the start" keys="Home" onClick=${() => player.seekFrame(rangeStart)} />
    <${IconButton} disabled=${live} icon="stepBack" name="Step back" keys="," onClick=${() => player.step(-1)} />
    <${IconButton}
      disabled=${live} icon=${backwards ? 'pauseSolid' : 'backwards'} name=${backwards ? t('Pause') : t('Play backwards')}
      keys=${backwards ? 'K' : 'J'} onClick=${() => playTowards(-1)}
    />
    <${Button}
      disabled=${live} icon=${forwards ? 'pauseSolid' : 'play'} kind="icon tl-play" aria-label=${forwards ? t('Pause') : t('Play')}
      title=${forwards ? t('Pause (Space)') : t('Play (Space)')} onClick=${() => playTowards(1)}
    />
    <${IconButton} disabled=${live} icon="stepForward" name="Step forward" keys="." onClick=${() => player.step(1)} />
    <${IconButton} disabled=${live} icon="toEnd" name="To the end" keys="End" onClick=${() => player.seekFrame(rangeEnd - 1)} />
    <${IconButton} icon="loopSolid" name="Loop" aria-pressed=${loop} onClick=${() => player.set({ loop: !loop })} />
  </div>`
}

/** Enter leaves the field, so that I and O mark what is there. */
function leaveFrame(event: KeyboardEvent): void {
  if (event.key === 'Enter') document.getElementById('timeline-area')?.focus({ preventScroll: true })
}

/** Arrows would otherwise step through the frames. */
function keepSliderKeys(event: KeyboardEvent): void {
  if (/^(Arrow|Page|Home|End)/.test(event.key)) event.stopPropagation()
}

function Speed() {
  const size = Math.abs(usePlayerState().speed)
  return html`<div class="tl-group flex-row tl-speed" role="group" aria-label="Speed">
    <input
      type="range" min="0" max=${speeds.length - 1} step="1" value=${nearestSpeed(size)} aria-label="Speed"
      aria-valuetext="${size} times" title="Speed: 0.1, 0.25, 0.5, 1, 2 or 4 times"
      onInput=${(event: Event) => setSpeed(speeds[Number(valueOf(event))])} onKeyDown=${keepSliderKeys}
    />
    <input
      type="number" class="field tl-number" min="0.1" max="4" step="any" value=${Number(size.toFixed(3))}
      aria-label="Speed, any number from 0.1 to 4"
      onChange=${(event: Event) => {
        const field = event.target as HTMLInputElement
        setSpeed(field.valueAsNumber)
        field.value = String(Number(Math.abs(player.now.speed).toFixed(3)))
      }}
    />
    <span class="dim" aria-hidden="true">×</span>
  </div>`
}

function ReadOuts() {
  const time = useRef<HTMLSpanElement>(null)
  const frame = useRef<HTMLInputElement>(null)
  const clip = useStore((state) => state.shown[0]?.clip)
  useEffect(() => {
    const write = () => {
      if (time.current) time.current.textContent = clock(player.frame / player.now.fps)
      // Not while the user types in it.
      const field = frame.current
      if (field && document.activeElement !== field) field.value = String(player.frame)
    }
    write()
    return player.onTime(write)
  }, [clip])
  const jump = (event: Event) => {
    const wanted = (event.target as HTMLInputElement).valueAsNumber
    if (Number.isFinite(wanted)) player.seekFrame(clamp(Math.round(wanted), 0, player.now.frames - 1))
    view.reveal(player.frame)
    if (frame.current) frame.current.value = String(player.frame)
  }
  const { live } = usePlayerState()
  const last = Math.max(0, (clip?.frames ?? 1) - 1)
  const fps = Number((clip?.fps ?? 0).toFixed(3))
  return html`<div class="tl-group flex-row tl-readouts">
    <span class="tl-time" ref=${time} title="Time"></span>
    <input
      ref=${frame} type="number" class="field tl-number" min="0" max=${last} step="1" onChange=${jump} disabled=${live}
      onKeyDown=${leaveFrame}
      aria-label="Frame; type a number to go there" title="Frame; type a number to go there"
    />
    ${live
      ? html`<span class="tl-live" title="The character is steered now">live · ${fps} fps</span>`
      : html`<span class="dim" title="Last frame and frames per second">/ ${last} · ${fps} fps</span>`}
  </div>`
}

interface TransportProps {
  /** The clip is in the library. */
  kept: boolean
  curves: boolean
  toggleCurves: () => void
}

export function Transport({ kept, curves, toggleCurves }: TransportProps) {
  return html`<div class="tl-bar flex-row tl-transport">
    <${Buttons} />
    <${ReadOuts} />
    <${Speed} />
    <span class="tl-space"></span>
    <div class="tl-group flex-row" role="group" aria-label="Zoom">
      <${IconButton} icon="minus" name="Zoom out" keys="-" onClick=${() => view.zoom(1.5)} />
      <${IconButton} icon="plusSolid" name="Zoom in" keys="+" onClick=${() => view.zoom(1 / 1.5)} />
      <${IconButton} icon="fit" name="Show the whole clip" keys="0" onClick=${() => view.fit()} />
    </div>
    <${Button}
      icon="curve" title="Curves: the file's channels, or how joints move" aria-pressed=${curves} disabled=${!kept}
      onClick=${toggleCurves}
    >
      <span class="tl-word">Curves</span>
    <//>
    <${Button}
      icon="export" title="Export the clip, or the marked segment" disabled=${!kept}
      onClick=${() => change({ dialog: 'export', exported: [] })}
    >
      <span class="tl-word">Export</span>
    <//>
  </div>`
}
