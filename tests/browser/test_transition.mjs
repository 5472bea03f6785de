// test_transition.mjs - from one clip over into another: cuts, ghosts, the live preview, and what is kept.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import {
  act,
  card,
  chooseClip,
  command,
  fillTwice,
  inStudio,
  loaded,
  noViolation,
  open,
  search,
  select,
  timeline,
  twinAgrees,
  until,
  untilCommand,
  untilCount,
  untilEqual,
  viewer,
} from './steps.mjs'

const panel = (page) => page.getByRole('region', { name: 'Transition' })
const handle = (page, name) => panel(page).getByRole('slider', { name: `Frame of ${name} at the cut` })
const cuts = (page) => panel(page).getByRole('list', { name: 'Cuts, the best first' }).getByRole('button')
const figures = (page) => panel(page).locator('dl.making-figures')

/** The frames of both clips at the cut. */
async function at(page, a, b) {
  const frame = async (name) => Number(await handle(page, name).getAttribute('aria-valuenow'))
  return [await frame(a), await frame(b)]
}

/** What the viewer holds: the leader's number and length, and the frames at which the ghosts stand. */
function viewed(page) {
  return page.evaluate(() => {
    const [leader, ...ghosts] = window.mareyViewer.characters.map(({ shown }) => shown)
    return {
      leader: leader.clip.id,
      frames: leader.clip.frames,
      held: ghosts.filter(({ held }) => held).map(({ alignFrame }) => alignFrame),
    }
  })
}

const isMade = async (page) => (await figures(page).getAttribute('aria-busy').catch(() => null)) === 'false'

async function begin(page, a, b) {
  await untilCount(page, '30 clips')
  await search(page, 'straight', '4 of 30 clips')
  await select(page, a, b)
  await act(page, 'Transition').click()
  await figures(page).waitFor()
  await loaded(page)
  await until('it is made', () => isMade(page))
}

async function best(studio, a, b, ...options) {
  const { cuts: told } = await studio.marey('transition', '-L', studio.library, a, b, ...options)
  return told.map((cut) => (Array.isArray(cut) ? cut.slice(0, 2) : [cut.a, cut.b]))
}

export async function the_best_cut_is_made_and_shown_with_ghosts(given) {
  await inStudio(given, { colorScheme: 'dark' }, async (page, studio) => {
    await begin(page, 'jog_straight', 'walk_straight')
    const [first] = await best(studio, 'jog_straight', 'walk_straight', '--count', '1')
    await untilEqual('the cut', () => at(page, 'jog_straight', 'walk_straight'), first)
    await untilEqual('the ghosts', async () => (await viewed(page)).held, first)
    assert.equal((await viewed(page)).leader, -1)
    await untilCommand(page, new RegExp(` transition -L \\S+ jog_straight walk_straight --half 15 --at ${first.join(',')} -o `))
    assert.match(await figures(page).textContent(), /Slide.*cm.*Jump.*×.*Knees.*×/s)
    assert.ok((await cuts(page).count()) > 0)
    await handle(page, 'jog_straight').focus()
    for (let n = 0; n < 6; n++) await page.keyboard.press('Shift+ArrowRight')
    await untilCommand(page, new RegExp(` --at ${first[0] + 60},`))
    await until('it is made', () => isMade(page))
    await page.screenshot({ path: join(given.shots, '27-transition.png') })
    await noViolation(page, 'a transition')
    await page.keyboard.press('Escape')
    await card(page, 'jog_straight').waitFor()
    await untilEqual('both clips stay open', () => page.evaluate(() => window.mareyViewer.characters.map(({ shown }) => Boolean(shown.held))), [false, false])
  })
}

