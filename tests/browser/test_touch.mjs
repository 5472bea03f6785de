// test_touch.mjs - a tablet: fingers draw a path and drag its points, move a target in the view and on its pad, teach a puppet,
// and two of them zoom the timeline and the view.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { onPage, onPlan, openGraph, panel as graphPanel, tab as graphTab } from './graph_steps.mjs'
import { layout } from './layout.mjs'
import { command, inStudio, loaded, noViolation, open, until, untilCommand, untilCount, untilDone } from './steps.mjs'
import { openPage } from './studio.mjs'

const viewport = { width: 1024, height: 768 }

/** A page that takes fingers, for one test; not the tab of the others. */
async function onTablet(given, work) {
  const tab = { page: await openPage(given.browser, 'about:blank', { hasTouch: true, viewport }) }
  await inStudio({ ...given, tab }, { viewport }, async (page, studio) => {
    await untilCount(page, '30 clips')
    const session = await page.context().newCDPSession(page)
    const send = (type, points) =>
      session.send('Input.dispatchTouchEvent', { type, touchPoints: points.map(({ x, y }, id) => ({ x, y, id })) })
    const fingers = {
      /** Along some places; with two fingers, `places` has pairs. */
      async drag(places) {
        const all = places.map((each) => (Array.isArray(each) ? each : [each]))
        await send('touchStart', all[0])
        for (const points of all.slice(1)) await send('touchMove', points)
        await send('touchEnd', [])
      },
      down: (place) => send('touchStart', [place]),
      move: (place) => send('touchMove', [place]),
      up: () => send('touchEnd', []),
    }
    await work(page, fingers, studio)
  })
  await tab.page?.context().close()
}

const scrolled = (page) => page.evaluate(() => [scrollX, scrollY, visualViewport.scale])

/** From one place to another in some steps. */
function line(from, to, steps = 6) {
  const at = (share) => ({ x: from.x + share * (to.x - from.x), y: from.y + share * (to.y - from.y) })
  return Array.from({ length: steps + 1 }, (_, i) => at(i / steps))
}

export async function a_finger_draws_a_path_and_drags_its_points(given) {
  await onTablet(given, async (page, fingers) => {
    await openGraph(page)
    await graphTab(page, 'Walk').click()
    const draw = graphPanel(page).getByRole('button', { name: 'Draw a path' })
    await draw.waitFor()
    await untilCommand(page, / --path /)
    await loaded(page)
    const first = await command(page)
    await draw.tap()
    const from = await onPlan(page, 0, 0)
    await fingers.drag(line(from, { x: from.x + 60, y: from.y + 50 }, 10))
    await until('another path is walked', async () => {
      const line = await command(page)
      return (/ --path /.test(line) && line !== first) || line
    })

    // A point in the view, beside which the finger lies.
    const points = () => page.evaluate(() => window.mareyViewer.way.path.points.map(([x, z]) => [x, z]))
    const before = await points()
    const [x, z] = before.at(-1)
    const at = await onPage(page, x, z)
    await fingers.drag(line({ x: at.x + 12, y: at.y }, { x: at.x + 12, y: at.y + 50 }))
    await until('its last point has moved', async () => {
      const now = (await points()).at(-1)
      return Math.hypot(now[0] - x, now[1] - z) > 10 || now
    })
    assert.deepEqual(await scrolled(page), [0, 0, 1], 'the page stays')
    await page.screenshot({ path: join(given.shots, 'touch-path.png') })
  })
}

export async function a_finger_moves_a_target_in_the_view_and_on_its_pad(given) {
  await onTablet(given, async (page, fingers) => {
    await page.keyboard.press('p')
    const panel = page.getByRole('region', { name: 'Families' })
    await panel.locator('.param-miss b').waitFor()
    await loaded(page)
    const pad = panel.getByRole('application', { name: /^Wanted: / })
    const wanted = () => pad.getAttribute('aria-label')
    const sphereNow = () => page.evaluate(() => {
      const { cloud, rig } = window.mareyViewer
      const at = cloud.wanted.getWorldPosition(cloud.spot.clone()).project(rig.camera)
      const box = document.querySelector('.viewer-canvas').getBoundingClientRect()
      return { x: box.x + (0.5 + 0.5 * at.x) * box.width, y: box.y + (0.5 - 0.5 * at.y) * box.height }
    })
    const before = await wanted()
    const dragIt = async () => {
      const sphere = await sphereNow()
      await fingers.drag(line({ x: sphere.x + 14, y: sphere.y }, { x: sphere.x + 20, y: sphere.y + 40 }))
    }
    await untilDone('the target has moved', dragIt, async () => (await wanted()) !== before)

    const box = await pad.boundingBox()
    const moved = await wanted()
    const middle = { x: box.x + box.width / 2, y: box.y + box.height / 2 }
    await fingers.drag(line(middle, { x: middle.x + 20, y: middle.y - 30 }))
    await until('it has moved again', async () => (await wanted()) !== moved)
    assert.deepEqual(await scrolled(page), [0, 0, 1], 'the page stays')
    await page.screenshot({ path: join(given.shots, 'touch-target.png') })
  })
}

