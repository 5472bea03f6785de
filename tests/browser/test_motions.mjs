// test_motions.mjs - motions of families that the character of a motion graph is asked for: on a path that it walks, one after the
// other, and while it is steered; and places with headings.
import assert from 'node:assert/strict'
import { copyFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { live, onPage, onPlan, openGraph, optionOf, panel, plan, tab } from './graph_steps.mjs'
import { drag, fillTwice, fillWithDemo, inStudio, loaded, noViolation, runLine, timeline, until, untilCommand, untilEqual, untilFrame } from './steps.mjs'

/** Also kicks by their height; and the middles of cartwheels, whose beginning is like no frame of the demo's graph. */
async function fillMotions(studio) {
  await fillWithDemo(studio)
  const build = (...words) => studio.marey('param', 'build', studio.library, ...words, '--feature', 'height(right_ankle, highest)')
  await build('kick', '--query', 'kicks#2s-4s')
  await build('wheel', '--clips', 'cartwheels#200-260,cartwheels#525-585,cartwheels#874-934')
  studio.twin = join(studio.folder, 'twin.marey')
  copyFileSync(studio.library, studio.twin)
}

const motions = (page) => panel(page).getByRole('region', { name: /^Motions/ })
const motion = (page, name) => motions(page).getByRole('group', { name: new RegExp(`^${name}, motion \\d of \\d$`) })

function add(page, family) {
  return motions(page).getByRole('group', { name: 'Add a motion' }).getByRole('button', { name: `+ ${family}`, exact: true }).click()
}

/** What is asked for, as the command line says it. */
async function asked(page) {
  const line = (await page.getByRole('contentinfo').getByRole('code').textContent()) ?? ''
  return [...line.matchAll(/--do '([^']+)'/g)].map(([, word]) => word)
}

async function untilAsked(page, ...patterns) {
  await until(`the motions are like ${patterns.join(' ')}`, async () => {
    const words = await asked(page)
    return (words.length === patterns.length && patterns.every((each, i) => each.test(words[i]))) || words
  })
}

async function type(field, value) {
  await field.fill(String(value))
  await field.press('Enter')
}

/** The middle of an element. */
async function middle(locator) {
  const { x, y, width, height } = await locator.boundingBox()
  return { x: x + width / 2, y: y + height / 2 }
}

/** What the program says of the walk that is shown. */
async function program(page, studio) {
  const line = await untilCommand(page, /^marey graph walk \S+ standard .*--do .* -o \S+$/)
  await runLine(studio, line.replace(/-o \S+$/, '-o again.bvh --fps 30 --json > again.json'), studio.twin)
  return JSON.parse(readFileSync(join(studio.folder, 'again.json'), 'utf8'))
}

export async function motions_of_families_are_done_on_a_path(given) {
  await inStudio(given, { fill: fillMotions }, async (page, studio) => {
    await openGraph(page)
    await tab(page, 'Walk').click()
    await plan(page).waitFor()
    await add(page, 'kick')
    const kick = motion(page, 'kick')
    const height = kick.getByRole('spinbutton', { name: /^height/ })
    const [least, most] = [Number(await height.getAttribute('min')), Number(await height.getAttribute('max'))]
    const first = Number(await height.inputValue())
    assert.ok(least < 60 && most > 105 && first > 70 && first < 100, [least, first, most].join())
    await untilAsked(page, /^kick\(height=[\d.]+\)@\d+$/)
    await type(height, 95)
    await untilAsked(page, /^kick\(height=95\)@\d+$/)

    const along = kick.getByRole('spinbutton', { name: 'At' })
    const before = Number(await along.inputValue())
    await drag(page, await middle(panel(page).locator('.plan-mark')), await onPlan(page, 0, 200))
    await until('the mark is where it was dragged', async () => {
      const now = Number(await along.inputValue())
      return (now < before - 50 && Math.abs(now - 200) < 8) || now
    })
    await untilAsked(page, new RegExp(`^kick\\(height=95\\)@${await along.inputValue()}$`))
    const marked = panel(page).getByRole('application', { name: /^Motion kick, \d+ cm along the path/ })
    await marked.press('ArrowRight')
    await until('keys move it on', async () => Math.abs(Number(await along.inputValue()) - 210) < 8 || along.inputValue())

    await add(page, 'reach')
    await motion(page, 'reach').getByRole('checkbox', { name: 'At the end' }).check()
    await untilAsked(page, /^kick\(height=95\)@2\d\d$/, /^reach\(position=-?[\d.]+,[\d.]+,[\d.]+\)@end$/)
    await loaded(page)
    await noViolation(page, 'motions on a path')

    const told = await program(page, studio)
    assert.deepEqual(told.requests.map(({ family }) => family), ['kick', 'reach'])
    for (const { family, at, length, error } of told.requests) {
      assert.ok(error < 1, `${family}: ${error}`)
      const came = motion(page, family).getByRole('button', { name: new RegExp(`^frame ${at} .*off, \\d+ cm from its place`) })
      await came.click()
      await untilFrame(page, at)
      await timeline(page).getByRole('img', { name: new RegExp(`^frames ${at} to ${at + length - 1}: ${family}, .* off`) }).waitFor()
    }
    assert.ok(await panel(page).getByRole('button', { name: 'Obstacle', exact: true }).isDisabled())

    await type(height, most)
    await kick.getByText(/outside what can be reached: \d+(\.\d)? cm off/).waitFor()

    await add(page, 'wheel')
    await motion(page, 'wheel').getByRole('alert').filter({ hasText: 'no frame that walks in the graph use is like the beginning' }).waitFor()
    assert.equal(await kick.getByRole('alert').count(), 0, 'it is said where it belongs')
    await noViolation(page, 'a motion that is refused')
    await motions(page).getByRole('button', { name: /^Take out wheel/ }).click()
    await kick.getByRole('button', { name: /^frame \d+/ }).waitFor()
    // That it was refused is the browser's own remark.
    page.complaints = page.complaints.filter((each) => !/\b400\b.*graph-walk$/.test(each))
  })
}

export async function motions_of_families_are_done_one_after_the_other(given) {
  await inStudio(given, { fill: fillMotions }, async (page, studio) => {
    await openGraph(page)
    await tab(page, 'Walk').click()
    await panel(page).getByRole('button', { name: 'Through motions' }).click()
    await add(page, 'reach')
    await untilAsked(page, /^reach\(position=[-\d.,]+\)$/)
    await add(page, 'kick')
    await untilAsked(page, /^reach\(position=[-\d.,]+\)$/, /^kick\(height=[\d.]+\)$/)
    await panel(page).getByText('every motion is done').waitFor()
    const told = await program(page, studio)
    for (const { family, at } of told.requests) {
      await motion(page, family).getByRole('button', { name: new RegExp(`^frame ${at} `) }).waitFor()
    }
    await motions(page).getByRole('button', { name: /^Take out reach/ }).click()
    await untilAsked(page, /^kick\(height=[\d.]+\)$/)
    await noViolation(page, 'motions in their order')
  })
}

export async function places_have_headings(given) {
  await inStudio(given, { fill: fillTwice }, async (page) => {
    await openGraph(page)
    await tab(page, 'Walk').click()
    await panel(page).getByRole('button', { name: 'To places' }).click()
    const at = () => optionOf(page, 'at')
    await untilEqual('the places to begin with', at, ['0s:0,0', '4s:0,300', '9s:300,400'])
    await drag(page, await middle(panel(page).locator('.plan-heading circle').nth(2)), await onPlan(page, 300, 280))
    const heading = panel(page).getByRole('spinbutton', { name: 'Heading' })
    await until('the last one looks up the plan', async () => {
      const word = (await at())[2]
      const turned = Number(word?.match(/^9s:300,400,(\d+)$/)?.[1])
      return Math.abs(turned - 90) < 20 || word
    })
    const turned = Number(await heading.inputValue())
    await panel(page).getByRole('application', { name: new RegExp(`^Place 3 of 3, at 9 s, heading ${turned} degrees`) }).waitFor()
    await panel(page).getByText(/place is reached, \d+ cm and \d+ degrees off at most/).waitFor()
    await type(heading, -45)
    await untilEqual('what was typed', async () => (await at())[2], '9s:300,400,-45')
    await noViolation(page, 'places with headings')
    await panel(page).getByRole('button', { name: 'Any heading' }).click()
    await untilEqual('any heading', async () => (await at())[2], '9s:300,400')
  })
}

/** The graph can also be steered. */
async function fillSteered(studio) {
  await fillMotions(studio)
  for (const library of [studio.library, studio.twin]) await studio.marey('graph', 'train', library, 'standard')
}

const doList = (page) => panel(page).getByRole('region', { name: 'Do', exact: true })
const doable = (page, name) => doList(page).getByRole('group', { name: new RegExp(`^(Action|Family) ${name}$`) })
const doButton = (page, name) => doable(page, name).getByRole('button', { name: new RegExp(`^\\d? ?${name}`) }).first()

/** Notes how high the right foot gets from now on, in all poses that come. */
function watchFoot(page) {
  return page.evaluate(() => {
    const [body] = window.mareyViewer.characters
    const { live, clip } = body.shown
    const take = live.take.bind(live)
    window.footHeight_cm = 0
    live.take = (message) => {
      take(message)
      const at = 48 + 28 * clip.roles.right_ankle + 4
      window.footHeight_cm = Math.max(window.footHeight_cm, new DataView(message).getFloat32(at, true))
    }
  })
}

/** Notes that one is said to be done from now on, however short that is. */
async function watchDoing(page, name) {
  await doable(page, name).evaluate((group) => {
    window.wasDone = false
    const look = () => (window.wasDone ||= group.textContent.includes('it does that now'))
    new MutationObserver(look).observe(group, { childList: true, subtree: true, characterData: true })
  })
}

const untilDone = (page, what) => until(what, () => page.evaluate(() => window.wasDone))

async function untilPressed(page, name, pressed) {
  await untilEqual(`${name} is marked`, () => doButton(page, name).getAttribute('aria-pressed'), String(pressed))
}

export async function keys_buttons_and_clicks_ask_a_steered_character(given) {
  await inStudio(given, { fill: fillSteered }, async (page, studio) => {
    await openGraph(page)
    await tab(page, 'Play').click()
    await doable(page, 'kick').getByRole('spinbutton', { name: /^height/ }).waitFor()
    assert.ok(await doButton(page, 'kick').isDisabled(), 'there is no character yet')
    await panel(page).getByRole('button', { name: 'Start' }).click()
    await until('poses come', async () => (await live(page)).poses > 5)
    await loaded(page)
    await noViolation(page, 'what a character may be asked for')

    const turn = Number(await doButton(page, 'turn').locator('kbd').textContent())
    await watchDoing(page, 'turn')
    await page.keyboard.press(String(turn))
    await untilDone(page, 'it turns')
    await untilPressed(page, 'turn', false)

    await type(doable(page, 'kick').getByRole('spinbutton', { name: /^height/ }), 100)
    await watchFoot(page)
    await watchDoing(page, 'kick')
    await doButton(page, 'kick').click()
    await doable(page, 'kick').getByText(/^(less than 0\.1|[\d.]+) cm off$/).waitFor()
    await untilDone(page, 'it kicks')
    await noViolation(page, 'a character that does what it was asked for')
    await untilPressed(page, 'kick', false)
    await until('the foot was 100 cm high', async () => {
      const height = await page.evaluate(() => window.footHeight_cm)
      return Math.abs(height - 100) < 3 || height
    })

    await doButton(page, 'wheel').click()
    await doable(page, 'wheel').getByRole('alert').filter({ hasText: 'no frame that walks in the graph use' }).waitFor()
    await untilPressed(page, 'wheel', false)

    await doable(page, 'reach').getByRole('button', { name: /where the floor is clicked/ }).click()
    const { x_cm, z_cm, does } = await live(page)
    const [ahead, left] = [60, 20]
    const [cos, sin] = [Math.cos(does.direction_rad), Math.sin(does.direction_rad)]
    const spot = await onPage(page, x_cm + ahead * cos - left * sin, z_cm - ahead * sin - left * cos)
    await watchDoing(page, 'reach')
    await page.mouse.click(spot.x, spot.y)
    const field = (name) => doable(page, 'reach').getByRole('spinbutton', { name: new RegExp(`^${name}`) }).inputValue()
    const near = async (name, wanted) => assert.ok(Math.abs(Number(await field(name)) - wanted) < 12, `${name} ${await field(name)}`)
    await untilDone(page, 'it reaches')
    await near('ahead', ahead)
    await near('left', left)
    await untilPressed(page, 'reach', false)

    await panel(page).getByRole('button', { name: 'Stop' }).click()
    const line = await untilCommand(page, /^printf .* \| marey graph control \S+ standard .*--do turn@[\d.]+s --do 'kick\(height=100\)@[\d.]+s' --do 'reach\(position=[-\d.,]+\)@[\d.]+s'.* -o \S+:way/)
    await runLine(studio, line, studio.twin)
    const { clips } = await studio.marey('ls', studio.twin)
    assert.ok(clips.some(({ name }) => name.startsWith('way')), 'the command makes a clip of the same requests')

    await panel(page).getByLabel('Steered by').selectOption('matching')
    await doList(page).getByText('steered by matching takes no requests').waitFor()
    await panel(page).getByRole('button', { name: 'Start' }).click()
    await panel(page).getByRole('button', { name: 'Stop' }).waitFor()
    assert.ok(await doButton(page, 'kick').isDisabled())
  })
}
