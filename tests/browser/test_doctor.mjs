// test_doctor.mjs - the panel "Doctor": a flaw of capture is found, shown in the viewer, repaired and brought back, one of
// several or all of a kind; what a file got wrong about itself is corrected.
import assert from 'node:assert/strict'
import { copyFile, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fillWithDemo, goTo, inStudio, mark, noViolation, open, timeline, until, untilCommand, untilCount, untilEqual } from './steps.mjs'

const panel = (page) => page.getByRole('region', { name: 'Doctor', exact: true })
const report = (page) => panel(page).getByRole('list', { name: 'Findings', exact: true }).getByRole('listitem')
const clip = (page) => panel(page).getByRole('region', { name: 'Open clip' })

const found = (page) => clip(page).getByRole('list', { name: 'Findings of the open clip' })
const repaired = (page) => clip(page).getByRole('list', { name: 'Repairs of the open clip' })

const spikes = [
  ['LeftLeg', 300],
  ['RightLeg', 500],
]

/** A walk whose knees are elsewhere in one frame each. */
async function fill(studio) {
  await fillWithDemo(studio)
  const folder = join(studio.folder, 'doctor')
  await studio.marey('export', studio.library, 'walk_straight', '-o', folder)
  const path = join(folder, 'walk_straight.bvh')
  const lines = (await readFile(path, 'utf8')).split('\n')
  const first = lines.findIndex((line) => line.startsWith('Frame Time')) + 1
  const joints = lines.flatMap((line) => /^\s*(?:ROOT|JOINT) (\S+)/.exec(line)?.[1] ?? [])
  for (const [joint, frame] of spikes) {
    const column = 3 + 3 * joints.indexOf(joint)
    const row = lines[first + frame].trim().split(/\s+/)
    row[column] = String(Number(row[column]) + 60)
    lines[first + frame] = row.join(' ')
  }
  await writeFile(join(folder, 'broken.bvh'), lines.join('\n'))
  const { clips } = await studio.marey('ls', studio.library)
  await studio.marey('rm', studio.library, ...clips.map(({ name }) => name).filter((name) => name !== 'walk_straight'))
  await studio.marey('add', studio.library, join(folder, 'broken.bvh'))
}

export async function a_flaw_is_found_shown_fixed_and_brought_back(given) {
  await inStudio(given, { fill }, async (page, studio) => {
    await untilCount(page, '2 clips')
    await page.getByRole('option', { name: /broken/ }).getByText('2', { exact: true }).waitFor()
    await page.keyboard.press('x')
    // Two spikes, and that it is the same walk otherwise.
    await untilEqual('findings', () => report(page).count(), 3)
    await report(page).getByRole('button', { name: /^broken duplicate as walk_straight/ }).waitFor()
    await untilCommand(page, /^marey doctor /)
    await noViolation(page, 'doctor')

    await report(page).getByRole('button', { name: /^broken .*LeftLeg/ }).click()
    await until('the frame is shown', async () => {
      const state = await page.evaluate(() => window.mareyViewer?.characters[0]?.shown.clip.name)
      return state === 'broken'
    })
    await found(page).getByText('LeftLeg', { exact: true }).waitFor()
    await noViolation(page, 'inspector')

    const state = async () => {
      const { findings, repairs } = (await studio.marey('doctor', studio.library, 'broken')).clips[0]
      return [findings, repairs].map((list) => list.filter(({ joint }) => joint).map(({ joint }) => joint))
    }
    // One of two, and no other.
    await found(page).getByRole('button', { name: /^Fix .* of LeftLeg in broken, frames 300/ }).click()
    await untilEqual('findings', () => report(page).count(), 2)
    await untilCommand(page, /^marey doctor .* 'broken#300-301' --fix .* --joint LeftLeg$/)
    assert.deepEqual(await state(), [['RightLeg'], ['LeftLeg']])
    await repaired(page).getByRole('button', { name: /^Undo .* of LeftLeg in broken, frames 300/ }).click()
    await untilEqual('findings', () => report(page).count(), 3)
    assert.deepEqual(await state(), [['LeftLeg', 'RightLeg'], []])

    // All of the kind, then one of them back.
    await found(page).getByRole('button', { name: /^Fix all 2 .* of broken$/ }).click()
    await untilEqual('findings', () => report(page).count(), 1)
    await page.screenshot({ path: join(given.shots, 'doctor-repaired.png') })
    await noViolation(page, 'repairs')
    await repaired(page).getByRole('button', { name: /^Undo .* of LeftLeg in broken, frames 300/ }).click()
    await untilEqual('findings', () => report(page).count(), 2)
    await untilCommand(page, /^marey doctor .* broken --undo .* --place 0$/)
    assert.deepEqual(await state(), [['LeftLeg'], ['RightLeg']])
  })
}

/** Opens the walk, and what can be corrected of it. */
async function correcting(page) {
  await untilCount(page, '2 clips')
  await open(page, 'walk_straight')
  await page.keyboard.press('x')
  await clip(page).getByText('Correct rate, units, roles, marks').click()
}

const undo = (page, name) => repaired(page).getByRole('button', { name })

