// greeting.ts - what an empty library shows: three ways in.
import { addDemo } from '../actions'
import { Button } from '../controls'
import { html } from '../html'
import { Icon } from '../icons'
import { change, useStore } from '../store'
import { t } from '../words/words'
import { chooseFiles } from './drop'

export function Greeting() {
  const name = useStore((state) => state.about?.library.name ?? '')
  const formats = useStore((state) => state.about?.formats)
  const endings = (formats ?? []).filter((format) => format.reads && !format.points).map((format) => format.name)
  return html`<main class="greeting" id="workspace" tabindex="-1">
    <div class="greeting-inner">
      <h2>${name} is empty</h2>
      <p class="dim">
        Put motion capture into it, and every take can be seen, searched, cut and used again. There are three ways in.
      </p>
      <div class="ways">
        <section class="way drop-area">
          <${Icon} name="import" />
          <h3>Drop files here</h3>
          <p class="dim">
            Files or whole folders, anywhere on this page.${' '}
            ${endings.length > 0 && t`Reads ${endings.join(', ')}.`}
          </p>
          <${Button} kind="primary" onClick=${chooseFiles}>Choose files…<//>
        </section>
        <section class="way">
          <${Icon} name="figures" />
          <h3>Open the demo</h3>
          <p class="dim">Thirty takes that marey makes itself: walks, kicks, jumps, reaches. Free for any use.</p>
          <${Button} onClick=${() => void addDemo()}>Add the demo clips<//>
        </section>
        <section class="way">
          <${Icon} name="book" />
          <h3>Read how</h3>
          <p class="dim">What marey does, the first three steps, the keys, and the same from a terminal.</p>
          <${Button} onClick=${() => change({ dialog: 'how' })}>Read how<//>
        </section>
      </div>
    </div>
  </main>`
}
