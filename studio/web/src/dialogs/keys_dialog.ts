// keys_dialog.ts - the list of keys, from the same table that the keyboard obeys.
import { html } from '../html'
import { keyGroups } from '../keys'
import { Dialog } from './dialog'

export function KeyTable() {
  return html`<div class="key-groups">
    ${keyGroups().map(
      ([group, keys]) => html`<section key=${group}>
        <h3>${group}</h3>
        <dl>
          ${keys.map(
            (key) => html`<div key=${key.what}>
              <dt>${key.shown.map((one) => html`<kbd key=${one}>${one}</kbd> `)}</dt>
              <dd>${key.what}</dd>
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
