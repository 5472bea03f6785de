// test_compare.mjs - how alike two clips are: the grid, the pair that is pointed at, the metrics, and the cut.
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
  select,
  twinAgrees,
  until,
  untilCommand,
  untilCount,
  untilEqual,
  view,
  viewer,
} from './steps.mjs'

const panel = (page) => page.getByRole('region', { name: 'Compare' })
const grid = (page) => panel(page).getByRole('application')

/** The frames of both clips that the panel shows. */
async function pair(page) {
  const told = await page.getByRole('region', { name: 'The pair of frames' }).locator('dd').allTextContents()
  return told.slice(0, 2).map((text) => Number(/frame (\d+)/.exec(text)?.[1]))
}

/** And those that the viewer shows. */
function viewed(page) {
  return page.evaluate(() => {
    const [a, b] = window.mareyViewer.characters
    const time = window.mareyViewer.time_s
    return [time * a.shown.clip.fps, (time + b.shift_s) * b.shown.clip.fps].map(Math.round)
  })
}

/** How many shades the picture has, read from its middle. */
function shades(page) {
  return grid(page).evaluate((canvas) => {
    const { width, height } = canvas
    const { data } = canvas.getContext('2d').getImageData(width / 4, height / 4, width / 2, height / 2)
    const seen = new Set()
    for (let i = 0; i < data.length; i += 4) seen.add((data[i] << 16) | (data[i + 1] << 8) | data[i + 2])
    return seen.size
  })
}

const isReady = async (page) => (await panel(page).locator('.compare-place').getAttribute('aria-busy')) === 'false'

async function compare(page, a, b) {
  await untilCount(page, '30 clips')
  await select(page, a, b)
  await act(page, 'Compare').click()
  await grid(page).waitFor()
  await loaded(page)
  await until('the grid is there', () => isReady(page))
}

/** What the program says of the same two clips. */
async function best(studio, ...options) {
  const { pairs } = await studio.marey('similar', '-L', studio.library, ...options, '--minima')
  return pairs
}

export async function two_clips_are_compared_and_the_best_pair_is_shown(given) {
  await inStudio(given, { colorScheme: 'dark' }, async (page, studio) => {
    await compare(page, 'jog_curve', 'jog_straight')
    const [[a, b]] = await best(studio, 'jog_curve', 'jog_straight', '--count', '1')
    await untilEqual('the pair', () => pair(page), [a, b])
    await untilEqual('the poses', () => viewed(page), [a, b])
    await until('the grid is drawn', async () => (await shades(page)) > 30)
    const box = await grid(page).boundingBox()
    assert.ok(box.width >= 320 && box.height >= 240, `the grid has ${box.width} x ${box.height}`)
    assert.ok((await view(page).boundingBox()).width > 400)
    await panel(page).getByRole('list', { name: 'Shares of the joints' }).getByRole('listitem').first().waitFor()
    assert.equal(await panel(page).getByRole('list', { name: 'Shares of the frames of the window' }).getByRole('listitem').count(), 5)
    assert.match(await command(page), /marey grid -L \S+ jog_curve jog_straight$/)
    await page.screenshot({ path: join(given.shots, '25-compare.png') })
    await noViolation(page, 'the comparison')
    await panel(page).getByRole('button', { name: 'Back to the library' }).click()
    await card(page, 'jog_straight').waitFor()
  })
}

export async function keys_and_the_pointer_move_both_poses(given) {
  await inStudio(given, {}, async (page, studio) => {
    await compare(page, 'jog_curve', 'jog_straight')
    const pairs = await best(studio, 'jog_curve', 'jog_straight')
    const [[a, b]] = pairs
    await untilEqual('the pair', () => pair(page), [a, b])
    await grid(page).focus()
    await page.keyboard.press('ArrowRight')
    await untilEqual('right', () => pair(page), [a, b + 1])
    await page.keyboard.press('Shift+ArrowDown')
    await untilEqual('ten down', () => pair(page), [a + 10, b + 1])
    await untilEqual('the poses', () => viewed(page), [a + 10, b + 1])
    await page.keyboard.press('PageDown')
    await untilEqual('to the best pair', () => pair(page), pairs[0].slice(0, 2))
    await page.keyboard.press('PageDown')
    await untilEqual('to the next', () => pair(page), pairs[1].slice(0, 2))
    const box = await grid(page).boundingBox()
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2)
    await until('the pointer shows another pair', async () => String(await pair(page)) !== String(pairs[1].slice(0, 2)))
    const passed = await pair(page)
    await untilEqual('the poses follow', () => viewed(page), passed)
    await page.mouse.move(box.x + box.width / 2, box.y - 40)
    await untilEqual('what was chosen comes back', () => pair(page), pairs[1].slice(0, 2))
    await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2)
    await page.mouse.move(box.x + box.width / 2, box.y - 40)
    await untilEqual('a click stays', () => pair(page), passed)
  })
}

