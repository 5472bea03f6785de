// api_example.ts - what the server is asked and answers about sketched movements, as types; see api.ts.

/** A channel of a joint whose curve can be drawn. */
export interface Dof {
  /** "LeftLeg.Xrotation" */
  dof: string
  joint: string
  channel: string
  role: string | null
  /** How many clips have it. */
  clips: number
  unit: string
  low: number
  high: number
}

export interface DofTable {
  dofs: Dof[]
  clips: number
  default: string | null
  /** What is compared where nothing is named, the driving one first. */
  defaults: string[]
  noise: number
  k: number
  best: number
  most_k: number
  most_best: number
  most_dofs: number
  most_samples: number
}

export interface ExampleBody {
  dofs: string[]
  clip?: number
  start?: number
  end?: number
  fps?: number
  /** Null in place of a row: this one is not asked for. */
  values?: (number[] | null)[]
  k?: number
  best?: number
  noise?: number
  shape?: boolean
  label?: string
  limit?: number
}

/** Samples of the query. */
export interface Fragment {
  start: number
  end: number
  rising: boolean
}

/** What stands for a fragment: frames of a clip, not whole ones. */
export interface ExamplePart extends Fragment {
  clip: number
  fragment: number
  error: number
}

export interface ExamplePath {
  error: number
  jumps: number
  parts: ExamplePart[]
}

export interface ExampleClip extends ExamplePath {
  clip: number
  name: string
}

export interface ExampleAnswer {
  dofs: string[]
  fps: number
  samples: number
  fragments: Fragment[]
  paths: ExamplePath[]
  clips: ExampleClip[]
  names: Record<string, string>
  clip_count: number
  searched: number
  left_out: number
  library_fragments: number
  seconds: number
  opened_s: number
}

/** Which of what was found is made. */
export interface ExampleMake extends ExampleBody {
  path?: number
  of?: number
  own_pace?: boolean
  clean?: boolean
}
