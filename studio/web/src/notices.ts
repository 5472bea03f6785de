// notices.ts - what the page says by itself: short notices in the corner, and a calm banner when the server is gone.
import { useEffect, useState } from 'preact/hooks'
import { Button, IconButton } from './controls'
import { html } from './html'
import { Icon } from './icons'
import { connectNow } from './live'
import { dismiss, useStore, type Notice } from './store'

function OneNotice({ notice }: { notice: Notice }) {
  const { id, kind, text, action } = notice
  const act = () => {
    dismiss(id)
    action?.run()
  }
  return html`<div class=${`notice boxed ${kind}`}>
    <span class="text">${text}</span>
    ${action && html`<${Button} onClick=${act}>${action.label}<//>`}
    <${IconButton} icon="close" name="Dismiss" onClick=${() => dismiss(id)} />
  </div>`
}

export function Notices() {
  const notices = useStore((state) => state.notices)
  return html`<section class="notices flex-row" aria-label="Notices" aria-live="polite">
    ${notices.map((notice) => html`<${OneNotice} key=${notice.id} notice=${notice} />`)}
  </section>`
}

const patience_ms = 1500

/** Not at once: a connection that is back within a moment is not worth a notice. */
export function ConnectionBanner() {
  const connected = useStore((state) => state.connected)
  const [late, setLate] = useState(false)
  useEffect(() => {
    setLate(false)
    if (connected) return
    const timer = setTimeout(() => setLate(true), patience_ms)
    return () => clearTimeout(timer)
  }, [connected])
  if (connected || !late) return null
  return html`<div class="banner flex-row" role="status">
    <${Icon} name="warning" />
    <span>The studio does not answer. Is it still running? Trying again…</span>
    <${Button} onClick=${connectNow}>Try now<//>
  </div>`
}
