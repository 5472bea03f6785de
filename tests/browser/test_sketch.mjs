// test_sketch.mjs - the panel "Sketch": a curve is drawn by mouse or keys, or taken from a clip; clips that move so are found
// meanwhile, played and kept, and become a cluster graph.
import assert from 'node:assert/strict'
import {
  account,
  fillTwice,
  inStudio,
  loaded,
  mark,
  noViolation,
  open,
  runLine,
  until,
  untilCommand,
  untilCount,
  untilDone,
  untilEqual,
} from './steps.mjs'

const panel = (page) => page.getByRole('region', { name: 'Sketch' })
const papers = (page) => panel(page).getByRole('application', { name: /move the pen/ })
const rows = (page, list) => panel(page).getByRole('region', { name: list }).getByRole('button')
const status = (page) => panel(page).getByRole('status').filter({ hasText: /fragments? against/ })

async function openSketch(page) {
  await untilCount(page, '30 clips')
  await page.keyboard.press('d')
  await papers(page).first().waitFor()
  await panel(page).getByRole('combobox', { name: 'Joint and channel of the main curve' }).selectOption('LeftLeg.Xrotation')
  await until('the paper has its joint', async () => /^left knee/.test(await papers(page).first().getAttribute('aria-label')))
}

/** Where a place of the paper is on the page: shares of its width and height. */
async function onPaper(page, lane = 0) {
  const box = await papers(page).nth(lane).boundingBox()
  const [left, right, top, bottom] = [48, 10, 8, 24]
  return (x, y) => [box.x + left + x * (box.width - left - right), box.y + top + y * (box.height - top - bottom)]
}

function shown(page) {
  return page.evaluate(() => {
    const clip = window.mareyViewer?.characters[0]?.shown.clip
    return clip ? { id: clip.id, name: clip.name, frames: clip.frames } : null
  })
}

/** "66.9 4 jumps" of a row. */
async function figures(row) {
  const [, error, jumps] = (await row.textContent()).match(/([\d.]+)°\s*(no jump|\d+ jumps?)/)
  return { error: Number(error), jumps: jumps === 'no jump' ? 0 : Number.parseInt(jumps, 10) }
}

export async function a_curve_finds_clips_while_it_is_drawn(given) {
  await inStudio(given, { fill: fillTwice }, async (page, studio) => {
    await openSketch(page)
    const at = await onPaper(page)
    const wave = (x) => 0.6 - 0.22 * Math.sin(14 * x)
    await page.mouse.move(...at(0.05, wave(0)))
    await page.mouse.down()
    for (let i = 1; i <= 20; i++) await page.mouse.move(...at(0.05 + 0.03 * i, wave(0.03 * i)))
    await status(page).waitFor()
    const half = Number.parseInt(await status(page).textContent(), 10)
    for (let i = 21; i <= 30; i++) await page.mouse.move(...at(0.05 + 0.03 * i, wave(0.03 * i)))
    await until('there are more fragments', async () => Number.parseInt(await status(page).textContent(), 10) > half)
    await page.mouse.up()
    await untilEqual('paths', () => rows(page, 'Best paths').count(), 4)
    await noViolation(page, 'the sketch')

    const count = Number.parseInt(await status(page).textContent(), 10)
    const drawn = rows(page, 'Best paths').first().locator('.sketch-curves path:not(.query)')
    await untilEqual('a curve for each fragment', () => drawn.count(), count)
    const colours = await drawn.evaluateAll((paths) => paths.slice(0, 3).map((path) => getComputedStyle(path).stroke))
    assert.equal(new Set(colours).size, Math.min(3, count), 'fragments have colours of their own')

    const line = await untilCommand(page, /^echo .* \| marey example \S+ --curve \/dev\/stdin --dof LeftLeg\.Xrotation --best 4 --limit 20$/)
    const { stdout } = await runLine(studio, `${line} --json`, studio.twin)
    const answer = JSON.parse(stdout)
    const best = await figures(rows(page, 'Best paths').first())
    assert.equal(answer.fragments.length, count)
    assert.equal(answer.paths[0].jumps, best.jumps)
    assert.ok(Math.abs(answer.paths[0].error - best.error) < 0.06, `${answer.paths[0].error} and ${best.error}`)

    await rows(page, 'Best paths').first().click()
    await until('the path is in the view', async () => (await shown(page))?.id < 0)
    await loaded(page)
    await until('it plays', () => page.evaluate(() => window.mareyViewer.time_s > 0.1))
    const keep = panel(page).getByRole('form', { name: 'Keep' })
    await keep.getByLabel('New clip').fill('drawn')
    await keep.getByRole('button', { name: 'Keep as clip' }).click()
    const making = await untilCommand(page, / --curve \/dev\/stdin --dof LeftLeg\.Xrotation --best 4 --limit 20 --path 0 -o \S+:drawn$/)
    await runLine(studio, making, studio.twin)
    const frames = async (library) => {
      const { clips } = await account(studio, library, 'drawn')
      return clips.find(({ name }) => name === 'drawn').frames
    }
    assert.ok(Math.abs((await frames(studio.library)) - (await frames(studio.twin))) <= 1)
  })
}

