// compared.ts - the body that asks for a comparison. No DOM here.
import type { Compared } from '../api'
import type { Compare } from '../store'

/** Of the two clips and settings, for every address that takes a comparison. */
export function comparedOf(a: number, b: number, { metric, joints, window, attributes }: Compare): Compared {
  return {
    a,
    b,
    metric,
    ...(joints !== 'equal' && { joints }),
    ...(window && { window }),
    ...(attributes.some((each) => each !== 1) && { attributes }),
  }
}
