// header.ts - what is around the panels: the slim bar on top, the command line at the bottom, notices, and a calm banner when
// the server is gone.
import { useEffect, useRef, useState } from 'preact/hooks'
import { setFilter } from './actions'
import { Button, IconButton, Select, valueOf } from './controls'
import { Doors } from './doors/doors'
import { goToLibrary, libraryNames, ownLibrary } from './folder'
import { html } from './html'
import { Icon, type IconName } from './icons'
import { JobsButton } from './jobs'
import { connectNow } from './live'
import { partNow, withPart } from './parts'
import { change, dismiss, getState, subscribe, tell, useStore, type Notice, type Theme } from './store'
import { language, languages, setLanguage, t, type Language } from './words/words'

// The command line that does what was done last; it can be copied, and the last twenty are kept.

const longest = 20
let history: string[] = []

/** Remembers every line that was shown, the newest first and each once. */
export function keepHistory(): void {
  let last = ''
  subscribe(() => {
    const { command } = getState()
    if (command === last || !command) return
    last = command
    history = [command, ...history.filter((line) => line !== command)].slice(0, longest)
  })
}

/** Without a secure origin (a tunnel to another name) there is no clipboard; the old way still works. */
function copyOldWay(text: string): boolean {
  const area = document.createElement('textarea')
  area.value = text
  document.body.append(area)
  area.select()
  const done = document.execCommand('copy')
  area.remove()
  return done
}

async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return copyOldWay(text)
  }
}

function History({ onClose }: { onClose: () => void }) {
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    box.current?.querySelector('button')?.focus()
    const outside = (event: Event) => {
      if (!(event.target as Element).closest?.('.command-bar')) onClose()
    }
    window.addEventListener('pointerdown', outside)
    return () => window.removeEventListener('pointerdown', outside)
  }, [])
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape') return
    event.preventDefault()
    onClose()
  }
  const take = async (line: string) => {
    onClose()
    if (await copy(line)) tell(t('Copied'))
  }
  return html`<div class="command-history boxed" id="command-history" ref=${box} onKeyDown=${onKeyDown}>
    <h2>What was done, as commands</h2>
    <ol>
      ${history.map(
        (line) => html`<li key=${line}>
          <button type="button" title="Copy" onClick=${() => void take(line)}>${line}</button>
        </li>`,
      )}
    </ol>
  </div>`
}

export function CommandBar() {
  const command = useStore((state) => state.command)
  const [copied, setCopied] = useState(false)
  const [open, setOpen] = useState(false)
  const bar = useRef<HTMLElement>(null)
  useEffect(() => setCopied(false), [command])
  const onCopy = async () => {
    setCopied(await copy(command))
    setTimeout(() => setCopied(false), 1500)
  }
  const close = () => {
    setOpen(false)
    bar.current?.querySelector<HTMLElement>('[aria-expanded]')?.focus()
  }
  return html`<footer class="command-bar flex-row" ref=${bar} aria-label="Command line">
    <span class="prompt" aria-hidden="true">$</span>
    ${command
      ? html`<code class="line" title=${command}>${command}</code>`
      : html`<span class="line dim">What you do here shows its command line.</span>`}
    <${Button} icon=${copied ? 'check' : 'copy'} kind="quiet" disabled=${!command} onClick=${() => void onCopy()}>
      <span aria-live="polite">${copied ? t('Copied') : t('Copy')}</span>
    <//>
    <${IconButton}
      icon="history" name="Earlier commands" disabled=${history.length === 0} aria-expanded=${open}
      aria-controls="command-history" onClick=${() => setOpen(!open)}
    />
    ${open && html`<${History} onClose=${close} />`}
  </footer>`
}

// The slim bar on top: which library this is, search, theme, help.

const typingPause_ms = 150

