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
    const menu = this.page.getByRole('combobox', { name: field, exact: true }).filter({ visible: true }).last()
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

/** So many Tabs may lie between what has the focus and what is wanted next. */
const mostTabs = 40

/** Does the same with keys alone. An action is one thing done: a control that is gone to and pressed, a text that is typed, a
 *  path that is drawn; presses are counted beside them. The focus is moved by keys, and read as assistive technology does. */
class KeyUser extends User {
  presses = 0
  /** The longest way to a control, in Tabs. */
  furthest = 0

  static async of(page) {
    const user = new KeyUser(page)
    user.session = await page.context().newCDPSession(page)
    return user
  }

  async press(key, times = 1) {
    for (let i = 0; i < times; i++) await this.page.keyboard.press(key)
    this.presses += times
  }

  async hold(key, pause_ms) {
    await this.page.keyboard.down(key)
    await this.page.waitForTimeout(pause_ms)
    await this.page.keyboard.up(key)
    this.presses++
  }

  /** What has the focus: as it is called, and whether it can be seen. */
  async focused() {
    const { result } = await this.session.send('Runtime.evaluate', { expression: 'document.activeElement' })
    const { objectId } = result
    const { nodes } = await this.session.send('Accessibility.getPartialAXTree', { objectId, fetchRelatives: false })
    const seen = await this.session.send('Runtime.callFunctionOn', { objectId, functionDeclaration: String(seenFocus), returnByValue: true })
    return { role: nodes[0]?.role?.value ?? '', name: nodes[0]?.name?.value ?? '', seen: seen.result.value }
  }

  /** The page itself puts the focus there. */
  async at(words) {
    await until(`the focus is on ${words}`, async () => {
      const { name } = await this.focused()
      return name === words || name
    })
  }

  /** Tab after Tab, until the focus is on what is called so. */
  async go(words) {
    const passed = []
    for (let tabs = 0; tabs <= mostTabs; tabs++) {
      const { role, name, seen } = await this.focused()
      if (tabs > 0) assert.equal(seen, '', `the focus on ${role} "${name}" is seen`)
      if (typeof words === 'string' ? name === words : words.test(name)) {
        this.furthest = Math.max(this.furthest, tabs)
        return
      }
      passed.push(`${role} ${name}`)
      await this.press('Tab')
    }
    assert.fail(`${words} is ${mostTabs} Tabs away: ${passed.join(' | ')}`)
  }

  async click(words) {
    await this.ready(words)
    await this.go(words)
    await this.press('Enter')
    this.actions++
  }

  /** A key of the page that does something by itself. */
  async key(key) {
    await this.press(key)
    this.actions++
  }

  /** Into the field that has the focus. */
  async write(text) {
    await this.page.keyboard.type(text)
    this.presses += text.length
    this.actions++
  }

  /** A clip of the library. */
  async open(typed, card) {
    await this.press('/')
    await this.write(typed)
    await this.press('Enter')
    const list = this.page.getByRole('listbox', { name: 'Clips' })
    const at = async () => this.page.locator(`#${await list.getAttribute('aria-activedescendant')}`).textContent()
    await until('cards are few', async () => (await list.getByRole('option').count()) < 12)
    for (let n = 0; !card.test(await at()); n++) {
      assert.ok(n < 12, `${card} is in the list`)
      await this.press('ArrowDown')
    }
    await this.key('Enter')
  }

  /** From the frame where the playhead is. */
  async goOn(seconds) {
    const frames = Math.round(seconds * this.fps)
    const whole = Math.floor(frames / this.fps)
    const tens = Math.floor((frames - whole * this.fps) / 10)
    await this.press('Control+ArrowRight', whole)
    await this.press('Shift+ArrowRight', tens)
    await this.press('ArrowRight', frames - whole * this.fps - 10 * tens)
  }

  async mark([first, last]) {
    await this.sees('shift-drag marks a segment')
    const rate = await this.page.getByText(/\/ \d+ · \d+ fps/).textContent()
    this.fps = Number(/(\d+) fps/.exec(rate)[1])
    await this.goOn(first)
    await this.key('i')
    await this.goOn(last - first)
    await this.key('o')
  }
}

