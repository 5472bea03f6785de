// test_sizes.mjs - every panel at every size, dark and light: nothing that axe-core finds, nothing that can be pressed and is
// outside or covered, no words cut off.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { explorer, openGraph, tab as graphTab } from './graph_steps.mjs'
import { layout } from './layout.mjs'
import { act, button, card, inStudio, loaded, mark, open, search, select, timeline, until, untilCount, viewer } from './steps.mjs'
import { accessibility, openPage } from './studio.mjs'

const sizes = [
  [1280, 720],
  [1440, 900],
  [1920, 1080],
  [2560, 1440],
  [3840, 2160],
]

/** All sizes dark and light, or the two that are farthest apart. */
const settings = process.env.MAREY_LONG
  ? sizes.flatMap((size) => ['light', 'dark'].map((colorScheme) => ({ size, colorScheme })))
  : [
      { size: sizes[0], colorScheme: 'light' },
      { size: sizes[4], colorScheme: 'dark' },
    ]

/** Those that were not looked at. */
const left = process.env.MAREY_LONG ? undefined : 'skipped: three sizes of five and the other theme of two: ./dev test-long'

const region = (page, name) => page.getByRole('region', { name, exact: true })
const key = (page, name) => page.keyboard.press(name)

async function atRest(page) {
  await page.evaluate(() => Promise.all(document.getAnimations().map((each) => each.finished.catch(() => {}))))
}

/** Looks at what is open, in all settings; what is wrong goes to `wrong`. `root`: what lies on top. */
async function sweep(page, given, wrong, name, { root = 'body', finger_px = 0, all = settings } = {}) {
  for (const { size, colorScheme } of all) {
    const [width, height] = size
    await page.setViewportSize({ width, height })
    await page.emulateMedia({ colorScheme })
    // What watches its own size draws once more.
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0))))
    await atRest(page)
    const where = `${name} ${width}x${height} ${colorScheme}`
    await page.screenshot({ path: join(given.shots, `size-${where.replaceAll(' ', '-')}.png`) })
    for (const each of await accessibility(page)) wrong.push(`${where}: ${each}`)
    for (const each of await layout(page, { root, finger_px })) wrong.push(`${where}: ${each}`)
  }
  const [{ size, colorScheme }] = all
  await page.setViewportSize({ width: size[0], height: size[1] })
  await page.emulateMedia({ colorScheme })
}

const dialog = 'dialog[open]'

/** Each opens something, and says what lies on top of the page; null: as before. */
const library = {
  async library(page) {
    await untilCount(page, '30 clips')
    await open(page, 'cartwheels')
  },
  async segment(page) {
    await mark(page, 1118, 100, 200)
  },
  async curves(page) {
    await key(page, 'Escape')
    await button(page, 'Curves').click()
    await page.locator('.tl-curves').waitFor()
  },
  async onion(page) {
    await viewer(page).getByRole('button', { name: 'Onion skin: settings' }).click()
    await page.getByRole('group', { name: 'Onion skin' }).waitFor()
    return '.viewer-popover-panel'
  },
  async trails(page) {
    await key(page, 'Escape')
    await viewer(page).getByRole('button', { name: 'Joint trails: settings' }).click()
    await page.getByRole('group', { name: 'Joint trails' }).waitFor()
    return '.viewer-popover-panel'
  },
  async selected(page) {
    await key(page, 'Escape')
    await select(page, 'hops', 'idles')
    await act(page, 'Labels…').waitFor()
  },
  async labels(page) {
    await act(page, 'Labels…').click()
    await page.getByRole('dialog').waitFor()
    return dialog
  },
  async export(page) {
    await key(page, 'Escape')
    await act(page, 'Export…').click()
    await page.getByRole('dialog').waitFor()
    return dialog
  },
  async keys(page) {
    await key(page, 'Escape')
    await key(page, '?')
    await page.getByRole('dialog', { name: 'Keys' }).waitFor()
    return dialog
  },
  async how(page) {
    await key(page, 'Escape')
    await page.getByRole('button', { name: 'How marey works' }).click()
    await page.getByRole('dialog', { name: 'How marey works' }).waitFor()
    return dialog
  },
  async jobs(page) {
    await key(page, 'Escape')
    // Something that takes long, so that there is a list of it.
    await page.evaluate(() => {
      const body = JSON.stringify({ clips: ['kicks'], output: 'kicks.bvh' })
      return fetch('/api/do/convert', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body })
    })
    await page.getByRole('banner').getByRole('button', { name: /^Jobs/ }).click()
    await page.getByRole('dialog', { name: 'Jobs' }).waitFor()
    return dialog
  },
  async history(page) {
    await key(page, 'Escape')
    await page.getByRole('button', { name: 'History', exact: true }).click()
    await page.getByRole('dialog', { name: 'History' }).waitFor()
    return '#history-list'
  },
  async doors(page) {
    await key(page, 'Escape')
    await page.evaluate(() => localStorage.setItem('marey-welcome', 'yes'))
    await page.reload()
    await region(page, 'What would you like to do?').waitFor()
    await loaded(page)
  },
  async mix(page) {
    await page.getByRole('navigation', { name: 'What to do' }).getByRole('button', { name: 'Mix', exact: true }).click()
    await page.getByRole('group', { name: 'Mix' }).waitFor()
    return '.door-menu, [role=group][aria-label=Mix]'
  },
  async pick(page) {
    await page.getByRole('group', { name: 'Mix' }).getByRole('button', { name: /^Transition/ }).click()
    await page.getByRole('dialog').waitFor()
    return dialog
  },
}

