// pawns.ts - figures of a game on the floor of the view: who is where and looks where, and where they came from. No DOM
// here.

/** Places on the plan, in cm: x to the right, y up; the scene's z is -y. */
export interface Pawn {
  x: number
  y: number
  dir: number
  /** 0 is the one that is led; others have the colours of several clips. */
  hue: number
  /** A body stands for it: only its trail is drawn. */
  bodily: boolean
  trail: readonly { time_s: number; x: number; y: number }[]
}

/** Trails are so long. */
export const trail_s = 6

/** They move sixty times a second, so they are no part of the page's state, only this is. */
export class Pawns {
  list: Pawn[] = []
  time_s = 0
  onMove: () => void = () => undefined

  set(list: Pawn[], time_s: number): void {
    this.list = list
    this.time_s = time_s
    this.onMove()
  }
}