export async function the_curve_of_a_segment_finds_its_clip_and_becomes_a_cluster_graph(given) {
  await inStudio(given, { fill: fillTwice }, async (page, studio) => {
    await untilCount(page, '30 clips')
    await open(page, 'hops')
    const { frames } = await shown(page)
    await mark(page, frames, 100, 900)
    await page.keyboard.press('d')
    await papers(page).first().waitFor()
    await panel(page).getByRole('button', { name: 'Take the segment' }).click()
    await status(page).waitFor()
    const first = rows(page, 'Clips').first()
    const ownFirst = async () => /^\s*hops/.test(await first.textContent()) || first.textContent()
    await until('the clip itself is first', ownFirst)
    await panel(page).getByRole('button', { name: 'Add a curve' }).click()
    await untilEqual('papers', () => papers(page).count(), 2)
    await untilCommand(page, /^marey example \S+ 'hops#100-901' --dof \w+\.\w+,\w+\.\w+ --best 4 --limit 20$/)
    await page.getByRole('button', { name: 'Clear the segment' }).click()
    await panel(page).getByRole('button', { name: 'Take the segment' }).click()
    await untilCommand(page, new RegExp(`^marey example \\S+ 'hops#0-${frames}' --dof `))
    await until('the clip itself is first', ownFirst)
    assert.deepEqual(await figures(first), { error: 0, jumps: 0 })
    await first.click()
    await until('it plays', () => page.evaluate(() => window.mareyViewer.time_s > 0.1))
    assert.equal((await shown(page)).name, 'hops')
    await noViolation(page, 'a sketch of a segment')

    await panel(page).getByRole('combobox', { name: 'In', exact: true }).selectOption('hop')
    await untilCommand(page, / --best 4 --label hop --limit 20$/)
    await until('it is looked for in these alone', async () => / of 3 clips/.test(await status(page).textContent()))
    await panel(page).getByRole('button', { name: 'Cluster graph of these clips' }).click()
    const form = page.getByRole('form', { name: 'New cluster graph' })
    await form.waitFor()
    await form.getByLabel('Name').fill('like_hops')
    await form.getByRole('button', { name: 'Build it' }).click()
    const line = await untilCommand(page, /^marey cluster build \S+ like_hops --label hop --from-example 'hops#0-\d+' --count \d+ --dof /)
    await runLine(studio, line, studio.twin)
    const made = async (library) => (await studio.marey('cluster', 'show', library, 'like_hops', '--limit', '9'))
    assert.deepEqual({ ...(await made(studio.library)), library: '' }, { ...(await made(studio.twin)), library: '' })
  })
}

export async function the_keyboard_alone_sketches(given) {
  await inStudio(given, {}, async (page) => {
    await openSketch(page)
    const paper = papers(page).first()
    await paper.focus()
    for (const [right, key] of [[4, 'ArrowUp'], [2, 'ArrowDown'], [2, 'ArrowUp']]) {
      for (let i = 0; i < right; i++) await page.keyboard.press('Shift+ArrowRight')
      await page.keyboard.press(`Shift+${key}`)
      await page.keyboard.press(`Shift+${key}`)
    }
    await status(page).waitFor()
    await until('something is found', async () => (await rows(page, 'Clips').count()) > 0)
    const before = await status(page).textContent()
    await panel(page).getByRole('combobox', { name: 'In', exact: true }).selectOption('walk')
    await until('it is looked for in fewer clips', async () => (await status(page).textContent()) !== before)
    await untilDone(
      'the path is in the view',
      () => rows(page, 'Best paths').first().press('Enter'),
      async () => (await shown(page))?.id < 0,
    )
    await paper.focus()
    await page.keyboard.press('Delete')
    await until('the paper is empty', async () => /nothing drawn there/.test(await paper.getAttribute('aria-label')))
    await page.keyboard.press('d')
    await page.getByRole('region', { name: 'Library' }).waitFor()
  })
}