export async function cuts_are_dragged_and_stepped_and_the_preview_follows(given) {
  await inStudio(given, { colorScheme: 'light' }, async (page) => {
    await begin(page, 'jog_straight', 'walk_straight')
    const [i, j] = await at(page, 'jog_straight', 'walk_straight')
    await handle(page, 'walk_straight').focus()
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('Shift+ArrowLeft')
    await untilEqual('eleven back', () => at(page, 'jog_straight', 'walk_straight'), [i, j - 11])
    await untilEqual('the ghosts', async () => (await viewed(page)).held, [i, j - 11])
    await untilCommand(page, new RegExp(` --at ${i},${j - 11} `))
    const before = (await viewed(page)).frames
    let most = 0
    let flying = 0
    const counts = (request) => request.url().endsWith('/api/do/transition')
    page.on('request', (request) => counts(request) && (most = Math.max(most, ++flying)))
    for (const event of ['requestfinished', 'requestfailed']) page.on(event, (request) => counts(request) && flying--)
    await page.keyboard.press(' ')
    const box = await page.locator('.cut-strip').first().boundingBox()
    await page.mouse.move(box.x + box.width / 2, box.y + 20)
    await page.mouse.down()
    for (let n = 0; n < 40; n++) await page.mouse.move(box.x + box.width * (0.5 - n / 200), box.y + 20)
    await page.mouse.up()
    await until('another length', async () => (await viewed(page)).frames !== before)
    await until('all is made', () => isMade(page))
    assert.equal(most, 1, 'one request at a time')
    const [now] = await at(page, 'jog_straight', 'walk_straight')
    await untilCommand(page, new RegExp(` --at ${now},`))
    await page.evaluate(() => document.activeElement.blur())
    await page.screenshot({ path: join(given.shots, '28-transition-light.png') })
    await noViolation(page, 'a transition in the light')
  })
}

export async function settings_change_what_is_made(given) {
  await inStudio(given, {}, async (page) => {
    await begin(page, 'jog_straight', 'walk_straight')
    const slider = panel(page).getByRole('slider', { name: 'Blend length' })
    await slider.fill('30')
    await untilCommand(page, / --half 30 /)
    await panel(page).getByRole('combobox', { name: 'Method' }).selectOption('linear')
    await untilCommand(page, / --method linear -o /)
    await panel(page).getByLabel('Feet held').uncheck()
    await untilCommand(page, / --method linear --no-clean -o /)
    await until('it is made', () => isMade(page))
    await panel(page).getByLabel('near these frames').check()
    await untilCommand(page, / --near \d+,\d+ --count 12$/)
    await panel(page).getByLabel('include poor cuts').check()
    await untilCommand(page, / --count 12 --below inf$/)
    await panel(page).getByLabel('near these frames').uncheck()
    // Only now is the list the one that stays.
    await untilCommand(page, /^(?!.* --near ).* --count 12 --below inf$/)
    await cuts(page).first().click()
    await untilEqual('taken', () => cuts(page).first().getAttribute('aria-pressed'), 'true')
    await panel(page).getByRole('button', { name: 'Swap' }).click()
    await until('it is made', () => isMade(page))
    await untilCommand(page, / walk_straight jog_straight /)
    await chooseClip(panel(page).getByLabel('To', { exact: true }), 'jog_curve')
    await untilCommand(page, / walk_straight jog_curve /)
  })
}