export async function what_a_file_got_wrong_is_set_right_and_taken_back_one_by_one(given) {
  await inStudio(given, { fill }, async (page, studio) => {
    await studio.marey('graph', 'build', studio.library, 'standard', 'walk_straight')
    await correcting(page)
    const field = clip(page).getByRole('spinbutton', { name: /Recorded at/ })
    await field.fill('30')
    await field.press('Enter')
    await clip(page).getByRole('combobox', { name: 'Up' }).selectOption('z')
    await clip(page).getByRole('button', { name: 'Set', exact: true }).click()
    await untilCommand(page, /^marey set .*walk_straight --source-fps 30 --up z$/)
    await clip(page).getByText('at 30 fps').waitFor()
    // What was built of it is named, with the panel that builds it.
    const stale = page.getByRole('region', { name: 'To be made again' })
    await stale.getByText('graph standard').waitFor()
    await noViolation(page, 'stale things')
    await stale.getByRole('button', { name: 'Graphs' }).waitFor()
    await stale.getByRole('button', { name: 'Later' }).click()

    await clip(page).getByRole('combobox', { name: 'Units' }).selectOption('m')
    await clip(page).getByRole('combobox', { name: 'Role' }).selectOption('left_knee')
    await clip(page).getByRole('combobox', { name: 'is' }).selectOption('LeftFoot')
    await clip(page).getByRole('button', { name: 'Set', exact: true }).click()
    await untilCommand(page, /^marey set .*walk_straight --units m --roles left_knee=LeftFoot$/)
    await undo(page, /^Undo role left_knee of LeftFoot in walk_straight/).waitFor()
    await page.screenshot({ path: join(given.shots, 'doctor-corrected.png') })
    await noViolation(page, 'corrections')
    const info = async () => (await studio.marey('info', '-L', studio.library, 'walk_straight')).clips[0]
    const facts = async () => (({ fps, units, up, roles }) => [fps, units, up, roles.left_knee])(await info())
    assert.deepEqual(await facts(), [30, 'm', 'z', 'LeftFoot'])
    for (const [name, left] of [
      [/^Undo rate 30/, [60, 'm', 'z', 'LeftFoot']],
      [/^Undo role left_knee/, [60, 'm', 'z', 'LeftLeg']],
      [/^Undo up z/, [60, 'm', 'y', 'LeftLeg']],
      [/^Undo units m/, [60, 'cm', 'y', 'LeftLeg']],
    ]) {
      await undo(page, name).click()
      await undo(page, name).waitFor({ state: 'detached' })
      assert.deepEqual(await facts(), left)
    }
  })
}

export async function frames_are_marked_as_no_motion_and_unmarked(given) {
  await inStudio(given, { fill }, async (page, studio) => {
    await correcting(page)
    const marks = async () =>
      (await studio.marey('info', '-L', studio.library, 'walk_straight')).clips[0].marks.map(({ start, end }) => [start, end])
    await mark(page, 1050, 200, 299)
    await clip(page).getByRole('button', { name: 'Mark 200–299', exact: true }).click()
    await untilCommand(page, /^marey set .*walk_straight --mark 200-300$/)
    await timeline(page).getByRole('img', { name: 'by hand, frames 200 to 299' }).waitFor()
    assert.deepEqual(await marks(), [[200, 300]])
    await mark(page, 1050, 240, 260)
    await clip(page).getByRole('button', { name: 'Unmark 240–260' }).click()
    await untilCommand(page, /^marey set .*walk_straight --unmark 240-261$/)
    await timeline(page).getByRole('img', { name: 'by hand, frames 261 to 299' }).waitFor()
    assert.deepEqual(await marks(), [[200, 240], [261, 300]])

    await goTo(page, 50)
    await clip(page).getByRole('button', { name: 'Motion starts here' }).click()
    await timeline(page).getByRole('img', { name: 'by hand, frames 0 to 49' }).waitFor()
    assert.deepEqual(await marks(), [[0, 50], [200, 240], [261, 300]])
    await repaired(page).getByRole('button', { name: /^Undo all 3 set by hand/ }).click()
    await untilEqual('marks', marks, [])
  })
}

/** Two clips of an earlier marey, which knew other checks. */
async function fillWithOld(studio) {
  await copyFile(new URL('../data/libraries/schema-7.marey', import.meta.url), studio.library)
  const { clips } = await studio.marey('ls', studio.library)
  assert.deepEqual(clips.map(({ findings }) => findings), [null, null])
}

export async function clips_that_no_check_has_seen_are_examined_and_their_cards_say_so(given) {
  await inStudio(given, { fill: fillWithOld }, async (page, studio) => {
    await untilCount(page, '2 clips')
    const wanted = [0, 1]
    await untilEqual('findings', async () => (await studio.marey('ls', studio.library)).clips.map(({ findings }) => findings), wanted)
    await page.getByRole('option', { name: /wave/ }).getByTitle(/1 findings?; X opens the doctor/).waitFor()
    await page.getByRole('progressbar', { name: 'Examining' }).waitFor({ state: 'detached' })
  })
}
