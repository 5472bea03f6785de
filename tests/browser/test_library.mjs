// test_library.mjs - finding clips and working on several of them: search, filters, sorting, selecting, labels, names,
// removing; and that the program does the same by the command lines that the page shows.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  act,
  card,
  cardNames,
  demo,
  fillTwice,
  fillWithDemo,
  inStudio,
  list,
  noViolation,
  search,
  searchField,
  select,
  twinAgrees,
  until,
  untilCommand,
  untilCount,
  untilEqual,
} from './steps.mjs'

/** The demo, and one clip more of a body that has another joint. */
async function fillWithTwoBodies(studio) {
  await fillWithDemo(studio)
  const text = readFileSync(join(await demo(studio.program), 'small_walk.bvh'), 'utf8')
  const file = join(studio.folder, 'other_body.bvh')
  writeFileSync(file, text.replaceAll('LeftToeBase', 'LeftToes'))
  execFileSync(studio.program, ['add', studio.library, file, '--quiet'])
}

const clear = (page) => page.getByRole('button', { name: 'Clear filter' }).click()

export async function search_labels_length_and_skeleton_narrow_the_list(given) {
  await inStudio(given, { fill: fillWithTwoBodies, colorScheme: 'dark' }, async (page, studio) => {
    await untilCount(page, '31 clips')
    await page.screenshot({ path: join(given.shots, '04-library-dark.png') })
    await search(page, 'kick', '3 of 31 clips')
    const found = (await studio.marey('ls', studio.library, 'kick')).clips.map((clip) => clip.name)
    assert.deepEqual(await cardNames(page), found)
    assert.match(await untilCommand(page, / ls /), /lib\.marey kick$/)
    await clear(page)
    await untilCount(page, '31 clips')
    const labels = page.getByRole('group', { name: 'Filter by label' })
    await labels.getByRole('button', { name: /^walk / }).click()
    const walks = (await studio.marey('ls', studio.library, '--label', 'walk')).clips.length
    await untilCount(page, `${walks} of 31 clips`)
    await clear(page)
    await page.getByRole('button', { name: 'Filter by length and skeleton' }).click()
    await page.getByLabel('Shortest length in seconds').fill('30')
    const all = (await studio.marey('ls', studio.library)).clips
    const long = all.filter((clip) => clip.seconds >= 30)
    await untilCount(page, `${long.length} of 31 clips`)
    await page.getByLabel('Longest length in seconds').fill('40')
    await untilCount(page, `${long.filter((clip) => clip.seconds <= 40).length} of 31 clips`)
    await clear(page)
    const other = all.find((clip) => clip.name === 'other_body').skeleton
    await page.getByRole('combobox', { name: 'Skeleton' }).selectOption(other)
    await untilCount(page, '1 of 31 clips')
    assert.deepEqual(await cardNames(page), ['other_body'])
    await search(page, 'nothing_is_called_so', '0 of 31 clips')
    await page.getByRole('button', { name: 'Show all clips' }).click()
    await untilCount(page, '31 clips')
  })
}

export async function the_list_is_sorted_by_name_length_age_or_skeleton(given) {
  await inStudio(given, {}, async (page, studio) => {
    await untilCount(page, '30 clips')
    const { clips } = await studio.marey('ls', studio.library)
    const first = (order) => [...clips].sort(order)[0].name
    const sort = page.getByLabel('Sort by')
    await untilEqual('the first by name', async () => (await cardNames(page))[0], 'cartwheels')
    await sort.selectOption('Length')
    const shortest = first((a, b) => a.seconds - b.seconds)
    await untilEqual('the shortest', async () => (await cardNames(page))[0], shortest)
    await sort.selectOption('Newest first')
    await untilEqual('the newest', async () => (await cardNames(page))[0], 'small_reach')
    await sort.selectOption('Skeleton')
    const skeletons = clips.map((clip) => clip.skeleton).sort()
    const leader = async () => clips.find((clip) => clip.name === names[0]).skeleton
    const names = await cardNames(page)
    assert.equal(await leader(), skeletons[0])
  })
}

export async function clips_are_selected_as_in_a_file_manager(given) {
  await inStudio(given, {}, async (page) => {
    await untilCount(page, '30 clips')
    const selected = () => page.getByText(/^\d+ selected$/).textContent()
    await card(page, 'cartwheels').click()
    assert.equal(await selected(), '1 selected')
    await card(page, 'idles').click({ modifiers: ['Shift'] })
    await untilEqual('after Shift', selected, '3 selected')
    await card(page, 'hops').click({ modifiers: ['Control'] })
    await untilEqual('after Ctrl', selected, '2 selected')
    assert.equal(await card(page, 'hops').getAttribute('aria-selected'), 'false')
    await list(page).press('Control+a')
    await untilEqual('after Ctrl+A', selected, '30 selected')
    await act(page, 'Select none').click()
    await page.getByText('Double-click opens').waitFor()
  })
}

