// icons.ts - the small drawings on buttons: one path each, in a box of 16 by 16, stroked with the text's colour.
import { html } from './html'

const paths = {
  figures:
    'M4 3.2a.9.9 0 1 0 .01 0M8 3.2a.9.9 0 1 0 .01 0M12 3.2a.9.9 0 1 0 .01 0M4 6v3.5M4 9.5 2.8 13' +
    'M4 9.5 5.2 13M8 6v3.5M8 9.5 6.6 13M8 9.5 9.4 13M12 6v3.5M12 9.5 10.8 13M12 9.5 13.6 12.4',
  search: 'M7 2.5a4.5 4.5 0 1 0 .01 0M10.3 10.3 13.5 13.5',
  close: 'M4 4l8 8M12 4l-8 8',
  sun:
    'M8 5.2a2.8 2.8 0 1 0 .01 0M8 1.5v1.4M8 13.1v1.4M1.5 8h1.4M13.1 8h1.4M3.4 3.4l1 1M11.6 11.6l1 1' +
    'M12.6 3.4l-1 1M4.4 11.6l-1 1',
  moon: 'M13.2 9.6A5.6 5.6 0 0 1 6.4 2.8a5.6 5.6 0 1 0 6.8 6.8Z',
  system: 'M2 3h12v8H2zM6 14h4M8 11v3',
  keys: 'M1.5 4h13v8h-13zM4 6.7h.01M6.7 6.7h.01M9.3 6.7h.01M12 6.7h.01M5 9.5h6',
  help: 'M8 1.8a6.2 6.2 0 1 0 .01 0M6.2 6.3a1.9 1.9 0 1 1 2.6 1.8c-.5.2-.8.6-.8 1.1v.3M8 11.6h.01',
  import: 'M8 2v7.5M5 6.8 8 9.8l3-3M2.5 10.5v3h11v-3',
  filter: 'M2 3.5h12M4.5 8h7M6.5 12.5h3',
  label: 'M2 2.5h5.5l6 6-5 5-6.5-6.5zM5 5.5h.01',
  rename: 'M10.5 2.8l2.7 2.7-7.4 7.4-3.3.6.6-3.3zM9 4.3 11.7 7',
  note: 'M3 2h7l3 3v9H3zM5.5 7.5h5M5.5 10.5h5',
  trash: 'M2.5 4.2h11M6 4V2.4h4V4M4 4.2l.7 9.4h6.6l.7-9.4M6.8 7v4M9.2 7v4',
  restore: 'M3 6.5h6.5a3.5 3.5 0 0 1 0 7H6M5.8 3.5l-3 3 3 3',
  open: 'M5 3l8 5-8 5z',
  together: 'M2 3h8v8H2zM6 5.5V13h8V5h-4',
  plus: 'M8 3v10M3 8h10',
  compare: 'M2.5 2.5h11v11h-11zM4.5 4.5l7 7M8.5 4.5l3 3M4.5 8.5l3 3',
  swap: 'M3 5.5h9.5M10 3l2.5 2.5L10 8M13 10.5H3.5M6 8l-2.5 2.5L6 13',
  transition: 'M1.5 11.5h4c3.5 0 1.5-7 5-7h4M12.5 2.5l2 2-2 2',
  blend: 'M8 2.5 14 13H2zM8 9.2a.8.8 0 1 0 .01 0',
  loop: 'M13 8a5 5 0 1 1-1.8-3.8M11.5 1.5v3h-3',
  feet: 'M5.2 2.5c1.6 0 2 1.4 1.8 3.2-.1 1.4-.4 2-.3 3.2H4c.1-1.2-.6-1.8-.7-3.2-.1-1.8.4-3.2 1.9-3.2ZM4 11h2.7M1.5 13.8h13M10.8 5.5c1.6 0 2 1.2 1.8 2.6-.1 1-.4 1.6-.3 2.5H9.7',
  param: 'M8 1.8 13.5 5v6L8 14.2 2.5 11V5zM2.5 5 8 8.2 13.5 5M8 8.2v6',
  graph: 'M3.2 11.2a1.5 1.5 0 1 0 .01 0M12.8 11.2a1.5 1.5 0 1 0 .01 0M8 1.8a1.5 1.5 0 1 0 .01 0M4 11.4 7.3 4.7M12 11.4 8.7 4.7M4.8 12.7h6.4',
  cut: 'M4.5 10.2a1.9 1.9 0 1 0 .01 0M11.5 10.2a1.9 1.9 0 1 0 .01 0M5.5 10.5 11 2.5M10.5 10.5 5 2.5',
  copy: 'M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3',
  check: 'M3 8.5l3.3 3.3L13 5',
  history: 'M2.6 8a5.4 5.4 0 1 1 1.6 3.8M2.5 11.9h2.2V9.7M8 5v3.2l2.2 1.3',
  warning: 'M8 2.2 14.5 13.5h-13zM8 6.5v3.2M8 11.6h.01',
  book:
    'M2 3h4.5A1.5 1.5 0 0 1 8 4.5 1.5 1.5 0 0 1 9.5 3H14v9.5H9.5A1.5 1.5 0 0 0 8 14a1.5 1.5 0 0 0-1.5-1.5H2zM8 4.5V1' +
    '4',
} as const

export type IconName = keyof typeof paths

export function Icon({ name }: { name: IconName }) {
  return html`<svg class="icon-svg" viewBox="0 0 16 16" aria-hidden="true"><path d=${paths[name]} /></svg>`
}
