// preview.ts - a card that plays: while the pointer or the keyboard rests on it, its poses are streamed and drawn over
// its strip. Only one card plays at a time.
import type { Card } from '../api'
import { playStream, stopStream } from '../live'
import {
  anatomyOf,
  drawFigure,
  facingView,
  heightFor,
  rootPath,
  sideView,
  type Anatomy,
  type Look,
  type Picture,
  type SideView,
} from './side_figure'

const streams = 8
const rate_hz = 30
const dwell_ms = 180
/** What the server makes of one stream at most, and what is in front of every pose. */
const streamBytes = 16 * 1024 * 1024
const headBytes = 8

let timer = 0
/** Of the stream. Each preview has the next one, so that what still comes for the last is not taken for its own. */
let number = 0
let playing: HTMLCanvasElement | null = null
let wanted: HTMLCanvasElement | null = null
/** What the preview that is about to begin has asked the server for. */
let asking: AbortController | null = null
let held = 0

export function wantsLessMotion(): boolean {
  return matchMedia('(prefers-reduced-motion: reduce)').matches
}

/** Plays `card` on `canvas` after a short rest. */
export function startPreview(card: Card, canvas: HTMLCanvasElement): void {
  if (wanted === canvas || held > 0) return
  stopPreview()
  wanted = canvas
  timer = window.setTimeout(() => void play(card, canvas), dwell_ms)
}

export function stopPreview(canvas?: HTMLCanvasElement): void {
  if (canvas && canvas !== wanted) return
  clearTimeout(timer)
  asking?.abort()
  asking = null
  if (playing) {
    stopStream(number)
    playing.classList.remove('on')
  }
  playing = null
  wanted = null
}

/** Does something that takes clips away, with no preview that would ask for one of them meanwhile. */
export async function withoutPreviews(work: () => Promise<void>): Promise<void> {
  held++
  stopPreview()
  try {
    await work()
  } finally {
    held--
  }
}

async function play(card: Card, canvas: HTMLCanvasElement): Promise<void> {
  asking = new AbortController()
  const { signal } = asking
  try {
    const [path, anatomy] = await Promise.all([
      rootPath(card.id, card.frames, signal),
      anatomyOf(card.skeleton, card.id, signal),
    ])
    if (wanted === canvas) stream(card, canvas, sideView(path), anatomy)
  } catch {
    // A preview that cannot be had is no loss worth a message; the strip stays.
  }
}

/** How many frames of a clip can be had as one stream. The last minutes of a very long one are left out. */
export function previewFrames({ frames, fps }: Pick<Card, 'frames' | 'fps'>, joints: number): number {
  const poses = Math.floor(streamBytes / (headBytes + joints * 7 * 4))
  return Math.min(frames, poses * Math.max(1, Math.floor(fps / rate_hz)))
}

function stream(card: Card, canvas: HTMLCanvasElement, view: SideView | null, anatomy: Anatomy): void {
  playing = canvas
  number = (number + 1) % streams
  let parents: number[] = []
  let picture: Picture | null = null
  const end = previewFrames(card, anatomy.sides.length)
  playStream(number, { clip: card.id, start: 0, end, rate: rate_hz, speed: 1, loop: true }, {
    begin(start) {
      if (start.clip !== card.id) return
      parents = start.parents
      canvas.width = Math.round(canvas.clientWidth * window.devicePixelRatio)
      canvas.height = Math.round(canvas.clientHeight * window.devicePixelRatio)
    },
    pose(frame, values) {
      if (playing !== canvas || values.length !== parents.length * 7) return
      picture ??= {
        canvas,
        look: lookOf(canvas),
        view: view ?? facingView(values, parents, anatomy.sides),
        parents,
        anatomy,
        height_cm: heightFor(values),
      }
      drawFigure(picture, values, (frame + 1) / card.frames)
      canvas.classList.add('on')
    },
    end() {
      stopPreview(canvas)
    },
    failed() {
      // The strip stays, as for any other preview that cannot be had.
      stopPreview(canvas)
    },
  })
}

function lookOf(canvas: HTMLCanvasElement): Look {
  const style = getComputedStyle(canvas)
  const colour = (name: string) => style.getPropertyValue(name).trim()
  return {
    left: colour('--left'),
    right: colour('--right'),
    middle: colour('--text-dim'),
    ground: colour('--line'),
    accent: colour('--accent'),
  }
}
