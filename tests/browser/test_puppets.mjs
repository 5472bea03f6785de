// test_puppets.mjs - the panel "Puppets": somebody reacts to the pointer and to the keys, as a whole body if wanted; somebody is
// taught by mouse, by keys and by a table; and what is kept is renamed, exported, taught more and removed.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  chooseClip,
  fillTwice,
  inStudio,
  loaded,
  noViolation,
  runLine,
  search,
  select,
  until,
  untilCommand,
  untilCount,
  untilEqual,
} from './steps.mjs'

const panel = (page) => page.getByRole('region', { name: 'Puppets' })
const tab = (page, name) => panel(page).getByRole('tab', { name, exact: true })
const plan = (page) => panel(page).getByRole('application', { name: /^Plan from above/ })
const adding = (page) => panel(page).getByRole('group', { name: 'Add a character that reacts' })
const reactors = (page) => panel(page).getByRole('list', { name: 'Who reacts' }).getByRole('listitem')
const kept = (page, name) => panel(page).getByRole('listitem', { name, exact: true })

async function openPuppets(page) {
  await untilCount(page, '30 clips')
  await page.keyboard.press('u')
  await plan(page).waitFor()
}

function names(list) {
  return list.evaluateAll((all) => all.map((each) => each.getAttribute('aria-label')))
}

async function untilPlaying(page, name) {
  await until(`${name} plays`, async () => (await names(reactors(page))).includes(name))
}

/** All characters on the plan, the main character first. */
function characters(page) {
  return page.evaluate(() => (window.mareyViewer?.pawns.pawns?.list ?? []).map(({ x, y, dir }) => ({ x, y, dir })))
}

/** Where a place is on the page: shares of the plan's width and height. */
async function onPlan(page) {
  const box = await plan(page).boundingBox()
  return (x, y) => [box.x + x * box.width, box.y + y * box.height]
}

/** What somebody follows now, as the page says it. */
async function follows(page, name) {
  const text = await reactors(page).filter({ hasText: name }).first().textContent()
  return text.match(/Follows(.*?)Weight/)?.[1] ?? ''
}

/** The pointer goes around on the plan until it is so. */
async function wander(page, what, look) {
  const at = await onPlan(page)
  let i = 0
  await until(what, async () => {
    i++
    await page.mouse.move(...at(0.5 + 0.3 * Math.sin(0.21 * i), 0.5 + 0.3 * Math.sin(0.13 * i)))
    return look()
  })
}

const far = (a, b) => Math.hypot(a.x - b.x, a.y - b.y)

export async function two_react_to_the_pointer_and_follow_other_moments_while_it_moves(given) {
  await inStudio(given, {}, async (page, studio) => {
    await openPuppets(page)
    await untilEqual('who is there', () => reactors(page).count(), 1)
    await adding(page).getByRole('button', { name: 'shy' }).click()
    await untilCommand(page, /^marey puppet show -L \S+ shy$/)
    await untilEqual('who is there', () => reactors(page).count(), 2)
    const who = await names(reactors(page))
    assert.equal(new Set(who).size, 2)
    await wander(page, 'all three are there', async () => (await characters(page)).length === 3)
    const before = await characters(page)
    const moments = []
    for (const name of who) moments.push(await follows(page, name))
    await wander(page, 'all three have moved', async () => {
      const now = await characters(page)
      return now.every((each, i) => far(each, before[i]) > 40) || now
    })
    await wander(page, 'they follow other moments', async () => {
      for (const [i, name] of who.entries()) if ((await follows(page, name)) === moments[i]) return moments
      return moments.every((moment) => / s$|^–$/.test(moment)) || moments
    })
    await noViolation(page, 'the tab Play')

    await panel(page).getByRole('button', { name: 'Pause' }).click()
    const still = await characters(page)
    await panel(page).getByRole('button', { name: 'Go on' }).waitFor()
    assert.ok((await characters(page)).every((each, i) => far(each, still[i]) < 60))
    await panel(page).getByRole('button', { name: 'Go on' }).click()
    await panel(page).getByRole('checkbox', { name: 'No smoothing' }).check()
    const slider = panel(page).getByRole('slider', { name: /^Reactive/ })
    await slider.press('ArrowRight')
    await untilEqual('the balance', () => slider.getAttribute('aria-valuetext'), '55 : 45')
    await wander(page, 'they still move', async () => (await characters(page)).every((each, i) => far(each, still[i]) > 20))

    await studio.marey('puppet', 'rm', studio.library, 'shy')
    const chip = adding(page).getByRole('button', { name: 'shy' })
    await until('it is kept no more', async () => /ready-made/.test(await chip.getAttribute('title')))
    const gone = await characters(page)
    assert.equal(gone.length, 3)
    await wander(page, 'it plays on as it was', async () => far((await characters(page))[2], gone[2]) > 20)
    await panel(page).getByRole('button', { name: 'Send away shy' }).click()
    await untilEqual('who is there', () => reactors(page).count(), 1)
    await panel(page).getByRole('button', { name: 'Restart' }).click()
    await page.keyboard.press('u')
    await page.getByRole('region', { name: 'Library' }).waitFor()
  })
}

