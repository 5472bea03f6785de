// show_tab.ts - the tab "Show": what a puppet learns from, and under which name.
import { useState } from 'preact/hooks'
import { useChanges, useEntered } from '../changes'
import { Button, Choice, IconButton, takeEvent, TextField, useWritable, valueOf } from '../controls'
import { html } from '../html'
import { Progress, saveCsv } from '../jobs'
import { clipOptions } from '../names'
import { useStore } from '../store'
import { t } from '../words/words'
import { useMoving } from './canvas'
import { fileFor, wordsFor, type ByMouse, type Demo } from './lessons'
import { drawGrid, drawHint, drawPuck, drawTarget, drawWay } from './plan_draw'
import { playing } from './play_session'
import { puppets } from './session'
import { showing } from './show_session'
import { csvOf, secondsOf, together, type Sample } from './takes'

// The plan on which a puppet is taught: press, and the pass is recorded for as long as the pointer is held.

const spots = (samples: readonly Sample[]) => samples.map(([, x, y]) => [x, y] as const)

const hint = [t('Press and move'), t('Recording while you hold the button')]
const keyHint = [t('Arrows put it somewhere, Enter begins'), t('Recording until you press Enter again')]

/** How much of the pass is over, along the lower edge. */
function elapsed(): number {
  const { byMouse, recorder, next, time_s } = showing
  if (recorder && next === 'main') return 0
  const seconds = secondsOf(byMouse?.main ?? [])
  return seconds ? Math.min(1, time_s / seconds) : 0
}

function ShowPlan() {
  const canvas = useMoving(
    showing.moves,
    (paper) => {
      showing.resize(paper.width, paper.height)
      const { frame, recorder, places, next, keyed, pen } = showing
      drawGrid(paper, frame)
      if (!places.main && !places.react) drawHint(paper, keyed ? keyHint : hint)
      const { main, react } = places
      if (main) drawWay(paper, frame, spots(showing.samplesOf('main')), '--wanted', 0.55)
      if (react) drawWay(paper, frame, spots(showing.samplesOf('react')), '--clip-1', 0.7)
      if (react) drawPuck(paper, frame, { place: react, colour: '--clip-1', name: 'reacts', radius_cm: 16, trail: [] })
      if (main) drawPuck(paper, frame, { place: main, colour: '--wanted', name: 'main', radius_cm: 18, trail: [] })
      if (keyed && next && !recorder) drawTarget(paper, frame, pen, next === 'main' ? '--wanted' : '--clip-1')
      const { paint, width, height, colour } = paper
      paint.fillStyle = colour(recorder ? '--danger' : '--text-dim')
      paint.fillRect(0, height - 3, width * elapsed(), 3)
    },
    [],
  )
  const { hand } = showing
  const down = (event: PointerEvent) => {
    if (event.button !== 0) return
    ;(event.currentTarget as HTMLElement).setPointerCapture(event.pointerId)
    hand.follow(event)
    hand.pressed = true
    showing.keyed = false
    showing.begin()
  }
  const move = (event: PointerEvent) => {
    if (!hand.pressed) return
    hand.follow(event)
    showing.lead(performance.now())
  }
  const up = () => {
    if (!hand.pressed) return
    hand.pressed = false
    showing.end()
    hand.at = null
  }
  const press = (event: KeyboardEvent) => {
    if (event.key === 'Escape' && showing.recorder) showing.dropPass()
    else if (event.key === 'Enter' && !event.repeat && showing.recorder) showing.end()
    else if (event.key === 'Enter' && !event.repeat) {
      showing.keyed = true
      showing.begin()
    } else return
    takeEvent(event)
  }
  const { recorder, next } = showing
  const told = recorder ? t('Recording; Enter ends it, Escape drops it') : next ? t('Enter begins to record') : t('Both are seen')
  return html`<canvas
    ref=${canvas} class=${`puppet-plan boxed${recorder ? ' is-recording' : ''}${next ? ' is-drawing' : ''}`} tabindex="0"
    role="application" aria-label=${t`Plan from above. ${told}. Arrow keys move, Q and E turn the look, W looks ahead.`}
    onPointerDown=${down} onPointerMove=${move} onPointerUp=${up} onPointerCancel=${up} onKeyDown=${press}
  ></canvas>`
}

// What a puppet can learn from besides the mouse: two clips of the library, a table of places, a ready-made demonstration.

