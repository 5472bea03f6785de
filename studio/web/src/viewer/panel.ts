// panel.ts - the viewer on the studio's page: the picture, and the toolbar over it.
import { api } from '../api'
import { html } from '../html'
import { getState, subscribe, useStore } from '../store'
import { t } from '../words/words'
import { NEEDS_WEBGL, Picture } from './picture'
import { resetCamera } from './screen'
import { Toolbar } from './toolbar'

/** No strip may ever come, as when everything was removed. */
const patience_ms = 1500

/** Does `work` once a strip of the library is on the screen, or a clip is open: getting ready for the first picture
 * can take a graphics card most of a second, and meanwhile the library would not be there. Gives what forgets it. */
function afterFirstStrip(work: () => void): () => void {
  let waiting = 0
  const begin = () => {
    stop()
    waiting = requestAnimationFrame(() => {
      waiting = requestAnimationFrame(work)
    })
  }
  const leave = subscribe(() => getState().shown.length > 0 && begin())
  const timer = setTimeout(begin, patience_ms)
  const stop = () => {
    leave()
    clearTimeout(timer)
    cancelAnimationFrame(waiting)
    document.removeEventListener('load', begin, true)
  }
  document.addEventListener('load', begin, true)
  return stop
}

const NO_WEBGL = `${NEEDS_WEBGL} ${t('The library and the timeline work without it.')}`

export function ViewerPanel() {
  const empty = useStore((state) => state.shown.length === 0 && state.pawns === null)
  return html`<${Picture} fetchFrames=${api.frames} when=${afterFirstStrip} noWebgl=${NO_WEBGL}>
    <${Toolbar} onReset=${resetCamera} />
    ${empty && html`<p class="viewer-message">Open a clip from the library</p>`}
  <//>`
}
