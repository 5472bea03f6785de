// html.ts - templates instead of a compiler for them: html`<p>${text}</p>` makes Preact's nodes, in the language of the page.
import htm from 'htm'
import { h, type VNode } from 'preact'
import { translate, type Translated } from './words/templates'
import { catalogue } from './words/words'

type Template = (strings: readonly string[], ...values: unknown[]) => VNode

const english = htm.bind(h) as unknown as Template
const known = new WeakMap<readonly string[], Translated>()

export const html: Template = (strings, ...values) => {
  if (!catalogue) return english(strings, ...values)
  let template = known.get(strings)
  if (!template) known.set(strings, (template = translate(strings, catalogue)))
  return english(template.strings, ...template.order.map((i) => values[i]))
}