const finding = {
  async compare(page) {
    await search(page, 'straight', '4 of 30 clips')
    await select(page, 'jog_straight', 'walk_straight')
    await key(page, 'c')
    await region(page, 'Compare').getByRole('list', { name: 'Shares of the joints' }).getByRole('listitem').first().waitFor()
  },
  async search(page) {
    await key(page, 'Escape')
    await search(page, '', '30 clips')
    await open(page, 'kicks')
    await mark(page, 1622, 122, 251)
    await timeline(page).getByRole('button', { name: 'Find more' }).click()
    const findings = region(page, 'Search').locator('.search-findings')
    await until('all is found', async () => (await findings.getAttribute('aria-busy').catch(() => null)) === 'false')
    await region(page, 'Search').getByRole('list', { name: 'Matches' }).locator('.match-main').nth(1).click()
  },
  async sketch(page) {
    await key(page, 'd')
    await region(page, 'Sketch').getByRole('application', { name: /move the pen/ }).first().waitFor()
    const paper = region(page, 'Sketch').getByRole('application').first()
    await paper.focus()
    for (let i = 0; i < 6; i++) await key(page, 'Shift+ArrowRight')
  },
  async doctor(page) {
    await key(page, 'x')
    await region(page, 'Doctor').getByRole('list', { name: 'Findings', exact: true }).waitFor()
  },
  async motifs(page) {
    await key(page, 'y')
    await region(page, 'Motifs').getByRole('list', { name: 'Motifs' }).getByRole('button').first().click()
    await region(page, 'Motifs').getByRole('list', { name: 'Occurrences' }).getByRole('button').first().waitFor()
  },
}

async function made(page, name) {
  const figures = region(page, name).locator('dl.making-figures').first()
  await until('it is made', async () => (await figures.getAttribute('aria-busy').catch(() => null)) === 'false')
}

const mixing = {
  async transition(page) {
    await search(page, 'straight', '4 of 30 clips')
    await select(page, 'jog_straight', 'walk_straight')
    await act(page, 'Transition').click()
    await made(page, 'Transition')
  },
  async blend(page) {
    await key(page, 'b')
    await made(page, 'Blend')
    await region(page, 'Blend').getByRole('img', { name: /^Foot plants over common time/ }).waitFor()
  },
  async 'blend over time'(page) {
    await region(page, 'Blend').getByRole('button', { name: 'Over time' }).click()
    await region(page, 'Blend').getByRole('group', { name: 'Weights over time' }).waitFor()
  },
  async retarget(page) {
    await key(page, 'h')
    await made(page, 'Retarget')
  },
  async families(page) {
    await key(page, 'p')
    await region(page, 'Families').locator('.param-miss b').waitFor()
    await loaded(page)
  },
  async 'families new'(page) {
    await key(page, 'Escape')
    await search(page, 'walk', '9 of 30 clips')
    await select(page, 'walk_left', 'walk_right', 'walk_straight')
    await key(page, 'p')
    await region(page, 'Families').getByRole('button', { name: 'Build the family' }).waitFor()
  },
}

const walking = {
  async 'graph graph'(page) {
    await openGraph(page)
  },
  async 'graph walk'(page) {
    await graphTab(page, 'Walk').click()
    await region(page, 'Motion graphs').getByRole('button', { name: 'Draw a path' }).waitFor()
    await loaded(page)
  },
  async 'graph play'(page) {
    await graphTab(page, 'Play').click()
    await region(page, 'Motion graphs').getByRole('tabpanel').waitFor()
  },
  async 'graph new'(page) {
    await region(page, 'Motion graphs').getByRole('combobox', { name: 'Graph' }).selectOption('')
    await page.getByRole('button', { name: /^Build/ }).first().waitFor()
  },
  async clusters(page) {
    await key(page, 'Escape')
    await key(page, 'n')
    await region(page, 'Cluster graphs').getByRole('combobox', { name: 'Graph' }).selectOption('moves')
    const map = region(page, 'Cluster graphs').getByRole('application', { name: /from node to node/ })
    const node = region(page, 'Cluster graphs').getByRole('region', { name: /^Node \d+$/ })
    // Until the nodes have their places keys find none.
    await until('a node is open', async () => {
      if (await node.count()) return true
      await map.press('ArrowRight')
      await map.press('Enter')
      return false
    })
  },
  async 'puppets play'(page) {
    await key(page, 'u')
    await region(page, 'Puppets').getByRole('list', { name: 'Who reacts' }).getByRole('listitem').first().waitFor()
  },
  async 'puppets show'(page) {
    await region(page, 'Puppets').getByRole('tab', { name: 'Show' }).click()
    await region(page, 'Puppets').getByRole('application').first().waitFor()
  },
  async 'puppets saved'(page) {
    await region(page, 'Puppets').getByRole('tab', { name: 'Saved' }).click()
    await region(page, 'Puppets').getByRole('listitem').first().waitFor()
  },
}

async function sweepAll(page, given, states, options = {}) {
  const wrong = []
  for (const [name, begin] of Object.entries(states)) {
    const root = (await begin(page)) ?? 'body'
    await sweep(page, given, wrong, name, { root, ...options })
  }
  assert.deepEqual(wrong, [])
}

const sweepTest = (states) => async (given) => {
  await inStudio(given, {}, async (page) => {
    await untilCount(page, '30 clips')
    await sweepAll(page, given, states)
  })
  return left
}

export const the_library_and_its_dialogs_fit_every_size = sweepTest(library)
export const panels_that_find_fit_every_size = sweepTest(finding)
export const panels_that_mix_fit_every_size = sweepTest(mixing)
export const graphs_and_puppets_fit_every_size = sweepTest(walking)
