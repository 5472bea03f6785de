// api_param.ts - what the server is asked and answers about families of motions, as types; see api.ts.
import type { Fits } from './making/fits'

/** What can be asked of a motion: a row of the table of features. */
export interface Feature {
  name: string
  /** 'position(JOINT, WHEN, FROM)' */
  form: string
  about: string
  unit: string
  dims: number
  axes: string[]
  whole: boolean
}

export interface Word {
  name: string
  about: string
}

/** And what stands in the brackets. */
export interface FeatureTable {
  features: Feature[]
  moments: Word[]
  places: Word[]
  amounts: string[]
  /** What each of these is. */
  amounts_about: string[]
}

export interface FamilyRow {
  name: string
  features: string[]
  axes: { name: string; unit: string }[]
  examples: FamilyPart[]
  samples: number | null
}

/** Frames [start, end) of a clip. */
interface FamilyPart {
  id: number
  /** Its name. */
  clip: string
  start: number
  end: number
}

/** One of a family's numbers. */
export interface Axis {
  name: string
  unit: string
  /** The number of its feature. */
  feature: number
  axis: string
  low: number
  high: number
  least: number
  greatest: number
}

export interface Param {
  kind: string
  joint: string | null
  number: number | null
  when: string | null
  from: string | null
  amount: string | null
  label: string | null
}

interface FamilyExample extends FamilyPart {
  frames: number
  fps: number
  values: number[]
}

export interface Family {
  name: string
  features: string[]
  /** '%' where its numbers have several. */
  error_unit: string
  axes: Axis[]
  params: Param[]
  examples: FamilyExample[]
  /** How many there are, the examples among them, and those that are no examples. */
  samples: number
  sample_values: number[][]
  skeleton: { id: number }
}

interface Fault {
  example: number
  with: number
  kind: string
  text: string
}

/** What was found or named and is no example. */
export interface LeftOut extends FamilyPart {
  reason: string
  /** "moves otherwise" */
  about: string
}

/** A family that was just built, and what is odd about it. */
export interface BuiltFamily extends Fits {
  name: string
  /** Each with the share of its blends that is faulty. */
  examples: (FamilyPart & { blamed: number })[]
  samples: number
  fault_list: Fault[]
  left_out: LeftOut[]
  seconds: number
}

export interface FamilyBody {
  name: string
  feature: string[]
  clips?: { clip: number; start: number; end: number }[]
  /** One that the server remembers, and which of its matches. */
  search?: number
  matches?: number[]
  /** Taken although they would be left out. */
  keep?: { clip: number; start: number; end: number }[]
  /** Frames that belong together, each of them as 'walk#30,run#41'. */
  through?: string[]
}

export interface AskBody {
  family: string
  at: number[]
  no_clean?: boolean
}

/** The origin of a feature's positions, in the made motion's world. */
export interface Standing {
  x_cm: number
  y_cm: number
  z_cm: number
  angle_rad: number
}
