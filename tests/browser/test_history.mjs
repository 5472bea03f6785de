// test_history.mjs - the way back: every change of the library and of what is being made, by notices, keys and the list of
// steps, in every window of the library.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { inStudio, list, noViolation, select, until, untilCommand, untilCount, untilEqual } from './steps.mjs'

const notice = (page, text) => page.locator('.notice').filter({ hasText: text }).last()
const undoIn = (page, text) => notice(page, text).getByRole('button', { name: 'Undo' })
const historyButton = (page) => page.getByRole('button', { name: 'History', exact: true })
const steps = (page) => page.getByRole('dialog', { name: 'History' }).getByRole('listitem')
const titles = (page) => steps(page).locator('.text').allTextContents()

async function openHistory(page) {
  await historyButton(page).click()
  await page.getByRole('dialog', { name: 'History' }).waitFor()
}

/** Only cards that are in sight are drawn: walk_... are the last, cartwheels are the first. */
async function choose(page, ...some) {
  await list(page).evaluate((box, end) => (box.scrollTop = end ? box.scrollHeight : 0), some[0].startsWith('walk'))
  await select(page, ...some)
}

const names = async (studio) => (await studio.marey('ls', studio.library)).clips.map((clip) => clip.name)

export async function what_is_removed_renamed_and_labelled_comes_back_by_notices_and_keys(given) {
  await inStudio(given, {}, async (page, studio) => {
    await untilCount(page, '30 clips')
    // Of clips that are used the notice says by what.
    const users = (await studio.marey('graph', 'ls', studio.library)).graphs.filter((graph) =>
      graph.made_of.some((clip) => clip.name === 'walk_straight'),
    )
    await choose(page, 'walk_straight')
    await page.keyboard.press('Delete')
    await untilCount(page, '29 clips')
    const word = ['', 'one graph', 'two graphs', 'three graphs'][users.length]
    await notice(page, new RegExp(`Removed walk_straight, used by .*${word}`)).waitFor()
    await undoIn(page, 'Removed walk_straight').click()
    await untilCount(page, '30 clips')
    assert.match(await untilCommand(page, / undo /), /undo .*lib\.marey \d+$/)
    // By keys, several in turn, and again.
    await choose(page, 'cartwheels')
    await page.keyboard.press('Delete')
    await untilCount(page, '29 clips')
    await choose(page, 'walk_slow')
    await page.keyboard.press('Delete')
    await untilCount(page, '28 clips')
    await page.keyboard.press('Control+z')
    await untilCount(page, '29 clips')
    await page.keyboard.press('Control+z')
    await untilCount(page, '30 clips')
    await page.keyboard.press('Control+Shift+z')
    await untilCount(page, '29 clips')
    await page.keyboard.press('Control+y')
    await untilCount(page, '28 clips')
    await page.keyboard.press('Control+z')
    await page.keyboard.press('Control+z')
    await untilCount(page, '30 clips')
    assert.equal((await names(studio)).length, 30)
    // In a field the keys are the field's own.
    const field = page.getByRole('searchbox')
    await field.fill('ab')
    await field.press('Control+z')
    await untilEqual('steps', async () => (await studio.marey('history', studio.library)).steps.filter(({ undone }) => undone).length, 2)
    await field.fill('')
  })
}

export async function the_history_lists_steps_and_leads_back_to_each(given) {
  await inStudio(given, {}, async (page, studio) => {
    await untilCount(page, '30 clips')
    await studio.marey('rename', studio.library, 'walk_slow', 'creeps')
    await studio.marey('label', studio.library, 'creeps', 'cartwheels', '--add', 'quiet')
    await studio.marey('rm', studio.library, 'cartwheels')
    await untilCount(page, '29 clips')
    await openHistory(page)
    await untilEqual('the last steps', async () => (await titles(page)).slice(0, 3), [
      'Remove cartwheels',
      'Label quiet on 2 clips',
      'Rename walk_slow to creeps',
    ])
    await noViolation(page, 'the history')
    await page.screenshot({ path: join(given.shots, 'history.png') })
    await steps(page).nth(2).getByRole('button', { name: 'Undo to here' }).click()
    await untilCount(page, '30 clips')
    await untilEqual('undone', async () => (await studio.marey('history', studio.library)).steps.map(({ undone }) => undone).slice(0, 3), [
      true,
      true,
      false,
    ])
    await page.screenshot({ path: join(given.shots, 'history-undone.png') })
    await steps(page).nth(0).getByRole('button', { name: 'Redo to here' }).click()
    await untilCount(page, '29 clips')
    // One alone, by a step of its own.
    await steps(page).nth(1).getByRole('button', { name: 'Undo alone' }).click()
    await untilEqual('the new step', async () => (await titles(page))[0], 'Undo: label quiet on 2 clips')
    assert.deepEqual((await studio.marey('ls', studio.library, '--label', 'quiet')).clips, [])
    // What later steps changed is said.
    await steps(page).nth(2).getByRole('button', { name: 'Undo alone' }).click()
    await page.getByText(/changed the same since: undo that first/).waitFor()
    page.complaints.length = 0
    await page.keyboard.press('Escape')
  })
}

