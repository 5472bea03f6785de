// test_windows.mjs - what outlives a page, and what two pages on one library share: jobs are listed again after a reload, with
// the files that they made, and can be cancelled; a selection, an open clip and panels are each window's own, and changes of one
// appear in the other.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { act, card, inStudio, list, noViolation, open, select, until, untilCount, viewer } from './steps.mjs'

const jobsButton = (page) => page.getByRole('banner').getByRole('button', { name: /^Jobs/ })
const rows = (page) => page.getByRole('dialog', { name: 'Jobs' }).getByRole('listitem')

/** Begins something by the page's own address, and says the number of its job. */
function begin(page, operation, body) {
  return page.evaluate(
    async ([operation, body]) => {
      const headers = { 'Content-Type': 'application/json' }
      const answer = await fetch(`/api/do/${operation}`, { method: 'POST', headers, body: JSON.stringify(body) })
      return (await answer.json()).job
    },
    [operation, body],
  )
}

const over = (page, job) =>
  until(`job ${job} is over`, () =>
    page.evaluate(async (job) => !/waiting|running/.test((await (await fetch(`/api/jobs/${job}`)).json()).state), job),
  )

export async function jobs_are_listed_again_after_a_reload(given) {
  await inStudio(given, { colorScheme: 'dark' }, async (page) => {
    await untilCount(page, '30 clips')
    const made = await begin(page, 'convert', { clips: ['kicks'], output: 'kicks.bvh' })
    await over(page, made)
    // Several, one after the other: the last of them waits, whatever the machine does.
    const clips = ['walk_eight', 'jog_curve', 'run_curve', 'walk_slow']
    const waiting = []
    for (let i = 0; i < 6; i++) waiting.push(await begin(page, 'graph-build', { name: `g${i}`, clips }))
    await page.reload()
    await untilCount(page, '30 clips')
    await jobsButton(page).click()
    await rows(page).first().waitFor()
    assert.equal(await rows(page).count(), 7)
    await page.screenshot({ path: join(given.shots, '90-jobs.png') })
    await noViolation(page, 'jobs')
    for (let i = 0; i < 6; i++) {
      const row = rows(page).nth(i)
      const cancel = row.getByRole('button', { name: 'Cancel' })
      if (await cancel.count()) await cancel.click({ timeout: 5000 }).catch(() => {})
    }
    await page.getByRole('listitem', { name: 'Motion graph, cancelled' }).first().waitFor()
    for (const job of waiting) await over(page, job)

    // What was exported before can still be fetched, and dragged out as a file.
    const link = rows(page).last().getByRole('link', { name: 'kicks.bvh' })
    const [file] = await Promise.all([page.waitForEvent('download'), link.click()])
    assert.equal(file.suggestedFilename(), 'kicks.bvh')
    assert.match(readFileSync(await file.path(), 'utf8'), /^HIERARCHY/)
    const dragged = await link.evaluate((element) => {
      const data = new DataTransfer()
      element.dispatchEvent(new DragEvent('dragstart', { dataTransfer: data, bubbles: true }))
      return data.getData('DownloadURL')
    })
    assert.match(dragged, /^application\/octet-stream:kicks\.bvh:http:\/\/127\.0\.0\.1:\d+\/api\/jobs\/1\/file$/)
  })
}

export async function two_windows_on_one_library_do_not_disturb_each_other(given) {
  await inStudio(given, {}, async (page, studio) => {
    await untilCount(page, '30 clips')
    const other = await page.context().newPage()
    try {
      await other.goto(studio.address)
      await untilCount(other, '30 clips')
      await open(page, 'cartwheels')
      await select(other, 'hops', 'idles')
      assert.equal(await viewer(other).getByRole('img', { name: /^3D view of/ }).count(), 0)
      assert.equal(await list(page).locator('[aria-selected=true]').count(), 1)

      // A panel of one window, and a filter.
      await page.locator('body').press('g')
      await page.getByRole('region', { name: /graph/i }).first().waitFor()
      assert.equal(await other.getByRole('listbox', { name: 'Clips' }).count(), 1)
      await page.keyboard.press('Escape')

      // What one changes appears in the other, which keeps its selection.
      await act(other, 'Labels…').click()
      const dialog = other.getByRole('dialog', { name: 'Labels of 2 clips' })
      await dialog.getByLabel('Add a label').fill('from the other')
      await dialog.getByRole('button', { name: 'Add', exact: true }).click()
      await dialog.getByRole('button', { name: 'Save labels' }).click()
      await card(other, 'idles').getByText('from the other').waitFor()
      await page.reload()
      await card(page, 'idles').getByText('from the other').waitFor()
      await studio.marey('rename', studio.library, 'hops', 'hopping')
      for (const window of [page, other]) await card(window, 'hopping').waitFor()
      assert.deepEqual(await list(other).locator('[aria-selected=true] .name').allTextContents(), ['hopping', 'idles'])

      // So do jobs: what one window began is listed in the other.
      const job = await begin(page, 'convert', { clips: ['idles'], output: 'idles.bvh' })
      await over(page, job)
      await jobsButton(other).click()
      await other.getByRole('link', { name: 'idles.bvh' }).waitFor()
    } finally {
      await other.close()
    }
  })
}
