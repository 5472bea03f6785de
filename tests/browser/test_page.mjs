// test_page.mjs - the page as a whole: themes, sizes of screens, the keyboard alone, the command bar, and a server that
// goes away.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import {
  button,
  card,
  command,
  fillWithDemo,
  frame,
  inStudio,
  list,
  noViolation,
  open,
  searchField,
  segment,
  timeline,
  until,
  untilCount,
  untilFrame,
  viewer,
} from './steps.mjs'
import { openPage, Studio } from './studio.mjs'

async function noScrollBars(page, where) {
  const over = await page.evaluate(() => {
    const { scrollWidth, scrollHeight } = document.documentElement
    return [scrollWidth - innerWidth, scrollHeight - innerHeight]
  })
  assert.deepEqual(over, [0, 0], `${where}: the page is larger than the window`)
}

/** Whatever can be pressed lies inside the window. */
async function nothingCutOff(page, where) {
  const out = await page.evaluate(() =>
    [...document.querySelectorAll('header button, footer button, .timeline button, .timeline input, .viewer-toolbar button')]
      .filter((each) => !each.closest('.tl-area'))
      .map((each) => ({ name: each.ariaLabel || each.textContent.trim(), box: each.getBoundingClientRect() }))
      .filter(({ box }) => box.width > 0 && (box.left < 0 || box.right > innerWidth || box.bottom > innerHeight))
      .map(({ name }) => name),
  )
  assert.deepEqual(out, [], where)
}

export async function dark_and_light_are_both_accessible(given) {
  await inStudio(given, { colorScheme: 'dark' }, async (page) => {
    await untilCount(page, '30 clips')
    await noViolation(page, 'the library, dark')
    await open(page, 'jumps')
    await noViolation(page, 'a clip, dark')
    const theme = () => page.evaluate(() => document.documentElement.dataset.theme)
    assert.equal(await theme(), 'dark')
    await page.getByRole('button', { name: 'Theme: as the system' }).click()
    await page.getByRole('button', { name: 'Theme: dark' }).click()
    await until('it is light', async () => (await theme()) === 'light')
    await noViolation(page, 'a clip, light')
    await page.screenshot({ path: join(given.shots, '20-clip-light.png') })
    await page.reload()
    await untilCount(page, '30 clips')
    assert.equal(await theme(), 'light', 'the theme is remembered')
    await noViolation(page, 'the library, light')
  })
}

export async function a_small_and_a_very_large_screen_show_all_without_scroll_bars(given) {
  await inStudio(given, {}, async (page) => {
    await open(page, 'cartwheels')
    await noScrollBars(page, '1280 x 720')
    await nothingCutOff(page, '1280 x 720')
    await page.setViewportSize({ width: 3840, height: 2160 })
    await page.screenshot({ path: join(given.shots, '21-4k.png') })
    await noScrollBars(page, '3840 x 2160')
    await nothingCutOff(page, '3840 x 2160')
    await page.setViewportSize({ width: 1024, height: 640 })
    await noScrollBars(page, '1024 x 640')
  })
}

export async function the_keyboard_alone_finds_opens_plays_marks_and_saves(given) {
  await inStudio(given, {}, async (page, studio) => {
    await untilCount(page, '30 clips')
    const press = (key) => page.keyboard.press(key)
    await press('/')
    // Slowly enough that it is searched for in between, which must not disturb the typing.
    await page.keyboard.type('cartwheel', { delay: 60 })
    await untilCount(page, '3 of 30 clips')
    assert.equal(await searchField(page).inputValue(), 'cartwheel')
    await press('Enter')
    await press('Control+Home')
    await press('Enter')
    await viewer(page).getByRole('img', { name: /^3D view of cartwheels,/ }).waitFor()
    await press('Space')
    await until('it plays', async () => (await frame(page)) > 5)
    await press('k')
    await press('Home')
    await untilFrame(page, 0)
    for (let n = 0; n < 3; n++) await press('Shift+.')
    await press('i')
    for (let n = 0; n < 2; n++) await press('Shift+.')
    await untilFrame(page, 50)
    await press('o')
    assert.deepEqual(await segment(page), [30, 50])
    await press('s')
    await page.keyboard.type('by keys')
    await press('Enter')
    await page.getByText('Saved as by keys').waitFor()
    const made = (await studio.marey('ls', studio.library)).clips.find((clip) => clip.name === 'by keys')
    assert.equal(made.frames, 21)
  })
}

