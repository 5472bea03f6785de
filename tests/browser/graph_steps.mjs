// graph_steps.mjs - what tests of motion graphs do again and again.
import { untilCommand, untilCount, untilEqual } from './steps.mjs'

export const panel = (page) => page.getByRole('region', { name: 'Motion graphs' })
export const tab = (page, name) => panel(page).getByRole('tab', { name, exact: true })
export const explorer = (page) => panel(page).getByRole('application', { name: /Enter plays it/ })
export const plan = (page) => panel(page).getByRole('application', { name: /^Point / })

/** The panel, with the demo's graph of walks, turns and rests. */
export async function openGraph(page, name = 'standard') {
  await untilCount(page, '30 clips')
  await page.keyboard.press('g')
  const choice = panel(page).getByRole('combobox', { name: 'Graph' })
  await untilEqual('the graph that is open first', () => choice.inputValue(), 'standard')
  // Choosing what is chosen would open it once more, and that may come behind what a test does next.
  await tab(page, 'Graph').click()
  if (name !== 'standard') await choice.selectOption(name)
  await explorer(page).waitFor()
  // Graphs open on the tab Walk, whose first walk may have been made already.
  await untilCommand(page, new RegExp(`^marey graph (stats|walk) \\S+ ${name}( |$)`))
}

/** Where a place of the floor is on the page; cm. */
export function onPage(page, x, z) {
  return page.evaluate(
    ([px, pz]) => {
      const { rig, way, stage } = window.mareyViewer
      const at = way.spot.clone().set(0.01 * (px - stage.origin[0]), 0, 0.01 * (pz - stage.origin[2])).project(rig.camera)
      const box = document.querySelector('.viewer-canvas').getBoundingClientRect()
      return { x: box.x + (0.5 + 0.5 * at.x) * box.width, y: box.y + (0.5 - 0.5 * at.y) * box.height }
    },
    [x, z],
  )
}

/** Where a place of the floor is on the plan of the panel; cm. */
export function onPlan(page, x, z) {
  return page.evaluate(
    ([px, pz]) => {
      const { x, y } = new DOMPoint(px, pz).matrixTransform(document.querySelector('svg.plan').getScreenCTM())
      return { x, y }
    },
    [x, z],
  )
}

/** The values of an option in the command line that makes the walk which is shown. */
export async function optionOf(page, name) {
  const line = (await page.getByRole('contentinfo').getByRole('code').textContent()) ?? ''
  return [...line.matchAll(new RegExp(`--${name}[= ]'?([-\\d.,:s]+)`, 'g'))].map(([, value]) => value)
}

/** What came over the line last. */
export function live(page) {
  return page.evaluate(() => {
    const { x_cm, z_cm, does, input, poses } = window.mareyViewer.characters[0]?.shown.live ?? {}
    return { x_cm, z_cm, does, input, poses }
  })
}