function Add({ disabled, run }: { disabled: boolean; run: () => void }) {
  return html`<${Button} icon="plus" disabled=${disabled} onClick=${run}>Add<//>`
}

/** Both from their first frames on: where the hips are and face. */
function AddClips() {
  const cards = useStore((state) => state.cards)
  const [main, setMain] = useState(String(puppets.clips[0] ?? cards[0]?.id ?? ''))
  const [react, setReact] = useState(String(puppets.clips[1] ?? cards[1]?.id ?? ''))
  const options = clipOptions(cards, () => false)
  const [a, b] = [main, react].map((id) => cards.find((card) => String(card.id) === id))
  const add = () => a && b && showing.add({ what: 'clips', main: a, react: b })
  return html`<div class="compare-fields">
    <${Choice} name="Main" kind="puppet-select" value=${main} options=${options} set=${setMain} />
    <${Choice} name="Reacts" kind="puppet-select" value=${react} options=${options} set=${setReact} />
    <${Add} disabled=${!a || !b} run=${add} />
  </div>`
}

const columns = 'time,main_x,main_y,main_dir,react_x,react_y,react_dir'

function AddCsv() {
  const [text, setText] = useState('')
  const [called, setCalled] = useState('pasted.csv')
  const take = async (file: File | undefined) => {
    if (!file) return
    setCalled(file.name)
    setText(await file.text())
  }
  const drop = (event: DragEvent) => {
    takeEvent(event)
    void take(event.dataTransfer?.files[0])
  }
  const choose = (event: Event) => void take((event.currentTarget as HTMLInputElement).files?.[0])
  const add = () => {
    showing.add({ what: 'csv', text, called })
    setText('')
    setCalled('pasted.csv')
  }
  return html`<div class="puppet-csv" onDragOver=${(event: Event) => event.preventDefault()} onDrop=${drop}>
    <textarea
      class="field" rows="3" spellcheck=${false} aria-label="Table of places" placeholder=${t`${columns}\nseconds, cm, radians; drop a file or paste`}
      value=${text} onInput=${(event: Event) => setText(valueOf(event))}
    ></textarea>
    <div class="compare-fields">
      <label class="button puppet-file">
        Choose a file<input type="file" class="visually-hidden" accept=".csv,text/csv" onChange=${choose} />
      </label>
      ${text && html`<span class="dim">${called}</span>`}
      <${Add} disabled=${text.trim() === ''} run=${add} />
    </div>
  </div>`
}

function AddReady() {
  const ready = puppets.table?.ready ?? []
  const [name, setName] = useState(ready[0]?.name ?? '')
  const now = ready.find((each) => each.name === name)
  const options = ready.map((each) => [each.name, `${each.name}, ${Math.round(each.seconds)} s`] as const)
  return html`<div class="compare-fields">
    <${Choice} name="Behaviour" kind="puppet-select" value=${name} options=${options} set=${setName} />
    <${Add} disabled=${!now} run=${() => showing.add({ what: 'ready', name })} />
    ${now && html`<span class="dim">${now.about}</span>`}
  </div>`
}

/** What to do now, in one sentence. */
function Step() {
  const { recorder, next, byMouse, keyed } = showing
  const steps = [
    [next === 'main', t('1 of 3. Press on the plan and move: so the main character goes, in your pace.')],
    [next === 'react', t('2 of 3. Now who reacts: press and move, while the main character goes its way again.')],
    [next === null, t('3 of 3. Both, again and again. Do either once more, show another one, or train.')],
  ] as const
  const recording = recorder && (next === 'main' ? t('Recording the main character') : t('Recording who reacts'))
  return html`<div class="puppet-step">
    <p role="status">
      ${recording
        ? html`<strong class="is-recording">● ${recording}</strong> ${keyed ? t('until you press Enter again.') : t('until you let go.')}`
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
      icon="import" name=${t`Save demonstration ${index + 1} as CSV`} title="Save as CSV" onClick=${() => save(demo)}
    />`}
    <${IconButton}
      icon="close" name=${t`Take away demonstration ${index + 1}`} title="Take it away" onClick=${() => showing.drop(index)}
    />
  </li>`
}

/** Other things to learn from. */
const ways = { clips: t('Two clips'), csv: t('A table'), ready: t('A ready-made one') }
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
