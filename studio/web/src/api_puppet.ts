// api_puppet.ts - what the server is asked and answers about puppets, as types; see api.ts.
import type { Row, Sample } from './puppets/takes'

/** A behaviour of the library; values are null if it cannot be read. */
export interface PuppetRow {
  name: string
  about: string | null
  samples: number | null
  seconds: number | null
  runs: number | null
  rate: number | null
  /** Of the clips that it was trained on; empty: none has any. */
  licence: string | null
  bytes: number
}

interface ReadyRow {
  name: string
  about: string
  seconds: number
}

export interface PuppetTable {
  ready: ReadyRow[]
  puppets: PuppetRow[]
}

export interface Run {
  samples: number
  seconds: number
  rows: Row[]
}

/** With what was demonstrated, thinned. */
export interface Puppet {
  name: string
  about: string
  rate: number
  samples: number
  seconds: number
  runs: number
  run_list: Run[]
}

export type Demonstration =
  | { samples: readonly Row[] }
  | { clips: [number, number] }
  | { csv: string; called: string }
  | { ready: string }
  | { puppet: string }

export interface TrainBody {
  name: string
  demonstrations: Demonstration[]
  about?: string
}

export interface Trained {
  name: string
  seconds: number
  samples: number
  notes: string[]
}

export interface RunBody {
  puppet: string
  main: readonly Sample[]
  start?: [number, number, number]
  balance?: number
  rough?: boolean
  graph?: string
  /** Of a clip: the body that goes there. */
  name?: string
}

export interface BodyMade {
  id: number
  name: string
  away_cm: number
}
