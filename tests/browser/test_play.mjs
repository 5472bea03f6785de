// test_play.mjs - the tab "Play" of motion graphs: what was played is counted, scrubbed and saved; a gamepad; places that are
// clicked.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { live, onPage, openGraph, panel, tab } from './graph_steps.mjs'
import { inStudio, noViolation, timeline, until, untilCommand } from './steps.mjs'

async function startMatching(page) {
  await openGraph(page)
  await tab(page, 'Play').click()
  await panel(page).getByLabel('Steered by').selectOption('matching')
  await panel(page).getByRole('button', { name: 'Start' }).click()
  await until('poses come', async () => (await live(page)).poses > 5)
}

async function startTrained(page) {
  await openGraph(page)
  await tab(page, 'Play').click()
  await panel(page).getByRole('button', { name: 'Train it' }).click()
  await panel(page).getByRole('button', { name: 'Start' }).click()
  await until('poses come', async () => (await live(page)).poses > 5)
}

const frameField = (page) => timeline(page).getByLabel('Frame; type a number to go there')

/** Where the hips are drawn. */
const hips = (page) =>
  page.evaluate(() => {
    const [body] = window.mareyViewer.characters
    return [...body.pose.places.slice(3 * body.figure.root, 3 * body.figure.root + 3)]
  })

async function playAndKeep(page, studio, shots, controller) {
  const count = async () => Number(await frameField(page).inputValue())
  await until('the timeline counts', async () => (await count()) > 30)
  assert.ok(await timeline(page).getByRole('button', { name: 'Play', exact: true }).isDisabled(), 'it is live')
  await page.keyboard.down('ArrowUp')
  await until('it goes, with transitions', async () => {
    const { x_cm, z_cm } = await live(page)
    return (Math.hypot(x_cm, z_cm) > 300 && (await count()) > 200) || [x_cm, z_cm]
  })
  await page.screenshot({ path: join(shots, `play-${controller}-live.png`) })
  await noViolation(page, 'a timeline that counts')
  await page.keyboard.up('ArrowUp')
  await panel(page).getByRole('button', { name: 'Stop' }).click()
  const said = await panel(page).getByText(/control 0\.\d+, transition/).textContent()
  const transitions = Number(/(\d+) transitions/.exec(said)[1])
  const marks = await timeline(page).getByRole('img', { name: /^transition/ }).count()
  assert.ok(transitions > 0 && marks > 0, `${transitions} transitions, ${marks} marks`)

  // What was seen, at some moments.
  const seen = []
  const last = Number((await timeline(page).getByText(/^\/ \d+ ·/).textContent()).match(/\d+/)[0])
  assert.ok(last > 200, 'all of it can be scrubbed')
  for (const frame of [60, Math.round(last / 2), last - 30]) {
    await frameField(page).fill(String(frame))
    await frameField(page).press('Enter')
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))
    seen.push({ at_s: frame / 60, place: await hips(page) })
  }
  await page.screenshot({ path: join(shots, `play-${controller}-stopped.png`) })
  await noViolation(page, 'what was played')

  await panel(page).getByRole('textbox', { name: 'New clip' }).fill('played')
  await panel(page).getByRole('button', { name: 'Keep as clip' }).click()
  await page.getByText('Saved as played').waitFor()
  await untilCommand(page, /marey graph control \S+ standard --script \/dev\/stdin .*:played/)
  const { clips } = await studio.marey('ls', studio.library)
  assert.ok(clips.some(({ name, made }) => name === 'played'), 'it is in the library')
  await page.getByRole('region', { name: 'Notices' }).getByRole('button', { name: 'Open' }).click()
  await until('the clip is open', () => page.evaluate(() => window.mareyViewer.characters[0]?.shown.clip.name === 'played'))
  const fps = clips.find(({ name }) => name === 'played').fps
  for (const { at_s, place } of seen) {
    await frameField(page).fill(String(Math.round(at_s * fps)))
    await frameField(page).press('Enter')
    // Feet are held and differences spread in the clip that is saved, so that the hips are a little elsewhere; half a frame
    // may be between the two.
    await until('the saved one is where it was seen', async () => {
      const now = await hips(page)
      return Math.hypot(now[0] - place[0], now[1] - place[1], now[2] - place[2]) < 6 || [now, place]
    })
  }
}

export async function what_was_played_by_matching_is_counted_scrubbed_and_saved(given) {
  await inStudio(given, {}, async (page, studio) => {
    await startMatching(page)
    await playAndKeep(page, studio, given.shots, 'matching')
  })
}

export async function what_was_played_by_a_graph_is_counted_scrubbed_and_saved(given) {
  await inStudio(given, {}, async (page, studio) => {
    await startTrained(page)
    await playAndKeep(page, studio, given.shots, 'graph')
  })
}

/** A gamepad that the tests hold. */
function fakePad(page) {
  return page.evaluate(() => {
    const button = () => ({ pressed: false, value: 0 })
    window.pad = { id: 'Test pad', connected: true, mapping: 'standard', axes: [0, 0, 0, 0], buttons: Array.from({ length: 16 }, button) }
    navigator.getGamepads = () => [window.pad]
  })
}

