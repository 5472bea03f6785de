// test_doors.mjs - the studio's first minute: a clip plays, four doors with words, a guided try behind each, and pickers where
// no clips were selected.
import assert from 'node:assert/strict'
import { inStudio, list, noViolation, select, timeline, until, untilCount, untilEqual, viewer } from './steps.mjs'

const welcome = (page) => page.getByRole('region', { name: 'What would you like to do?' })
const guide = (page, name) => page.getByRole('region', { name: `Try: ${name}` })
const door = (page, name) => page.getByRole('navigation', { name: 'What to do' }).getByRole('button', { name, exact: true })

/** As for a user who opens the studio for the first time. */
async function openFirst(page) {
  await page.evaluate(() => localStorage.setItem('marey-welcome', 'yes'))
  await page.reload()
  await welcome(page).waitFor()
}

export async function the_studio_opens_with_a_clip_that_plays_and_four_doors(given) {
  await inStudio(given, {}, async (page) => {
    await untilCount(page, '30 clips')
    await openFirst(page)
    await viewer(page).getByRole('img', { name: /^3D view of hops,/ }).waitFor()
    await viewer(page).getByText('hops · hop right, hop left').waitFor()
    const time = () => page.evaluate(() => window.mareyViewer?.time_s ?? 0)
    await until('it plays', async () => (await time()) > 0.2)
    const names = await welcome(page).getByRole('heading', { level: 3 }).allTextContents()
    assert.deepEqual(names, ['Find', 'Mix', 'Walk', 'React'])
    await noViolation(page, 'the doors at the start')
    assert.equal(await page.getByText('What you do here shows its command line.').count(), 1)
    await page.keyboard.press('Escape')
    await timeline(page).waitFor()
    assert.equal(await welcome(page).count(), 0)

    await page.reload()
    await welcome(page).getByRole('checkbox', { name: 'Show at the start' }).uncheck()
    await list(page).getByRole('option').first().dblclick()
    await timeline(page).waitFor()
    await page.reload()
    await untilCount(page, '30 clips')
    await page.getByText('Open a clip from the library').waitFor()
    assert.equal(await welcome(page).count(), 0)
  })
}

/** Goes through a try by its first button until it is done; what it said. */
async function goThrough(page, name) {
  const said = []
  for (;;) {
    const step = await guide(page, name).getByRole('paragraph').textContent()
    said.push(step)
    const next = guide(page, name).getByRole('button').first()
    const word = (await next.textContent()).trim()
    await next.click()
    if (word === 'Done') break
    await until('the next step', async () => (await guide(page, name).getByRole('paragraph').textContent()) !== step)
  }
  await untilEqual('the try is over', () => guide(page, name).count(), 0)
  return said
}

async function tryIt(page, name) {
  await untilCount(page, '30 clips')
  await openFirst(page)
  await welcome(page).getByRole('region', { name, exact: true }).getByRole('button', { name: 'Try it, one minute' }).click()
  await guide(page, name).waitFor()
}

export async function a_try_of_find_ends_with_matches(given) {
  await inStudio(given, {}, async (page) => {
    await tryIt(page, 'Find')
    await noViolation(page, 'a guided try')
    const said = await goThrough(page, 'Find')
    assert.equal(said.length, 3)
    await page.getByRole('region', { name: 'Search' }).getByText(/\d+ match/).waitFor()
  })
}

export async function a_try_of_mix_ends_with_a_blend(given) {
  await inStudio(given, {}, async (page) => {
    await tryIt(page, 'Mix')
    assert.match((await goThrough(page, 'Mix'))[0], /\w*walk\w* · walk, walk and \w*walk\w* · walk, walk are mixed/)
    await page.getByRole('region', { name: 'Blend' }).waitFor()
  })
}

export async function a_try_of_walk_ends_with_a_character_to_steer(given) {
  await inStudio(given, {}, async (page) => {
    await tryIt(page, 'Walk')
    // The library has a graph, so that it is not built once more.
    await until('a path is walked', async () => /This path is walked/.test(await guide(page, 'Walk').textContent()))
    assert.equal((await goThrough(page, 'Walk')).length, 3)
    await page.getByRole('tab', { name: 'Play', selected: true }).waitFor()
  })
}

