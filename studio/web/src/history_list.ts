// history_list.ts - the list of what was changed in the library, with a way back to each step and forward again.
import { useEffect, useRef, useState } from 'preact/hooks'
import { attempt } from './attempt'
import { Button, useWritable } from './controls'
import { goTo, listSteps, redo, sentence, undo, undoSteps, type Step } from './history'
import { html } from './html'
import { onLibrary } from './live'
import { plural, t } from './words/words'
import './history_list.css'

/** The time of today, else the day as well. */
export function whenText(time_s: number, now = new Date()): string {
  const when = new Date(time_s * 1000)
  const time = when.toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' })
  if (when.toDateString() === now.toDateString()) return time
  return `${when.toLocaleDateString('en-GB', { day: 'numeric', month: 'short' })}, ${time}`
}

interface RowProps {
  step: Step
  /** How many come behind it that are not undone, or before it that are. */
  far: number
}

function Row({ step, far }: RowProps) {
  const { step: number, title, time, undone } = step
  const words = sentence(title)
  const writable = useWritable()
  return html`<li class=${undone ? 'is-undone' : ''}>
    <span class="text">${words}${undone && html`<span class="visually-hidden"> (undone)</span>`}</span>
    <time class="dim" datetime=${new Date(time * 1000).toISOString()}>${whenText(time)}</time>
    ${writable &&
    html`<span class="acts">
      ${undone
        ? html`<${Button}
            kind="quiet" title=${far === 0 ? t`Redo: ${title} (Ctrl Shift Z)` : t`Redo ${plural(far + 1, 'step')}, up to this one`}
            onClick=${() => void (far === 0 ? redo() : goTo(number, true))}
          >${far === 0 ? t('Redo') : t('Redo to here')}<//>`
        : html`${far > 0 &&
            html`<${Button}
              kind="quiet" title=${t`Undo this step alone; what came after it stays`} onClick=${() => void undoSteps([number])}
            >Undo alone<//>`}
            <${Button}
              kind="quiet" title=${far === 0 ? t`Undo: ${title} (Ctrl Z)` : t`Undo the ${plural(far, 'step')} that came after this one`}
              onClick=${() => void (far === 0 ? undoSteps([number]) : goTo(number, false))}
            >${far === 0 ? t('Undo') : t('Undo to here')}<//>`}
    </span>`}
  </li>`
}

export function HistoryList({ onClose }: { onClose: () => void }) {
  const box = useRef<HTMLDivElement>(null)
  const [steps, setSteps] = useState<Step[] | null>(null)
  const writable = useWritable()
  useEffect(() => {
    const load = () => void attempt(async () => setSteps(await listSteps()))
    load()
    box.current?.focus()
    const outside = (event: Event) => {
      if (!(event.target as Element).closest?.('.history-place, .notices')) onClose()
    }
    window.addEventListener('pointerdown', outside)
    const stop = onLibrary(load)
    return () => {
      window.removeEventListener('pointerdown', outside)
      stop()
    }
  }, [])
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape') return
    event.preventDefault()
    onClose()
  }
  const done = steps?.filter(({ undone }) => !undone) ?? []
  const undone = steps?.filter((step) => step.undone) ?? []
  return html`<div
    class="history-list boxed" id="history-list" tabindex="-1" role="dialog" aria-label="History" ref=${box} onKeyDown=${onKeyDown}
  >
    <div class="head flex-row">
      <h2>History of this library</h2>
      ${writable &&
      html`<${Button} icon="undo" kind="quiet" title="Undo the last change (Ctrl Z)" onClick=${() => void undo()}>Undo<//>
        <${Button} icon="redo" kind="quiet" title="Redo (Ctrl Shift Z)" onClick=${() => void redo()}>Redo<//>`}
    </div>
    ${steps?.length === 0 && html`<p class="dim">Nothing was changed yet. What you change is listed here and can be undone.</p>`}
    <ol aria-label="Steps, the latest first">
      ${undone.map((step, i) => html`<${Row} key=${step.step} step=${step} far=${undone.length - 1 - i} />`)}
      ${done.map((step, i) => html`<${Row} key=${step.step} step=${step} far=${i} />`)}
      ${writable &&
      done.length > 1 &&
      html`<li class="is-start">
        <span class="text dim">Before all of these</span><span />
        <span class="acts"><${Button} kind="quiet" onClick=${() => void goTo(0, false)}>Undo to here<//></span>
      </li>`}
    </ol>
  </div>`
}