export async function a_strip_plays_under_the_pointer(given) {
  await inStudio(given, {}, async (page) => {
    await untilCount(page, '30 clips')
    const film = card(page, 'cartwheels').locator('canvas')
    const picture = () => film.evaluate((canvas) => canvas.toDataURL())
    await card(page, 'cartwheels').hover()
    await page.waitForFunction(() => document.querySelector('[role=option] canvas.on') !== null)
    const before = await picture()
    await until('the picture moves', async () => (await picture()) !== before)
    await page.screenshot({ path: join(given.shots, '05-library-hover.png') })
    await searchField(page).hover()
    await page.waitForFunction(() => document.querySelector('[role=option] canvas.on') === null)
  })
}

export async function labels_of_several_clips_names_and_descriptions_are_edited(given) {
  await inStudio(given, { fill: fillTwice }, async (page, studio) => {
    await search(page, 'walk', '9 of 30 clips')
    await select(page, 'walk_fast', 'walk_left', 'mixed_home')
    await act(page, 'Labels…').click()
    const dialog = page.getByRole('dialog', { name: 'Labels of 3 clips' })
    await dialog.getByLabel('Add a label').fill("it's good, take 2")
    await dialog.getByRole('button', { name: 'Add', exact: true }).click()
    await dialog.getByRole('checkbox', { name: /^sneak/ }).click()
    await dialog.getByRole('checkbox', { name: /^sneak/ }).click()
    await page.screenshot({ path: join(given.shots, '06-labels.png') })
    await noViolation(page, 'the labels dialog')
    await dialog.getByRole('button', { name: 'Save labels' }).click()
    await dialog.waitFor({ state: 'detached' })
    await card(page, 'walk_fast').getByText("it's good").waitFor()
    await twinAgrees(page, studio, / label /)
    await card(page, 'walk_fast').click()
    await act(page, 'Rename…').click()
    await page.getByRole('dialog').getByLabel('New name').fill('brisk walk')
    await noViolation(page, 'the rename dialog')
    await page.keyboard.press('Enter')
    await card(page, 'brisk walk').waitFor()
    await twinAgrees(page, studio, / rename /)
    await act(page, 'Describe…').click()
    const describe = page.getByRole('dialog', { name: 'Describe brisk walk' })
    await describe.getByLabel('Description').fill('twice there and back')
    await describe.getByLabel('Licence').fill('CC BY-NC 4.0')
    await describe.getByRole('button', { name: 'Save' }).click()
    await describe.waitFor({ state: 'detached' })
    await twinAgrees(page, studio, / --licence /)
  })
}

export async function removed_clips_come_back_by_undo_or_restore_until_they_are_purged(given) {
  await inStudio(given, { fill: fillTwice }, async (page, studio) => {
    await untilCount(page, '30 clips')
    await select(page, 'cartwheels', 'hops')
    await page.keyboard.press('Delete')
    await untilCount(page, '28 clips')
    await page.screenshot({ path: join(given.shots, '07-removed-notice.png') })
    await twinAgrees(page, studio, / rm /)
    await page.getByRole('button', { name: 'Undo', exact: true }).click()
    await untilCount(page, '30 clips')
    await twinAgrees(page, studio, / undo /)
    await select(page, 'idles', 'jumps')
    await act(page, 'Remove').click()
    await untilCount(page, '28 clips')
    await twinAgrees(page, studio, / rm /)
    await page.getByRole('button', { name: 'Removed clips, 2' }).click()
    await untilCount(page, '2 removed')
    await card(page, 'idles').click()
    await act(page, 'Restore').click()
    await untilCount(page, '1 removed')
    await twinAgrees(page, studio, / restore /)
    await card(page, 'jumps').click()
    await act(page, 'Delete for good…').click()
    await noViolation(page, 'the question before deleting for good')
    await page.screenshot({ path: join(given.shots, '08-purge.png') })
    await page.getByRole('dialog', { name: 'Delete jumps for good?' }).getByRole('button', { name: 'Delete for good' }).click()
    await page.getByText('Nothing was removed.').waitFor()
    await twinAgrees(page, studio, / rm .*--purge/)
    await page.getByRole('button', { name: 'Back to the library' }).click()
    await untilCount(page, '29 clips')
  })
}

export async function what_another_program_changes_shows_up_by_itself(given) {
  await inStudio(given, {}, async (page, studio) => {
    await card(page, 'cartwheels').waitFor()
    await studio.marey('label', studio.library, 'cartwheels', '--add', 'seen elsewhere')
    await card(page, 'cartwheels').getByText('seen elsewhere').waitFor()
    await studio.marey('rm', studio.library, 'hops')
    await untilCount(page, '29 clips')
  })
}

/** 1,200 clips: one short motion, of which each has another first number. */
async function fillWithMany(studio) {
  const folder = join(studio.folder, 'many')
  mkdirSync(folder)
  const short = join(studio.folder, 'short.bvh')
  execFileSync(studio.program, ['convert', `${await demo(studio.program)}/jumps.bvh#0-3`, short, '--quiet'])
  const [head, first, ...rest] = readFileSync(short, 'utf8').split(/(?<=Frame Time:[^\n]*\n)|(?<=\n)(?=[-\d])/)
  for (let i = 0; i < 1200; i++) {
    const moved = first.replace(/^\S+/, (number) => String(Number(number) + i / 100))
    writeFileSync(join(folder, `take_${String(i).padStart(4, '0')}.bvh`), [head, moved, ...rest].join(''))
  }
  execFileSync(studio.program, ['add', studio.library, folder, '--quiet'])
}

