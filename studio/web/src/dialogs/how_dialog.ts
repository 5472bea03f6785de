// how_dialog.ts - the short built-in manual: what marey does, the first steps, and the same from a terminal.
import { commands } from '../commands'
import { html } from '../html'
import { defaults } from '../search/settings'
import { initialState } from '../store'
import { KeyTable } from './keys_dialog'
import { Dialog } from './dialog'

const searchDefaults = { ...defaults, threshold: 64 }

function terminal(): [string, string][] {
  const take = { id: 0, name: 'take_07' }
  return [
    ['Put files into the library', commands.add(['takes/'], [])],
    ['List the clips about kicking', commands.list({ ...initialState.filter, text: 'kick' }) ?? ''],
    ['Put a label on a clip', commands.label([take], { add: ['kick'] })],
    ['Make a clip of some frames', commands.cut(take, { start: 120, end: 300 })('front_kick')],
    ['Find everything that is like it', commands.search(take, { start: 120, end: 300 }, searchDefaults)],
    ['Write it for another program', commands.export({ id: 0, name: 'front_kick' }, 'bvh', null)],
  ]
}

export function HowDialog() {
  return html`<${Dialog} title="How marey works" className="wide">
    <div class="how">
      <p>
        marey keeps motion capture in one file, your library, and lets you use it again. This page shows what is in it:
        look at takes, find the ones you need, mark the good part, save it as a clip of its own, and write it out for
        the program you animate in. Nothing leaves this computer.
      </p>
      <h3>The first three steps</h3>
      <ol>
        <li>
          <strong>Import.</strong> Drop BVH files, or AMC files together with their ASF, anywhere on the page. A report
          says which units, axis and rate were found, and what looked odd.
        </li>
        <li>
          <strong>Look.</strong> Rest on a card and it plays; double-click it to open it in the viewer. Select several
          and open them together to compare. Search with <kbd>/</kbd>, narrow by label, length or skeleton.
        </li>
        <li>
          <strong>Keep the good part.</strong> Hold Shift and drag on the timeline, or press <kbd>I</kbd> and
          ${' '}<kbd>O</kbd>, then <kbd>S</kbd> to save it as a clip. Export writes BVH, GLB, MP4 or a PNG strip.
        </li>
      </ol>
      <h3>Keys</h3>
      <${KeyTable} />
      <h3>The same from a terminal</h3>
      <p>Whatever you do here, the bar at the bottom shows the command that does the same.</p>
      <dl class="terminal">
        ${terminal().map(
          ([what, line]) => html`<div key=${what}>
            <dt>${what}</dt>
            <dd><code>${line}</code></dd>
          </div>`,
        )}
      </dl>
    </div>
  </${Dialog}>`
}