/** Run in the page: why the focus is not seen; '': it is. A ring, or colours that the element has only then. */
function seenFocus() {
  const box = this.getBoundingClientRect()
  if (this === document.body) return 'nothing has the focus'
  if (box.width === 0 || box.height === 0) return 'it has no size'
  if (box.right <= 0 || box.bottom <= 0 || box.left >= innerWidth || box.top >= innerHeight) return 'it is out of sight'
  if (!this.matches(':focus-visible')) return 'it is not shown as focused'
  const ringed = (element) => {
    const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(element)
    return (outlineStyle !== 'none' && parseFloat(outlineWidth) > 0) || boxShadow !== 'none'
  }
  const coloured = '.splitter, .clip-list, [type=file]'
  return ringed(this) || this.matches(coloured) ? '' : 'it has no ring'
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

/** What came since then is described so. */
async function newest(studio, before, pattern) {
  let made
  await until('a clip was added', async () => {
    made = (await clipsOf(studio)).filter(({ id }) => !before.has(id))
    return made.length > 0
  })
  for (const { description } of made) assert.match(description, pattern)
  return made
}

/** A card is found by its name, and by nothing made of it. */
const nameIn = ({ source }) => /[\w]+/.exec(source)[0]
const aboutOf = ({ description }) => description.split(':')[0]

/** In a loop of a walk both feet are put down and lifted. */
async function steps(studio, { name, frames }) {
  const { contacts } = await studio.marey('contacts', '-L', studio.library, name)
  for (const side of ['left', 'right']) {
    const held = contacts.filter(({ joint }) => joint.startsWith(side)).map(({ start, end }) => end - start)
    assert.ok(held.length > 0 && Math.max(...held) < frames, `the ${side} foot of ${name} steps`)
  }
}

/** How far off the page says that it is. */
async function centimetres(user, words) {
  const text = await user.page.getByText(words).filter({ visible: true }).first().textContent()
  return Number(/([\d.]+) cm off|less than ([\d.]+) cm/.exec(text).slice(1).find(Boolean))
}

// The tasks. What is chosen in them is what the library calls things: the card with a kick and where in it one is, and so on.

async function markedOnes(user, { typed, card, seconds, one }) {
  await user.type('Search names, labels, descriptions', typed)
  await user.doubleClick(card)
  if (one) await markSeconds(user, seconds, one)
  await user.click('Find more')
  await user.sees(/\d+ match/)
}

async function findAllKicks(user, studio, choice, before) {
  await markedOnes(user, choice)
  await user.click('Cut into clips')
  await user.sees(/^Cut into/)
  const saved = await newest(studio, before, choice.about)
  assert.ok(saved.length >= choice.least, `${saved.length} kicks were saved`)
  return `${saved.length} kicks saved`
}

async function blendTwoWalks(user, studio, { typed, ticked = [] }, before) {
  await user.click('Mix')
  await user.click(/^Blend/)
  if (typed) await user.type('Type to find clips', typed)
  for (const card of ticked) {
    if (!typed) await user.type('Type to find clips', nameIn(card))
    await user.click(card)
  }
  await user.click('Blend')
  await user.sees(/Slide/)
  await user.click('Keep as clip')
  const [clip] = await newest(studio, before, /^blend of .*walk/i)
  for (const card of ticked) assert.match(clip.description, new RegExp(`[ ,]${nameIn(card)}`))
  assert.equal(aboutOf(clip).split(',').length, 2)
  return aboutOf(clip)
}

async function makeLoop(user, studio, { typed, card }, before) {
  await user.click('Mix')
  await user.click(/^Loop/)
  await user.type('Type to find clips', typed)
  await user.click(card)
  await user.click('Find loops')
  await user.sees(/Seam/)
  await user.click('Keep as clip')
  const [clip] = await newest(studio, before, /^loop of /)
  await steps(studio, clip)
  return `${aboutOf(clip)}, ${clip.seconds.toFixed(2)} s`
}

async function reachAPoint(user, studio, choice, before) {
  await markedOnes(user, choice)
  await user.click('Family')
  await user.click('Build the family')
  const pad = user.page.getByRole('slider', { name: /wanted/i }).or(user.page.getByRole('application', { name: /wanted|target/i }))
  await pad.first().waitFor({ timeout: 90000 })
  await user.drag(pad.first(), [0.5, 0.5], choice.to ?? [0.55, 0.42])
  const said = /cm off|less than 0.1 cm/
  await user.sees(said)
  await user.click('Keep as clip')
  const [clip] = await newest(studio, before, /^motion of family /)
  const off_cm = await centimetres(user, said)
  assert.ok(off_cm < 3, `the hand is ${off_cm} cm off`)
  return `${aboutOf(clip)}, ${off_cm} cm off at most`
}

async function walkAPath(user, studio, { built, another, through }, before) {
  await user.click('Walk')
  await user.click(/^Motion graphs/)
  if (another) await user.choose('Graph', 'new…')
  if (!built) await user.click('Build the graph')
  await user.click('Draw a path')
  await user.drag(user.page.getByRole('application', { name: /Point / }), ...through)
  const said = /off on the mean/
  await user.sees(said)
  await user.click('Keep as clip')
  const [clip] = await newest(studio, before, /^walk through graph /)
  const off_cm = await centimetres(user, said)
  assert.ok(off_cm < 20, `the walk is ${off_cm} cm off`)
  return `${aboutOf(clip)}, ${clip.seconds.toFixed(1)} s, ${off_cm} cm off`
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
  await until('it is kept', async () => (await studio.marey('puppet', 'ls', studio.library)).puppets.length > 0)
  return 'puppet mine'
}

/** Each with the choices that it is done with. */
const tasks = [
  ['find all kicks and save them', findAllKicks, 'kicks'],
  ['blend two walks', blendTwoWalks, 'walks'],
  ['a seamless loop', makeLoop, 'loops'],
  ['a reach to a point', reachAPoint, 'reaches'],
  ['a walk on a drawn path', walkAPath, 'paths'],
  ['teach a puppet', teachAPuppet, 'lessons'],
]

// The same by keys.

async function markByKeys(user, { typed, card, one }) {
  await user.open(typed, card)
  await user.mark(one)
  await user.key('m')
  await user.at('Search')
  await user.sees(/\d+ match/)
}

async function findAllKicksByKeys(user, studio, choice, before) {
  await markByKeys(user, choice)
  await user.click('Cut into clips')
  await user.sees(/^Cut into/)
  const saved = await newest(studio, before, choice.about)
  assert.ok(saved.length >= choice.least, `${saved.length} kicks were saved`)
  return `${saved.length} kicks saved`
}

async function blendByKeys(user, studio, { typed }, before) {
  await user.click('Mix')
  await user.click(/^Blend/)
  await user.sees('Blend which clips?')
  await user.write(typed)
  await user.key('Enter')
  await user.at('Blend')
  await user.sees(/Slide/)
  await user.click('Keep as clip')
  const [clip] = await newest(studio, before, /^blend of .*walk/i)
  return aboutOf(clip)
}

async function loopByKeys(user, studio, { named }, before) {
  await user.click('Mix')
  await user.click(/^Loop/)
  await user.sees('A loop of which clip?')
  await user.write(named)
  await user.key('Enter')
  await user.at('Loop')
  await user.sees(/Slide/)
  await user.click('Keep as clip')
  const [clip] = await newest(studio, before, new RegExp(`^loop of ${named}`))
  await steps(studio, clip)
  return aboutOf(clip)
}

async function reachByKeys(user, studio, choice, before) {
  await markByKeys(user, choice)
  await user.click('Family')
  await user.click('Build the family')
  await user.page.getByRole('application', { name: /^Wanted/ }).waitFor({ timeout: 90000 })
  await user.go(/^Wanted/)
  await user.press('ArrowRight', 3)
  await user.key('ArrowUp')
  const said = /cm off|less than 0.1 cm/
  await user.sees(said)
  await user.click('Keep as clip')
  const [clip] = await newest(studio, before, /^motion of family /)
  return `${aboutOf(clip)}, ${await centimetres(user, said)} cm off at most`
}

async function walkByKeys(user, studio, choice, before) {
  await user.key('g')
  await user.at('Motion graphs')
  await user.click('Build the graph')
  await user.click('Draw a path')
  await user.sees(/Arrow keys move the pen/)
  await user.press('Shift+ArrowDown', 4)
  await user.press('Insert')
  await user.press('Shift+ArrowRight', 6)
  await user.press('Shift+ArrowDown', 2)
  await user.key('Enter')
  const said = /off on the mean/
  await user.sees(said)
  await user.click('Keep as clip')
  const [clip] = await newest(studio, before, /^walk through graph /)
  const off_cm = await centimetres(user, said)
  assert.ok(off_cm < 20, `the walk is ${off_cm} cm off`)
  return `${aboutOf(clip)}, ${off_cm} cm off`
}

async function teachByKeys(user, studio) {
  await user.key('u')
  await user.at('Puppets')
  await user.go('Play')
  await user.key('ArrowRight')
  await user.at('Show')
  await user.sees('1 of 3.')
  for (const then of ['2 of 3.', '3 of 3.']) {
    await user.go(/^Plan from above/)
    await user.press('Enter')
    await user.hold('ArrowRight', 1500)
    await user.key('Enter')
    await user.sees(then)
  }
  await user.click('Train')
  await until('it is kept', async () => (await studio.marey('puppet', 'ls', studio.library)).puppets.length > 0)
  return 'puppet mine'
}

const byKeys = [findAllKicksByKeys, blendByKeys, loopByKeys, reachByKeys, walkByKeys, teachByKeys]

/** Everything from the page as it opens; panels of the last task are left behind. */
async function doAll(given, fill, choices, what, keys = false) {
  const rows = []
  await inStudio(given, { fill, viewport: { width: 1600, height: 900 } }, async (page, studio) => {
    for (const [t, [name, task, of]] of tasks.entries()) {
      for (const [i, choice] of choices[of].slice(0, keys ? 1 : undefined).entries()) {
        await page.reload()
        await page.getByRole('status').filter({ hasText: /^\d+ clips$/ }).first().waitFor()
        const before = new Set((await clipsOf(studio)).map(({ id }) => id))
        const user = keys ? await KeyUser.of(page) : new User(page)
        const began = Date.now()
        const result = await (keys ? byKeys[t] : task)(user, studio, choice, before)
        const counted = keys ? ` ${String(user.presses).padStart(3)} ${String(user.furthest).padStart(2)}` : ''
        rows.push([name, user.actions, counted, ((Date.now() - began) / 1000).toFixed(1), result])
        const picture = `${name} ${keys ? 'keys' : i + 1} on ${what}.png`
        await page.screenshot({ path: join(given.shots, picture.replaceAll(' ', '-')) })
      }
    }
  })
  const counted = keys ? 'actions, presses, Tabs to the furthest control' : `actions (of ${mostActions})`
  console.log(`six tasks on ${what}${keys ? ' by keys' : ''}: ${counted}, seconds, result`)
  for (const [name, actions, counted, seconds, result] of rows)
    console.log(`  ${name.padEnd(30)} ${String(actions).padStart(2)}${counted} ${seconds.padStart(6)} s  ${result}`)
  for (const [name, actions] of rows) assert.ok(actions <= mostActions, `${name} took ${actions} actions`)
}

const demoChoices = {
  kicks: [{ typed: 'kick', card: /^kicks/, seconds: 27.05, one: [2.03, 4.2], about: /kick/, least: 3 }],
  walks: [{ typed: 'walk' }],
  loops: [{ typed: 'walk', card: /^walk_slow/, named: 'walk_slow' }],
  reaches: [{ typed: 'reach', card: /^reach_right/, seconds: 60.33, one: [1.5, 4.5] }],
  paths: [{ through: [[0.2, 0.2], [0.8, 0.75]] }],
  lessons: [{}],
}

export async function six_tasks_take_at_most_twelve_actions_each_on_the_demo(given) {
  const fill = (studio) => run(studio.program, ['add', studio.library, '--demo', '--quiet'])
  await doAll(given, fill, demoChoices, 'the demo')
}

export async function six_tasks_are_done_by_keys_alone(given) {
  const fill = (studio) => run(studio.program, ['add', studio.library, '--demo', '--quiet'])
  await doAll(given, fill, demoChoices, 'the demo', true)
}

/** Of the CMU data base, by its own descriptions: each task as three users might choose. */
const realChoices = {
  kicks: [
    { typed: 'front kick', card: /^144_05(?![-\d])/, seconds: 23.2, one: [4.1, 5.8], about: /kick/i, least: 10 },
    { typed: 'left front', card: /^144_09(?![-\d])/, seconds: 28.19, one: [2.6, 4.4], about: /kick/i, least: 5 },
    { typed: 'kick ball', card: /^10_01(?![-\d])/, seconds: 6.68, one: [4.2, 6], about: /kick/i, least: 3 },
  ],
  walks: [
    { typed: 'walk' },
    { typed: 'walk fast', ticked: [/^132_17(?![-\d])/, /^132_22(?![-\d])/] },
    { ticked: [/^12_02(?![-\d])/, /^136_20(?![-\d])/] },
  ],
  loops: [
    { typed: 'walk', card: /^08_01(?![-\d])/ },
    { typed: 'normal walk', card: /^136_21(?![-\d])/ },
    { typed: 'slow', card: /^132_45(?![-\d])/ },
  ],
  reaches: [
    { typed: 'reach right', card: /^144_24(?![-\d])/, seconds: 39.2, one: [4.1, 5.9] },
    { typed: 'reach', card: /^144_24(?![-\d])/, seconds: 39.2, one: [11.7, 13.3], to: [0.4, 0.5] },
    { typed: 'reach', card: /^144_15(?![-\d])/, seconds: 27.52, one: [1.6, 4.7], to: [0.8, 0.5] },
  ],
  paths: [
    { through: [[0.2, 0.2], [0.8, 0.75]] },
    { built: true, through: [[0.25, 0.8], [0.75, 0.25]] },
    { another: true, through: [[0.3, 0.5], [0.8, 0.5]] },
  ],
  lessons: [{}],
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
  await doAll(given, fillWithReal, realChoices, `${wanted} real clips`)
}
