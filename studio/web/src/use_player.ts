// use_player.ts - what plays, for panels: they are drawn again when anything but the time changes.
import { useEffect, useState } from 'preact/hooks'
import { player, type PlayerState } from './player'

export function usePlayerState(): Readonly<PlayerState> {
  const [, redraw] = useState(0)
  const state = player.now
  useEffect(() => {
    const again = () => redraw((n) => n + 1)
    // What changed between drawing and listening would otherwise be missed.
    if (player.now !== state) again()
    return player.onState(again)
  }, [])
  return state
}