export async function a_try_can_be_left_at_any_time(given) {
  await inStudio(given, {}, async (page) => {
    await tryIt(page, 'React')
    // A try that is left before its first step has begun has opened nothing.
    await page.getByRole('region', { name: 'Puppets' }).waitFor()
    await page.keyboard.press('Escape')
    await untilEqual('it is left', () => guide(page, 'React').count(), 0)
    await page.getByRole('region', { name: 'Puppets' }).waitFor()
    await door(page, 'React').click()
    await page.getByRole('button', { name: 'Try it, one minute' }).click()
    await guide(page, 'React').getByRole('button', { name: 'Leave' }).click()
    await untilEqual('it is left by the button', () => guide(page, 'React').count(), 0)
    await page.getByRole('region', { name: 'Puppets' }).waitFor()
  })
}

export async function what_needs_two_clips_asks_for_them_and_proposes_two(given) {
  await inStudio(given, {}, async (page) => {
    await untilCount(page, '30 clips')
    await door(page, 'Mix').click()
    await noViolation(page, 'an open door')
    await page.getByRole('group', { name: 'Mix' }).getByRole('button', { name: /^Transition/ }).click()
    const dialog = page.getByRole('dialog', { name: 'From which clip into which?' })
    await untilEqual('two are proposed', () => dialog.getByRole('checkbox', { checked: true }).count(), 2)
    await noViolation(page, 'the picker')
    await dialog.getByRole('searchbox', { name: 'Type to find clips' }).fill('jog curve')
    await dialog.getByRole('checkbox', { name: /^jog_curve/ }).check()
    await dialog.getByRole('button', { name: 'Go from one to the other' }).click()
    await page.getByRole('region', { name: 'Transition' }).waitFor()
    await page.keyboard.press('Escape')

    await door(page, 'Find').click()
    await page.getByRole('group', { name: 'Find' }).getByRole('button', { name: /^Compare/ }).click()
    await page.getByRole('dialog', { name: 'Compare which two clips?' }).getByRole('button', { name: 'Compare', exact: true }).click()
    await page.getByRole('region', { name: 'Compare', exact: true }).waitFor()
    await page.keyboard.press('Escape')
    // With two selected nothing is asked.
    await select(page, 'cartwheels', 'hops')
    await door(page, 'Mix').click()
    await page.getByRole('group', { name: 'Mix' }).getByRole('button', { name: /^Blend/ }).click()
    await page.getByRole('region', { name: 'Blend' }).waitFor()
  })
}

export async function the_camera_of_a_path_does_not_stay_behind(given) {
  await inStudio(given, {}, async (page) => {
    await untilCount(page, '30 clips')
    await page.keyboard.press('g')
    await page.getByRole('region', { name: 'Motion graphs' }).getByRole('button', { name: 'Draw a path' }).waitFor()
    const height = () => page.evaluate(() => window.mareyViewer?.rig.camera.position.y ?? 0)
    await until('the path is seen from above', async () => (await height()) > 3 || height())
    await page.keyboard.press('n')
    await page.getByRole('region', { name: 'Cluster graphs' }).waitFor()
    await page.keyboard.press('Escape')
    await list(page).getByRole('option').first().dblclick()
    await until('a clip is seen from the side', async () => (await height()) < 2.5 || height())
  })
}

export async function a_path_that_is_asked_for_before_the_view_is_there_is_seen_from_above(given) {
  await inStudio(given, {}, async (page) => {
    // The view begins when the first clip was drawn, or after 1.5 s; here after neither.
    await page.addInitScript(() => {
      if (!sessionStorage.getItem('late')) return
      const wait = window.setTimeout.bind(window)
      window.setTimeout = (work, ms, ...given) => wait(work, ms === 1500 ? 5000 : ms, ...given)
    })
    await page.evaluate(() => sessionStorage.setItem('late', 'yes'))
    const strip = /\/strip/
    const held = []
    await page.route(strip, (route) => void held.push(route))
    await page.reload()
    await untilCount(page, '30 clips')
    await page.keyboard.press('g')
    await page.getByRole('region', { name: 'Motion graphs' }).getByRole('button', { name: 'Draw a path' }).waitFor()
    const height = () => page.evaluate(() => window.mareyViewer?.rig.camera.position.y ?? 0)
    await until('the path is seen from above', async () => (await height()) > 3 || height())
    await page.unroute(strip)
    await Promise.all(held.map((route) => route.continue().catch(() => {})))
  })
}
