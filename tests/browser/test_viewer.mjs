// test_viewer.mjs - looking at clips: playing, stepping, the keys of playing, what is drawn, and several clips at once.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import {
  act,
  button,
  card,
  drag,
  frame,
  goTo,
  inStudio,
  loaded,
  noViolation,
  open,
  ruler,
  select,
  timeline,
  until,
  untilCommand,
  untilCount,
  untilEqual,
  untilFrame,
  view,
  viewer,
} from './steps.mjs'

/** Until the viewer has nothing left to draw: its camera has arrived. */
async function atRest(page) {
  await page.evaluate(
    () =>
      new Promise((rest) => {
        const viewer = window.mareyViewer
        let calm = 0
        let last = -1
        const look = () => {
          const draws = viewer.draws
          calm = draws === last ? calm + 1 : 0
          last = draws
          if (calm > 3) rest()
          else requestAnimationFrame(look)
        }
        requestAnimationFrame(look)
      }),
  )
}

/** The drawing alone, without the buttons that lie over it; it can only be read right after it was made. */
async function picture(page) {
  await atRest(page)
  return view(page).evaluate((canvas) => {
    window.mareyViewer.draw(window.mareyViewer.time_s)
    return canvas.toDataURL()
  })
}

/** Something is done to the view, and the picture is another. */
async function changesPicture(page, what, act) {
  const before = await picture(page)
  await act()
  assert.ok((await picture(page)) !== before, `${what} changes the picture`)
}

const choose = (page, name) => viewer(page).getByRole('button', { name, exact: true }).click()

export async function a_clip_plays_pauses_steps_loops_and_is_scrubbed(given) {
  await inStudio(given, { colorScheme: 'dark' }, async (page) => {
    await open(page, 'cartwheels')
    await page.screenshot({ path: join(given.shots, '11-clip-dark.png') })
    await button(page, 'Play').click()
    await until('time goes on', async () => (await frame(page)) > 10)
    await button(page, 'Pause').click()
    const stopped = await frame(page)
    await button(page, 'Step forward').click()
    await untilFrame(page, stopped + 1)
    await button(page, 'Step back').click()
    await untilFrame(page, stopped)
    await timeline(page).getByLabel('Speed, any number from 0.1 to 4').fill('2.5')
    await timeline(page).getByLabel('Speed, any number from 0.1 to 4').press('Enter')
    await untilEqual('the speed', () => page.getByRole('slider', { name: 'Speed' }).getAttribute('aria-valuetext'), '2.5 times')
    const { at, y } = await ruler(page, 1119)
    await page.mouse.click(at(600), y)
    await until('the ruler is clicked', async () => Math.abs((await frame(page)) - 600) <= 1)
    await drag(page, { x: at(600), y }, { x: at(300), y })
    await until('the ruler is scrubbed', async () => Math.abs((await frame(page)) - 300) <= 1)
    assert.match(await untilCommand(page, / info /), / cartwheels --long$/)
  })
}

export async function without_loop_playing_ends_at_the_last_frame_and_with_it_begins_again(given) {
  await inStudio(given, {}, async (page) => {
    await open(page, 'cartwheels')
    const loop = button(page, 'Loop')
    assert.equal(await loop.getAttribute('aria-pressed'), 'true')
    await goTo(page, 1105)
    await button(page, 'Play').click()
    await until('it begins again', async () => (await frame(page)) < 1000)
    await button(page, 'Pause').click()
    await loop.click()
    await goTo(page, 1105)
    await button(page, 'Play').click()
    await untilFrame(page, 1118)
    await button(page, 'Play').waitFor()
  })
}

