// show_tab.ts - the tab "Show": what a puppet learns from, and under which name.
import { useState } from 'preact/hooks'
import { useChanges, useEntered } from '../changes'
import { Button, IconButton, TextField, useWritable } from '../controls'
import { html } from '../html'
import { Progress, saveCsv } from '../jobs'
import { fileFor, wordsFor, type ByMouse, type Demo } from './lessons'
import { AddClips, AddCsv, AddReady } from './material'
import { playing } from './play_session'
import { puppets } from './session'
import { ShowPlan } from './show_plan'
import { showing } from './show_session'
import { csvOf, together } from './takes'

/** What to do now, in one sentence. */
function Step() {
  const { recorder, next, byMouse } = showing
  const steps = [
    [next === 'main', '1 of 3. Press on the plan and move: so the main character goes, in your pace.'],
    [next === 'react', '2 of 3. Now who reacts: press and move, while the main character goes its way again.'],
    [next === null, '3 of 3. Both, again and again. Do either once more, show another one, or train.'],
  ] as const
  const recording = recorder && (next === 'main' ? 'Recording the main character' : 'Recording who reacts')
  return html`<div class="puppet-step">
    <p role="status">
      ${recording
        ? html`<strong class="is-recording">● ${recording}</strong> until you let go.`
        : steps.map(([now, text]) => now && html`<span>${text}</span>`)}
    </p>
    ${byMouse && !recorder
      ? html`<div class="compare-fields">
          <${Button} onClick=${() => showing.redo('main')}>Main again<//>
          ${byMouse.react.length > 0 &&
          html`<${Button} onClick=${() => showing.redo('react')}>Reactor again<//>
            <${Button} icon="plus" onClick=${() => showing.another()}>Another one<//>`}
        </div>`
      : html`<p class="dim">
          They look where they go. Hold <kbd>Shift</kbd>: it stands and looks at the pointer. <kbd>Q</kbd> <kbd>E</kbd> turn the
          look aside, <kbd>W</kbd> ahead again. By keys: <kbd>Enter</kbd> begins and ends, arrows move.
        </p>`}
  </div>`
}

function DemoRow({ demo, index, name }: { demo: Demo; index: number; name: string }) {
  const words = wordsFor(demo)
  const chosen = index === showing.chosen
  const save = ({ main, react }: ByMouse) => saveCsv(fileFor(index, name), csvOf(together(main, react)))
  return html`<li class=${chosen ? 'is-chosen' : ''}>
    <span class="puppet-number">${index + 1}</span>
    ${demo.what === 'mouse'
      ? html`<button type="button" class="link" aria-pressed=${String(chosen)} onClick=${() => showing.choose(index)}>
          ${words}
        </button>`
      : html`<span>${words}</span>`}
    <span class="making-space"></span>
    ${demo.what === 'mouse' &&
    demo.react.length > 0 &&
    html`<${IconButton}
      icon="import" name=${`Save demonstration ${index + 1} as CSV`} title="Save as CSV" onClick=${() => save(demo)}
    />`}
    <${IconButton}
      icon="close" name=${`Take away demonstration ${index + 1}`} title="Take it away" onClick=${() => showing.drop(index)}
    />
  </li>`
}

/** Other things to learn from. */
const ways = { clips: 'Two clips', csv: 'A table', ready: 'A ready-made one' }
const forms = { clips: AddClips, csv: AddCsv, ready: AddReady }
type Way = keyof typeof ways

function Material({ first }: { first: Way | null }) {
  const [way, setWay] = useState<Way | null>(first)
  return html`<div class="puppet-material">
    <div class="compare-fields">
      <span class="dim">Or learn from</span>
      ${(Object.keys(ways) as Way[]).map(
        (each) => html`<${Button}
          key=${each} kind="quiet" aria-expanded=${String(way === each)} onClick=${() => setWay(way === each ? null : each)}
        >${ways[each]}<//>`,
      )}
    </div>
    ${way && html`<${forms[way]} />`}
  </div>`
}

function TrainForm({ name, setName }: { name: string; setName: (name: string) => void }) {
  const writable = useWritable()
  const [about, setAbout] = useState('')
  const { job, jobName } = puppets
  const wanted = name.trim()
  const ready = showing.complete.length > 0 && wanted !== ''
  const train = async (event: Event) => {
    event.preventDefault()
    if (!ready || !(await showing.train(wanted, about.trim()))) return
    showing.clear()
    playing.invite(wanted)
    if (puppets.tab === 'show') puppets.update({ tab: 'play' })
  }
  if (job) return html`<${Progress} number=${job} name=${jobName} />`
  return html`<form class="compare-cut" aria-label="Train" onSubmit=${train}>
    <${TextField} name="Name" value=${name} set=${setName} />
    <${TextField} name="About" placeholder="in a few words" spellcheck=${true} value=${about} set=${setAbout} />
    <${Button} type="submit" icon="check" kind="primary" disabled=${!writable || !ready}>Train<//>
    ${!writable && html`<span class="dim">The library is open for reading only.</span>`}
    ${writable && puppets.has(wanted) && html`<span class="dim">in place of the one of that name</span>`}
  </form>`
}

/** A name that no puppet has. */
function freshName(): string {
  const more = showing.demos.find((demo) => demo.what === 'puppet')
  if (more?.what === 'puppet') return more.name
  for (let i = 1; ; i++) if (!puppets.has(`mine${i > 1 ? i : ''}`)) return `mine${i > 1 ? i : ''}`
}

export function ShowTab() {
  useChanges(showing)
  const [name, setName] = useState(freshName)
  useEntered(
    () => showing.enter(),
    () => showing.leave(),
  )
  const { demos } = showing
  return html`<${ShowPlan} />
    <${Step} />
    ${demos.length > 0 &&
    html`<ol class="puppet-demos" aria-label="Demonstrations">
      ${demos.map((demo, i) => html`<${DemoRow} key=${i} demo=${demo} index=${i} name=${name} />`)}
    </ol>`}
    <${Material} first=${puppets.clips.length === 2 ? 'clips' : null} />
    <${TrainForm} name=${name} setName=${setName} />`
}
