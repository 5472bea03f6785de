// test_doctor.mjs - the panel "Doctor": a flaw of capture is found, shown in the viewer, repaired and brought back; the rate of
// a clip is corrected.
import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fillWithDemo, inStudio, noViolation, until, untilCommand, untilCount } from './steps.mjs'

const panel = (page) => page.getByRole('region', { name: 'Doctor', exact: true })
const report = (page) => panel(page).getByRole('list', { name: 'Findings', exact: true }).getByRole('listitem')
const clip = (page) => panel(page).getByRole('region', { name: 'Open clip' })

const spikeAt = 300

/** A walk whose left knee is elsewhere in one frame. */
async function fill(studio) {
  await fillWithDemo(studio)
  const folder = join(studio.folder, 'doctor')
  await studio.marey('export', studio.library, 'walk_straight', '-o', folder)
  const path = join(folder, 'walk_straight.bvh')
  const lines = (await readFile(path, 'utf8')).split('\n')
  const first = lines.findIndex((line) => line.startsWith('Frame Time')) + 1
  const joints = lines.flatMap((line) => /^\s*(?:ROOT|JOINT) (\S+)/.exec(line)?.[1] ?? [])
  const column = 3 + 3 * joints.indexOf('LeftLeg')
  const row = lines[first + spikeAt].trim().split(/\s+/)
  row[column] = String(Number(row[column]) + 60)
  lines[first + spikeAt] = row.join(' ')
  await writeFile(join(folder, 'broken.bvh'), lines.join('\n'))
  const { clips } = await studio.marey('ls', studio.library)
  await studio.marey('rm', studio.library, ...clips.map(({ name }) => name).filter((name) => name !== 'walk_straight'))
  await studio.marey('add', studio.library, join(folder, 'broken.bvh'))
}

export async function a_flaw_is_found_shown_fixed_and_brought_back(given) {
  await inStudio(given, { fill }, async (page, studio) => {
    await untilCount(page, '2 clips')
    await page.getByRole('option', { name: /broken/ }).getByText('1', { exact: true }).waitFor()
    await page.keyboard.press('x')
    await until('one finding is listed', async () => (await report(page).count()) === 1)
    await untilCommand(page, /^marey doctor /)
    await noViolation(page, 'doctor')

    await report(page).getByRole('button', { name: /LeftLeg/ }).click()
    await until('the frame is shown', async () => {
      const state = await page.evaluate(() => window.mareyViewer?.characters[0]?.shown.clip.name)
      return state === 'broken'
    })
    await clip(page).getByText('LeftLeg', { exact: true }).waitFor()
    await noViolation(page, 'inspector')

    await clip(page).getByRole('button', { name: /^Fix (spike|flip) of broken/ }).click()
    await until('the report is empty', async () => (await report(page).count()) === 0)
    await untilCommand(page, /^marey doctor .*--fix /)
    const repaired = await studio.marey('doctor', studio.library, 'broken')
    assert.equal(repaired.clips[0].findings.length, 0)
    assert.equal(repaired.clips[0].repairs.length, 1)

    await clip(page).getByRole('button', { name: /^Undo/ }).click()
    await until('the finding is back', async () => (await report(page).count()) === 1)
    assert.equal((await studio.marey('doctor', studio.library, 'broken')).clips[0].repairs.length, 0)
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
