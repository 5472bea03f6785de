// motion.ts - users who ask their system for less motion: nothing moves by itself then, and everything by hand, as always.
import { player } from './player'

export function wantsLessMotion(): boolean {
  return matchMedia('(prefers-reduced-motion: reduce)').matches
}

/** What was made is seen in motion at once; or at its first frame, and Space plays it. */
export function playByItself(): void {
  if (!wantsLessMotion()) player.play(1)
}
