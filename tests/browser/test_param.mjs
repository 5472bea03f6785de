// test_param.mjs - motions by what they do: the demo's family of reaches, dragged by keys and in the view, compared, kept and
// exported; and a family built of what a search found, which can be cancelled.
import assert from 'node:assert/strict'
import { copyFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  account,
  act,
  card,
  demo,
  drag,
  fillTwice,
  inStudio,
  loaded,
  mark,
  noViolation,
  open,
  runLine,
  select,
  timeline,
  until,
  untilCommand,
  untilCount,
  untilEqual,
} from './steps.mjs'

/** A reach of the demo's clip "reach_right", and all frames of that. */
const reach = { start: 131, end: 276 }

const panel = (page) => page.getByRole('region', { name: 'Families' })
const pad = (page) => panel(page).getByRole('application', { name: /^Wanted: / })
const miss = (page) => panel(page).locator('.param-miss')
const keepForm = (page) => panel(page).getByRole('form', { name: 'Keep' })

/** The wanted values, as the pad says them. */
async function wanted(page) {
  const name = (await pad(page).getAttribute('aria-label')) ?? ''
  return [...name.matchAll(/(-?[\d.]+) cm/g)].map((each) => Number(each[1]))
}

/** The command line is shown when what is on the screen is what is wanted. */
async function settled(page) {
  await until('the motion is made', async () => {
    const at = (await page.getByRole('contentinfo').getByRole('code').textContent())?.match(/--at[ =](\S+)/)?.[1]
    const now = await panel(page).locator('.param-number input').evaluateAll((all) => all.map(({ value }) => value).join())
    return at === now || `${at} and ${now}`
  })
}

/** The page draws what is wanted with its next picture: until then it still says the one before. */
async function untilWanted(page, what, isSo) {
  await until(what, async () => {
    const now = await wanted(page)
    return isSo(now) || now
  })
  await settled(page)
  return wanted(page)
}

/** Where the right hand is, and where in the scene the wanted place is, in cm. */
function places(page) {
  return page.evaluate(() => {
    const viewer = window.mareyViewer
    const [body] = viewer.characters
    const wrist = body.shown.clip.roles.right_wrist
    const hand = [...body.pose.places.slice(3 * wrist, 3 * wrist + 3)]
    const { origin } = viewer.stage
    const scene = viewer.cloud.wanted.getWorldPosition(viewer.cloud.spot.clone())
    return { hand, goal: [100 * scene.x + origin[0], 100 * scene.y, 100 * scene.z + origin[2]] }
  })
}

/** How far the hand is from what is wanted, in the view. */
async function apart(page) {
  const { hand, goal } = await places(page)
  return Math.hypot(...hand.map((each, i) => each - goal[i]))
}

/** The hand in the view is as far off as the panel says. */
async function untilHandFollows(page) {
  await until('the hand is where the panel says', async () => {
    const text = await miss(page).textContent()
    const told = Number(text.match(/([\d.]+) cm off/)[1])
    const seen = await apart(page)
    return Math.abs(seen - told) < (told < 10 ? 0.3 : 1) || `${text}: ${seen}`
  })
}

async function openReach(page) {
  await untilCount(page, '30 clips')
  await page.keyboard.press('p')
  await miss(page).locator('b').waitFor()
  await loaded(page)
  await settled(page)
}

/** Where the sphere is on the page. */
function sphere(page) {
  return page.evaluate(() => {
    const { cloud, rig } = window.mareyViewer
    const at = cloud.wanted.getWorldPosition(cloud.spot.clone()).project(rig.camera)
    const box = document.querySelector('.viewer-canvas').getBoundingClientRect()
    return { x: box.x + (0.5 + 0.5 * at.x) * box.width, y: box.y + (0.5 - 0.5 * at.y) * box.height }
  })
}