export async function a_puppet_is_taught_by_finger(given) {
  await onTablet(given, async (page, fingers) => {
    await page.keyboard.press('u')
    const panel = page.getByRole('region', { name: 'Puppets' })
    await panel.getByRole('tab', { name: 'Show' }).tap()
    const plan = panel.getByRole('application', { name: /^Plan from above/ })
    await plan.waitFor()
    const pass = async (share) => {
      const box = await plan.boundingBox()
      const at = (i) => ({ x: box.x + (0.2 + 0.01 * i) * box.width, y: box.y + share * box.height })
      await fingers.down(at(0))
      for (let i = 1; i <= 40; i++) {
        await fingers.move(at(i))
        await page.waitForTimeout(40) // it is recorded in the pace of the finger
      }
      await fingers.up()
    }
    await pass(0.4)
    await panel.getByText(/^2 of 3/).waitFor()
    await pass(0.6)
    await until('both were shown', async () => (await panel.getByText(/^3 of 3/).count()) === 1 || (await panel.textContent()))
    await panel.getByRole('button', { name: 'Train' }).waitFor()
    assert.deepEqual(await scrolled(page), [0, 0, 1], 'the page stays')
    await page.screenshot({ path: join(given.shots, 'touch-puppet.png') })
  })
}

export async function two_fingers_zoom_the_timeline_and_the_view(given) {
  await onTablet(given, async (page, fingers) => {
    await open(page, 'cartwheels')
    const inView = async () => page.getByRole('scrollbar', { name: 'Frames in view' }).getAttribute('aria-valuetext')
    const whole = await inView()
    assert.match(whole, /^frames 0 to 111[78]$/)
    const spread = (box, from, to) =>
      line({ x: from, y: 0 }, { x: to, y: 0 }).map(({ x: half }) => {
        const middle = { x: box.x + box.width / 2, y: box.y + box.height / 2 }
        return [
          { x: middle.x - half, y: middle.y },
          { x: middle.x + half, y: middle.y },
        ]
      })
    const tracks = await page.locator('#timeline-area').boundingBox()
    await fingers.drag(spread(tracks, 30, 90))
    await until('three times as wide apart shows a third', async () => {
      const [, first, last] = (await inView()).match(/(\d+) to (\d+)/).map(Number)
      const share = (last - first) / 1118
      return Math.abs(share - 1 / 3) < 0.05 || share
    })
    assert.equal(await page.getByRole('button', { name: 'Save contacts' }).isEnabled(), false, 'no plant was dragged')

    const far = () => page.evaluate(() => window.mareyViewer.rig.camera.position.distanceTo(window.mareyViewer.rig.controls.target))
    const before = await far()
    const view = await page.locator('.viewer-canvas').boundingBox()
    await fingers.drag(spread(view, 30, 90))
    await until('the eye is nearer', async () => (await far()) < 0.7 * before || far())
    assert.deepEqual(await scrolled(page), [0, 0, 1], 'the page does not zoom')
  })
}

export async function a_tablet_has_room_for_fingers(given) {
  await onTablet(given, async (page) => {
    const wrong = []
    const look = async (name) => {
      await page.screenshot({ path: join(given.shots, `tablet-${name}.png`) })
      await noViolation(page, `${name} on a tablet`)
      for (const each of await layout(page, { finger_px: 24 })) wrong.push(`${name}: ${each}`)
    }
    await open(page, 'cartwheels')
    await look('library')
    for (const [key, name] of [['g', 'Motion graphs'], ['p', 'Families'], ['u', 'Puppets']]) {
      await page.keyboard.press(key)
      await page.getByRole('region', { name }).waitFor()
      await until('it is there', () => page.evaluate(() => !document.querySelector('.making [aria-busy=true]')))
      await look(name)
    }
    assert.deepEqual(wrong, [])
  })
}
