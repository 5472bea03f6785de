// playhead.ts - the line that moves over ruler, rows and curves. It is moved by a transform, never redrawn.
import { useEffect, useRef } from 'preact/hooks'
import { html } from '../html'
import { player } from '../player'
import { view } from './view'

/** `flag`: with the small handle that the ruler's has. */
export function Playhead({ flag = false }: { flag?: boolean }) {
  const line = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const place = () => {
      const element = line.current
      if (!element) return
      const x = view.x(player.now.time * player.now.fps)
      element.style.transform = `translateX(${x.toFixed(2)}px)`
      element.style.visibility = x < -8 || x > view.width + 8 ? 'hidden' : 'visible'
    }
    place()
    const stops = [player.onTime(place), view.on(place)]
    return () => stops.forEach((stop) => stop())
  }, [])
  return html`<div class="tl-playhead ${flag ? 'tl-flag' : ''}" ref=${line} aria-hidden="true"></div>`
}

/** Turns the page when the playhead runs out of the view; a view panned away from it stays. */
export function followPlayhead(): () => void {
  let seen = true
  const moved = player.onTime(() => {
    const frame = player.frame
    const shows = view.shows(frame)
    if (seen && !shows) view.reveal(frame, player.now.playing && player.now.speed < 0)
    else seen = shows
  })
  const turned = view.on(() => {
    seen = view.shows(player.frame)
  })
  return () => {
    moved()
    turned()
  }
}

/** A line that goes along over something drawn in a panel. `share` tells how far across it is at a frame, perhaps a fraction,
 *  from 0 to 1; outside it is not seen. It is moved by hand, so that playing draws no panel again. */
export function PlayLine({ share }: { share: (frame: number) => number }) {
  const line = useRef<HTMLElement>(null)
  useEffect(() => {
    const move = () => {
      const at = share(player.now.time * player.now.fps)
      if (!line.current) return
      line.current.style.left = `${100 * at}%`
      line.current.hidden = at < 0 || at > 1
    }
    move()
    return player.onTime(move)
  }, [share])
  return html`<i class="play-line" ref=${line} aria-hidden="true"></i>`
}