/** Where the middle of a cell is on the screen: axes are 3.6 rem left, 0.4 above, 2.1 below and 0.5 right. */
async function spot(page, [i, j], [rows, cols]) {
  const box = await grid(page).boundingBox()
  const rem = await page.evaluate(() => parseFloat(getComputedStyle(document.documentElement).fontSize))
  const [left, top, below, right] = [3.6, 0.4, 2.1, 0.5].map((each) => Math.round(each * rem))
  return {
    x: box.x + left + ((j + 0.5) / cols) * (box.width - left - right),
    y: box.y + top + ((i + 0.5) / rows) * (box.height - top - below),
  }
}

export async function metrics_and_weights_change_the_pairs_and_a_dot_is_jumped_to(given) {
  await inStudio(given, { colorScheme: 'light' }, async (page, studio) => {
    await compare(page, 'jog_curve', 'jog_straight')
    await panel(page).getByRole('combobox', { name: 'Metric' }).selectOption('angles')
    await untilCommand(page, / --metric angles$/)
    await panel(page).getByRole('combobox', { name: 'Joints' }).selectOption('lee')
    await untilCommand(page, / --metric angles --joints lee$/)
    const slider = panel(page).getByRole('slider', { name: 'velocities, weight' })
    await slider.fill('0.5')
    const line = await untilCommand(page, / --attributes 1,1,0.5$/)
    await until('the grid is there', () => isReady(page))
    const how = ['jog_curve', 'jog_straight', ...line.split(' jog_straight ')[1].split(' ')]
    const { rows, cols, pairs } = await studio.marey('similar', '-L', studio.library, ...how, '--minima')
    const dot = await spot(page, pairs[0], [rows, cols])
    await page.mouse.click(dot.x + 3, dot.y - 3)
    await page.mouse.move(dot.x, 20)
    // Another dot may lie so close that it is nearer to the pointer.
    const near = pairs.map(([a, b]) => String([a, b]))
    await until('a dot is jumped to', async () => near.includes(String(await pair(page))) || pair(page))
    await panel(page).getByLabel('Pairs', { exact: true }).fill('3')
    await untilCommand(page, / similar .*--count 3 --minima /)
    await until('three dots are judged', () => isReady(page))
    await page.screenshot({ path: join(given.shots, '26-compare-light.png') })
    await noViolation(page, 'weights of a metric')
    await page.keyboard.press('Escape')
    await untilEqual('the grid has the focus', () => grid(page).evaluate((each) => each === document.activeElement), true)
    await page.keyboard.press('Escape')
    await card(page, 'jog_straight').waitFor()
  })
}

export async function a_cut_is_saved_as_the_command_line_does_it(given) {
  await inStudio(given, { fill: fillTwice }, async (page, studio) => {
    await compare(page, 'jog_curve', 'jog_straight')
    const [[a, b]] = await best(studio, 'jog_curve', 'jog_straight', '--count', '1')
    await untilEqual('the pair', () => pair(page), [a, b])
    await panel(page).getByLabel('New clip').fill('round-and-on')
    await panel(page).getByLabel('Smooth').fill('20')
    await panel(page).getByRole('button', { name: 'Cut here' }).click()
    await page.getByText('Saved as round-and-on').waitFor()
    await twinAgrees(page, studio, new RegExp(` similar .*--at ${a},${b} --smooth 20 --cut `))
    const { clips } = await studio.marey('ls', studio.library)
    const frames = (name) => clips.find((clip) => clip.name === name).frames
    assert.equal(frames('round-and-on'), a + frames('jog_straight') - b)
    await page.getByRole('button', { name: 'Open' }).last().click()
    await viewer(page).getByRole('img', { name: /^3D view of round-and-on,/ }).waitFor()
  })
}

export async function open_clips_are_compared_by_the_key_c_and_swapped(given) {
  await inStudio(given, {}, async (page, studio) => {
    await untilCount(page, '30 clips')
    await page.keyboard.press('c')
    await page.getByRole('dialog', { name: 'Compare which two clips?' }).waitFor()
    await page.keyboard.press('Escape')
    await select(page, 'jog_curve', 'jog_straight')
    await act(page, 'Open together').click()
    await loaded(page)
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    await page.keyboard.press('c')
    await grid(page).waitFor()
    await until('the grid is there', () => isReady(page))
    await panel(page).getByRole('button', { name: 'Swap the clips' }).click()
    await untilCommand(page, / grid .* jog_straight jog_curve$/)
    await until('the grid is there', () => isReady(page))
    const [[a, b]] = await best(studio, 'jog_straight', 'jog_curve')
    await untilEqual('the pair is turned round', () => pair(page), [a, b])
    await chooseClip(panel(page).getByLabel('Second clip, across'), 'idles')
    await untilCommand(page, / grid .* jog_straight idles$/)
    await page.keyboard.press('Escape')
    await card(page, 'jog_straight').waitFor()
  })
}