export async function two_windows_of_a_library_share_its_history(given) {
  await inStudio(given, {}, async (page, studio) => {
    await untilCount(page, '30 clips')
    const other = await page.context().newPage()
    await other.goto(page.url())
    await untilCount(other, '30 clips')
    await choose(page, 'cartwheels')
    await page.keyboard.press('Delete')
    await untilCount(other, '29 clips')
    await openHistory(other)
    await untilEqual('its step', async () => (await titles(other))[0], 'Remove cartwheels')
    await steps(other).nth(0).getByRole('button', { name: 'Undo', exact: true }).click()
    await untilCount(page, '30 clips')
    await untilCount(other, '30 clips')
    await page.keyboard.press('Control+Shift+z')
    await untilCount(other, '29 clips')
    await other.close()
    // Its preview may have asked for the clip while it went.
    const left = page.complaints.filter((said) => !/404 .*\/api\/clips\/\d+/.test(said))
    page.complaints.splice(0, Infinity, ...left)
  })
}

export async function what_is_saved_can_be_opened_and_what_it_needs_restored(given) {
  await inStudio(given, {}, async (page, studio) => {
    await untilCount(page, '30 clips')
    const { graphs } = await studio.marey('graph', 'ls', studio.library)
    const graph = graphs.find(({ made_of }) => made_of.length > 0)
    const clip = graph.made_of[0].name
    await studio.marey('rm', studio.library, clip)
    await untilCount(page, '29 clips')
    await page.keyboard.press('g')
    const missing = page.locator('.making-missing').filter({ hasText: `Graph ${graph.name} needs ${clip}` })
    await missing.waitFor()
    page.complaints.length = 0 // the graph did not open
    await noViolation(page, 'a graph that lacks a clip')
    await page.screenshot({ path: join(given.shots, 'history-restore.png') })
    await missing.getByRole('button', { name: 'Restore' }).click()
    await until('the clip is back', async () => (await names(studio)).includes(clip))
    await missing.waitFor({ state: 'detached' })
    await untilEqual('the graph', () => page.getByRole('combobox', { name: 'Graph', exact: true }).inputValue(), graph.name)
    // Removing the graph is undone as well, with its policy and bytes.
    const before = (await studio.marey('graph', 'ls', studio.library)).graphs
    await page.getByRole('button', { name: `Remove the graph ${graph.name}` }).click()
    await undoIn(page, `Removed graph ${graph.name}`).click()
    await untilEqual('the graphs', async () => (await studio.marey('graph', 'ls', studio.library)).graphs, before)
    // What was asked of the graph before its clip was back may have been answered late.
    const left = page.complaints.filter((said) => !/409 .*\/api\/do\/graph-stats/.test(said))
    page.complaints.splice(0, Infinity, ...left)
  })
}

export async function settings_of_what_is_made_are_undone_in_turn_with_the_library(given) {
  await inStudio(given, {}, async (page, studio) => {
    await untilCount(page, '30 clips')
    await choose(page, 'walk_straight', 'walk_slow')
    await page.keyboard.press('t')
    const feet = page.getByLabel('Feet held')
    await feet.waitFor()
    await feet.click()
    await untilEqual('feet', () => feet.isChecked(), false)
    const name = page.getByLabel('New clip')
    await name.fill('across')
    await name.press('Enter')
    await notice(page, 'Saved as across').getByRole('button', { name: 'Open' }).waitFor()
    await page.screenshot({ path: join(given.shots, 'history-saved.png') })
    await page.evaluate(() => document.activeElement.blur())
    await page.keyboard.press('Control+z')
    await until('the clip is gone', async () => !(await names(studio)).includes('across'))
    assert.equal(await feet.isChecked(), false)
    await page.keyboard.press('Control+z')
    await untilEqual('feet', () => feet.isChecked(), true)
    await page.keyboard.press('Control+y')
    await untilEqual('feet', () => feet.isChecked(), false)
    await page.keyboard.press('Control+y')
    await until('the clip is there', async () => (await names(studio)).includes('across'))
  })
}
