import { plural, t } from '../words/words'
// fits.ts - what became of clips with other joints when something was made of them.

export interface Fits {
  /** Their worst reach error, in per cent of a limb. */
  retargeted: { clip: string; reach_percent: number; slide_cm: number }[]
  left_out_clips?: { clip: string; why: string }[]
}

/** '; 2 clips retargeted, reach error 1.2 % at most; 1 clip left out (fox: its body has no hips ...)' */
export function fitsText({ retargeted, left_out_clips = [] }: Fits): string {
  const reach = Math.max(...retargeted.map(({ reach_percent }) => reach_percent))
  const put = retargeted.length ? t`; ${plural(retargeted.length, 'clip')} retargeted, reach error ${reach.toFixed(1)} % at most` : ''
  const left = left_out_clips.length ? t`; ${plural(left_out_clips.length, 'clip')} left out (${left_out_clips[0]!.why})` : ''
  return put + left
}
