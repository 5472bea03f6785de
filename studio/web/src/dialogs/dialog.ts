// dialog.ts - the frame of every dialog: the browser's own <dialog>, which keeps the focus inside, gives it back, and
// closes with Escape.
import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { Button, IconButton, valueOf } from '../controls'
import { html } from '../html'
import { change, dismiss, getState, useStore } from '../store'
import './dialogs.css'

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
    ref=${element} class=${`dialog ${className}`} aria-labelledby="dialog-title" onCancel=${onCancel}
    onPointerDown=${onPointerDown}
  >
    <div class="dialog-inner flex-column">
      <header>
        <h2 id="dialog-title">${title}</h2>
        <${IconButton} icon="close" name="Close" keys="Escape" onClick=${onClose} />
      </header>
      <div class="dialog-body flex-column" tabindex=${className === 'wide' ? 0 : undefined}>
        ${children}
        <${Errors} />
      </div>
      ${foot && html`<footer>${foot}</footer>`}
    </div>
  </dialog>`
}

interface FormProps {
  title: string
  /** Of the form, which the button below it sends. */
  id: string
  button: string
  ready?: boolean
  submit: () => Promise<void>
  children: ComponentChildren
}

/** A dialog that is a form: Cancel, and what it does. */
export function FormDialog({ title, id, button, ready = true, submit, children }: FormProps) {
  const [busy, setBusy] = useState(false)
  const send = async (event: Event) => {
    event.preventDefault()
    if (!ready || busy) return
    setBusy(true)
    await submit()
    setBusy(false)
  }
  const foot = html`<${Button} onClick=${closeDialog}>Cancel<//>
    <${Button} type="submit" form=${id} kind="primary" disabled=${!ready || busy}>${button}<//>`
  return html`<${Dialog} title=${title} foot=${foot}>
    <form id=${id} class="form flex-column" onSubmit=${send}>${children}</form>
  <//>`
}

interface LineProps extends Record<string, unknown> {
  id: string
  name: string
  value: string
  set: (text: string) => void
}

/** A line of text with its name above it. */
export function LineField({ id, name, value, set, ...rest }: LineProps) {
  return html`<label for=${id}>${name}</label>
    <input
      id=${id} class="field" autocomplete="off" value=${value} onInput=${(event: Event) => set(valueOf(event))} ...${rest}
    />`
}
