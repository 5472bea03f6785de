// player_page.ts - a page by itself that shows clips: the studio's viewer and what plays them, in one file that needs neither
// a server nor a network, in a notebook or a browser. shared_clips.ts says what it is filled with.
import { render } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { Button, IconButton, Select, valueOf } from '../controls'
import { byKeys, followFocus, letGo } from '../focus'
import { capturedFrames, type FetchFrames } from '../frames'
import { html } from '../html'
import { wantsLessMotion } from '../motion'
import { clock, player } from '../player'
import { change, changeView, useStore, type Arrangement, type Shown } from '../store'
import { onSystemTheme, showTheme } from '../theme'
import { usePlayerState } from '../use_player'
import { NEEDS_WEBGL, Picture } from '../viewer/picture'
import { resetCamera, toggleFollow, TURN_HINT } from '../viewer/screen'
import { t } from '../words/words'
import { readShared, type PlayerOptions, type SharedClips } from './shared_clips'
import '../theme.css'
import './player_page.css'

const speeds = [0.25, 0.5, 0.75, 1, 1.5, 2]

const arrangements: [Arrangement, string][] = [
  ['overlaid', t('Overlaid')],
  ['side', t('Side by side')],
  ['aligned', t('Aligned')],
  ['tiles', t('Grid')],
]

/** A menu that was chosen from by the pointer gives the keys back, so that Space plays. */
function leaveMenu(): void {
  if (!byKeys() && document.activeElement instanceof HTMLElement) document.activeElement.blur()
}

function Tools() {
  const follow = useStore((state) => state.view.follow)
  const several = useStore((state) => state.shown.length > 1)
  const arrangement = useStore((state) => state.arrangement)
  const [full, setFull] = useState(false)
  useEffect(() => {
    const look = () => setFull(document.fullscreenElement !== null)
    document.addEventListener('fullscreenchange', look)
    return () => document.removeEventListener('fullscreenchange', look)
  }, [])
  // The page around this one may refuse it in between.
  const flip = () => void (full ? document.exitFullscreen() : document.documentElement.requestFullscreen()).catch(() => undefined)
  const arrange = (next: string) => {
    change({ arrangement: next as Arrangement })
    leaveMenu()
  }
  return html`<div class="viewer-toolbar" role="toolbar" aria-label="Viewer">
    ${several &&
    html`<${Select} kind="player-arrangement" aria-label="Arrangement of the clips" value=${arrangement} options=${arrangements} set=${arrange} />`}
    <div class="viewer-tools viewer-camera" role="group" aria-label="Camera">
      <${IconButton} icon="follow" name="Follow the figure" keys="F" aria-pressed=${follow} onClick=${toggleFollow} />
      <${IconButton}
        icon="reset" name="Reset the camera" title=${t`Reset the camera (R). ${TURN_HINT}`} onClick=${resetCamera}
      />
      ${document.fullscreenEnabled &&
      html`<${IconButton} icon="fullscreen" name="Full screen" aria-pressed=${full} onClick=${flip} />`}
    </div>
  </div>`
}

/** The time by hand: while the pointer holds it, nothing plays. */
function Scrubber() {
  const { rangeStart, rangeEnd, fps } = usePlayerState()
  const slider = useRef<HTMLInputElement>(null)
  const time = useRef<HTMLSpanElement>(null)
  const resumes = useRef(false)
  const at = (frame: number) => clock((frame - rangeStart) / fps)
  useEffect(() => {
    const write = () => {
      slider.current!.value = String(player.frame)
      time.current!.textContent = at(player.frame)
      // Sixty a second would be heard one after another.
      if (!player.now.playing) slider.current!.setAttribute('aria-valuetext', at(player.frame))
    }
    write()
    const ends = [player.onTime(write), player.onState(write)]
    return () => ends.forEach((end) => end())
  }, [rangeStart, rangeEnd, fps])
  const take = () => {
    resumes.current = player.now.playing
    player.set({ playing: false })
  }
  const leave = () => {
    if (resumes.current) player.play()
    resumes.current = false
  }
  return html`<input
      ref=${slider} class="player-scrubber" type="range" aria-label="Time" min=${rangeStart} max=${rangeEnd - 1} step="1"
      onInput=${(event: Event) => player.seekFrame(Number(valueOf(event)))}
      onPointerDown=${take} onPointerUp=${leave} onPointerCancel=${leave}
    />
    <span class="player-time"><span ref=${time}></span><span class="player-length"> / ${at(rangeEnd - 1)}</span></span>`
}

