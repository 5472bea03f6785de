// test_empty.mjs - a library with nothing in it: three ways in.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { account, inStudio, noViolation, runLine, untilCommand, untilCount } from './steps.mjs'

const nothing = async () => {}

export async function an_empty_library_greets_with_three_ways_in(given) {
  await inStudio(given, { fill: nothing, colorScheme: 'dark' }, async (page) => {
    await page.getByRole('heading', { name: 'lib.marey is empty' }).waitFor()
    for (const way of ['Drop files here', 'Open the demo', 'Read how']) {
      await page.getByRole('heading', { name: way }).waitFor()
    }
    await page.screenshot({ path: join(given.shots, '01-empty-dark.png') })
    await noViolation(page, 'the empty library, dark')
    await page.getByRole('button', { name: 'Theme: as the system' }).click()
    await page.getByRole('button', { name: 'Theme: dark' }).click()
    await page.getByRole('button', { name: 'Theme: light' }).waitFor()
    await page.screenshot({ path: join(given.shots, '02-empty-light.png') })
    await noViolation(page, 'the empty library, light')
  })
}

export async function the_greeting_explains_and_opens_the_choice_of_files(given) {
  await inStudio(given, { fill: nothing }, async (page) => {
    await page.getByRole('button', { name: 'Read how' }).click()
    const how = page.getByRole('dialog', { name: 'How marey works' })
    await how.getByText('The first three steps').waitFor()
    await page.screenshot({ path: join(given.shots, '03-how.png') })
    await noViolation(page, 'the dialog that tells how')
    await page.keyboard.press('Escape')
    await how.waitFor({ state: 'detached' })
    const [chooser] = await Promise.all([
      page.waitForEvent('filechooser'),
      page.getByRole('button', { name: 'Choose files…' }).click(),
    ])
    assert.equal(chooser.isMultiple(), true)
  })
}

export async function the_demo_is_added_from_the_greeting_as_add_demo_does(given) {
  await inStudio(given, { fill: nothing }, async (page, studio) => {
    await page.getByRole('button', { name: 'Add the demo clips' }).click()
    await untilCount(page, '30 clips')
    await page.getByText('Added 30 demo clips').waitFor()
    const twin = join(studio.folder, 'twin.marey')
    await runLine(studio, await untilCommand(page, / add .* --demo$/), twin)
    assert.deepEqual(
      await account(studio, studio.library, 'kicks'),
      await account(studio, twin, 'kicks'),
    )
  })
}
