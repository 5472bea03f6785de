// test_export.mjs - clips of the library as files for other programs: several at once as an archive, every format that is
// written, and by the preset of a program; each is what the command line writes.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { act, inStudio, noViolation, runLine, select, untilCommand, untilCount } from './steps.mjs'

const dialogOf = (page) => page.getByRole('dialog', { name: 'Export' })

/** Presses Export in the dialog; gives the downloaded file, and the folder that the command line fills. */
async function exported(page, studio, into) {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    dialogOf(page).getByRole('button', { name: 'Export', exact: true }).click(),
  ])
  const file = join(studio.folder, `${into}-${download.suggestedFilename()}`)
  await download.saveAs(file)
  await dialogOf(page).waitFor({ state: 'detached' })
  const folder = join(studio.folder, into)
  mkdirSync(folder)
  const line = await untilCommand(page, / convert /)
  await runLine(studio, line, studio.library, folder)
  return { file, folder, line, name: download.suggestedFilename() }
}

/** What is in a stored archive, by name. */
function unpacked(file) {
  const bytes = readFileSync(file)
  const entries = {}
  for (let at = 0; bytes.readUInt32LE(at) === 0x04034b50; ) {
    const [size, length] = [bytes.readUInt32LE(at + 18), bytes.readUInt16LE(at + 26)]
    const name = bytes.subarray(at + 30, at + 30 + length).toString()
    entries[name] = bytes.subarray(at + 30 + length, at + 30 + length + size)
    at += 30 + length + size
  }
  return entries
}

/** The files below a folder that the program wrote, without its notes. */
function written(folder) {
  const [inside] = readdirSync(folder)
  const below = join(folder, inside)
  const names = readdirSync(below).filter((name) => !name.startsWith('.'))
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(below, name))]))
}

function same(one, other) {
  assert.deepEqual(Object.keys(one).sort(), Object.keys(other).sort())
  for (const [name, bytes] of Object.entries(one)) assert.ok(bytes.equals(other[name]), name)
}

export async function several_clips_are_exported_in_every_format(given) {
  await inStudio(given, {}, async (page, studio) => {
    await untilCount(page, '30 clips')
    await select(page, 'cartwheels', 'hops')
    const { formats } = await studio.marey('formats')
    for (const { name, lost_writing } of formats.filter(({ writes }) => writes)) {
      await act(page, 'Export…').click()
      await dialogOf(page).getByText('2 clips: cartwheels, hops').waitFor()
      await dialogOf(page).getByRole('radio', { name: new RegExp(`^${name.toUpperCase()} `) }).check()
      // What will be lost is said before.
      await dialogOf(page).getByRole('note').filter({ hasText: lost_writing }).waitFor()
      if (name === 'fbx') {
        await page.screenshot({ path: join(given.shots, '91-export-several.png') })
        await noViolation(page, 'the export of several clips')
      }
      const made = await exported(page, studio, `as-${name}`)
      assert.equal(made.name, '2_clips.zip')
      const files = unpacked(made.file)
      assert.equal(Object.keys(files).length, name === 'amc' ? 4 : 2)
      same(files, written(made.folder))
    }
  })
}

export async function a_preset_sets_format_units_and_axes(given) {
  await inStudio(given, { colorScheme: 'dark' }, async (page, studio) => {
    await untilCount(page, '30 clips')
    await select(page, 'cartwheels')
    const { presets } = await studio.marey('formats')
    assert.ok(presets.length >= 6)
    await act(page, 'Export…').click()
    const dialog = dialogOf(page)
    for (const { name, format, units } of presets) {
      await dialog.getByLabel('For', { exact: true }).selectOption(name)
      assert.ok(await dialog.getByRole('radio', { name: new RegExp(`^${format.toUpperCase()} `) }).isChecked(), name)
      await dialog.getByText(`${units}, `).waitFor()
    }
    await dialog.getByLabel('For', { exact: true }).selectOption('unreal')
    await dialog.getByRole('radio', { name: /^BVH / }).check()
    await dialog.getByLabel('Frames a second').fill('30')
    await page.screenshot({ path: join(given.shots, '92-export-preset-dark.png') })
    await noViolation(page, 'the export by a preset')
    const made = await exported(page, studio, 'unreal')
    assert.match(made.line, /--for unreal/)
    assert.ok(readFileSync(made.file).equals(readFileSync(join(made.folder, 'cartwheels.bvh'))))
    const { clips } = await studio.marey('info', made.file)
    assert.deepEqual([clips[0].fps, clips[0].up], [30, 'z'])
    assert.match(readFileSync(made.file, 'utf8'), /ROOT root/)

    // `export` of the command line takes the preset's format.
    execFileSync(studio.program, ['export', studio.library, 'cartwheels', '--for', 'godot', '-o', join(studio.folder, 'out'), '--quiet'])
    assert.ok(readdirSync(join(studio.folder, 'out')).includes('cartwheels.glb'))
  })
}