export async function the_keyboard_alone_plays(given) {
  await inStudio(given, {}, async (page) => {
    await openPuppets(page)
    await until('a character is there', async () => (await characters(page)).length === 2)
    const [start, other] = await characters(page)
    await plan(page).focus()
    await page.keyboard.down('ArrowRight')
    await until('it goes to the right', async () => (await characters(page))[0].x > start.x + 150)
    await page.keyboard.up('ArrowRight')
    await until('the other has moved', async () => far((await characters(page))[1], other) > 20)
    const { dir } = (await characters(page))[0]
    await page.keyboard.down('q')
    await until('its look is turned', async () => (await characters(page))[0].dir > dir + 0.5)
    await page.keyboard.up('q')
    await until('it looks ahead', async () => {
      await page.keyboard.press('w', { delay: 300 }) // longer than a picture takes
      return Math.abs((await characters(page))[0].dir) < 0.2
    })
    await page.keyboard.press(' ')
    await panel(page).getByRole('button', { name: 'Go on' }).waitFor()
    await page.keyboard.press('ArrowUp')
    await panel(page).getByRole('button', { name: 'Pause' }).waitFor()
    await tab(page, 'Play').focus()
    await page.keyboard.press('ArrowRight')
    await until('the next tab is open', async () => (await tab(page, 'Show').getAttribute('aria-selected')) === 'true')
  })
}

export async function bodies_are_trained_and_go_where_those_who_react_go(given) {
  await inStudio(given, {}, async (page, studio) => {
    await openPuppets(page)
    await until('a character is there', async () => (await characters(page)).length === 2)
    await panel(page).getByRole('button', { name: 'Train bodies' }).click()
    const menu = panel(page).getByRole('combobox', { name: 'Bodies' })
    await menu.waitFor()
    await untilEqual('the bodies', () => menu.inputValue(), 'standard')
    await untilCommand(page, /^marey graph train \S+ standard$/)
    const body = () =>
      page.evaluate(() => {
        const [one] = window.mareyViewer.characters
        const { poses = 0 } = one?.shown.live ?? {}
        return one ? { poses, id: one.shown.clip.id, hips: [...one.pose.places.slice(3 * one.figure.root, 3 * one.figure.root + 3)] } : null
      })
    await wander(page, 'a body is there', async () => (await body())?.poses > 5)
    await loaded(page)
    const before = (await body()).hips
    await wander(page, 'it goes about', async () => {
      const { id, hips } = await body()
      return (id < 0 && Math.hypot(hips[0] - before[0], hips[2] - before[2]) > 60) || hips
    })
    await noViolation(page, 'bodies that react')
    const [first] = await names(reactors(page))
    await panel(page).getByRole('button', { name: `Keep the body of ${first}` }).click()
    await untilCommand(page, new RegExp(`marey puppet run -L \\S+ ${first} .* --graph standard --body \\S+:${first}-1$`))
    const { clips } = await studio.marey('ls', studio.library)
    assert.ok(clips.some(({ name }) => name === `${first}-1`), 'the body is a clip of the library')
    await menu.selectOption('')
    await until('they are pawns again', async () => (await body()) === null)
  })
}