function Search() {
  const text = useStore((state) => state.filter.text)
  const [typed, setTyped] = useState(text)
  const sent = useRef([text])
  // Cleared from elsewhere ("Show all"). What came from here stays as it is: more may have been typed since.
  useEffect(() => {
    const at = sent.current.lastIndexOf(text)
    if (at < 0) setTyped(text)
    sent.current = at < 0 ? [text] : sent.current.slice(at)
  }, [text])
  const set = (value: string, pause_ms: number) => {
    setTyped(value)
    sent.current.push(value)
    setFilter({ text: value }, pause_ms)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') {
      event.preventDefault()
      if (typed) set('', 0)
      else (event.currentTarget as HTMLElement).blur()
    }
    if (event.key === 'Enter' || event.key === 'ArrowDown') {
      event.preventDefault()
      document.querySelector<HTMLElement>('.clip-list')?.focus()
    }
  }
  return html`<div class="search" role="search">
    <${Icon} name="search" />
    <input
      id="search"
      class="field"
      type="search"
      aria-label="Search clips by name, label or description"
      placeholder="Search names, labels, descriptions"
      autocomplete="off"
      spellcheck=${false}
      value=${typed}
      onInput=${(event: Event) => set(valueOf(event), typingPause_ms)}
      onKeyDown=${onKeyDown}
    />
    ${!typed && html`<kbd aria-hidden="true">/</kbd>`}
  </div>`
}

const themes: Record<Theme, { next: Theme; icon: IconName; name: string; word: string }> = {
  system: { next: 'dark', icon: 'system', name: t('Theme: as the system'), word: t('that of the system') },
  dark: { next: 'light', icon: 'moon', name: t('Theme: dark'), word: t('dark') },
  light: { next: 'system', icon: 'sun', name: t('Theme: light'), word: t('light') },
}

function ThemeButton() {
  const theme = useStore((state) => state.theme)
  const { next, icon, name } = themes[theme]
  const title = t`${name}. Click for ${themes[next].word}`
  return html`<${IconButton} icon=${icon} name=${name} title=${title} onClick=${() => change({ theme: next })} />`
}

/** The page in the other language, each called as it calls itself. */
function LanguageButton() {
  const next: Language = language === 'en' ? 'de' : 'en'
  return html`<button
    type="button" class="button quiet" lang=${next} title=${languages[next]} aria-label=${`${next.toUpperCase()}: ${languages[next]}`}
    onClick=${() => setLanguage(next)}
  >${next.toUpperCase()}</button>`
}

/** What was changed in the library, and the way back. */
function HistoryButton() {
  const [open, setOpen] = useState(false)
  const place = useRef<HTMLDivElement>(null)
  const List = partNow('history')?.HistoryList
  const close = () => {
    setOpen(false)
    place.current?.querySelector<HTMLElement>('[aria-expanded]')?.focus()
  }
  return html`<div class="history-place" ref=${place}>
    <${Button}
      icon="history" kind="quiet" title="What was changed in this library, and the way back (Ctrl Z undoes)"
      aria-expanded=${open} aria-controls="history-list"
      onClick=${() => (open ? close() : withPart('history', () => setOpen(true)))}
    >
      <span class="word">History</span>
    <//>
    ${open && List && html`<${List} onClose=${close} />`}
  </div>`
}

/** Of several in a folder, one is chosen. */
function LibraryName() {
  const about = useStore((state) => state.about)
  const names = libraryNames()
  if (names.length === 0) return html`<span class="library-name" title=${about?.library.path}>${about?.library.name}</span>`
  return html`<${Select}
    kind="library-name" aria-label="Library" title=${about?.library.path} value=${ownLibrary()}
    options=${names.map((name) => [name, name])} set=${(name: string) => void goToLibrary(name)}
  />`
}

export function Header() {
  const about = useStore((state) => state.about)
  const openDialog = (dialog: 'keys' | 'how') => () => change({ dialog })
  return html`<header class="header flex-row">
    <div class="brand">
      <${Icon} name="figures" />
      <h1>marey<span class="visually-hidden"> studio</span></h1>
      <${LibraryName} />
      ${about && !about.library.writable && html`<span class="chip">read only</span>`}
    </div>
    <${Doors} />
    <${Search} />
    <div class="tools">
      <${JobsButton} />
      <${HistoryButton} />
      <${ThemeButton} />
      <${LanguageButton} />
      <${IconButton} icon="keys" name="Keys" keys="?" worded=${true} onClick=${openDialog('keys')} />
      <${IconButton} icon="help" name="How marey works" worded=${true} onClick=${openDialog('how')} />
    </div>
  </header>`
}

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
