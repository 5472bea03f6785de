// icons.ts - the timeline's small pictures, 16 x 16, in the colour of the text.
import { html } from '../html'

const paths = {
  play: 'M4 2.5v11l9-5.5z',
  pause: 'M4 3h3v10H4zM9 3h3v10H9z',
  backwards: 'M12 2.5v11L3 8z',
  toStart: 'M3 3h2v10H3zM13 3v10L6 8z',
  toEnd: 'M11 3h2v10h-2zM3 3v10l7-5z',
  stepBack: 'M9.5 3v10L3.5 8zM11 3h2v10h-2z',
  stepForward: 'M6.5 3v10l6-5zM3 3h2v10H3z',
  loop: 'M4 4h7V2l3.5 3L11 8V6H5v2.5H3V5a1 1 0 0 1 1-1zM12 12H5v2L1.5 11 5 8v2h6V7.5h2V11a1 1 0 0 1-1 1z',
  plus: 'M7 3h2v4h4v2H9v4H7V9H3V7h4z',
  minus: 'M3 7h10v2H3z',
  fit: 'M1 3h1.5v10H1zM13.5 3H15v10h-1.5zM6 5v2h4V5l3 3-3 3V9H6v2L3 8z',
  close: 'M4.2 3.1 8 6.9l3.8-3.8 1.1 1.1L9.1 8l3.8 3.8-1.1 1.1L8 9.1l-3.8 3.8-1.1-1.1L6.9 8 3.1 4.2z',
  undo: 'M6 2 2 6l4 4V7h3.5a2.5 2.5 0 0 1 0 5H6v2h3.5a4.5 4.5 0 0 0 0-9H6z',
  redo: 'M10 2l4 4-4 4V7H6.5a2.5 2.5 0 0 0 0 5H10v2H6.5a4.5 4.5 0 0 1 0-9H10z',
  curve: 'M1 11c2 0 3-7 5.5-7S9 12 11 12s2.5-4 4-4v1.5c-1 0-1.8 4-4 4-3 0-3-8-4.5-8S4 12.5 1 12.5z',
  export: 'M7 2h2v6h3l-4 4-4-4h3zM2 12.5h12V14H2z',
  inPoint: 'M4 2h5v1.5H5.5v9H9V14H4z',
  outPoint: 'M12 2H7v1.5h3.5v9H7V14h5z',
}

export type IconName = keyof typeof paths

export function icon(name: IconName) {
  return html`<svg class="tl-icon" viewBox="0 0 16 16" aria-hidden="true"><path d=${paths[name]} /></svg>`
}

interface ButtonProps {
  icon: IconName
  name: string
  keys?: string
  pressed?: boolean
  disabled?: boolean
  act: () => void
}

/** A button that is only an icon: its name is heard, and seen when the pointer rests. */
export function IconButton({ icon: which, name, keys, pressed, disabled, act }: ButtonProps) {
  return html`<button
    type="button"
    class="button quiet icon"
    aria-label=${name}
    title=${keys ? `${name} (${keys})` : name}
    aria-pressed=${pressed}
    disabled=${disabled}
    onClick=${act}
  >
    ${icon(which)}
  </button>`
}
