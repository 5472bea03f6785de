// curve_data.ts - the numbers of curves, asked for once per clip, and what can be drawn of a clip.
import { api, type Clip } from '../api'
import { getState } from '../store'

export interface JointChoice {
  joint: string
  label: string
  named: boolean
}

/** The server gives so many at once; more would be unreadable anyway. */
export const mostCurves = 16

/** Joints that have a role come first, in the order of the roles. */
export function jointChoices(clip: Clip): JointChoice[] {
  const order = getState().about?.roles ?? Object.keys(clip.roles)
  const roleOf = new Map(Object.entries(clip.roles).map(([role, joint]) => [joint, role]))
  const choices = clip.joints.map((joint, i) => {
    const role = roleOf.get(i)
    const label = role ? `${joint.name} (${role.replaceAll('_', ' ')})` : joint.name
    return { joint: joint.name, label, named: !!role, rank: role ? order.indexOf(role) : Infinity }
  })
  return choices.sort((a, b) => (a.rank === b.rank ? 0 : a.rank - b.rank))
}

/** What can be drawn of a joint: the file's own channels, then place and speed. */
export function measures(clip: Clip, joint: string): string[] {
  const channels = clip.has_channels ? (clip.joints.find((each) => each.name === joint)?.channels ?? []) : []
  return [...channels, 'x', 'y', 'z', 'speed']
}

/** A joint's name may itself have dots; the measure never has. */
export function splitName(name: string): { joint: string; measure: string } {
  const dot = name.lastIndexOf('.')
  return { joint: name.slice(0, dot), measure: name.slice(dot + 1) }
}

export function isOfClip(clip: Clip, name: string): boolean {
  const { joint, measure } = splitName(name)
  return clip.joints.some((each) => each.name === joint) && measures(clip, joint).includes(measure)
}

/** Curves of one unit share a scale; positions in the file are in the file's own unit. */
export function unitOf(name: string): string {
  const { measure } = splitName(name)
  if (measure === 'speed') return 'cm/s'
  if (measure.endsWith('rotation')) return '°'
  if (measure.endsWith('position')) return 'file units'
  return 'cm'
}

class CurveCache {
  private clip = 0
  private readonly rows = new Map<string, Float32Array>()

  get(clip: number, name: string): Float32Array | undefined {
    return clip === this.clip ? this.rows.get(name) : undefined
  }

  /** Fetches what is missing. Curves of another clip are forgotten. */
  async load(clip: Clip, names: string[]): Promise<void> {
    if (clip.id !== this.clip) {
      this.clip = clip.id
      this.rows.clear()
    }
    const missing = names.filter((name) => !this.rows.has(name))
    if (!missing.length) return
    const all = await api.curves(clip.id, missing)
    // Another clip may have been opened meanwhile.
    if (clip.id !== this.clip) return
    missing.forEach((name, i) => this.rows.set(name, all.subarray(i * clip.frames, (i + 1) * clip.frames)))
  }
}

export const curveCache = new CurveCache()
