// playline.ts - a line that goes along with the playhead over something drawn in the panel. It is moved by hand, so that
// playing draws no panel again.
import { useEffect, useRef } from 'preact/hooks'
import { html } from '../html'
import { player } from '../player'

/** `share` tells how far across the line is at a frame of the blend, from 0 to 1. */
export function PlayLine({ share }: { share: (frame: number) => number }) {
  const line = useRef<HTMLElement>(null)
  useEffect(() => {
    const move = () => {
      if (line.current) line.current.style.left = `${100 * Math.max(0, Math.min(1, share(player.frame)))}%`
    }
    move()
    return player.onTime(move)
  }, [share])
  return html`<i class="play-line" ref=${line} aria-hidden="true"></i>`
}
