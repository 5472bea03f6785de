// test_timeline.mjs - marking, cutting, contacts, curves and export; whatever is made is read back with the program.
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import {
  account,
  button,
  command,
  drag,
  fillTwice,
  goTo,
  inStudio,
  mark,
  noViolation,
  open,
  runLine,
  search,
  segment,
  timeline,
  twinAgrees,
  until,
  untilCommand,
  untilCount,
  untilEqual,
} from './steps.mjs'

/** The motion of a clip of a library, as the bytes of a BVH file. */
function motion(studio, clip) {
  const file = join(studio.folder, 'motion.bvh')
  execFileSync(studio.program, ['convert', '-L', studio.library, clip, file, '--quiet'])
  return readFileSync(file)
}

export async function a_marked_segment_becomes_a_clip_of_exactly_its_frames(given) {
  await inStudio(given, { fill: fillTwice }, async (page, studio) => {
    await open(page, 'cartwheels')
    await mark(page, 1119, 150, 400)
    const end = await page.getByRole('slider', { name: 'Segment end' }).boundingBox()
    const grip = { x: end.x + end.width / 2, y: end.y + end.height / 2 }
    await drag(page, grip, { x: grip.x + 60, y: grip.y })
    const [first, last] = await segment(page)
    assert.ok(first === 150 && last > 440 && last < 700, `dragged to ${first}-${last}`)
    await timeline(page).getByText(`${first}–${last}`).waitFor()
    await page.screenshot({ path: join(given.shots, '16-segment.png') })
    await noViolation(page, 'a marked segment')
    await timeline(page).getByLabel('Name of the new clip').fill('second wheel')
    await button(page, 'Save as clip').click()
    await untilCount(page, '31 clips')
    const made = (await studio.marey('ls', studio.library)).clips.find((clip) => clip.name === 'second wheel')
    assert.equal(made.frames, last + 1 - first)
    assert.ok(motion(studio, 'second wheel').equals(motion(studio, `cartwheels#${first}-${last + 1}`)))
    await twinAgrees(page, studio, / cut /)
  })
}

export async function marked_frames_are_labelled_the_label_is_taken_off_and_brought_back(given) {
  await inStudio(given, { fill: fillTwice }, async (page, studio) => {
    const stretches = async () => {
      const { clips } = await studio.marey('ls', studio.library, 'cartwheels')
      return clips[0].stretches.map(({ label, start, end }) => `${label} ${start}-${end}`)
    }
    const bar = (frames) => timeline(page).getByRole('button', { name: `wheel, frames ${frames}` })
    const undo = () => page.getByRole('button', { name: 'Undo' }).last().click()
    await open(page, 'cartwheels')
    await mark(page, 1119, 150, 400)
    const [first, last] = await segment(page)
    const label = timeline(page).getByLabel('Label of these frames')
    await label.fill('wheel')
    await button(page, 'Label frames').click()
    await bar(`${first} to ${last}`).waitFor()
    await twinAgrees(page, studio, / label \S+ 'cartwheels#\d+-\d+' --add wheel$/)
    // Out of the middle: two are left, and a click on one marks its frames.
    await mark(page, 1119, 200, 300)
    const [from, to] = await segment(page)
    await button(page, 'Take off').click()
    await bar(`${to + 1} to ${last}`).waitFor()
    assert.deepEqual(await stretches(), [`wheel ${first}-${from}`, `wheel ${to + 1}-${last + 1}`])
    await page.screenshot({ path: join(given.shots, '17-stretches.png') })
    await noViolation(page, 'labels of frames')
    await bar(`${first} to ${from - 1}`).click()
    assert.deepEqual(await segment(page), [first, from - 1])
    await undo()
    await bar(`${first} to ${last}`).waitFor()
    assert.deepEqual(await stretches(), [`wheel ${first}-${last + 1}`])
    // By keys alone; and the library lists the clip by the label of its frames.
    await bar(`${first} to ${last}`).focus()
    await page.keyboard.press('Delete')
    await bar(`${first} to ${last}`).waitFor({ state: 'detached' })
    assert.deepEqual(await stretches(), [])
    await undo()
    await bar(`${first} to ${last}`).waitFor()
    await search(page, 'wheel', '1 of 30 clips')
  })
}

