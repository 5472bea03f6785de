// api_param.ts - what the server is asked and answers about families of motions, as types; see api.ts.
import type { Part } from './api_making'

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
  amounts: Word[]
}

export interface FamilyRow {
  name: string
  features: string[]
  dims: { name: string; unit: string }[]
  examples: number
  samples: number | null
}

/** One of a family's numbers. */
export interface Dim {
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

export interface FamilyExample extends Required<Part> {
  name: string
  frames: number
  fps: number
  values: number[]
}

export interface Family {
  name: string
  features: string[]
  /** Of errors: '%' where its numbers have several. */
  unit: string
  dims: Dim[]
  params: Param[]
  examples: FamilyExample[]
  samples: number[][]
  sample_count: number
  example_count: number
  skeleton: { id: number }
  delta: number
}

export interface Fault {
  example: number
  with: number
  kind: string
  text: string
}

/** A family that was just built, and what is odd about it. */
export interface BuiltFamily extends Family {
  faults: Fault[]
  /** For each example the share of its blends that is faulty. */
  blamed: number[]
  left_out: number[]
  seconds: number
}

export interface FamilyBody {
  name: string
  features: string[]
  parts?: { clip: number; start: number; end: number }[]
  /** One that the server remembers, and which of its matches. */
  search?: number
  matches?: number[]
}

export interface AskBody {
  family: string
  at: number[]
  clean?: boolean
}

/** Where a feature's places are told from, in the made motion's world. */
export interface Standing {
  x_cm: number
  y_cm: number
  z_cm: number
  angle_rad: number
}
