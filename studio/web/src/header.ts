// header.ts - the slim bar on top: which library this is, search, theme, help.
import { useEffect, useRef, useState } from 'preact/hooks'
import { setFilter } from './actions'
import { IconButton, valueOf } from './controls'
import { html } from './html'
import { Icon, type IconName } from './icons'
import { change, useStore, type Theme } from './store'

const typingPause_ms = 150

function Search() {
  const text = useStore((state) => state.filter.text)
  const [typed, setTyped] = useState(text)
  const timer = useRef(0)
  const sent = useRef(text)
  // Cleared from elsewhere ("Show all"). What came from here stays as it is: more may have been typed since.
  useEffect(() => {
    if (text !== sent.current) setTyped(text)
    sent.current = text
  }, [text])
  const set = (value: string, pause_ms: number) => {
    setTyped(value)
    clearTimeout(timer.current)
    timer.current = window.setTimeout(() => {
      sent.current = value
      setFilter({ text: value })
    }, pause_ms)
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

const themes: Record<Theme, { next: Theme; icon: IconName; name: string }> = {
  system: { next: 'dark', icon: 'system', name: 'Theme: as the system' },
  dark: { next: 'light', icon: 'moon', name: 'Theme: dark' },
  light: { next: 'system', icon: 'sun', name: 'Theme: light' },
}

function ThemeButton() {
  const theme = useStore((state) => state.theme)
  const { next, icon, name } = themes[theme]
  const title = `${name}. Click for ${next}`
  return html`<${IconButton} icon=${icon} name=${name} title=${title} onClick=${() => change({ theme: next })} />`
}

export function Header() {
  const about = useStore((state) => state.about)
  const openDialog = (dialog: 'keys' | 'how') => () => change({ dialog })
  return html`<header class="header flex-row">
    <div class="brand">
      <${Icon} name="figures" />
      <h1>marey<span class="visually-hidden"> studio</span></h1>
      <span class="library-name" title=${about?.library.path}>${about?.library.name}</span>
      ${about && !about.library.writable && html`<span class="chip">read only</span>`}
    </div>
    <${Search} />
    <div class="tools">
      <${ThemeButton} />
      <${IconButton} icon="keys" name="Keys" keys="?" onClick=${openDialog('keys')} />
      <${IconButton} icon="help" name="How marey works" onClick=${openDialog('how')} />
    </div>
  </header>`
}
