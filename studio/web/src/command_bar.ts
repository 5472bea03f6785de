// command_bar.ts - the command line that does what was done last; it can be copied, and the last twenty are kept.
import { useEffect, useRef, useState } from 'preact/hooks'
import { Button, IconButton } from './controls'
import { html } from './html'
import { getState, subscribe, tell, useStore } from './store'

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
    if (await copy(line)) tell('Copied')
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
      <span aria-live="polite">${copied ? 'Copied' : 'Copy'}</span>
    <//>
    <${IconButton}
      icon="history" name="Earlier commands" disabled=${history.length === 0} aria-expanded=${open}
      aria-controls="command-history" onClick=${() => setOpen(!open)}
    />
    ${open && html`<${History} onClose=${close} />`}
  </footer>`
}
