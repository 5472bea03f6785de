// test_doctor.mjs - the panel "Doctor": a flaw of capture is found, shown in the viewer, repaired and brought back; the rate of
// a clip is corrected.
import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fillWithDemo, inStudio, noViolation, until, untilCommand, untilCount, untilEqual } from './steps.mjs'

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
    await untilEqual('findings', () => report(page).count(), 2)
    await untilCommand(page, /^marey doctor /)
    await noViolation(page, 'doctor')

    await report(page).getByRole('button', { name: /^broken .*LeftLeg/ }).click()
    await until('the frame is shown', async () => {
      const state = await page.evaluate(() => window.mareyViewer?.characters[0]?.shown.clip.name)
      return state === 'broken'
    })
    await clip(page).getByText('LeftLeg', { exact: true }).waitFor()
    await noViolation(page, 'inspector')

    const state = async () => {
      const { findings, repairs } = (await studio.marey('doctor', studio.library, 'broken')).clips[0]
      return [findings, repairs].map((list) => list.map(({ joint }) => joint))
    }
    // One of two, and no other.
    await found(page).getByRole('button', { name: /^Fix .* of LeftLeg in broken, frames 300/ }).click()
    await untilEqual('findings', () => report(page).count(), 1)
    await untilCommand(page, /^marey doctor .* 'broken#300-301' --fix .* --joint LeftLeg$/)
    assert.deepEqual(await state(), [['RightLeg'], ['LeftLeg']])
    await repaired(page).getByRole('button', { name: /^Undo .* of LeftLeg in broken, frames 300/ }).click()
    await untilEqual('findings', () => report(page).count(), 2)
    assert.deepEqual(await state(), [['LeftLeg', 'RightLeg'], []])

    // All of the kind, then one of them back.
    await found(page).getByRole('button', { name: /^Fix all 2 .* of broken$/ }).click()
    await untilEqual('findings', () => report(page).count(), 0)
    await page.screenshot({ path: join(given.shots, 'doctor-repaired.png') })
    await noViolation(page, 'repairs')
    await repaired(page).getByRole('button', { name: /^Undo .* of LeftLeg in broken, frames 300/ }).click()
    await untilEqual('findings', () => report(page).count(), 1)
    await untilCommand(page, /^marey doctor .* broken --undo .* --place 0$/)
    assert.deepEqual(await state(), [['LeftLeg'], ['RightLeg']])
  })
}

export async function the_rate_of_a_clip_is_set_right(given) {
  await inStudio(given, { fill }, async (page, studio) => {
    await untilCount(page, '2 clips')
    await page.getByRole('option', { name: /walk_straight/ }).dblclick()
    await until('it is open', () => page.evaluate(() => window.mareyViewer?.characters[0]?.shown.clip.name === 'walk_straight'))
    await page.keyboard.press('x')
    const field = clip(page).getByRole('spinbutton', { name: /Recorded at/ })
    await field.fill('30')
    await field.press('Enter')
    await clip(page).getByRole('button', { name: 'Set' }).click()
    await untilCommand(page, /^marey set .*--source-fps 30/)
    const { clips } = await studio.marey('ls', studio.library)
    assert.equal(clips.find(({ name }) => name === 'walk_straight').fps, 30)
    await clip(page).getByText('at 30 fps').waitFor()
  })
}