export async function a_hand_goes_where_it_is_wanted_by_keys_and_by_dragging(given) {
  await inStudio(given, {}, async (page) => {
    await openReach(page)
    await untilHandFollows(page)
    assert.ok((await apart(page)) < 1, 'an example can be had')
    const counts = await page.evaluate(() => {
      const { examples, samples } = window.mareyViewer.cloud
      return [examples.count, samples.count > 300]
    })
    assert.deepEqual(counts, [14, true])
    const before = await wanted(page)
    await pad(page).focus()
    for (let i = 0; i < 4; i++) await page.keyboard.press('ArrowUp')
    await page.keyboard.press('PageDown')
    const higher = await untilWanted(page, 'what is wanted is higher and nearer', (now) => {
      return now[1] > before[1] + 5 && now[2] < before[2]
    })
    await untilHandFollows(page)

    const eye = () => {
      return page.evaluate(() => {
        const { controls } = window.mareyViewer.rig
        return [controls.getAzimuthalAngle(), controls.getPolarAngle()].map((each) => each.toFixed(3))
      })
    }
    const from = await sphere(page)
    const stood = await eye()
    await drag(page, from, { x: from.x + 8, y: from.y + 25 })
    await untilWanted(page, 'what is wanted is lower', (now) => now[1] < higher[1] - 4)
    assert.deepEqual(await eye(), stood, 'the view is not turned')
    await untilHandFollows(page)

    await pad(page).focus()
    for (let i = 0; i < 9; i++) await page.keyboard.press('Shift+ArrowUp')
    await untilWanted(page, 'what is wanted is far above', (now) => now[1] > higher[1] + 40)
    await until('it says that this is too high', async () => {
      const text = await miss(page).textContent()
      return /^outside what can be reached: \d+ cm off/.test(text) || text
    })
    await untilHandFollows(page)
    assert.ok((await apart(page)) > 20)
    await noViolation(page, 'the panel Families')
  })
}

export async function a_motion_of_a_family_is_compared_kept_and_exported(given) {
  await inStudio(given, { fill: fillTwice }, async (page, studio) => {
    await openReach(page)
    await pad(page).focus()
    await page.keyboard.press('Shift+ArrowUp')
    await settled(page)
    await panel(page).getByRole('checkbox', { name: 'Nearest example' }).check()
    await untilEqual('the bodies', () => page.evaluate(() => window.mareyViewer.characters.length), 2)
    await loaded(page)
    const feet = await page.evaluate(() => {
      const [made, example] = window.mareyViewer.characters
      const hips = (one) => [0, 2].map((k) => one.pose.places[3 * one.figure.root + k])
      return Math.hypot(...hips(made).map((each, i) => each - hips(example)[i]))
    })
    assert.ok(feet < 25, `they stand in one place, ${feet} cm apart`)
    await panel(page).getByRole('checkbox', { name: 'Nearest example' }).uncheck()

    await keepForm(page).getByLabel('New clip').fill('grab')
    await keepForm(page).getByRole('button', { name: 'Keep as clip' }).click()
    await keepForm(page).getByRole('button', { name: 'Open grab' }).waitFor()
    await page.getByText('kept as grab', { exact: true }).waitFor()
    const line = await untilCommand(page, /^marey param make .*lib\.marey reach --at\S* ?\S* -o \S+:grab$/)
    await runLine(studio, line, studio.twin)
    assert.deepEqual(await account(studio, studio.library, 'grab'), await account(studio, studio.twin, 'grab'))

    const [file] = await Promise.all([
      page.waitForEvent('download'),
      keepForm(page).getByRole('button', { name: 'Export' }).click(),
    ])
    const text = readFileSync(await file.path(), 'utf8')
    assert.match(text, /^HIERARCHY/)
    await runLine(studio, await untilCommand(page, /param make .* -o reach\.bvh$/), studio.twin)
    assert.equal(readFileSync(join(studio.folder, 'reach.bvh'), 'utf8'), text)

    await keepForm(page).getByRole('button', { name: 'Open grab' }).click()
    await card(page, 'grab').waitFor()
    await untilEqual('the targets', () => page.evaluate(() => window.mareyViewer.cloud.shown), false)
  })
}

let indexed = null

/** Reaches alone. */
async function fillWithReaches(studio) {
  indexed ??= (async () => {
    const folder = await demo(studio.program)
    const kept = join(folder, 'reaches.marey')
    await studio.marey('add', kept, join(folder, 'reach_right.bvh'), join(folder, 'small_reach.bvh'))
    return kept
  })()
  copyFileSync(await indexed, studio.library)
}

async function allFound(page) {
  const found = page.locator('.search-findings')
  await until('all is found', async () => (await found.getAttribute('aria-busy').catch(() => null)) === 'false')
}