const press = (page, button, pressed) =>
  page.evaluate(([i, down]) => (window.pad.buttons[i] = { pressed: down, value: down ? 1 : 0 }), [button, pressed])
const push = (page, axes) => page.evaluate((to) => (window.pad.axes = to), axes)

export async function a_gamepad_steers_asks_and_stops(given) {
  await inStudio(given, {}, async (page) => {
    await openGraph(page)
    await tab(page, 'Play').click()
    await panel(page).getByRole('button', { name: 'Train it' }).click()
    await panel(page).getByRole('button', { name: 'Start' }).waitFor()
    await fakePad(page)
    await panel(page).getByText(/^Gamepad: the left stick steers/).waitFor()
    await press(page, 9, true)
    await until('Start starts', async () => (await live(page)).poses > 5)
    await press(page, 9, false)
    await push(page, [0.1, 0, 0, 0])
    await until('the dead zone is no input', async () => (await live(page)).input.speed_cm_s === 0)
    await push(page, [0, -0.6, 0, 0])
    await until('half way is half as fast', async () => (await live(page)).input.speed_cm_s > 10)
    const half = (await live(page)).input.speed_cm_s
    await push(page, [0, -1, 0, 0])
    await until('all the way is faster', async () => (await live(page)).input.speed_cm_s > 1.5 * half)
    const full = (await live(page)).input.speed_cm_s
    await press(page, 7, true)
    await until('a trigger is the fastest', async () => (await live(page)).input.speed_cm_s > full + 5)
    await press(page, 7, false)
    const before = await page.evaluate(() => window.mareyViewer.looking_rad)
    await push(page, [0, 0, 1, 0])
    await until('the right stick turns the view', async () => {
      return Math.abs((await page.evaluate(() => window.mareyViewer.looking_rad)) - before) > 0.2
    })
    await push(page, [0, 0, 0, 0])
    await press(page, 0, true)
    await panel(page).getByRole('button', { name: /^1 .*, it (is on its way to|does) that/ }).waitFor()
    await press(page, 0, false)
    await page.screenshot({ path: join(given.shots, 'play-pad.png') })
    await noViolation(page, 'a gamepad')
    await press(page, 9, true)
    await panel(page).getByText(/control 0\.\d+, transition/).waitFor()
  })
}

async function goes(page, place, how) {
  await how(place)
  await panel(page).getByText('it is on its way').waitFor()
  const status = panel(page).getByText(/^it stands \d+ cm from there/)
  await status.waitFor()
  return Number(/\d+/.exec(await status.textContent())[0])
}

/** Within 80 cm: a character of a graph stops where its motions let it, half a step or more from where it is asked to. */
const within_cm = 80

async function goesEverywhere(page, shots, name) {
  const type = async ([x, z]) => {
    await panel(page).getByRole('spinbutton', { name: /^x/ }).fill(String(x))
    await panel(page).getByRole('spinbutton', { name: /^z/ }).fill(String(z))
    await panel(page).getByRole('button', { name: 'Go there' }).click()
  }
  page.setDefaultTimeout(45000)
  const misses = []
  // Ahead, beside and behind where it stands and faces.
  for (const [left, ahead] of [[0, 300], [300, 0], [0, -300]]) {
    const { x_cm, z_cm, does } = await live(page)
    const [cos, sin] = [Math.cos(does.direction_rad), Math.sin(does.direction_rad)]
    const place = [x_cm + ahead * cos - left * sin, z_cm - ahead * sin - left * cos].map(Math.round)
    misses.push(await goes(page, place, type))
  }
  assert.ok(misses.every((miss) => miss < within_cm), `${name}: ${misses} cm`)
  if (process.env.MAREY_TEST_TIMES) console.log(`${name}: ${misses.join(', ')} cm`)
}

export async function it_goes_where_is_asked_from_ahead_beside_and_behind_by_graph(given) {
  await inStudio(given, {}, async (page) => {
    await startTrained(page)
    await goesEverywhere(page, given.shots, 'graph')
  })
}

export async function it_goes_where_is_clicked_and_a_key_ends_that(given) {
  await inStudio(given, {}, async (page) => {
    await startMatching(page)
    await goesEverywhere(page, given.shots, 'matching')
    const { x_cm, z_cm } = await live(page)
    const { x, y } = await onPage(page, x_cm + 120, z_cm + 60)
    await page.mouse.click(x, y)
    await panel(page).getByText('it is on its way').waitFor()
    assert.ok(await page.evaluate(() => window.mareyViewer.way.path?.points.length === 1), 'a mark shows the place')
    await page.screenshot({ path: join(given.shots, 'play-going.png') })
    await noViolation(page, 'a character on its way')
    await page.keyboard.press('ArrowLeft')
    await until('a key ends it', () => page.evaluate(() => window.mareyViewer.way.path === null))
    await panel(page).getByRole('button', { name: 'Stop' }).click()
  })
}
