// shared_clips.ts - the clips of a page that has no server. A program fills the template (build_player.mjs makes it) by putting
// this JSON, with each < in it as \u003c, in the place of the comment that is in the script "marey-clips":
//
//   {"clips": [CLIP, ..], "title": TEXT, "options": OPTIONS}       title and options may be missing
//
//   CLIP     what GET /api/clips/ID says of a clip (docs/studio-api.md), and its frames. These are read, the rest is ignored:
//     name, fps, frames
//     joints[]      name, parent (-1 of the root, otherwise before the joint), offset_cm[3] from the parent,
//                   and, if it has one, end_cm[3]: where its bone ends, from the joint
//     roles         {role: joint number}; without those of a whole person sticks are drawn
//     contacts[]    foot plants: joint (left_heel left_toe right_heel right_toe), start, end (exclusive), in frames
//     marks[]       kind, start, end: those at the ends of the clip are not played
//     description   behind the name
//     data          base64 of all frames as GET /api/clips/ID/frames sends them, little-endian:
//                   "MRYF", uint32 1, frames, joints, 0, 1, places, 0, float64 fps,
//                   frames x places x 3 float32: local translations in cm (places: 1, only the root's; or the number of joints),
//                   frames x joints x 4 float32: local rotations (w, x, y, z)
//   OPTIONS  theme ("dark" "light" "system"), arrangement ("overlaid" "side" "aligned" "tiles"), play (false: waits for the
//            user), speed (0.25 .. 2), and view: any of ViewOptions in store.ts, such as {"body": "sticks", "follow": false}
import type { Clip } from '../api'
import { decodeFrames, type FetchFrames } from '../frames'
import { framesFrom } from '../making/made'
import type { Arrangement, Shown, Theme, ViewOptions } from '../store'
import { t } from '../words/words'

export interface PlayerOptions {
  theme?: Theme
  arrangement?: Arrangement
  play?: boolean
  speed?: number
  view?: Partial<ViewOptions>
}

type GivenClip = Partial<Clip> & Pick<Clip, 'name' | 'fps' | 'frames' | 'joints'> & { data: string }

interface Given {
  clips?: GivenClip[]
  title?: string
  options?: PlayerOptions
}

export interface SharedClips {
  shown: Shown[]
  fetchFrames: FetchFrames
  title: string
  options: PlayerOptions
}

/** What the library would know of a clip, where there is none. */
const unknown = {
  labels: [],
  stretches: [],
  skeleton: '',
  description: '',
  licence: '',
  source: '',
  made: false,
  removed: false,
  roles: {},
  marks: [],
  contacts: [],
  contacts_set: false,
  has_channels: false,
  report: { units: '', up: '' },
}

function bytesOf(base64: string): ArrayBuffer {
  return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0)).buffer
}

/** Throws if they are not those of the clip. */
function framesOf({ data, frames, joints, name }: GivenClip): ArrayBuffer {
  const known = (parent: number, j: number) => Number.isInteger(parent) && parent >= -1 && parent < j
  try {
    const bytes = bytesOf(data)
    const block = decodeFrames(bytes)
    const isWhole = block.frames === frames && block.joints === joints.length && [1, joints.length].includes(block.places)
    if (frames > 0 && isWhole && joints.every(({ parent }, j) => known(parent, j))) return bytes
  } catch {
    // It is said below.
  }
  throw new Error(t`The frames of ${name} are damaged.`)
}

/** Reads the JSON of the page. Throws if there is nothing to show, in words for the user. */
export function readShared(text: string): SharedClips {
  let given: Given
  try {
    given = JSON.parse(text) as Given
  } catch {
    throw new Error(t('There are no clips in this page.'))
  }
  const { clips = [], title = '', options = {} } = given
  if (clips.length === 0) throw new Error(t('There are no clips in this page.'))
  const motions = clips.map((clip) => framesFrom(framesOf(clip)))
  const shown = clips.map(({ data: _, joints, ...rest }, id) => {
    const whole = joints.map((joint) => ({ ...joint, end_cm: joint.end_cm ?? null, channels: joint.channels ?? [] }))
    return { clip: { ...unknown, ...rest, id, joints: whole, seconds: rest.frames / rest.fps }, alignFrame: 0 }
  })
  return { shown, title, options, fetchFrames: (id, ...range) => motions[id]!(id, ...range) }
}