export async function a_list_of_1200_clips_draws_only_those_in_sight(given) {
  await inStudio(given, { fill: fillWithMany }, async (page, studio) => {
    await untilCount(page, '1200 clips')
    const drawn = () => list(page).getByRole('option').count()
    assert.ok((await drawn()) < 60, `${await drawn()} cards are drawn`)
    for (const part of [0.3, 0.6, 1]) {
      const wanted = Math.round(part * 1199)
      await list(page).evaluate((element, share) => {
        element.scrollTop = share * (element.scrollHeight - element.clientHeight)
      }, part)
      const near = async () => {
        const at = (await cardNames(page)).map((name) => Number(name.slice(5)))
        return Math.min(...at.map((each) => Math.abs(each - wanted))) < 12 || at
      }
      await until('cards follow the scrolling', near)
      assert.ok((await drawn()) < 60, `${await drawn()} cards are drawn`)
    }
    await list(page).press('Control+Home')
    await until('the keyboard goes to the first card', async () => (await cardNames(page)).includes('take_0000'))

    // A filter leaves the cards that the program lists, from the first on, however far the list was scrolled; keys go on in it.
    await list(page).press('Control+End')
    await until('the keyboard goes to the last card', async () => (await cardNames(page)).includes('take_1199'))
    const found = (await studio.marey('ls', studio.library, 'take_11')).clips.map((clip) => clip.name)
    await search(page, 'take_11', `${found.length} of 1200 clips`)
    const shown = async () => {
      const names = await cardNames(page)
      return names.every((name) => found.includes(name)) && names.length < 60 ? true : names
    }
    await until('only cards that were found are drawn', shown)
    await list(page).focus()
    await list(page).press('Control+Home')
    await list(page).press('ArrowDown')
    const columns = Number(await list(page).locator('[aria-selected=true]').getAttribute('aria-posinset')) - 1
    assert.equal(await list(page).locator('[aria-selected=true] .name').textContent(), found[columns])
    await list(page).press('Shift+Control+End')
    await page.getByRole('toolbar', { name: 'Selected clips' }).getByText(`${found.length - columns} selected`).waitFor()
    await page.getByRole('button', { name: 'Clear filter' }).click()
    await untilCount(page, '1200 clips')
    const at = async () => Number(await list(page).getByRole('option').first().getAttribute('aria-setsize'))
    await untilEqual('cards say how many there are', at, 1200)

    // A change of one clip comes alone, and leaves what is selected and where the list stands.
    const sizes = []
    const weigh = (answer) => {
      if (/\/api\/clips(\?since|$)/.test(answer.url())) sizes.push(answer.body().then((body) => body.length))
    }
    page.on('response', weigh)
    await studio.marey('label', studio.library, 'take_1150', '--add', 'seen elsewhere')
    await page.getByRole('group', { name: 'Filter by label' }).getByRole('button', { name: /^seen elsewhere/ }).waitFor()
    page.off('response', weigh) // the page goes on to other tests, and what it has left has no body any more
    assert.ok(Math.max(...(await Promise.all(sizes))) < 5000, `${await Promise.all(sizes)} bytes were sent for one clip`)
    await page.getByRole('toolbar', { name: 'Selected clips' }).getByText(`${found.length - columns} selected`).waitFor()
  })
}

/** Words of all kinds, in names, labels and descriptions that are not plain. */
export async function the_page_finds_the_clips_that_the_program_lists(given) {
  const fill = async (studio) => {
    await fillWithDemo(studio)
    await studio.marey('rename', studio.library, 'hops', 'Élan_à-pied 90b')
    await studio.marey('label', studio.library, 'jumps', '--add', 'session 3: café', '--describe', "don't (ever) stop; 50% slower")
  }
  await inStudio(given, { fill }, async (page, studio) => {
    await untilCount(page, '30 clips')
    const texts = ['walk', 'WALK sl', 'elan', 'élan', 'a-pied', 'pied_90', '90', '90b', 'cafe', '3: caf', 'session-3', 'don t', "don't", 'ever stop', '50%', 'slower stop', 'sto', 'zzz']
    for (const text of texts) {
      const names = (await studio.marey('ls', studio.library, ...text.split(' '))).clips.map((clip) => clip.name)
      await searchField(page).fill('')
      await untilCount(page, '30 clips')
      await search(page, text, names.length === 30 ? '30 clips' : `${names.length} of 30 clips`)
      if (names.length === 0) await page.getByText('No clip is like that.').waitFor()
      else assert.deepEqual((await cardNames(page)).sort(), names.sort().slice(0, (await cardNames(page)).length), text)
    }
  })
}