/** The page, once more, with its line in the hands of the test. */
async function holdLine(page) {
  const lines = []
  await page.routeWebSocket(/\/api\/live/, (line) => {
    line.connectToServer()
    lines.push(line)
  })
  await page.reload()
  return lines
}

export async function a_line_that_breaks_is_mended_and_too_much_is_said_once(given) {
  await inStudio(given, {}, async (page) => {
    const lines = await holdLine(page)
    await openPuppets(page)
    const [first] = await names(reactors(page))
    const moving = (what) => wander(page, what, async () => /^[\d.]+ s$/.test(await follows(page, first)) || follows(page, first))
    await moving('it follows a moment')
    const slow = JSON.stringify({ type: 'error', react: 0, message: 'this is too much at once' })
    lines.at(-1).send(slow)
    lines.at(-1).send(slow)
    const notices = page.getByRole('region', { name: 'Notices' })
    await notices.getByText(`${first}: this is too much at once`).waitFor()
    await moving('it goes on')
    assert.equal(await notices.getByText('too much at once').count(), 1)
    await page.getByRole('button', { name: 'Dismiss' }).click()

    await adding(page).getByRole('button', { name: 'shy' }).click()
    const before = lines.length
    await lines.at(-1).close()
    await until('the line is there again', async () => lines.length > before)
    await untilEqual('who has failed', () => panel(page).getByRole('alert').count(), 0)
    await wander(page, 'both move again', async () => (await characters(page)).length === 3)
    const now = await characters(page)
    await wander(page, 'they react', async () => (await characters(page)).every((each, i) => far(each, now[i]) > 20))
  })
}

/** Presses on the plan and moves for as long as it takes, as somebody does who shows a way. */
async function drawPass(page, way, seconds) {
  const at = await onPlan(page)
  await page.mouse.move(...at(...way(0)))
  await page.mouse.down()
  const began = Date.now()
  await until('the pass is long enough', async () => {
    const time = (Date.now() - began) / 1000
    await page.mouse.move(...at(...way(Math.min(1, time / seconds))))
    return time > seconds || time
  })
  await page.mouse.up()
}

async function download(page, act) {
  const [file] = await Promise.all([page.waitForEvent('download'), act()])
  return { name: file.suggestedFilename(), path: await file.path() }
}

