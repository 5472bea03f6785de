// test_blend.mjs - several clips mixed into one: the pad, sliders, weights over time, plants, timewarps, and what is kept.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import {
  act,
  card,
  chooseClip,
  fillTwice,
  inStudio,
  loaded,
  noViolation,
  search,
  select,
  twinAgrees,
  until,
  untilCommand,
  untilCount,
  untilEqual,
  viewer,
} from './steps.mjs'

const panel = (page) => page.getByRole('region', { name: 'Blend' })
const pad = (page) => panel(page).getByRole('application')
const figures = (page) => panel(page).locator('dl.making-figures')
const weight = (page, name) => panel(page).getByRole('slider', { name: `Weight of ${name}` })
const keys = (page) => panel(page).getByRole('slider', { name: /^Key \d/ })

const isMade = async (page) => (await figures(page).getAttribute('aria-busy').catch(() => null)) === 'false'

async function shares(page) {
  const told = await panel(page).locator('.blend-rows output').allTextContents()
  return told.map(Number)
}

async function begin(page, ...names) {
  await untilCount(page, '30 clips')
  await search(page, 'walk', '9 of 30 clips')
  await again(page, ...names)
}

async function again(page, ...names) {
  await select(page, ...names)
  await act(page, 'Blend').click()
  await figures(page).waitFor()
  await loaded(page)
  await until('it is made', () => isMade(page))
  await panel(page).getByRole('img', { name: /^Foot plants over common time/ }).waitFor()
}

function viewed(page) {
  return page.evaluate(() => window.mareyViewer.characters.map(({ shown }) => ({ id: shown.clip.id, name: shown.clip.name, frames: shown.clip.frames })))
}

/** How many colours a picture has. */
function colours(canvas) {
  return canvas.evaluate((element) => {
    const { data } = element.getContext('2d').getImageData(0, 0, element.width, element.height)
    const seen = new Set()
    for (let i = 0; i < data.length; i += 4) seen.add((data[i] << 16) | (data[i + 1] << 8) | data[i + 2])
    return seen.size
  })
}

const three = ['walk_left', 'walk_right', 'walk_straight']

export async function three_clips_are_blended_by_the_pad(given) {
  await inStudio(given, { colorScheme: 'dark' }, async (page) => {
    await begin(page, ...three)
    await untilEqual('even shares', () => shares(page), [0.33, 0.33, 0.33])
    await untilCommand(page, / blend -L \S+ walk_left walk_right walk_straight --weights 0.333,0.333,0.333 -o /)
    await until('the bars are drawn', async () => (await colours(panel(page).getByRole('img', { name: /^Foot plants/ }))) > 4)
    await until('the grid is drawn', async () => (await colours(panel(page).getByRole('img', { name: /^Timewarp of/ }))) > 30)
    const box = await pad(page).boundingBox()
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2)
    await page.mouse.down()
    for (let n = 1; n <= 20; n++) await page.mouse.move(box.x + box.width / 2, box.y + box.height * (0.5 - n * 0.012))
    await page.mouse.up()
    await until('more of the first', async () => (await shares(page))[0] > 0.5 || shares(page))
    await until('it is made', () => isMade(page))
    await page.screenshot({ path: join(given.shots, '30-blend.png') })
    await noViolation(page, 'a blend')
    await pad(page).focus()
    await page.keyboard.press('2')
    await untilEqual('all of the second', () => shares(page), [0, 1, 0])
    await untilCommand(page, / --weights 0,1,0 -o /)
    await page.keyboard.press('0')
    await untilEqual('even again', () => shares(page), [0.33, 0.33, 0.33])
    await page.keyboard.press('Shift+ArrowUp')
    await until('more of the first', async () => (await shares(page))[0] > 0.4 || shares(page))
    await weight(page, 'walk_right').fill('0.8')
    await until('more of the second', async () => (await shares(page))[1] === 0.8 || shares(page))
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    await card(page, 'walk_left').waitFor()
  })
}

export async function two_clips_change_over_time(given) {
  await inStudio(given, { colorScheme: 'light' }, async (page) => {
    await begin(page, 'walk_left', 'walk_straight')
    await pad(page).focus()
    await page.keyboard.press('1')
    await untilEqual('all of the first', () => shares(page), [1, 0])
    await panel(page).getByRole('button', { name: 'Over time' }).click()
    await untilEqual('one key', () => keys(page).count(), 1)
    const box = await panel(page).getByRole('group', { name: 'Weights over time' }).boundingBox()
    await page.mouse.click(box.x + box.width * 0.6, box.y + box.height * 0.5)
    await untilEqual('two keys', () => keys(page).count(), 2)
    await keys(page).nth(1).focus()
    for (let n = 0; n < 3; n++) await page.keyboard.press('Shift+ArrowDown')
    await until('less of the first', async () => (await shares(page))[0] < 0.5 || shares(page))
    await untilCommand(page, /^printf '%s\\n' 0,1,0 \S+ \| marey blend .* --weights-file \/dev\/stdin -o /)
    // The editor is as wide as the blend is long, so dots move a little until it is made.
    await until('it is made', () => isMade(page))
    const dot = await panel(page).locator('.key-dot[data-key="1"][data-clip="0"]').boundingBox()
    await page.mouse.move(dot.x + 4, dot.y + 4)
    await page.mouse.down()
    await page.mouse.move(box.x + box.width * 0.7, box.y + box.height - 2, { steps: 10 })
    await page.mouse.up()
    await untilEqual('none of the first', async () => (await shares(page))[0] < 0.05, true)
    await until('it is made', () => isMade(page))
    await page.screenshot({ path: join(given.shots, '31-blend-over-time.png') })
    await noViolation(page, 'weights over time')
    await keys(page).nth(1).focus()
    await page.keyboard.press('Delete')
    await untilEqual('one key', () => keys(page).count(), 1)
    await panel(page).getByLabel('Before / after').check()
    await untilEqual('both bodies', async () => (await viewed(page)).map(({ name }) => name), ['feet held', 'before'])
    await viewer(page).getByRole('button', { name: 'Side by side' }).click()
    await loaded(page)
    await page.screenshot({ path: join(given.shots, '32-blend-twin.png') })
    await noViolation(page, 'before and after')
  })
}

