// viewer_icons.ts - the drawings on the viewer's buttons, in a box of 16 by 16.
import { html } from '../html'

const paths = {
  body: 'M8 1.6a1.7 1.7 0 1 0 .01 0M5.2 6.4h5.6M6.6 6.4v4.1h2.8V6.4M6.9 10.5l-.5 4M9.1 10.5l.5 4M5.2 6.4 4 10.2M10.8 6.4l1.2 3.8',
  sticks: 'M8 3.6v5M8 8.6 5.6 14M8 8.6l2.4 5.4M8 5.2 4 8M8 5.2 12 8M8 1.6a1 1 0 1 0 .01 0',
  floor: 'M1.5 12.5h13M4.4 5.5h7.2M3 9h10M6.8 5.5 4.6 12.5M9.2 5.5l2.2 7M4.4 5.5l-2.9 7M11.6 5.5l2.9 7',
  shadow: 'M8 2a3 3 0 1 0 .01 0M2.8 12.2c0-1 2.3-1.8 5.2-1.8s5.2.8 5.2 1.8-2.3 1.8-5.2 1.8-5.2-.8-5.2-1.8Z',
  path: 'M2 13c4 0 3-5 6-5s2 3 4 2M12 10l-1.7-.9M12 10l-.8 1.8M12.5 3.2h.01',
  onion: 'M5.5 3.5a4.5 4.5 0 1 0 0 9M8 3.5a4.5 4.5 0 1 0 0 9M10.5 3.5a4.5 4.5 0 1 0 .01 0',
  trails: 'M2 12.5C4 6 7 4 11 4.2M4.5 13C6.2 9 8.4 7.4 11.4 7.3M13 3.4a1.1 1.1 0 1 0 .01 0',
  follow: 'M8 5.6a2.4 2.4 0 1 0 .01 0M2 5V2h3M14 5V2h-3M2 11v3h3M14 11v3h-3',
  reset: 'M3 8a5 5 0 1 0 1.6-3.7M4.4 1.8v2.7h2.7M8 6.8v.01M8 6.7a1.3 1.3 0 1 0 .01 0',
}

const filled = {
  silhouette: 'M8 1.2a1.9 1.9 0 0 1 1.3 3.3h1.9l1.6 5.4-1 .4-1.5-3.2v3l.5 4.9H9.2L8 10.8 6.8 15H5.2l.5-4.9v-3L4.2 10.3l-1-.4 1.6-5.4h1.9A1.9 1.9 0 0 1 8 1.2Z',
  prints: 'M4.7 8.2c-1.2 0-1.9-1-1.9-2.7 0-1.5.8-2.7 1.9-2.7s1.9 1.2 1.9 2.7c0 1.7-.7 2.7-1.9 2.7ZM4.7 12.3a1.3 1.4 0 0 1 0-2.8 1.3 1.4 0 0 1 0 2.8ZM11.3 10.4c-1.2 0-1.9-1-1.9-2.7 0-1.5.8-2.7 1.9-2.7s1.9 1.2 1.9 2.7c0 1.7-.7 2.7-1.9 2.7ZM11.3 14.5a1.3 1.4 0 0 1 0-2.8 1.3 1.4 0 0 1 0 2.8Z',
}

export type ViewerIconName = keyof typeof paths | keyof typeof filled

export function ViewerIcon({ name }: { name: ViewerIconName }) {
  const isFilled = name in filled
  const d = isFilled ? filled[name as keyof typeof filled] : paths[name as keyof typeof paths]
  const kind = isFilled ? 'icon-svg viewer-icon-filled' : 'icon-svg'
  return html`<svg class=${kind} viewBox="0 0 16 16" aria-hidden="true"><path d=${d} /></svg>`
}
