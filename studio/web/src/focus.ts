// focus.ts - where the keyboard is. Who works with keys alone goes along when a panel opens or closes, from one region of the
// page to the next, and is never left with the focus nowhere. The pointer's users keep it where it was: Space still plays.

let keys = false

/** What was done last was done by a key. */
export function byKeys(): boolean {
  return keys
}

/** A region has no place among the tab stops, and the next Tab goes into it. */
export function enterRegion(region: HTMLElement | null | undefined): void {
  if (!region) return
  if (!region.hasAttribute('tabindex')) region.tabIndex = -1
  region.focus({ preventScroll: true })
}

/** From the top of the page to its end. The clip list stands for the library, whose keys it has. */
const regions = '.header, .of-library:not([hidden]) > section, .of-viewer > section, .of-timeline > section, .guide, .command-bar'

/** F6, as in other programs: the next region of the page, or the one before. */
export function nextRegion(by: 1 | -1): void {
  const all = [...document.querySelectorAll<HTMLElement>(regions)]
  const here = all.findIndex((each) => each.contains(document.activeElement))
  const to = here < 0 && by < 0 ? -1 : here + by
  enterRegion(all[(to + all.length) % all.length])
}

/** What had the focus last outside of panels and dialogs. What a pointer pressed does not want it again: Space would press it
 *  once more. */
let outside: HTMLElement | null = null

export function focusOutside(): HTMLElement | null {
  return outside
}

/** What has the focus, from itself up to the page. */
let chain: Element[] = []

function noteFocus(event: FocusEvent): void {
  const target = event.target as HTMLElement
  if (!keys) outside = null
  else if (!target.closest('.of-library > .compare, dialog')) outside = target
  chain = []
  for (let each = event.target as Element | null; each; each = each.parentElement) chain.push(each)
}

/** With a form that is done its button goes, and the focus with it: then the panel has it. After a row of a list that was taken
 *  away the browser itself goes on where the row was. */
function catchFocus(): void {
  if (!keys || document.activeElement !== document.body || !chain[0] || chain[0].isConnected) return
  const left = chain.find((each) => each.isConnected)
  chain = []
  if (left instanceof HTMLElement && left.matches('section, [role=tabpanel]')) enterRegion(left.closest('section'))
}

export function followFocus(): void {
  window.addEventListener('keydown', () => (keys = true), true)
  window.addEventListener('pointerdown', () => (keys = false), true)
  window.addEventListener('focusin', noteFocus)
  new MutationObserver(catchFocus).observe(document.body, { childList: true, subtree: true })
}

/** A button pressed by the pointer gives the focus back, so that Space plays instead of pressing it again. */
export function letGo(event: MouseEvent): void {
  if (event.detail === 0 || !(event.target instanceof Element)) return
  const button = event.target.closest<HTMLElement>('button:not([aria-haspopup], [aria-expanded])')
  if (button && !button.closest('dialog')) button.blur()
}
