// test_motifs.mjs - the panel "Motifs": what repeats in the library is found without a query, as often as the program says;
// a motif plays and shows where it occurs, and one goes on to a search.
import assert from 'node:assert/strict'
import { fillWithDemo, inStudio, noViolation, until, untilCommand, untilCount } from './steps.mjs'

const panel = (page) => page.getByRole('region', { name: 'Motifs', exact: true })
const cards = (page) => panel(page).getByRole('list', { name: 'Motifs' }).getByRole('button')
const places = (page) => panel(page).getByRole('list', { name: 'Occurrences' }).getByRole('button')

/** A few clips, so that it is quick. */
async function fill(studio) {
  await fillWithDemo(studio)
  const { clips } = await studio.marey('ls', studio.library)
  const others = clips.map(({ name }) => name).filter((name) => !['kicks', 'punches', 'small_fight'].includes(name))
  await studio.marey('rm', studio.library, ...others)
}

const shown = (page) => page.evaluate(() => window.mareyViewer?.characters[0]?.shown.clip.name)

export async function what_repeats_is_found_shown_and_searched_for(given) {
  await inStudio(given, { fill }, async (page, studio) => {
    await untilCount(page, '3 clips')
    await page.keyboard.press('y')
    await cards(page).first().waitFor()
    assert.match(await untilCommand(page, /^marey motifs /), /\.marey$/)
    const { motifs } = await studio.marey('motifs', studio.library)
    assert.equal(await cards(page).count(), motifs.length)
    assert.match(await cards(page).first().textContent(), new RegExp(`^${motifs[0].count}×${motifs[0].seconds.toFixed(1)} s`))
    await until('strips are drawn', async () => (await cards(page).first().locator('svg').count()) === 1)
    await noViolation(page, 'motifs')

    await cards(page).first().click()
    assert.equal(await places(page).count(), motifs[0].count)
    const { clip, start, end } = motifs[0].example
    await until('the example is in the view', async () => (await shown(page)) === clip)
    await noViolation(page, 'occurrences')

    await panel(page).getByRole('button', { name: 'Find more' }).click()
    await page.getByRole('region', { name: 'Search', exact: true }).waitFor()
    await untilCommand(page, new RegExp(`^marey search .*${clip}#${start}-${end}`))

    // What was found is still there.
    await page.keyboard.press('y')
    assert.equal(await cards(page).count(), motifs.length)
  })
}
