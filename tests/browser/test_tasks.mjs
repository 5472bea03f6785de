// test_tasks.mjs - six things that users come for, done by a script that knows only what they see: words on buttons, in fields
// and on cards, and where things are. Every click, key, drag and text that is typed is an action; a task may take twelve. It
// prints how many each took, and for how long the machine worked.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { chmodSync, copyFileSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { inStudio, mocap, until } from './steps.mjs'

const run = promisify(execFile)
const mostActions = 12

/** Does one thing at a time, by what can be read. */
class User {
  actions = 0

  constructor(page) {
    this.page = page
  }

  /** The one control that is called so; of several that are seen, the last that came. */
  control(words) {
    const exact = { name: words, exact: true }
    const roles = ['button', 'tab', 'checkbox', 'radio', 'option', 'link']
    const named = roles.map((role) => this.page.getByRole(role, typeof words === 'string' ? exact : { name: words }))
    return named.reduce((all, each) => all.or(each)).filter({ visible: true })
  }

  async ready(words) {
    const control = this.control(words).last()
    await control.waitFor()
    await until(`${words} can be pressed`, async () => (await control.isEnabled()) || 'not yet')
    return control
  }

  async click(words) {
    await (await this.ready(words)).click()
    this.actions++
  }

  async doubleClick(words) {
    await (await this.ready(words)).dblclick()
    this.actions++
  }

  async type(field, text) {
    await this.page.getByPlaceholder(field).filter({ visible: true }).last().fill(text)
    this.actions++
  }

  async choose(field, words) {
    const menu = this.page.getByLabel(field, { exact: true }).filter({ visible: true }).last()
    await menu.selectOption({ label: words })
    this.actions++
  }

  /** From here to there, in shares of something that is seen, slowly enough to be a hand. */
  async drag(area, from, to, { key, steps = 12, pause_ms = 0 } = {}) {
    const box = await area.boundingBox()
    const at = ([x, y]) => [box.x + x * box.width, box.y + y * box.height]
    const [a, b] = [at(from), at(to)]
    const { mouse, keyboard } = this.page
    await mouse.move(...a)
    if (key) await keyboard.down(key)
    await mouse.down()
    for (let i = 1; i <= steps; i++) {
      const s = i / steps
      // A hand goes in a bow.
      await mouse.move(a[0] + s * (b[0] - a[0]), a[1] + s * (b[1] - a[1]) + 0.08 * box.height * Math.sin(Math.PI * s) * (key ? 0 : 1))
      if (pause_ms) await this.page.waitForTimeout(pause_ms)
    }
    await mouse.up()
    if (key) await keyboard.up(key)
    this.actions++
  }

  async sees(words) {
    await this.page.getByText(words).filter({ visible: true }).first().waitFor({ timeout: 90000 })
  }
}

/** The timeline's ruler, along which times stand; [first, last] seconds are marked by a drag with Shift, as its hint says. */
async function markSeconds(user, clip_s, [first, last]) {
  const timeline = user.page.getByRole('region', { name: 'Timeline' })
  await user.sees('shift-drag marks a segment')
  // Beside the word "seconds", as far as the bar below goes.
  const [across, down] = [timeline.getByRole('scrollbar', { name: 'Frames in view' }), timeline.getByText(/^seconds/)]
  const [wide, high] = [await across.boundingBox(), await down.boundingBox()]
  const ruler = { boundingBox: async () => ({ x: wide.x, width: wide.width, y: high.y, height: high.height }) }
  await user.drag(ruler, [first / clip_s, 0.5], [last / clip_s, 0.5], { key: 'Shift' })
}

const clipsOf = async (studio) => (await studio.marey('ls', studio.library, '--long')).clips

/** The clip that came last is described so, and it is sound. */
async function newest(studio, before, pattern) {
  let made
  await until('a clip was added', async () => {
    const clips = await clipsOf(studio)
    made = clips.filter(({ id }) => !before.has(id))
    return made.length > 0
  })
  assert.match(made[0].description, pattern)
  return made
}

// The tasks. `words` are what the library calls things: the card with a kick and where in it one is, and so on.

async function findAllKicks(user, studio, words, before) {
  await user.type('Search names, labels, descriptions', words.kicks.typed)
  await user.doubleClick(words.kicks.card)
  await markSeconds(user, words.kicks.seconds, words.kicks.one)
  await user.click('Find more')
  await user.sees(/\d+ match/)
  await user.click('Cut into clips')
  const saved = await newest(studio, before, words.kicks.about)
  assert.ok(saved.length >= words.kicks.least, `${saved.length} kicks were saved`)
  return `${saved.length} kicks saved`
}

async function blendTwoWalks(user, studio, words, before) {
  await user.click('Mix')
  await user.click(/^Blend/)
  await user.type('Type to find clips', 'walk')
  await user.click('Blend')
  await user.sees(/Slide/)
  await user.click('Keep as clip')
  const [clip] = await newest(studio, before, /^blend of .*walk/)
  return clip.description.split(':')[0]
}

async function makeLoop(user, studio, words, before) {
  await user.click('Mix')
  await user.click(/^Loop/)
  await user.type('Type to find clips', 'walk')
  await user.click(words.walk)
  await user.click('Find loops')
  await user.sees(/Seam/)
  await user.click('Keep as clip')
  const [clip] = await newest(studio, before, /^loop of /)
  return clip.description.split(':')[0]
}

