// bodies.ts - those who react as whole bodies in the view: their shape is that of a clip, their poses come with the answers.
import { api, type Clip } from '../api'
import { messageOf } from '../attempt'
import { LiveBody } from '../live_body'
import { bareClip } from '../making/made'
import { showAlone } from '../making/session'
import { changeView, getState, type Shown } from '../store'
import type { Reactor } from './reactor'

/** Numbers of clips that are in no library: this, and those below it. */
const firstId = -50
/** The shape is learned from so many frames; no more are in the timeline. */
const learned = 2

interface Shape {
  clip: Clip
  motion: ArrayBuffer
}

const shapes = new Map<number, Promise<Shape>>()

async function fetchShape(skeleton: number): Promise<Shape> {
  const clip = await api.clip(skeleton)
  return { clip, motion: await api.frames(skeleton, 0, Math.min(learned, clip.frames)) }
}

const shaped = new WeakMap<LiveBody, Shape>()

export async function bodyFor(
  reactor: Reactor,
  skeleton: number,
  joints: number,
  failed: (message: string) => void,
): Promise<void> {
  try {
    const asked = shapes.get(skeleton) ?? fetchShape(skeleton)
    shapes.set(skeleton, asked)
    const live = new LiveBody(joints)
    shaped.set(live, await asked)
    reactor.live = live
  } catch (cause) {
    shapes.delete(skeleton)
    failed(messageOf(cause))
  }
}

function shownAs({ number, puppet, hue, live }: Reactor): Shown[] {
  const shape = live && shaped.get(live)
  if (!live || !shape) return []
  const clip = bareClip(shape.clip, firstId - number, puppet, Math.min(learned, shape.clip.frames))
  return [{ clip, alignFrame: 0, motion: shape.motion, live, hue }]
}

/** Puts into the view those who have bodies, and takes out who is gone. */
export function showBodies(reactors: readonly Reactor[]): void {
  if (getState().making === 'puppets') showAlone(reactors.flatMap(shownAs))
}

/** The eye stays where it is while all characters walk about; gives what lets it follow again. */
export function watchFloor(): () => void {
  const { follow } = getState().view
  changeView({ follow: false })
  return () => changeView({ follow })
}