export async function playing_stays_inside_the_segment(given) {
  await inStudio(given, {}, async (page) => {
    await open(page, 'cartwheels')
    await goTo(page, 1000)
    await button(page, 'Set in').click()
    await goTo(page, 1010)
    await button(page, 'Set out').click()
    assert.deepEqual(await segment(page), [1000, 1010])
    const frames = await page.evaluate(async () => {
      const field = document.querySelector('[aria-label^="Frame;"]')
      const seen = []
      document.querySelector('button[aria-label=Play]').click()
      for (let n = 0; n < 20; n++) {
        await new Promise((next) => setTimeout(next, 20))
        seen.push(Number(field.value))
      }
      return seen
    })
    assert.ok(frames.every((each) => each >= 1000 && each <= 1010), frames.join())
    await page.keyboard.press('Escape')
    await page.getByText('shift-drag marks a segment').waitFor()
  })
}

const plantNames = (page) =>
  timeline(page).getByRole('button', { name: /planted, frames/ }).evaluateAll((all) => all.map((each) => each.ariaLabel))

export async function a_contact_is_dragged_saved_and_found_again(given) {
  await inStudio(given, { fill: fillTwice }, async (page, studio) => {
    await open(page, 'hops')
    const before = (await studio.marey('contacts', '-L', studio.library, 'hops')).contacts
    const heel = before.filter((each) => each.joint === 'left_heel')[0]
    const row = timeline(page).getByRole('group', { name: 'left heel plants' })
    const bar = row.getByRole('button').first()
    assert.equal(await bar.getAttribute('aria-label'), `left heel planted, frames ${heel.start} to ${heel.end - 1}`)
    const box = await bar.boundingBox()
    await drag(page, { x: box.x + box.width - 2, y: box.y + box.height / 2 }, { x: box.x + box.width - 42, y: box.y + box.height / 2 })
    await timeline(page).getByText('contacts changed').waitFor()
    const name = await bar.getAttribute('aria-label')
    const end = Number(name.match(/to (\d+)$/)[1]) + 1
    assert.ok(end < heel.end - 20, name)
    await page.screenshot({ path: join(given.shots, '17-contact-edited.png') })
    await button(page, 'Save contacts').click()
    await timeline(page).getByText('contacts kept').waitFor()
    const { contacts } = await studio.marey('contacts', '-L', studio.library, 'hops')
    const wanted = before.map((each) => (each.joint === 'left_heel' && each.start === heel.start ? { ...each, end } : each))
    assert.deepEqual(contacts, wanted)
    await twinAgrees(page, studio, / contacts .* --set /, 'hops')
    await button(page, 'Find again').click()
    await timeline(page).getByText('contacts found').waitFor()
    await twinAgrees(page, studio, / contacts .* --forget$/, 'hops')
    assert.equal((await studio.marey('contacts', '-L', studio.library, 'hops')).from, 'found')
  })
}

export async function contacts_are_added_removed_undone_and_reverted_by_keys_and_buttons(given) {
  await inStudio(given, {}, async (page) => {
    await open(page, 'cartwheels')
    const before = await plantNames(page)
    const bar = timeline(page).getByRole('group', { name: 'right toe plants' }).getByRole('button').first()
    await bar.focus()
    await page.keyboard.press('Delete')
    await untilEqual('one is gone', async () => (await plantNames(page)).length, before.length - 1)
    await button(page, 'Undo').click()
    await untilEqual('undone', () => plantNames(page), before)
    await bar.focus()
    await page.keyboard.press('Shift+ArrowLeft')
    await timeline(page).getByText('contacts changed').waitFor()
    await button(page, 'Revert').click()
    await untilEqual('reverted', () => plantNames(page), before)
  })
}