function Bar() {
  const { playing, speed } = usePlayerState()
  const all = speeds.includes(speed) ? speeds : [...speeds, speed].sort((a, b) => a - b)
  const choose = (value: string) => {
    player.set({ speed: Number(value) })
    leaveMenu()
  }
  return html`<div class="player-bar flex-row" role="group" aria-label="Play">
    <${Button}
      icon=${playing ? 'pauseSolid' : 'play'} kind="icon" aria-label=${playing ? t('Pause') : t('Play')}
      title=${playing ? t('Pause (Space)') : t('Play (Space)')} onClick=${() => player.toggle()}
    />
    <${Scrubber} />
    <${Select} kind="player-speed" aria-label="Speed" value=${speed} options=${all.map((each) => [each, `${each}×`])} set=${choose} />
  </div>`
}

interface PageProps {
  title: string
  fetchFrames: FetchFrames
}

function Page({ title, fetchFrames }: PageProps) {
  const names = useStore((state) => state.shown.map(({ clip }) => clip.name).join(', '))
  return html`<main class="player flex-column">
    <h1 class=${title ? 'player-title ellipsis' : 'visually-hidden'}>${title || names}</h1>
    <div class="player-view">
      <${Picture} fetchFrames=${fetchFrames} when=${atOnce} noWebgl=${NEEDS_WEBGL}><${Tools} /><//>
    </div>
    <${Bar} />
  </main>`
}

function atOnce(work: () => void): () => void {
  work()
  return () => undefined
}

const keys: Record<string, () => void> = {
  ' ': () => player.toggle(),
  ',': () => player.step(-1),
  '.': () => player.step(1),
  ArrowLeft: () => player.step(-1),
  ArrowRight: () => player.step(1),
  Home: () => player.seekFrame(player.now.rangeStart),
  End: () => player.seekFrame(player.now.rangeEnd - 1),
  f: toggleFollow,
  r: resetCamera,
}

/** As in the studio. A button has Space for itself, a menu all keys, and the slider those that move it. */
function takeKey(event: KeyboardEvent): void {
  const { key, target, altKey, ctrlKey, metaKey } = event
  const run = keys[key.length === 1 ? key.toLowerCase() : key]
  if (!run || altKey || ctrlKey || metaKey || !(target instanceof Element)) return
  if (target.closest('select') || (key === ' ' && target.closest('button'))) return
  if (target.closest('input') && /^(Arrow|Home|End)/.test(key)) return
  event.preventDefault()
  run()
}

function followTheme({ theme = 'system' }: PlayerOptions): void {
  showTheme(theme)
  onSystemTheme(() => showTheme(theme))
}

/** Frames of the first clip, and as many more of them as the longest of the others takes. */
function load(shown: readonly Shown[]): void {
  const [{ clip }] = shown as [Shown]
  const captured = capturedFrames(clip)
  const most = Math.max(...shown.slice(1).map((each) => Math.ceil(((each.clip.frames - 1) / each.clip.fps) * clip.fps) + 1), 0)
  const frames = Math.max(clip.frames, most)
  player.load(frames, clip.fps, frames > clip.frames ? { start: captured.start, end: frames } : captured)
}

function begin({ shown, title, options, fetchFrames }: SharedClips, place: HTMLElement): void {
  const { arrangement = 'overlaid', speed = 1, play = true, view = {} } = options
  followTheme(options)
  document.title = title || shown.map(({ clip }) => clip.name).join(', ')
  change({ shown, arrangement, cards: shown.map(({ clip }) => clip) })
  changeView(view)
  load(shown)
  player.set({ speed: Math.max(0.25, Math.min(2, speed)) })
  render(html`<${Page} title=${title} fetchFrames=${fetchFrames} />`, place)
  followFocus()
  window.addEventListener('keydown', takeKey)
  window.addEventListener('click', letGo)
  if (play && !wantsLessMotion()) player.play()
}

const place = document.getElementById('app')!
try {
  begin(readShared(document.getElementById('marey-clips')?.textContent ?? ''), place)
} catch (error) {
  followTheme({})
  const message = error instanceof Error ? error.message : String(error)
  render(html`<main class="player"><h1 class="visually-hidden">marey</h1><p class="viewer-message" role="alert">${message}</p></main>`, place)
}