export async function cuts_are_sought_only_where_a_clip_may_be_left_and_the_other_entered(given) {
  await inStudio(given, { colorScheme: 'dark' }, async (page, studio) => {
    await begin(page, 'jog_straight', 'walk_straight')
    const first = await at(page, 'jog_straight', 'walk_straight')
    const end = (name) => panel(page).getByRole('slider', { name, exact: true })
    const latest = end('Leave jog_straight no later than')
    const last = Number(await latest.getAttribute('aria-valuenow'))
    await latest.focus()
    await page.keyboard.press('Shift+ArrowLeft')
    await untilEqual('ten earlier', () => latest.getAttribute('aria-valuenow'), String(last - 10))
    await untilCommand(page, / --at \S+ -o /)
    const box = await panel(page).locator('.cut-rail').nth(1).boundingBox()
    const drag = async (name, to) => {
      const handle = await end(name).boundingBox()
      const y = handle.y + handle.height / 2
      await page.mouse.move(handle.x + handle.width / 2, y)
      await page.mouse.down()
      for (let n = 1; n <= 8; n++) await page.mouse.move(handle.x + ((box.x + to * box.width - handle.x) * n) / 8, y)
      await page.mouse.up()
    }
    await drag('Enter walk_straight no earlier than', 0.5)
    await drag('Enter walk_straight no later than', 0.75)
    const of = async (name) => Number(await end(name).getAttribute('aria-valuenow'))
    const enter = [await of('Enter walk_straight no earlier than'), await of('Enter walk_straight no later than')]
    assert.ok(enter[0] > 0 && enter[0] < enter[1], String(enter))
    const inside = ['--leave', `0-${last - 9}`, '--enter', `${enter[0]}-${enter[1] + 1}`]
    const [wanted] = await best(studio, 'jog_straight', 'walk_straight', ...inside, '--count', '1')
    await untilEqual('the best cut there', () => at(page, 'jog_straight', 'walk_straight'), wanted)
    assert.ok(wanted[1] >= enter[0] && wanted[1] <= enter[1], String(wanted))
    await until('it is made', () => isMade(page))
    await page.screenshot({ path: join(given.shots, '28-transition-spans.png') })
    await noViolation(page, 'a transition with ends of where it may be')
    for (let left = 2; left > 0; left--) {
      await panel(page).getByRole('button', { name: 'Anywhere' }).first().click()
      await untilEqual('one less', () => panel(page).getByRole('button', { name: 'Anywhere' }).count(), left - 1)
    }
    await untilEqual('the best of all again', () => at(page, 'jog_straight', 'walk_straight'), first)
    await page.keyboard.press('Control+z')
    await untilEqual('and back', () => panel(page).getByRole('button', { name: 'Anywhere' }).count(), 1)
  })
}

export async function a_transition_is_kept_as_the_command_line_makes_it_and_exported(given) {
  await inStudio(given, { fill: fillTwice }, async (page, studio) => {
    await begin(page, 'jog_straight', 'walk_straight')
    const { frames } = await viewed(page)
    assert.ok(await timeline(page).getByRole('button', { name: 'Export' }).isDisabled())
    await panel(page).getByLabel('New clip').fill('slow-down')
    await panel(page).getByRole('button', { name: 'Keep as clip' }).click()
    await page.getByText('Saved as slow-down').waitFor()
    await twinAgrees(page, studio, / transition .* -o \S+:slow-down$/)
    await until('the kept clip leads', async () => (await viewed(page)).leader > 0)
    assert.equal((await viewed(page)).frames, frames)
    await panel(page).getByRole('button', { name: 'Export…' }).click()
    const dialog = page.getByRole('dialog')
    const download = page.waitForEvent('download')
    await dialog.getByRole('button', { name: 'Export', exact: true }).click()
    assert.match((await download).suggestedFilename(), /^slow-down\.bvh$/)
    await panel(page).getByRole('button', { name: 'Back to the library' }).click()
    await viewer(page).getByRole('img', { name: /^3D view of slow-down,/ }).waitFor()
  })
}

export async function feet_are_cleaned_as_the_command_line_does_it(given) {
  await inStudio(given, { fill: fillTwice }, async (page, studio) => {
    await untilCount(page, '30 clips')
    await search(page, 'straight', '4 of 30 clips')
    await open(page, 'walk_straight')
    await viewer(page).getByRole('button', { name: 'Clean feet…' }).click()
    const dialog = page.getByRole('dialog')
    await noViolation(page, 'the dialog about feet')
    await dialog.getByRole('button', { name: 'Clean the feet' }).click()
    await page.getByText('Saved as walk_straight-still').waitFor()
    await twinAgrees(page, studio, / clean .* -o \S+:walk_straight-still$/)
    assert.match(await command(page), /walk_straight-still$/)
  })
}
