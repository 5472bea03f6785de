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
}

/** A curve that was drawn; null in place of a row: this one is not asked for. */
export interface DrawnCurve {
  fps: number
  values: (number[] | null)[]
}

/** How a query is compared. */
export interface ExampleHow {
  dof: string[]
  k?: number
  noise?: number
  shape?: boolean
  label?: string
}

/** The query is frames of a clip, or a curve. */
export interface ExampleBody extends ExampleHow {
  query?: { clip: number; start: number; end: number }
  curve?: DrawnCurve
  best?: number
  limit?: number
}

/** Samples of the query. */
interface Fragment {
  start: number
  end: number
}

/** What stands for a fragment: frames of a clip, not whole ones. */
export interface ExamplePart extends Fragment {
  /** The clip's name and number. */
  clip: string
  id: number
  fragment: number
  error: number
}

export interface ExamplePath {
  error: number
  jumps: number
  parts: ExamplePart[]
}

interface ExampleClip extends ExamplePath {
  clip: string
  id: number
}

export interface ExampleAnswer {
  fragments: Fragment[]
  paths: ExamplePath[]
  clips: ExampleClip[]
  searched: { clips: number; left_out: number; fragments: number; seconds: number }
}

/** Which of what was found is made. */
export interface ExampleMake extends ExampleBody {
  path?: number
  of?: number
  own_pace?: boolean
  leave_feet?: boolean
}