export async function curves_of_chosen_channels_are_drawn(given) {
  await inStudio(given, { colorScheme: 'dark' }, async (page) => {
    await open(page, 'jumps')
    await button(page, 'Curves').click()
    const chooser = page.getByRole('group', { name: 'Curves to draw' })
    await chooser.getByLabel('Joint').selectOption({ label: 'Head (head)' })
    for (const name of ['y', 'speed']) await chooser.getByRole('button', { name, exact: true }).click()
    const legend = page.getByRole('list', { name: 'Curves' })
    await untilEqual('two curves', () => legend.getByRole('listitem').count(), 2)
    assert.match(await legend.textContent(), /Head\.y.*Head\.speed/)
    const value = () => legend.getByRole('listitem').first().locator('.tl-value').textContent()
    await until('a value is shown', async () => /^\d/.test(await value()))
    await goTo(page, 200)
    const height = await value()
    await goTo(page, 320)
    assert.notEqual(await value(), height)
    await page.screenshot({ path: join(given.shots, '18-curves.png') })
    await noViolation(page, 'curves')
  })
}

/** Exports by the dialog; gives the downloaded file, and the one that the command line makes in a folder of its own. */
async function exported(page, studio, format) {
  await button(page, 'Export').click()
  const dialog = page.getByRole('dialog', { name: 'Export' })
  await dialog.getByRole('radio', { name: new RegExp(`^${format}`) }).check()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    dialog.getByRole('button', { name: 'Export', exact: true }).click(),
  ])
  const file = join(studio.folder, `${format}-${download.suggestedFilename()}`)
  await download.saveAs(file)
  await dialog.waitFor({ state: 'detached' })
  const ending = download.suggestedFilename().split('.').pop()
  const line = await untilCommand(page, new RegExp(`\\.${ending}$`))
  const folder = join(studio.folder, `by-command-${ending}`)
  mkdirSync(folder)
  await runLine(studio, line, studio.library, folder)
  return { file, byCommand: join(folder, line.split(' ').pop()), name: basename(file) }
}

function same(one, other) {
  assert.ok(readFileSync(one).equals(readFileSync(other)), `${one} is what the command line writes`)
}

/** Frames of the animation in a GLB: the count of its longest time track. */
function glbFrames(file) {
  const bytes = readFileSync(file)
  const json = JSON.parse(bytes.subarray(20, 20 + bytes.readUInt32LE(12)).toString())
  return Math.max(...json.animations[0].samplers.map(({ input }) => json.accessors[input].count))
}

export async function a_segment_is_exported_as_its_command_line_writes_it(given) {
  await inStudio(given, {}, async (page, studio) => {
    await open(page, 'cartwheels')
    await mark(page, 1119, 200, 259)
    await button(page, 'Export').click()
    await page.getByRole('radio', { name: /^Frames 200–259/ }).waitFor()
    assert.ok(await page.getByRole('radio', { name: /^Frames 200–259/ }).isChecked())
    await page.screenshot({ path: join(given.shots, '19-export.png') })
    await noViolation(page, 'the export dialog')
    await page.keyboard.press('Escape')
    const bvh = await exported(page, studio, 'BVH')
    same(bvh.file, bvh.byCommand)
    const { clips } = await studio.marey('info', bvh.file)
    assert.deepEqual([clips[0].frames, clips[0].fps], [60, 60])
    const glb = await exported(page, studio, 'GLB')
    same(glb.file, glb.byCommand)
    assert.equal(glbFrames(glb.file), 60)
    const fbx = await exported(page, studio, 'FBX')
    same(fbx.file, fbx.byCommand)
    const png = await exported(page, studio, 'PNG')
    same(png.file, png.byCommand)
    assert.equal(readFileSync(png.file).subarray(1, 4).toString(), 'PNG')
    if (spawnSync('ffprobe', ['-version']).error) return
    const mp4 = await exported(page, studio, 'MP4')
    const count = ['-v', 'error', '-count_frames', '-show_entries', 'stream=nb_read_frames', '-of', 'csv=p=0']
    const frames = (file) => Number(execFileSync('ffprobe', [...count, file]).toString())
    // One second, at 30 pictures a second.
    assert.equal(frames(mp4.file), 30)
    assert.equal(frames(mp4.byCommand), 30)
  })
}

export async function a_whole_clip_is_exported_and_the_library_stays_as_it_is(given) {
  await inStudio(given, {}, async (page, studio) => {
    await open(page, 'idles')
    const bvh = await exported(page, studio, 'BVH')
    same(bvh.file, bvh.byCommand)
    assert.equal((await studio.marey('info', bvh.file)).clips[0].frames, 1139)
    assert.doesNotMatch(await command(page), /#/)
    assert.equal((await account(studio, studio.library)).clips.length, 30)
  })
}