async function reachAPoint(user, studio, words, before) {
  await user.type('Search names, labels, descriptions', words.reaches.typed)
  await user.doubleClick(words.reaches.card)
  await markSeconds(user, words.reaches.seconds, words.reaches.one)
  await user.click('Find more')
  await user.sees(/\d+ match/)
  await user.click('Family')
  await user.click('Build the family')
  const pad = user.page.getByRole('slider', { name: /wanted/i }).or(user.page.getByRole('application', { name: /wanted|target/i }))
  await pad.first().waitFor({ timeout: 90000 })
  await user.drag(pad.first(), [0.5, 0.5], [0.55, 0.42])
  await user.sees(/cm off|less than 0.1 cm/)
  await user.click('Keep as clip')
  const [clip] = await newest(studio, before, /^motion of family /)
  return clip.description.split(':')[0]
}

async function walkAPath(user, studio, words, before) {
  await user.click('Walk')
  await user.click(/^Motion graphs/)
  await user.click('Build the graph')
  await user.click('Draw a path')
  await user.drag(user.page.getByRole('application', { name: /Point / }), [0.2, 0.2], [0.8, 0.75])
  await user.sees(/off on the mean/)
  await user.click('Keep as clip')
  const [clip] = await newest(studio, before, /^walk through graph /)
  return clip.description.split(':')[0]
}

async function teachAPuppet(user, studio) {
  await user.click('React')
  await user.click(/^Puppets/)
  await user.click('Show')
  const plan = user.page.getByRole('application', { name: /^Plan from above/ })
  await user.drag(plan, [0.2, 0.5], [0.8, 0.5], { steps: 60, pause_ms: 25 })
  await user.sees('2 of 3.')
  await user.drag(plan, [0.1, 0.6], [0.7, 0.6], { steps: 60, pause_ms: 25 })
  await user.sees('3 of 3.')
  await user.click('Train')
  await until('it is kept', async () => (await studio.marey('puppet', 'ls', studio.library)).puppets.some(({ name }) => name === 'mine'))
  return 'puppet mine'
}

const tasks = [
  ['find all kicks and save them', findAllKicks],
  ['blend two walks', blendTwoWalks],
  ['a seamless loop', makeLoop],
  ['a reach to a point', reachAPoint],
  ['a walk on a drawn path', walkAPath],
  ['teach a puppet', teachAPuppet],
]

/** Everything from the page as it opens; panels of the last task are left behind. */
async function doAll(given, fill, words, what) {
  const rows = []
  await inStudio(given, { fill, viewport: { width: 1600, height: 900 } }, async (page, studio) => {
    for (const [name, task] of tasks) {
      await page.reload()
      await page.getByRole('status').filter({ hasText: /^\d+ clips$/ }).first().waitFor()
      const before = new Set((await clipsOf(studio)).map(({ id }) => id))
      const user = new User(page)
      const began = Date.now()
      const result = await task(user, studio, words, before)
      rows.push([name, user.actions, ((Date.now() - began) / 1000).toFixed(1), result])
    }
  })
  console.log(`six tasks on ${what}: actions (of ${mostActions}), seconds, result`)
  for (const [name, actions, seconds, result] of rows)
    console.log(`  ${name.padEnd(30)} ${String(actions).padStart(2)} ${seconds.padStart(6)} s  ${result}`)
  for (const [name, actions] of rows) assert.ok(actions <= mostActions, `${name} took ${actions} actions`)
}

const demoWords = {
  kicks: { typed: 'kick', card: /^kicks/, seconds: 27.05, one: [2.03, 4.2], about: /kick/, least: 3 },
  walk: /^walk_slow/,
  reaches: { typed: 'reach', card: /^reach_right/, seconds: 60.33, one: [1.5, 4.5] },
}

export async function six_tasks_take_at_most_twelve_actions_each_on_the_demo(given) {
  const fill = (studio) => run(studio.program, ['add', studio.library, '--demo', '--quiet'])
  await doAll(given, fill, demoWords, 'the demo')
}

/** Of the CMU data base, by its own descriptions. */
const realWords = {
  kicks: { typed: 'front kick', card: /^144_05/, seconds: 23.2, one: [4.1, 5.8], about: /kick/i, least: 3 },
  walk: /^08_01/,
  reaches: { typed: 'reach right', card: /^144_24/, seconds: 39.2, one: [4.1, 5.9] },
}

/** Clips about these, then any, until there are a hundred. */
const topics = [/kick/i, /reach/i, /walk/i, /./]
const wanted = 100

async function fillWithReal(studio) {
  copyFileSync(join(mocap(), 'cmu_large.marey'), studio.library)
  chmodSync(studio.library, 0o644)
  const clips = (await clipsOf(studio)).filter(({ seconds }) => seconds < 45)
  const kept = new Set()
  for (const topic of topics)
    for (const { name, description } of clips) if (kept.size < wanted && topic.test(description)) kept.add(name)
  const others = (await clipsOf(studio)).map(({ name }) => name).filter((name) => !kept.has(name))
  await run(studio.program, ['rm', studio.library, '--quiet', ...others])
}

export async function six_tasks_take_at_most_twelve_actions_each_on_real_clips(given) {
  if (!process.env.MAREY_LONG) return 'skipped: six tasks on real clips take more than a minute: ./dev test-long'
  const folder = mocap()
  if (!folder || !existsSync(join(folder, 'cmu_large.marey'))) return 'skipped: there is no real motion'
  await doAll(given, fillWithReal, realWords, `${wanted} real clips`)
}