/** Behind some films, which take long, a family waits until it is cancelled; its form stays. */
async function buildAndCancel(page, form, studio) {
  const post = (path, body) =>
    page.evaluate(
      async ([path, body]) => {
        const headers = { 'Content-Type': 'application/json' }
        const answer = await fetch(path, { method: 'POST', headers, body: JSON.stringify(body) })
        return answer.json()
      },
      [path, body],
    )
  const films = []
  for (let i = 0; i < 3; i++) films.push((await post('/api/do/render', { clips: [1], output: 'film.mp4' })).job)
  await form.getByRole('button', { name: 'Build the family' }).click()
  await panel(page).getByRole('progressbar', { name: 'Building lift' }).waitFor()
  await noViolation(page, 'a family that is being built')
  await panel(page).getByRole('button', { name: 'Cancel' }).click()
  await page.getByText('lift was not built').waitFor()
  await until('nothing is being built', async () => (await panel(page).getByRole('progressbar').count()) === 0)
  for (const film of films) await post(`/api/jobs/${film}/cancel`, {})
  assert.deepEqual((await studio.marey('param', 'ls', studio.library)).spaces, [])
}

/** What does not belong is listed, and one of it can be kept. */
async function takeOneAnyway(page, studio, examples) {
  const out = panel(page).getByRole('list', { name: 'Left out' })
  await out.getByText('moves otherwise').waitFor()
  await noViolation(page, 'what is left out of a family')
  const left = await out.getByRole('button', { name: 'Keep' }).count()
  await out.getByRole('button', { name: 'Keep' }).first().click()
  await untilCommand(page, /^marey param build .* --keep \S+$/)
  await until('one less is left out', async () => (await out.getByRole('button', { name: 'Keep' }).count()) === left - 1)
  const { spaces } = await studio.marey('param', 'ls', studio.library)
  assert.equal(spaces[0].examples.length, examples + 1)
}

export async function matches_of_a_search_become_a_family(given) {
  await inStudio(given, { fill: fillWithReaches }, async (page, studio) => {
    await untilCount(page, '2 clips')
    await page.keyboard.press('p')
    await panel(page).getByText('A family is made of examples').waitFor()
    await noViolation(page, 'the panel without a family')
    await page.keyboard.press('p')
    await open(page, 'reach_right')
    const frames = await page.evaluate(() => window.mareyViewer.characters[0].shown.clip.frames)
    await mark(page, frames, reach.start, reach.end - 1)
    await timeline(page).getByRole('button', { name: 'Find more' }).click()
    await allFound(page)
    await page.getByRole('button', { name: 'More settings' }).click()
    const most = page.getByRole('spinbutton', { name: 'At most' })
    await most.fill('30')
    await most.press('Tab')
    await untilCommand(page, /--limit 30/)
    await allFound(page)
    await page.getByRole('slider', { name: 'Threshold' }).evaluate((slider) => {
      slider.value = slider.max
      slider.dispatchEvent(new Event('input', { bubbles: true }))
      slider.dispatchEvent(new Event('change', { bubbles: true }))
    })
    await untilCommand(page, /--threshold/)
    await allFound(page)
    await page.getByRole('form', { name: 'The ticked matches' }).getByRole('button', { name: 'Family' }).click()

    const form = panel(page).getByRole('form', { name: 'New family' })
    await form.getByLabel('What').selectOption('height')
    await form.getByLabel('Joint').selectOption('right_wrist')
    await form.getByLabel('Name').fill('lift')
    await noViolation(page, 'the form for a family')
    await buildAndCancel(page, form, studio)
    await form.getByRole('button', { name: 'Build the family' }).click()
    await miss(page).locator('b').waitFor()
    const slider = panel(page).getByRole('slider', { name: 'height of RightHand' })
    const height = () => panel(page).getByRole('spinbutton').inputValue()
    const before = Number(await height())
    await slider.press('ArrowUp')
    await slider.press('ArrowUp')
    await until('it is higher', async () => Number(await height()) > before)
    await settled(page)
    const { spaces } = await studio.marey('param', 'ls', studio.library)
    assert.deepEqual(spaces.map(({ name, features }) => [name, features]), [['lift', ['height(right_wrist, apex)']]])
    await takeOneAnyway(page, studio, spaces[0].examples.length)
    await panel(page).getByRole('button', { name: 'Remove the family lift' }).click()
    await untilCommand(page, /^marey param rm .* lift$/)
    assert.deepEqual((await studio.marey('param', 'ls', studio.library)).spaces, [])

    await panel(page).getByRole('button', { name: 'Back to the library' }).click()
    await page.getByRole('region', { name: 'Library' }).waitFor()
    await select(page, 'reach_right', 'small_reach')
    await act(page, 'Family').click()
    await panel(page).getByText('2 examples').waitFor()
  })
}
