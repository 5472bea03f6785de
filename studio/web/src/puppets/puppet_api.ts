// puppet_api.ts - the server's addresses for puppets, and what it is asked and answers there (docs/studio-api.md, "Puppets").
import { operate } from '../api'
import type { Place } from './mover'
import type { Row, Sample } from './takes'

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

export interface ReadyRow {
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
  window_s: number
  gap_s: number
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
  away_most_cm: number
}

const named = (name: string) => `name=${encodeURIComponent(name)}`

export const api = {
  table: () => operate<PuppetTable>('puppet ls', {}),
  open: (name: string, points: number) => operate<Puppet>('puppet show', { name, points }),
  train: (body: TrainBody) => operate<{ job: number }>('puppet train', body),
  makeBody: (body: RunBody) => operate<{ job: number }>('puppet run', body),
  fileAddress: (name: string) => `/api/puppet/file?${named(name)}`,
  csvAddress: (name: string) => `/api/puppet/csv?${named(name)}`,
}

export function triple({ x, y, dir }: Place): [number, number, number] {
  return [x, y, dir]
}
