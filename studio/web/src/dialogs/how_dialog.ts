// how_dialog.ts - the short built-in manual: what marey does, the first steps, and the same from a terminal; and the list of
// keys, from the same table that the keyboard obeys.
import { html } from '../html'
import { keyTable } from '../keys'
import { lineOf } from '../operations'
import { t } from '../words/words'
import { Dialog } from './dialog'

function KeyTable() {
  return html`<div class="key-groups">
    ${Object.entries(keyTable).map(
      ([group, rows]) => html`<section key=${group}>
        <h3>${group}</h3>
        <dl>
          ${rows.map(
            ([shown, what]) => html`<div key=${what}>
              <dt>${shown.split(' ').map((one) => html`<kbd key=${one}>${one}</kbd> `)}</dt>
              <dd>${what}</dd>
            </div>`,
          )}
        </dl>
      </section>`,
    )}
  </div>`
}

export function KeysDialog() {
  return html`<${Dialog} title="Keys" className="wide"><${KeyTable} /></${Dialog}>`
}

function terminal(): [string, string | null][] {
  const part = { clip: 'take_07', start: 120, end: 300 }
  return [
    [t('Put files into the library'), lineOf('add', { files: ['takes/'] })],
    [t('List the clips about kicking'), lineOf('ls', { words: ['kick'] })],
    [t('Put a label on a clip'), lineOf('label', { clips: ['take_07'], add: ['kick'] })],
    [t('Make a clip of some frames'), lineOf('cut', { cuts: [{ ...part, name: 'front_kick' }] })],
    [t('Find everything that is like it'), lineOf('search', { query: part, threshold: 64 })],
    [t('Write it for another program'), lineOf('convert', { clips: ['front_kick'] }, { file: 'front_kick.bvh' })],
  ]
}

export function HowDialog() {
  return html`<${Dialog} title="How marey works" className="wide">
    <div class="how flex-column">
      <p>
        marey keeps motion capture in one file, your library, and lets you use it again. This page shows what is in it:
        look at takes, find the ones you need, mark the good part, save it as a clip of its own, and write it out for
        the program you animate in. Nothing leaves this computer.
      </p>
      <h3>The first three steps</h3>
      <ol>
        <li>
          <strong>Import.</strong> Drop BVH, FBX or glTF files, AMC files together with their ASF, or arrays of joint positions anywhere on the page. A report
          says which units, axis and rate were found, and what looked odd.
        </li>
        <li>
          <strong>Look.</strong> Rest on a card and it plays; double-click it to open it in the viewer. Select several
          and open them together to compare. Search with <kbd>/</kbd>, narrow by label, length or skeleton.
        </li>
        <li>
          <strong>Keep the good part.</strong> Hold Shift and drag on the timeline, or press <kbd>I</kbd> and
          ${' '}<kbd>O</kbd>, then <kbd>S</kbd> to save it as a clip. Export writes BVH, GLB, FBX, MP4 or a PNG strip.
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
