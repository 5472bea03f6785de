// test_import.mjs - files dropped on the page, and the report of what came of each.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { card, demo, inStudio, loaded, mocap, noViolation, untilCount, viewer } from './steps.mjs'

/** Lets files go over the page as a file manager would: [{ name, path or text }]. */
async function drop(page, files) {
  const described = files.map(({ name, path, text }) => ({
    name,
    base64: (text === undefined ? readFileSync(path) : Buffer.from(text)).toString('base64'),
  }))
  const data = await page.evaluateHandle((all) => {
    const transfer = new DataTransfer()
    for (const { name, base64 } of all)
      transfer.items.add(new File([Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))], name))
    return transfer
  }, described)
  await page.dispatchEvent('body', 'dragenter', { dataTransfer: data })
  await page.getByText('Drop to import').waitFor()
  await page.dispatchEvent('body', 'dragover', { dataTransfer: data })
  await page.dispatchEvent('body', 'drop', { dataTransfer: data })
}

export async function dropped_files_are_imported_and_each_is_accounted_for(given) {
  await inStudio(given, { fill: async () => {} }, async (page, studio) => {
    const folder = await demo(given.program)
    const whole = readFileSync(join(folder, 'small_fight.bvh'), 'utf8')
    await page.getByRole('heading', { name: 'Drop files here' }).waitFor()
    await drop(page, [
      { name: 'good.bvh', text: whole },
      { name: 'broken.bvh', text: whole.slice(0, 1000) },
      { name: 'notes.txt', text: 'not a motion' },
    ])
    const offer = page.getByRole('dialog', { name: 'Import 3 files' })
    await offer.getByLabel(/^Labels for all of them/).fill('dropped, day 1')
    await page.screenshot({ path: join(given.shots, '09-import-offer.png') })
    await noViolation(page, 'the import dialog')
    await offer.getByRole('button', { name: 'Import', exact: true }).click()
    const report = page.getByRole('dialog', { name: 'Imported' })
    await report.getByText('1 clip added, 1 failed, 1 skipped.').waitFor()
    await report.getByText('broken.bvh').first().waitFor()
    await report.getByText('notes.txt').waitFor()
    await page.screenshot({ path: join(given.shots, '10-import-report.png') })
    await noViolation(page, 'the import report')
    const [clip] = (await studio.marey('ls', studio.library)).clips
    assert.deepEqual([clip.name, clip.frames, clip.labels.sort()], ['good', 1105, ['day 1', 'dropped']])
    await report.getByRole('button', { name: 'good' }).click()
    await viewer(page).getByRole('img', { name: /^3D view of good,/ }).waitFor()
    await loaded(page)
    await drop(page, [{ name: 'again.bvh', text: whole }])
    await page.getByRole('dialog').getByRole('button', { name: 'Import', exact: true }).click()
    await page.getByRole('dialog').getByText('0 clips added, 1 there already.').waitFor()
    await page.getByRole('button', { name: 'Done' }).click()
    await untilCount(page, '1 clip')
  })
}

export async function files_of_other_programs_are_dropped_like_any(given) {
  await inStudio(given, { fill: async () => {} }, async (page, studio) => {
    const clip = join(await demo(given.program), 'small_fight.bvh')
    const endings = ['glb', 'fbx', 'npz']
    for (const ending of endings) await studio.marey('convert', clip, `as_${ending}.${ending}`)
    await drop(
      page,
      endings.map((ending) => ({ name: `as_${ending}.${ending}`, path: join(studio.folder, `as_${ending}.${ending}`) })),
    )
    await page.getByRole('button', { name: 'Import', exact: true }).click()
    const report = page.getByRole('dialog', { name: 'Imported' })
    await report.getByText(/^3 clips added/).waitFor()
    await report.getByText(/a body was made of its \d+ points/).first().waitFor()
    await page.screenshot({ path: join(given.shots, '11-import-formats.png') })
    const clips = (await studio.marey('ls', studio.library)).clips
    assert.deepEqual(
      clips.map((each) => [each.name, each.frames]),
      endings.toSorted().map((ending) => [`as_${ending}`, 1105]),
    )
    await report.getByRole('button', { name: 'as_fbx' }).click()
    await viewer(page).getByRole('img', { name: /^3D view of as_fbx,/ }).waitFor()
    await loaded(page)
    await page.screenshot({ path: join(given.shots, '12-import-fbx.png') })
  })
}

export async function an_amc_finds_the_asf_that_is_dropped_with_it(given) {
  const folder = mocap()
  if (!folder) return 'skipped: no real motion here; set MAREY_MOCAP'
  await inStudio(given, {}, async (page, studio) => {
    await untilCount(page, '30 clips')
    const of = (name) => ({ name, path: join(folder, 'cmu_asfamc', name) })
    await drop(page, [of('02_02.amc'), of('02.asf')])
    await page.getByRole('button', { name: 'Import', exact: true }).click()
    await page.getByRole('dialog', { name: 'Imported' }).getByText(/^1 clip added/).waitFor()
    await page.getByRole('button', { name: 'Done' }).click()
    await card(page, '02_02').waitFor()
    const frames = (await studio.marey('info', join(folder, 'cmu_asfamc/02_02.amc'))).clips[0].frames
    const clip = (await studio.marey('ls', studio.library)).clips.find((each) => each.name === '02_02')
    assert.equal(clip.frames, frames)
  })
}