export async function tab_reaches_every_part_of_the_page_and_shows_where_it_is(given) {
  await inStudio(given, {}, async (page) => {
    await open(page, 'cartwheels')
    await page.getByRole('heading', { name: 'marey studio' }).click()
    const places = new Set()
    for (let n = 0; n < 80; n++) {
      await page.keyboard.press('Tab')
      const here = await page.evaluate(() => {
        const { activeElement: at } = document
        if (at === document.body) return null
        // A splitter takes the accent's colour instead; of the list it is a card that shows it.
        const ring = getComputedStyle(at).outlineStyle !== 'none' || at.matches('.splitter, .clip-list')
        const part = at.closest('header, .library, .viewer, .timeline, footer')
        return { part: part?.className || part?.tagName, name: at.ariaLabel || at.textContent.slice(0, 30), ring }
      })
      if (!here) break
      assert.ok(here.ring, `the focus is seen on ${here.name}`)
      places.add(String(here.part).split(' ')[0])
    }
    for (const part of ['header', 'library', 'viewer', 'timeline', 'command-bar']) {
      assert.ok(places.has(part), `${part} is reached: ${[...places]}`)
    }
  })
}

export async function the_list_of_keys_opens_by_its_key(given) {
  await inStudio(given, {}, async (page) => {
    await untilCount(page, '30 clips')
    await page.keyboard.press('?')
    const keys = page.getByRole('dialog', { name: 'Keys' })
    await keys.getByText('Play backwards; again: faster').waitFor()
    await page.screenshot({ path: join(given.shots, '22-keys.png') })
    await noViolation(page, 'the list of keys')
    await page.keyboard.press('Escape')
    await keys.waitFor({ state: 'detached' })
  })
}

export async function command_lines_are_copied_and_remembered(given) {
  await inStudio(given, {}, async (page) => {
    await open(page, 'cartwheels')
    const shown = await command(page)
    // It says so only for a moment, so it is looked for before it is pressed.
    const copied = page.getByRole('button', { name: 'Copied', exact: true }).waitFor()
    await page.getByRole('button', { name: 'Copy', exact: true }).click()
    await copied
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), shown)
    await open(page, 'hops')
    await page.getByRole('button', { name: 'Earlier commands' }).click()
    const earlier = page.getByRole('button', { name: shown })
    await earlier.waitFor()
    await page.screenshot({ path: join(given.shots, '23-commands.png') })
    await noViolation(page, 'the earlier commands')
    await earlier.click()
    await earlier.waitFor({ state: 'detached' })
  })
}

/** Visits an address with a browser that knows nothing yet; gives what the server said, and the page while `look` uses it. */
async function visitAsNew(browser, address, look) {
  const context = await browser.newContext()
  try {
    const page = await context.newPage()
    await look(await page.goto(address), page)
  } finally {
    await context.close()
  }
}

export async function the_opened_browser_is_let_in_by_a_code_that_works_once({ program, browser }) {
  const studio = await Studio.open(program, fillWithDemo, [])
  try {
    const { origin, searchParams } = new URL(studio.address)
    await until('the opener is called', async () => studio.opened() !== '')
    const link = studio.opened()
    assert.match(link, /^http:\/\/127\.0\.0\.1:\d+\/open\?code=[0-9a-f]{32}$/)
    assert.ok(!link.includes(searchParams.get('token')))
    const page = await openPage(browser, link)
    // The cookie is one that no other site's pages send; this one's first page must have it right behind the link.
    await untilCount(page, '30 clips')
    assert.equal(page.url(), `${origin}/`)
    assert.equal(await page.evaluate(() => document.referrer), '')
    await page.reload()
    await untilCount(page, '30 clips')
    // The WebSocket is let in too: it tells what another program changes.
    await studio.marey('rename', studio.library, 'hops', 'aaa')
    await card(page, 'aaa').waitFor()
    assert.deepEqual(page.complaints, [])
    await page.context().close()
    await visitAsNew(browser, link, async (answer, other) => {
      assert.equal(answer.status(), 401)
      await other.getByText('This address needs its token').waitFor()
    })
  } finally {
    await studio.close()
  }
}

export async function a_pasted_address_loses_its_token_before_the_page_is_there({ program, browser }) {
  const studio = await Studio.open(program, fillWithDemo)
  try {
    await visitAsNew(browser, studio.address, async (answer, page) => {
      await untilCount(page, '30 clips')
      assert.equal(answer.status(), 200)
      assert.equal(answer.url(), `${new URL(studio.address).origin}/`)
      assert.equal(answer.request().redirectedFrom().url(), studio.address)
      assert.equal(studio.opened(), '', '--no-browser opens none')
    })
  } finally {
    await studio.close()
  }
}

export async function a_server_that_stops_is_told_calmly(given) {
  await inStudio(given, {}, async (page, studio) => {
    await open(page, 'cartwheels')
    await studio.stop()
    await page.getByText('The studio does not answer. Is it still running?').waitFor()
    await page.screenshot({ path: join(given.shots, '24-server-gone.png') })
    await noViolation(page, 'the page without its server')
    assert.equal(await page.getByRole('alert').filter({ hasText: /./ }).count(), 0, 'nothing alarms')
    await button(page, 'Play').click()
    await until('what is here still plays', async () => (await frame(page)) > 5)
    // That nobody answers is the browser's own remark.
    page.complaints = page.complaints.filter((each) => !/ERR_CONNECTION_REFUSED|WebSocket connection/.test(each))
  })
}