export async function the_keys_of_editors_play_step_and_follow(given) {
  await inStudio(given, {}, async (page) => {
    await open(page, 'cartwheels')
    await goTo(page, 500)
    const speed = () => page.getByRole('slider', { name: 'Speed' }).getAttribute('aria-valuetext')
    const press = (key) => page.keyboard.press(key)
    await press('.')
    await untilFrame(page, 501)
    await press('Shift+ArrowRight')
    await untilFrame(page, 511)
    await press(',')
    await press('ArrowLeft')
    await untilFrame(page, 509)
    await press('l')
    await press('l')
    await untilEqual('L twice', speed, '2 times')
    await until('L plays', async () => (await frame(page)) > 515)
    await press('k')
    await button(page, 'Play').waitFor()
    await untilEqual('K', speed, '1 times')
    const here = await frame(page)
    await press('j')
    await until('J plays backwards', async () => (await frame(page)) < here)
    await press('k')
    await press('Space')
    await button(page, 'Pause').waitFor()
    await press('Space')
    await press('Home')
    await untilFrame(page, 0)
    await press('End')
    await untilFrame(page, 1118)
    const follow = viewer(page).getByRole('button', { name: 'Follow the figure' })
    assert.equal(await follow.getAttribute('aria-pressed'), 'true')
    await press('f')
    await untilEqual('F', () => follow.getAttribute('aria-pressed'), 'false')
  })
}

export async function body_sticks_silhouette_onion_trails_and_prints_are_drawn(given) {
  await inStudio(given, { viewport: { width: 1024, height: 640 } }, async (page) => {
    await open(page, 'jumps')
    await goTo(page, 300)
    for (const name of ['Sticks', 'Silhouette', 'Body', 'Floor', 'Foot plants']) {
      await changesPicture(page, name, () => choose(page, name))
    }
    await choose(page, 'Floor')
    await choose(page, 'Foot plants')
    await choose(page, 'Onion skin: settings')
    await changesPicture(page, 'the onion skin', () => page.getByLabel('Show onion skin').check())
    await page.keyboard.press('Escape')
    await choose(page, 'Joint trails: settings')
    await noViolation(page, 'the choice of trails')
    await changesPicture(page, 'a trail', async () => {
      await page.getByRole('group', { name: 'Joints' }).getByRole('checkbox', { name: 'right wrist' }).check()
    })
    await page.keyboard.press('Escape')
    await page.screenshot({ path: join(given.shots, '12-onion-trails.png') })
    await choose(page, 'Silhouette')
    await picture(page)
    await page.screenshot({ path: join(given.shots, '13-silhouette.png') })
  })
}

export async function several_clips_are_overlaid_side_by_side_or_aligned(given) {
  await inStudio(given, { viewport: { width: 1280, height: 720 } }, async (page) => {
    await untilCount(page, '30 clips')
    await select(page, 'cartwheels', 'hops', 'idles')
    await act(page, 'Open together').click()
    await loaded(page)
    const legend = page.getByRole('list', { name: 'Clips in the view' })
    await untilEqual('the legend', () => legend.getByRole('listitem').count(), 3)
    await goTo(page, 120)
    await changesPicture(page, 'side by side', () => choose(page, 'Side by side'))
    await page.screenshot({ path: join(given.shots, '14-side-by-side.png') })
    await changesPicture(page, 'aligned', () => choose(page, 'Aligned'))
    const field = legend.getByLabel('Frame of hops that is aligned')
    await changesPicture(page, 'another frame to align', async () => {
      await field.fill('400')
      await field.press('Enter')
    })
    await page.screenshot({ path: join(given.shots, '15-aligned.png') })
    await noViolation(page, 'several clips')
    await changesPicture(page, 'overlaid', () => choose(page, 'Overlaid'))
    await card(page, 'jog_curve').click()
    await act(page, 'Add to view').click()
    await untilEqual('the legend', () => legend.getByRole('listitem').count(), 4)
    await untilCommand(page, / info .* cartwheels hops idles jog_curve$/)
  })
}

/** Where the camera is, to the centimetre: what is left of a swing may move it by a hair. */
async function eye(page) {
  await atRest(page)
  return page.evaluate(() => window.mareyViewer.rig.camera.position.toArray().map((each) => Math.round(each * 100)))
}

export async function the_camera_turns_zooms_and_comes_back(given) {
  await inStudio(given, { viewport: { width: 1024, height: 640 } }, async (page) => {
    await open(page, 'idles')
    await choose(page, 'Reset the camera')
    const before = await eye(page)
    const box = await view(page).boundingBox()
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2]
    await changesPicture(page, 'dragging', () => drag(page, { x, y }, { x: x + 120, y }))
    await changesPicture(page, 'the wheel', () => page.mouse.wheel(0, 300))
    await changesPicture(page, 'a key', () => view(page).press('Alt+ArrowLeft'))
    await choose(page, 'Reset the camera')
    await untilEqual('the camera', () => eye(page), before)
  })
}