export async function somebody_is_taught_by_mouse_and_plays_at_once(given) {
  await inStudio(given, { fill: fillTwice, acceptDownloads: true }, async (page, studio) => {
    await openPuppets(page)
    await tab(page, 'Show').click()
    const step = panel(page).getByRole('status').first()
    await until('what to do', async () => /^1 of 3/.test(await step.textContent()))
    await noViolation(page, 'the tab Show')
    await page.mouse.move(...(await onPlan(page))(0.5, 0.5))
    await page.mouse.down()
    await page.mouse.up()
    await page.getByText('That was too short').waitFor()
    await page.getByRole('button', { name: 'Dismiss' }).click()

    await drawPass(page, (t) => [0.3 + 0.4 * t, 0.5 + 0.2 * Math.sin(6 * t)], 3)
    await until('who reacts is next', async () => /^2 of 3/.test(await step.textContent()))
    await drawPass(page, (t) => [0.2 + 0.4 * t, 0.6 + 0.2 * Math.sin(6 * t)], 9)
    await until('both are seen', async () => /^3 of 3/.test(await step.textContent()))
    await until('both are in the view', async () => (await characters(page)).length === 2)
    await panel(page).getByRole('button', { name: 'Reactor again' }).click()
    await drawPass(page, (t) => [0.25 + 0.3 * t, 0.3 + 0.2 * Math.sin(6 * t)], 9)
    const demos = panel(page).getByRole('list', { name: 'Demonstrations' }).getByRole('listitem')
    await until('one demonstration', async () => /by mouse, [1-9][\d.]* s$/.test((await demos.first().textContent()).trim().replace(/\s+/g, ' ')))
    await noViolation(page, 'what was shown')

    const form = panel(page).getByRole('form', { name: 'Train' })
    await form.getByLabel('Name').fill('my friend')
    await form.getByLabel('About').fill('comes along')
    const saved = await download(page, () => panel(page).getByRole('button', { name: 'Save demonstration 1 as CSV' }).click())
    assert.equal(saved.name, 'my friend-1.csv')
    assert.match(readFileSync(saved.path, 'utf8'), /^time,main_x,main_y,main_dir,react_x,react_y,react_dir\n0,/)
    await form.getByRole('button', { name: 'Train' }).click()
    await untilPlaying(page, 'my friend')
    const line = await untilCommand(page, /^marey puppet show -L \S+ 'my friend' --csv 'my friend\.csv' && marey puppet train -L \S+ 'my friend\.csv' -o 'my friend'$/)
    await wander(page, 'it follows a moment', async () => /^[\d.]+ s$/.test(await follows(page, 'my friend')) || follows(page, 'my friend'))
    let rounds = 0
    await wander(page, 'a while is played', async () => ++rounds > 40)

    // The line writes the files that it names; the one that was saved teaches the same.
    const told = async (library) => studio.marey('puppet', 'show', '-L', library, 'my friend')
    const before = await told(studio.library)
    await runLine(studio, line, studio.library)
    await runLine(studio, `cp ${saved.path} 'my friend-1.csv' && marey puppet train -L ${studio.library} 'my friend-1.csv' -o 'my friend'`, studio.twin)
    for (const after of [await told(studio.library), await told(studio.twin)])
      assert.ok(Math.abs(before.samples - after.samples) <= 1, `${before.samples} and ${after.samples}`)

    const played = await download(page, () => panel(page).getByRole('button', { name: 'Export my friend' }).click())
    assert.equal(played.name, 'my friend-played.csv')
    const rows = readFileSync(played.path, 'utf8').trim().split('\n')
    assert.ok(rows.length > 2, `${rows.length} rows`) // how many a busy machine draws is not asked
    const run = await untilCommand(page, /^marey puppet run -L \S+ 'my friend' 'my friend-played\.csv' -o 'my friend\.csv' '?--start/)
    await runLine(studio, `cp ${played.path} 'my friend-played.csv' && ${run}`, studio.twin)
    const again = readFileSync(join(studio.folder, 'my friend.csv'), 'utf8').trim().split('\n')
    assert.equal(again.length, rows.length, 'the line answers every moment of what was played')
  })
}

export async function what_is_kept_is_renamed_exported_shown_more_and_removed(given) {
  await inStudio(given, { fill: fillTwice, acceptDownloads: true }, async (page, studio) => {
    await openPuppets(page)
    await tab(page, 'Saved').click()
    const inLibrary = async (library) => (await studio.marey('puppet', 'ls', library)).puppets.map(({ name }) => name).sort()
    await untilEqual(
      'the shelf',
      async () => (await names(panel(page).getByRole('list', { name: 'Saved behaviours' }).getByRole('listitem'))).sort(),
      await inLibrary(studio.library),
    )
    await noViolation(page, 'the tab Saved')

    await panel(page).getByRole('button', { name: 'Rename shy' }).click()
    const form = panel(page).getByRole('form', { name: 'Rename shy' })
    await form.getByLabel('New name').fill('timid')
    await form.getByRole('button', { name: 'Rename' }).click()
    await kept(page, 'timid').waitFor()
    await runLine(studio, await untilCommand(page, /^marey puppet rename \S+ shy timid$/), studio.twin)
    assert.deepEqual(await inLibrary(studio.library), await inLibrary(studio.twin))

    const file = await download(page, () => panel(page).getByRole('link', { name: 'timid as .puppet file' }).click())
    assert.equal(file.name, 'timid.puppet')
    const table = await download(page, () => panel(page).getByRole('link', { name: 'Demonstrations of timid as CSV' }).click())
    await runLine(studio, await untilCommand(page, /^marey puppet show -L \S+ timid --csv timid\.csv$/), studio.twin)
    assert.equal(readFileSync(table.path, 'utf8'), readFileSync(join(studio.folder, 'timid.csv'), 'utf8'))

    const before = (await studio.marey('puppet', 'show', '-L', studio.library, 'timid')).samples
    await panel(page).getByRole('button', { name: 'Show more to timid' }).click()
    await panel(page).getByText('all that timid has learned').waitFor()
    await panel(page).getByRole('button', { name: 'A table' }).click()
    const moment = (i) => [i / 10, 10 * i, 0, 0, 10 * i, 100, 0].join(',')
    const lines = ['time,main_x,main_y,main_dir,react_x,react_y,react_dir', ...Array.from({ length: 51 }, (_, i) => moment(i))]
    await panel(page).getByLabel('Table of places').fill(lines.join('\n'))
    await panel(page).getByRole('button', { name: 'Add', exact: true }).click()
    await noViolation(page, 'showing more')
    const train = panel(page).getByRole('form', { name: 'Train' })
    assert.equal(await train.getByLabel('Name').inputValue(), 'timid')
    await train.getByRole('button', { name: 'Train' }).click()
    await untilPlaying(page, 'timid')
    await until('it has learned more', async () => {
      const { samples } = await studio.marey('puppet', 'show', '-L', studio.library, 'timid')
      return samples > before + 250 || samples
    })

    await tab(page, 'Saved').click()
    await panel(page).getByRole('button', { name: 'Remove timid' }).click()
    const question = panel(page).getByRole('group', { name: 'Remove timid?' })
    await question.getByRole('button', { name: 'Keep' }).click()
    await panel(page).getByRole('button', { name: 'Remove timid' }).click()
    await question.getByRole('button', { name: 'Remove' }).click()
    await untilEqual('who is left', () => kept(page, 'timid').count(), 0)
    await runLine(studio, await untilCommand(page, /^marey puppet rm \S+ timid$/), studio.twin)
    assert.deepEqual(await inLibrary(studio.library), await inLibrary(studio.twin))
  })
}

export async function two_clips_and_the_keyboard_teach_as_well(given) {
  await inStudio(given, {}, async (page, studio) => {
    await untilCount(page, '30 clips')
    await search(page, 'straight', '4 of 30 clips')
    await select(page, 'jog_straight', 'walk_straight')
    await page.keyboard.press('u')
    await plan(page).waitFor()
    await chooseClip(panel(page).getByRole('combobox', { name: 'Main' }), 'walk_straight')
    await chooseClip(panel(page).getByRole('combobox', { name: 'Reacts' }), 'jog_straight')
    await panel(page).getByRole('button', { name: 'Add', exact: true }).click()
    await panel(page).getByText('jog_straight reacts to walk_straight').waitFor()
    await panel(page).getByRole('button', { name: 'A table' }).click()
    await panel(page).getByLabel('Table of places').fill('time,main_x\n0,1\n')
    await panel(page).getByRole('button', { name: 'Add', exact: true }).click()
    const form = panel(page).getByRole('form', { name: 'Train' })
    await form.getByLabel('Name').fill('runner')
    await form.getByRole('button', { name: 'Train' }).click()
    await page.getByRole('region', { name: 'Notices' }).getByText('pasted.csv').waitFor()
    await page.getByRole('button', { name: 'Dismiss' }).click()
    await panel(page).getByRole('button', { name: 'Take away demonstration 2' }).click()

    await plan(page).focus()
    await page.keyboard.press('Enter')
    await page.keyboard.down('ArrowRight')
    await until('the main character goes', async () => (await characters(page))[0]?.x > 400)
    await page.keyboard.up('ArrowRight')
    await page.keyboard.press('Enter')
    await until('who reacts is next', async () => /Enter begins/.test(await plan(page).getAttribute('aria-label')))
    await page.keyboard.press('Enter')
    await page.keyboard.down('ArrowUp')
    await until('both are there', async () => /Both are seen/.test(await plan(page).getAttribute('aria-label')))
    await page.keyboard.up('ArrowUp')
    await panel(page).getByText(/^by mouse, [1-9]/).waitFor()
    await form.getByRole('button', { name: 'Train' }).click()
    await untilPlaying(page, 'runner')
    const { runs } = await studio.marey('puppet', 'show', '-L', studio.library, 'runner')
    assert.equal(Array.isArray(runs) ? runs.length : runs, 2)
  })
}
