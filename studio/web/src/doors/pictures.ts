// pictures.ts - what is behind each door, drawn: small figures in a box of 120 by 48.
import { html } from '../html'
import type { DoorName } from '../store'

/** A walking figure whose feet are at (x, y), as high as `size`; `lean` moves its legs. */
function figure(x: number, y: number, size: number, lean: number): string {
  const [head, neck, hip] = [y - 0.88 * size, y - 0.76 * size, y - 0.44 * size]
  const r = 0.1 * size
  const step = 0.2 * size * lean
  return (
    `M${x - r} ${head}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0` +
    `M${x} ${neck}V${hip}L${x - step} ${y}M${x} ${hip}L${x + step} ${y}` +
    `M${x + 0.8 * step} ${hip + 0.02 * size}L${x} ${neck + 0.06 * size}L${x - 0.8 * step} ${hip + 0.02 * size}`
  )
}

const dim = (d: string) => html`<path class="door-dim" d=${d} />`
const bright = (d: string) => html`<path class="door-bright" d=${d} />`
const dots = (d: string) => html`<path class="door-dots" d=${d} />`
const other = (d: string) => html`<path class="door-other" d=${d} />`

const pictures: Record<DoorName, unknown> = {
  find: html`${dim([12, 46, 108].map((x, i) => figure(x, 42, 34, [0.5, -0.7, 0.8][i]!)).join(''))}
    ${bright(figure(28, 42, 34, 1) + figure(88, 42, 34, 1))}
    ${other('M66 24m-13 0a13 13 0 1 0 26 0a13 13 0 1 0 -26 0M75 34l8 8')}${bright(figure(66, 34, 22, 1))}`,
  mix: html`${dim('M30 14C48 14 52 24 66 24M30 38C48 38 52 24 66 24')}${bright(figure(18, 22, 20, 0.5))}
    ${other(figure(18, 46, 20, 1.3))}${bright(figure(92, 42, 36, 0.9))}${dim('M66 24h10M72 20l4 4l-4 4')}`,
  walk: html`${dim('M6 42C26 42 24 26 46 28S72 44 92 34')}${dots('M14 40.5h.01M26 35h.01M38 29h.01M52 29.5h.01M66 36.500h.01M80 38h.01')}
    ${bright(figure(98, 34, 28, 1.1))}`,
  react: html`${bright(figure(38, 42, 34, 1))}${other(figure(86, 42, 34, -0.9))}${dim('M50 20C58 13 66 13 74 20M74 20l-4.500-.5M74 20l-.5-4.500M74 31C66 38 58 38 50 31')}`,
}

export function DoorPicture({ name }: { name: DoorName }) {
  return html`<svg class="door-picture" viewBox="0 0 120 48" aria-hidden="true">${pictures[name]}</svg>`
}
