// main.ts - where the page begins.
import { render } from 'preact'
import { loadLists, refresh } from './actions'
import { App } from './app'
import { attempt } from './attempt'
import { beginWelcome } from './doors/welcome'
import { followFocus } from './focus'
import { openPlace, placeOfAddress } from './folder'
import { keepHistory } from './header'
import { html } from './html'
import { loadJobs } from './jobs'
import { listenToKeys } from './keys'
import { examining } from './library/examining'
import { connect, onLibrary } from './live'
import { listenToPinches } from './pinch'
import { change, getState, subscribe, type Theme } from './store'
import { onSystemTheme, showTheme } from './theme'
import { plants } from './timeline/contact_state'

const themeKey = 'marey-theme'

function rememberedTheme(): Theme {
  try {
    const theme = localStorage.getItem(themeKey)
    return theme === 'dark' || theme === 'light' ? theme : 'system'
  } catch {
    return 'system'
  }
}

/** Writes the theme in force on the root, now and whenever the page or the system changes it. */
function followTheme(): void {
  let last: Theme | null = null
  const apply = () => {
    const { theme } = getState()
    showTheme(theme)
    last = theme
    try {
      localStorage.setItem(themeKey, theme)
    } catch {
      // Nothing is kept; the theme lasts as long as the page.
    }
  }
  change({ theme: rememberedTheme() })
  apply()
  onSystemTheme(apply)
  subscribe(() => {
    if (getState().theme !== last) apply()
  })
}

/** Where another library's page sent this one. */
const place = placeOfAddress()

/** The token has become a cookie; it should not stay where it is read over a shoulder or copied by mistake. */
function hideToken(): void {
  if (location.search || place) history.replaceState(null, '', location.pathname)
}

/** Foot plants that were edited and not saved would be lost with the page. */
function askBeforeLeaving(): void {
  window.addEventListener('beforeunload', (event) => {
    if (plants.unsaved) event.preventDefault()
  })
}

hideToken()
followTheme()
keepHistory()
listenToKeys()
listenToPinches()
followFocus()
askBeforeLeaving()
onLibrary(refresh)
render(html`<${App} />`, document.querySelector('#app')!)
// Messages of jobs come from the connection on; what began before is asked for behind it, so that none is missed.
void loadLists()
  .then(beginWelcome)
  .then(() => place && openPlace(place))
  .then(connect)
  .then(() => attempt(loadJobs))
  .then(() => examining.follow())
