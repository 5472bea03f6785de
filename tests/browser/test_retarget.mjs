// test_retarget.mjs - the motion of a clip on the body of another: which joints belong together, what looks wrong, what is kept,
// and what is made.
import assert from 'node:assert/strict'
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { act, card, demo, fillTwice, inStudio, noViolation, runLine, search, select, until, untilCommand, untilEqual } from './steps.mjs'

const panel = (page) => page.getByRole('region', { name: 'Retarget' })
const report = (page) => panel(page).locator('dl[aria-label=Report]')
const pairs = (page) => panel(page).getByRole('list', { name: 'Pairs of joints' })
const pair = (page, from, to) => pairs(page).getByRole('button', { name: new RegExp(` ?${from} ?→? ?${to}`) }).first()
const joint = (page, body, name) => panel(page).locator(`.map-body >> nth=${body}`).locator(`[data-joint="${name}"] circle:last-child`)
const maps = async (studio, library, ...more) => studio.marey('map', '-L', library, 'walk_straight', 'x_straight', ...more)

/** A body with other names, shorter legs and longer arms than the demo's. */
async function fillWithHero(studio) {
  const [head, motion] = readFileSync(join(await demo(studio.program), 'hops.bvh'), 'utf8').split('MOTION')
  const file = join(studio.folder, 'x_straight.bvh')
  const other = head.replace(/(ROOT|JOINT) (\S+)(\s+\{\s+OFFSET) (\S+) (\S+) (\S+)/g, (_, kind, name, offset, ...xyz) => {
    const scale = /Leg|Foot/.test(name) ? 0.7 : /Arm|Hand/.test(name) ? 1.25 : 1
    return `${kind} mixamorig:${name}${offset} ${xyz.slice(0, 3).map((x) => scale * x).join(' ')}`
  })
  writeFileSync(file, `${other}MOTION${motion}`)
  await fillTwice(studio)
  await studio.marey('add', studio.library, file)
  copyFileSync(studio.library, studio.twin)
}

async function begin(page) {
  await search(page, 'straight', '5 of 31 clips')
  await select(page, 'walk_straight', 'x_straight')
  await act(page, 'Retarget').click()
  await made(page)
}

const made = (page) => until('it is made', async () => (await report(page).getAttribute('aria-busy', { timeout: 200 }).catch(() => null)) === 'false')

export async function joints_are_paired_by_hand_kept_and_used(given) {
  await inStudio(given, { colorScheme: 'dark', fill: fillWithHero }, async (page, studio) => {
    await begin(page)
    assert.equal(await panel(page).locator('.map-line').count(), 21)
    assert.equal(await panel(page).locator('.map-joint').count(), 42)
    await panel(page).getByText('21 pairs, found by roles and names').waitFor()
    assert.match(await report(page).textContent(), /Legs.*×.*Slide.*cm.*Floor.*cm.*Reach.*%/s)
    await untilEqual('both bodies', () => page.evaluate(() => window.mareyViewer.characters.map(({ shown }) => Math.sign(shown.clip.id))), [-1, 1])
    await untilCommand(page, / retarget -L \S+ walk_straight --onto x_straight -o \S+lib.marey:walk_straight-on-x_straight/)
    await page.screenshot({ path: join(given.shots, '40-retarget.png') })
    await noViolation(page, 'retargeting')

    // A click on a joint of each: the pair goes over, and looks wrong.
    await joint(page, 0, 'LeftHand').click()
    await joint(page, 1, 'mixamorig:RightHand').click()
    await panel(page).getByText('20 pairs, changed, and used here only').waitFor()
    await pair(page, 'LeftHand', 'mixamorig:RightHand').getByText('left and right').waitFor()
    await panel(page).getByRole('group', { name: 'Only in walk_straight' }).getByText('RightHand').waitFor()
    await made(page)
    await untilCommand(page, /^echo .* \| marey retarget .* --map \/dev\/stdin /)
    await page.screenshot({ path: join(given.shots, '41-retarget-conflict.png') })
    await noViolation(page, 'a conflict')

    // Without the pointer: away with it, and a new one from the fields.
    await pair(page, 'LeftHand', 'mixamorig:RightHand').press('Delete')
    await panel(page).getByText('19 pairs, changed').waitFor()
    const fields = panel(page).getByRole('group', { name: 'A new pair' }).getByRole('combobox')
    await fields.nth(0).selectOption('RightHand')
    await fields.nth(1).selectOption('mixamorig:RightHand')
    await panel(page).getByText('20 pairs, changed').waitFor()
    assert.match(await pair(page, 'RightHand', 'mixamorig:RightHand').textContent(), /right wrist/)

    await panel(page).getByRole('button', { name: 'Save map' }).click()
    await panel(page).getByText('20 pairs, kept by the library').waitFor()
    await runLine(studio, await untilCommand(page, /^echo .* \| marey map -L \S+ walk_straight x_straight --set \/dev\/stdin$/), studio.twin)
    const kept = await maps(studio, studio.library)
    assert.equal(kept.map_from, 'library')
    assert.deepEqual(kept.only_from, ['LeftHand'])
    assert.deepEqual(await maps(studio, studio.twin), kept)

    // It is used without asking when the panel is opened again.
    await panel(page).getByRole('button', { name: 'Back to the library' }).click()
    await card(page, 'walk_straight').waitFor()
    await begin(page)
    await panel(page).getByText('20 pairs, kept by the library').waitFor()
    await panel(page).getByRole('button', { name: 'As found' }).click()
    await panel(page).getByText('21 pairs, changed').waitFor()
    await panel(page).getByRole('button', { name: 'Forget the kept map' }).click()
    await panel(page).getByText('21 pairs, found by roles and names').waitFor()
    assert.equal((await maps(studio, studio.library)).map_from, 'found')

    await panel(page).getByLabel('path', { exact: true }).check()
    await panel(page).getByLabel('in place').check()
    await untilCommand(page, / --keep path --in-place /)
    await made(page)
    await panel(page).getByRole('button', { name: 'Keep as clip' }).click()
    await page.getByText('Saved as walk_straight-on-x_straight').waitFor()
    const { clips } = await studio.marey('ls', studio.library)
    const skeletons = new Map(clips.map(({ name, skeleton }) => [name, skeleton]))
    assert.equal(skeletons.get('walk_straight-on-x_straight-1'), skeletons.get('x_straight'))
  })
}
