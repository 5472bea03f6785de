// findings.ts - what is odd about a family that was just built: examples that do not blend with their neighbours.
import { plural } from '../actions'
import { html } from '../html'
import { Icon } from '../icons'
import { parameters } from './session'

/** From this share of faulty blends on an example may not belong there. */
const blame = 0.5
const mostTold = 40

export function Findings() {
  const { built } = parameters
  if (!built || (built.fault_list.length === 0 && built.left_out.length === 0)) return null
  const blamed = new Set(built.examples.flatMap(({ blamed: share }, i) => (share > blame ? [i] : [])))
  const possible = blamed.size > 0 && built.examples.length - blamed.size >= 2
  const more = built.fault_list.length - mostTold
  return html`<section class="param-findings" aria-label="What is odd">
    ${built.left_out.length > 0 && html`<p>${built.left_out.length} matches have other joints and are left out.</p>`}
    ${built.fault_list.length > 0 &&
    html`<p><${Icon} name="warning" />${plural(built.fault_list.length, 'fault')} in blends of neighbours</p>
      <ul tabindex="0" aria-label="Faults">
      ${built.fault_list.slice(0, mostTold).map(({ text }) => html`<li key=${text}>${text}</li>`)}
      ${more > 0 && html`<li class="dim">and ${more} more</li>`}
    </ul>`}
    ${possible &&
    html`<button type="button" class="button" onClick=${() => void parameters.buildWithout(blamed)}>
      <${Icon} name="close" />Build without ${blamed.size === 1 ? 'the one' : `the ${blamed.size}`} that most blends fail with
    </button>`}
  </section>`
}
