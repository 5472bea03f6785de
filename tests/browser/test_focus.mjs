// test_focus.mjs - by the keyboard and by ear: where the focus goes when something opens and closes, that it is never kept,
// what pictures are called; and that nothing moves by itself where less motion is wanted.
import assert from 'node:assert/strict'
import { button, card, frame, inStudio, list, loaded, open, until, untilCount, untilEqual, viewer } from './steps.mjs'

const region = (page, name) => page.getByRole('region', { name, exact: true })

/** What has the focus: its tag and its name. */
const focused = (page) =>
  page.evaluate(() => {
    const { activeElement: at } = document
    return `${at.tagName.toLowerCase()} ${(at.getAttribute('aria-label') ?? at.textContent).trim().slice(0, 30)}`
  })

export async function the_focus_goes_where_something_opens_and_comes_back(given) {
  await inStudio(given, {}, async (page) => {
    await untilCount(page, '30 clips')
    await page.keyboard.press('Tab')
    assert.equal(await focused(page), 'a Skip to the clips')
    await page.keyboard.press('Enter')
    await until('the clips are next', () => page.evaluate(() => document.activeElement.id === 'workspace'))

    // A door by keys: into the panel, and back to the door.
    const door = page.getByRole('navigation', { name: 'What to do' }).getByRole('button', { name: 'Mix', exact: true })
    await door.press('Enter')
    await page.getByRole('group', { name: 'Mix' }).getByRole('button', { name: /^Families/ }).press('Enter')
    await region(page, 'Families').waitFor()
    await untilEqual('the panel has the focus', () => focused(page), 'section Families')
    await page.keyboard.press('Escape')
    await untilEqual('the door has it again', () => focused(page), 'button Mix')

    // A dialog from a button.
    const keys = page.getByRole('button', { name: 'Keys', exact: true })
    await keys.press('Enter')
    await page.getByRole('dialog', { name: 'Keys' }).waitFor()
    assert.ok(await page.evaluate(() => Boolean(document.activeElement.closest('dialog'))), 'the focus is in the dialog')
    await page.keyboard.press('Escape')
    await untilEqual('the button has it again', () => focused(page), 'button Keys')
  })
}

export async function no_picture_keeps_the_focus_or_is_without_a_name(given) {
  await inStudio(given, {}, async (page) => {
    await untilCount(page, '30 clips')
    await open(page, 'cartwheels')
    for (const [key, name] of [
      ['d', 'Sketch'],
      ['n', 'Cluster graphs'],
      ['g', 'Motion graphs'],
      ['p', 'Families'],
      ['u', 'Puppets'],
    ]) {
      await page.evaluate(() => document.activeElement.blur()) // letters are a menu's own
      await page.keyboard.press(key)
      // A library with several cluster graphs opens none by itself.
      if (key === 'n') await region(page, name).getByRole('combobox', { name: 'Graph' }).selectOption('moves')
      const picture = region(page, name).getByRole('application').first()
      await picture.waitFor()
      assert.match(await picture.getAttribute('aria-label'), /\w{4}/)
      for (const way of ['Tab', 'Shift+Tab']) {
        await picture.focus()
        await page.keyboard.press(way)
        const left = await picture.evaluate((element) => element !== document.activeElement)
        assert.ok(left, `${way} leaves the picture of ${name}`)
      }
      const nameless = await page.evaluate(() =>
        [...document.querySelectorAll('canvas, svg:not(.icon-svg, .icon-solid)')]
          .filter((each) => each.checkVisibility() && !each.closest('[aria-hidden=true], button'))
          .filter((each) => !each.getAttribute('aria-label') && !each.closest('[role=img][aria-label]'))
          .map((each) => each.outerHTML.slice(0, 80)),
      )
      assert.deepEqual(nameless, [], `pictures of ${name}`)
    }
  })
}

export async function nothing_moves_by_itself_where_less_motion_is_wanted(given) {
  await inStudio(given, { reducedMotion: 'reduce' }, async (page) => {
    await untilCount(page, '30 clips')
    await page.evaluate(() => localStorage.setItem('marey-welcome', 'yes'))
    await page.reload()
    await region(page, 'What would you like to do?').waitFor()
    await loaded(page)
    const time = () => page.evaluate(() => window.mareyViewer.time_s)
    // The clip of the start, a card under the pointer and one that the keys are on stay as they are.
    await list(page).getByRole('option').nth(2).hover()
    await page.waitForTimeout(700) // what would begin begins within 0.2 s
    assert.equal(await time(), 0)
    assert.equal(await page.locator('.card canvas.on').count(), 0)
    await page.mouse.move(0, 0)
    await page.keyboard.press('Space')
    await until('Space plays', async () => (await time()) > 0.2)
    await page.keyboard.press('k')

    // A path is walked when it is wanted.
    await page.keyboard.press('g')
    await region(page, 'Motion graphs').getByRole('button', { name: 'Draw a path' }).waitFor()
    await viewer(page).getByRole('img', { name: /^3D view of walk,/ }).waitFor()
    await loaded(page)
    assert.equal(await button(page, 'Play').count(), 1, 'it does not play')
    assert.equal(await frame(page), 0)

    await page.keyboard.press('u')
    const go = region(page, 'Puppets').getByRole('button', { name: 'Go on' })
    await go.waitFor()
    await go.click()
    await region(page, 'Puppets').getByRole('button', { name: 'Pause' }).waitFor()
    await page.keyboard.press('Escape')
    await card(page, 'hops').waitFor()
    const moving = await page.evaluate(() =>
      [...document.querySelectorAll('*')].filter((each) => {
        const { transitionDuration, animationDuration, scrollBehavior } = getComputedStyle(each)
        return Math.max(parseFloat(transitionDuration), parseFloat(animationDuration)) > 0.001 || scrollBehavior === 'smooth'
      }).length,
    )
    assert.equal(moving, 0)
  })
}
