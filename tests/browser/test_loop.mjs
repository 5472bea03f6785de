// test_loop.mjs - a seamless cycle of a clip: the best loops, their lengths, ends that are moved, and what is kept.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { fillTwice, inStudio, noViolation, open, search, select, timeline, twinAgrees, until, untilCommand, untilCount } from './steps.mjs'
import { untilEqual, viewer } from './steps.mjs'

const panel = (page) => page.getByRole('region', { name: 'Loop', exact: true })
const handle = (page, name) => panel(page).getByRole('slider', { name: `Loop ${name}` })
const loops = (page) => panel(page).getByRole('list', { name: 'Loops, the best first' }).getByRole('button')
const figures = (page) => panel(page).locator('dl.making-figures')
const frameOf = async (page, name) => Number(await handle(page, name).getAttribute('aria-valuenow'))
const at = async (page) => [await frameOf(page, 'start'), await frameOf(page, 'end')]
const isMade = async (page) => (await figures(page).getAttribute('aria-busy').catch(() => null)) === 'false'
const field = (page, name) => panel(page).getByRole('spinbutton', { name })

/** The clip that leads in the viewer. */
const viewed = (page) =>
  page.evaluate(() => {
    const [{ shown }] = window.mareyViewer.characters
    return { id: shown.clip.id, frames: shown.clip.frames }
  })
const plays = (page) => page.getByRole('button', { name: 'Pause' }).isVisible()

async function begin(page, name) {
  await untilCount(page, '30 clips')
  await search(page, 'straight', '4 of 30 clips')
  await open(page, name)
  await viewer(page).getByRole('button', { name: 'Make a loop' }).click()
  await figures(page).waitFor()
  await until('it is made', () => isMade(page))
}

async function best(studio, ...options) {
  const { loops: told } = await studio.marey('loop', '-L', studio.library, 'walk_straight', ...options)
  return told.map(({ start, end }) => [start, end])
}

export async function the_best_loop_plays_at_once_over_and_over(given) {
  await inStudio(given, { colorScheme: 'dark' }, async (page, studio) => {
    await begin(page, 'walk_straight')
    const [first] = await best(studio, '--count', '1')
    await untilEqual('the ends', () => at(page), first)
    await until('it plays', () => plays(page))
    await untilEqual('what was made is in the view', async () => (await viewed(page)).id, -1)
    assert.equal(await timeline(page).getByRole('button', { name: 'Loop' }).getAttribute('aria-pressed'), 'true')
    await untilCommand(page, new RegExp(` loop -L \\S+ walk_straight --at ${first.join(',')} -o \\S+:walk_straight-loop-1$`))
    assert.match(await figures(page).textContent(), /Length.*Slide.*cm.*Jump.*×.*Knees.*×.*Seam.*×/s)
    assert.equal(await loops(page).first().getAttribute('aria-pressed'), 'true')
    await page.screenshot({ path: join(given.shots, '29-loop.png') })
    await noViolation(page, 'a loop')
    await page.keyboard.press('Escape')
    await untilEqual('the clip is in the view again', async () => (await viewed(page)).id > 0, true)
    await select(page, 'walk_straight')
    await page.keyboard.press('a')
    await figures(page).waitFor()
    await page.keyboard.press('a')
    await panel(page).waitFor({ state: 'detached' })
  })
}

export async function ends_of_a_loop_are_moved_and_the_preview_follows_and_undo_brings_them_back(given) {
  await inStudio(given, { colorScheme: 'light' }, async (page) => {
    await begin(page, 'walk_straight')
    const [start, end] = await at(page)
    await handle(page, 'end').focus()
    await page.keyboard.press('Shift+ArrowRight')
    await untilEqual('ten on', () => at(page), [start, end + 10])
    await untilCommand(page, new RegExp(` --at ${start},${end + 10} -o `))
    await page.keyboard.press('Control+z')
    await untilEqual('as before', () => at(page), [start, end])
    await untilCommand(page, new RegExp(` --at ${start},${end} -o `))
    await page.keyboard.press('k')
    const box = await panel(page).locator('.cut-strip').boundingBox()
    const last = Number(await handle(page, 'end').getAttribute('aria-valuemax'))
    const x = box.x + (start / last) * box.width
    await page.mouse.move(x, box.y + 20)
    await page.mouse.down()
    for (let n = 0; n <= 20; n++) await page.mouse.move(x - n * 4, box.y + 20)
    await page.mouse.up()
    await until('the start was dragged', async () => (await frameOf(page, 'start')) < start)
    assert.equal(await frameOf(page, 'end'), end)
    await until('all is made', () => isMade(page))
    await untilCommand(page, new RegExp(` --at ${await frameOf(page, 'start')},${end} -o `))
    await page.evaluate(() => document.activeElement.blur())
    await page.screenshot({ path: join(given.shots, '29-loop-light.png') })
    await noViolation(page, 'a loop in the light')
  })
}

export async function loops_are_sought_in_a_range_of_lengths(given) {
  await inStudio(given, {}, async (page, studio) => {
    await begin(page, 'walk_straight')
    await field(page, 'Shortest').fill('2')
    await page.keyboard.press('Enter')
    await until('loops of two seconds and more', async () => (await at(page))[1] - (await at(page))[0] >= 120)
    await field(page, 'Longest').fill('3')
    await page.keyboard.press('Enter')
    const [first] = await best(studio, '--shortest', '2', '--longest', '3', '--count', '1')
    await untilEqual('the best of them', () => at(page), first)
    for (const text of await loops(page).allTextContents()) {
      const [, seconds] = /(\d+\.\d+) s/.exec(text)
      assert.ok(Number(seconds) >= 2 && Number(seconds) <= 3, text)
    }
    await loops(page).nth(1).click()
    await untilEqual('the second is taken', () => loops(page).nth(1).getAttribute('aria-pressed'), 'true')
    await until('it is made', () => isMade(page))
    await field(page, 'Longest').fill('2.01')
    await page.keyboard.press('Enter')
    await field(page, 'Shortest').fill('2.01')
    await page.keyboard.press('Enter')
    await panel(page).getByText('There is no loop of these lengths.').waitFor()
  })
}

export async function a_loop_is_kept_as_the_command_line_makes_it_and_exported(given) {
  await inStudio(given, { fill: fillTwice }, async (page, studio) => {
    await begin(page, 'walk_straight')
    await panel(page).getByLabel('In place').check()
    await panel(page).getByLabel('Feet held').uncheck()
    await untilCommand(page, / --in-place --at \S+ --no-clean -o /)
    await panel(page).getByLabel('Feet held').check()
    await untilCommand(page, / --in-place --at \S+ -o /)
    await panel(page).getByRole('button', { name: 'Keep as clip' }).click()
    await page.getByText('Saved as walk_straight-loop-1').waitFor()
    await twinAgrees(page, studio, / loop .* --in-place --at \S+ -o \S+:walk_straight-loop-1$/)
    await until('the kept clip leads', async () => (await viewed(page)).id > 0)
    await panel(page).getByRole('button', { name: 'Export…' }).click()
    const download = page.waitForEvent('download')
    await page.getByRole('dialog').getByRole('button', { name: 'Export', exact: true }).click()
    assert.match((await download).suggestedFilename(), /^walk_straight-loop-1\.bvh$/)
  })
}
