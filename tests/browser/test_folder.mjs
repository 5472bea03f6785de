// test_folder.mjs - a studio of a folder of libraries: one is chosen in the header, all are searched at once, what is found says
// which library it is of, and a click opens it there.
import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { demo, inStudio, mark, open, segment, timeline, until, untilCount, untilEqual } from './steps.mjs'

const parts = { fights: ['mixed_fight', 'small_fight'], moves: ['kicks', 'walk_slow'], steps: ['steps'] }
/** A kick of the demo's clip "kicks", and all frames of that. */
const kick = { start: 122, end: 252, frames: 1622 }

const chooser = (page) => page.getByRole('combobox', { name: 'Library' })
const elsewhere = (page) => page.getByRole('region', { name: 'All libraries' })
const rows = (page) => elsewhere(page).getByRole('list').getByRole('button')

async function fill(studio) {
  const folder = await demo(studio.program)
  studio.library = join(studio.folder, 'libraries')
  mkdirSync(studio.library)
  for (const [name, clips] of Object.entries(parts)) {
    await studio.marey('add', join(studio.library, `${name}.marey`), ...clips.map((clip) => join(folder, `${clip}.bvh`)))
  }
}

export async function a_folder_of_libraries_is_a_list_to_choose_from(setting) {
  await inStudio(setting, { fill }, async (page) => {
    await untilCount(page, '2 clips')
    assert.deepEqual(await chooser(page).locator('option').allTextContents(), Object.keys(parts))
    assert.equal(await chooser(page).inputValue(), 'fights')
    await chooser(page).selectOption('steps')
    await untilCount(page, '1 clip')
    await untilEqual('the library', () => chooser(page).inputValue(), 'steps')
    assert.ok(!page.url().includes('token'))
    await chooser(page).selectOption('fights')
    await untilCount(page, '2 clips')
  })
}

export async function all_libraries_are_searched_and_a_click_opens_what_was_found_in_its_own(setting) {
  await inStudio(setting, { fill }, async (page, studio) => {
    await untilCount(page, '2 clips')
    await chooser(page).selectOption('moves')
    await untilEqual('the library', () => chooser(page).inputValue(), 'moves')
    await open(page, 'kicks')
    await mark(page, kick.frames, kick.start, kick.end - 1)
    await timeline(page).getByRole('button', { name: 'Find more' }).click()
    await elsewhere(page).getByRole('button', { name: 'Search all 3 libraries' }).click()
    await until('matches are listed', async () => (await rows(page).count()) > 2)

    const at = (name) => join(studio.library, `${name}.marey`)
    const { matches } = await studio.marey('search', at('moves'), at('fights'), at('steps'), `kicks#${kick.start}-${kick.end}`)
    const told = (await rows(page).allTextContents()).map((text) => text.replace(/\s+/g, ''))
    const wanted = matches.slice(1).map(
      ({ library, clip, start, end, distance }) =>
        `${library.replace(/^.*\/|\.marey$/g, '')}${clip}${start}–${end - 1}${Math.sqrt(distance).toFixed(1)}cm`,
    )
    assert.deepEqual(told, wanted)
    await page.screenshot({ path: join(setting.shots, 'folder.png') })

    const first = matches.find(({ library }) => library === at('fights'))
    await rows(page).filter({ hasText: first.clip }).first().click()
    await untilEqual('the library', () => chooser(page).inputValue().catch(() => ''), 'fights')
    await page.getByRole('img', { name: new RegExp(`^3D view of ${first.clip},`) }).waitFor()
    await until('the match is marked', async () => {
      const [start, end] = await segment(page).catch(() => [0, 0])
      return start === first.start && end === first.end - 1
    })
    assert.ok(!page.url().includes('#'))
  })
}