export async function frames_of_two_clips_are_pinned(given) {
  await inStudio(given, { fill: fillTwice }, async (page, studio) => {
    await begin(page, 'walk_left', 'walk_straight')
    const pin = panel(page).getByRole('textbox', { name: 'Pin' })
    const warp = panel(page).getByRole('img', { name: /^Timewarp of/ })
    const picture = () => warp.evaluate((canvas) => canvas.toDataURL())
    const before = await picture()
    await pin.fill('no frames')
    await pin.press('Enter')
    await untilEqual('it is refused', () => pin.getAttribute('aria-invalid'), 'true')
    await pin.fill('100, 130')
    await pin.press('Enter')
    await untilCommand(page, / --weights 0.5,0.5 .*--through 100,130 /)
    await until('another timewarp', async () => (await picture()) !== before)
    await noViolation(page, 'a pin')
    await panel(page).getByLabel('Name of the alignment').fill('pinned')
    await panel(page).getByRole('button', { name: 'Keep alignment' }).click()
    await twinAgrees(page, studio, / align .*--through 100,130 --save pinned$/)
    // A kept alignment is as it is.
    await untilEqual('no field', () => pin.count(), 0)
    assert.equal((await studio.marey('curves', studio.library)).curves.length, 1)
  })
}

export async function a_blend_is_kept_as_the_command_line_makes_it(given) {
  await inStudio(given, { fill: fillTwice }, async (page, studio) => {
    await begin(page, 'walk_left', 'walk_straight')
    await panel(page).getByLabel('Last frame of walk_left').fill('900')
    await page.keyboard.press('Tab')
    await untilCommand(page, / 'walk_left#0-901' walk_straight --weights /)
    await panel(page).getByRole('combobox', { name: 'Place' }).selectOption('2')
    await panel(page).getByRole('combobox', { name: 'Slope' }).selectOption('3')
    await weight(page, 'walk_left').fill('0.25')
    await untilCommand(page, / --weights 0.25,0.75 --place 2 --slope 3 -o /)
    await panel(page).getByLabel('New clip').fill('bend')
    await panel(page).getByRole('button', { name: 'Keep as clip' }).click()
    await page.getByText('Saved as bend').waitFor()
    await twinAgrees(page, studio, / blend .* -o \S+:bend$/)
    await panel(page).getByRole('button', { name: 'Over time' }).click()
    await panel(page).getByRole('button', { name: 'Add key here' }).waitFor()
    await keys(page).first().focus()
    await page.keyboard.press('Shift+ArrowUp')
    await untilCommand(page, /^printf /)
    await panel(page).getByLabel('New clip').fill('bends')
    await panel(page).getByRole('button', { name: 'Keep as clip' }).click()
    await page.getByText('Saved as bends').waitFor()
    await twinAgrees(page, studio, / blend .* -o \S+:bends$/)
  })
}

export async function alignments_are_kept_opened_and_forgotten(given) {
  await inStudio(given, { fill: fillTwice }, async (page, studio) => {
    await begin(page, ...three)
    await panel(page).getByLabel('Name of the alignment').fill('turns')
    await panel(page).getByRole('button', { name: 'Keep alignment' }).click()
    await page.getByText('Alignment saved as turns').waitFor()
    await twinAgrees(page, studio, / align .* --save turns$/)
    const { curves } = await studio.marey('curves', studio.library)
    assert.equal(curves.length, 1)
    await panel(page).getByRole('button', { name: 'Back to the library' }).click()
    await again(page, 'walk_fast', 'walk_straight')
    await panel(page).getByRole('combobox', { name: 'Alignment' }).selectOption('turns')
    await untilEqual('its clips', async () => (await panel(page).locator('.blend-name').allTextContents()).map((text) => text.split(' · ')[0]), three)
    await untilCommand(page, / blend -L \S+ --weights \S+ --curve turns /)
    await panel(page).getByRole('button', { name: 'Forget the alignment turns' }).click()
    await page.getByText('Removed alignment turns').waitFor()
    await twinAgrees(page, studio, / curves \S+ --rm turns$/)
    await chooseClip(panel(page).getByRole('combobox', { name: 'Add a clip' }), 'walk_slow')
    await untilEqual('four clips', () => panel(page).locator('.blend-name').count(), 4)
    await until('it is made', () => isMade(page))
    await panel(page).getByRole('button', { name: 'Take walk_slow out' }).click()
    await untilEqual('three clips', () => panel(page).locator('.blend-name').count(), 3)
  })
}
