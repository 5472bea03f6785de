// dialog.ts - the frame of every dialog: the browser's own <dialog>, which keeps the focus inside, gives it back, and
// closes with Escape.
import './dialogs.css'
import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { html } from '../html'
import { Icon } from '../icons'
import { change, dismiss, getState, useStore } from '../store'

export function closeDialog(): void {
  change({ dialog: 'none' })
}

interface DialogProps {
  title: string
  className?: string
  children: ComponentChildren
  /** Buttons at the bottom. */
  foot?: ComponentChildren
  onClose?: () => void
}

/** Notices lie under an open dialog, so it shows itself what went wrong since it was opened. */
function Errors() {
  const [before] = useState(() => new Set(getState().notices))
  const notices = useStore((state) => state.notices)
  const errors = notices.filter((notice) => notice.kind === 'error' && !before.has(notice))
  const last = errors[errors.length - 1]
  useEffect(() => () => last && dismiss(last.id), [last])
  return html`<p class="wrong dialog-error" role="alert">${last?.text}</p>`
}

export function Dialog({ title, className = '', children, foot, onClose = closeDialog }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const dialog = element.current!
    const before = document.activeElement
    dialog.showModal()
    dialog.querySelector<HTMLElement>('[data-first]')?.focus()
    return () => {
      dialog.close()
      if (before instanceof HTMLElement) before.focus({ preventScroll: true })
    }
  }, [])
  const onCancel = (event: Event) => {
    event.preventDefault()
    onClose()
  }
  const onPointerDown = (event: PointerEvent) => {
    if (event.target === element.current) onClose()
  }
  return html`<dialog
    ref=${element}
    class=${`dialog ${className}`}
    aria-labelledby="dialog-title"
    onCancel=${onCancel}
    onPointerDown=${onPointerDown}
  >
    <div class="dialog-inner">
      <header>
        <h2 id="dialog-title">${title}</h2>
        <button type="button" class="button quiet icon" aria-label="Close" title="Close (Escape)" onClick=${onClose}>
          <${Icon} name="close" />
        </button>
      </header>
      <div class="dialog-body" tabindex=${className === 'wide' ? 0 : undefined}>
        ${children}
        <${Errors} />
      </div>
      ${foot && html`<footer>${foot}</footer>`}
    </div>
  </dialog>`
}
