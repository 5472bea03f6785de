// steps.mjs - what the tests do again and again, in the words of a user of the page: roles, labels and text, so
// that whatever is found here has a name for assistive technology too.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { copyFileSync, cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { accessibility, leavePage, Studio, turnPage } from './studio.mjs'

const run = promisify(execFile)
const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..')
let made = null

/** Nothing is waited for longer than it takes; on a machine that does much else it takes long. */
const patience_ms = 60000

/** The demo, once for all tests: its BVH files and its library, which every test gets a copy of. It is a copy of the build's,
 *  since tests put more into it. */
export function demo(program) {
  made ??= (async () => {
    const folder = mkdtempSync(join(tmpdir(), 'marey-demo-'))
    process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
    const whole = join(dirname(program), 'tests/whole-demo')
    await run(join(root, 'tests/demo/make_demo.sh'), [program, whole])
    cpSync(whole, folder, { recursive: true })
    return folder
  })()
  return made
}

/** Where real motion is, or null. */
export function mocap() {
  const folder = process.env.MAREY_MOCAP || join(root, '../shared/mocap')
  return existsSync(folder) ? folder : null
}

export async function fillWithDemo(studio) {
  copyFileSync(join(await demo(studio.program), 'demo.marey'), studio.library)
}

/** Also keeps a copy of the library as `studio.twin`, on which the page's command lines are tried. */
export async function fillTwice(studio) {
  await fillWithDemo(studio)
  studio.twin = join(studio.folder, 'twin.marey')
  copyFileSync(studio.library, studio.twin)
}

/** Opens a studio, in the page of `tab`, lets `work` use both, and sees that nothing complained. A page in which something
 *  failed is not used again. */
export async function inStudio({ program, browser, tab, shots, name }, { fill = fillWithDemo, ...options }, work) {
  const studio = await Studio.open(program, fill)
  try {
    const page = await turnPage(tab, browser, studio.address, options)
    page.setDefaultTimeout(patience_ms)
    await work(page, studio)
    assert.deepEqual(page.complaints, [])
    await leavePage(tab)
  } catch (error) {
    const page = tab.page
    tab.page = null
    await page?.screenshot({ path: join(shots, `failed-${name}.png`) }).catch(() => {})
    await page?.context().close()
    throw error
  } finally {
    await studio.close()
  }
}

/** Looks until it is so; `seen` is shown if it never is. */
export async function until(what, look, limit_ms = patience_ms) {
  const end = Date.now() + limit_ms
  let seen
  for (;;) {
    seen = await look()
    if (seen === true) return
    if (Date.now() > end) throw new Error(`${what}: still not so after ${limit_ms} ms; seen: ${JSON.stringify(seen)}`)
    await new Promise((next) => setTimeout(next, 25))
  }
}

/** Does it, and again if it came to nothing: what it is done to may be renewed, or move, between looking and pressing. */
export async function untilDone(what, act, look) {
  for (let left = 5; ; left--) {
    await act()
    try {
      return await until(what, look, patience_ms / 6)
    } catch (error) {
      if (left === 0) throw error
    }
  }
}

export async function untilEqual(what, look, wanted) {
  const text = JSON.stringify(wanted)
  await until(`${what} should be ${text}`, async () => {
    const seen = await look()
    return JSON.stringify(seen) === text || seen
  })
}

export async function noViolation(page, where) {
  // What is fading in has another contrast for a moment.
  await page.evaluate(() => Promise.all(document.getAnimations().map((each) => each.finished.catch(() => {}))))
  assert.deepEqual(await accessibility(page), [], `accessibility of ${where}`)
}

// The library

export function list(page) {
  return page.getByRole('listbox', { name: 'Clips' })
}

export function card(page, name) {
  return list(page).getByRole('option', { name: new RegExp(`^${name}(?![\\w-])`) })
}

/** The names of the cards that are drawn, from the first to the last. */
export function cardNames(page) {
  return list(page)
    .getByRole('option')
    .evaluateAll((cards) =>
      cards
        .sort((a, b) => Number(a.getAttribute('aria-posinset')) - Number(b.getAttribute('aria-posinset')))
        .map((each) => each.querySelector('.name').textContent),
    )
}

export function searchField(page) {
  return page.getByRole('searchbox', { name: 'Search clips by name, label or description' })
}

/** "3 of 30 clips", as the page says it. */
export async function untilCount(page, text) {
  await page.getByRole('status').filter({ hasText: new RegExp(`^${text}$`) }).first().waitFor()
}

export async function search(page, text, count) {
  await searchField(page).fill(text)
  await untilCount(page, count)
}

/** Selects the first by a click and the others with Ctrl. */
export async function select(page, ...names) {
  await card(page, names[0]).click()
  for (const name of names.slice(1)) await card(page, name).click({ modifiers: ['Control'] })
}

export function act(page, name) {
  return page.getByRole('toolbar', { name: 'Selected clips' }).getByRole('button', { name, exact: true })
}

// The viewer and the timeline

export function viewer(page) {
  return page.getByRole('region', { name: 'Viewer' })
}

export function timeline(page) {
  return page.getByRole('region', { name: 'Timeline' })
}

export function view(page) {
  return viewer(page).getByRole('img', { name: /^3D view/ })
}

export async function loaded(page) {
  await page.waitForFunction(() => window.mareyViewer?.loaded === 1 && window.mareyViewer.stats().characters > 0)
}

export async function open(page, name) {
  await card(page, name).dblclick()
  await viewer(page).getByRole('img', { name: new RegExp(`^3D view of ${name},`) }).waitFor()
  await loaded(page)
}

export function button(page, name) {
  return timeline(page).getByRole('button', { name, exact: true })
}

export async function frame(page) {
  return Number(await timeline(page).getByLabel('Frame; type a number to go there').inputValue())
}

export async function untilFrame(page, wanted) {
  await untilEqual('the frame', () => frame(page), wanted)
}

export async function goTo(page, number) {
  const field = timeline(page).getByLabel('Frame; type a number to go there')
  await field.fill(String(number))
  await field.press('Enter')
  await field.evaluate((element) => element.blur())
  await untilFrame(page, number)
}

/** Where a frame's middle is on the ruler, while the whole clip is in view. */
export async function ruler(page, frames) {
  const box = await page.locator('#timeline-area').boundingBox()
  const at = (number) => box.x + ((number + 0.5) / frames) * box.width
  return { at, y: box.y + 8 }
}

export async function drag(page, from, to, keys = []) {
  await page.mouse.move(from.x, from.y)
  for (const key of keys) await page.keyboard.down(key)
  await page.mouse.down()
  await page.mouse.move((from.x + to.x) / 2, to.y)
  await page.mouse.move(to.x, to.y)
  await page.mouse.up()
  for (const key of keys) await page.keyboard.up(key)
}

/** The marked segment, as the page says it: [first frame, last frame]. */
export async function segment(page) {
  const value = async (name) => Number(await page.getByRole('slider', { name }).getAttribute('aria-valuenow'))
  return [await value('Segment start'), await value('Segment end')]
}

/** Marks frames from a to b by shift-drag on the ruler, then to the frame with the arrow keys. */
export async function mark(page, frames, a, b) {
  const { at, y } = await ruler(page, frames)
  await drag(page, { x: at(a), y }, { x: at(b), y }, ['Shift'])
  for (const [name, at, wanted] of [['Segment start', 0, a], ['Segment end', 1, b]]) {
    const slider = page.getByRole('slider', { name })
    await slider.waitFor()
    for (let n = 0; n < 12; n++) {
      const off = wanted - (await segment(page))[at]
      if (off) await slider.press(off > 0 ? 'ArrowRight' : 'ArrowLeft')
    }
  }
  assert.deepEqual(await segment(page), [a, b])
}

// Command lines

/** Chooses a clip in a menu of clips, where its description stands behind its name. */
export async function chooseClip(menu, name) {
  const lines = await menu.locator('option').allTextContents()
  const line = lines.map((each) => each.trim()).find((each) => each === name || each.startsWith(`${name} · `))
  assert.ok(line, `the menu has ${name}: ${lines.join(', ')}`)
  await menu.selectOption({ label: line })
}

/** The line in the bar at the bottom. */
export async function command(page) {
  return (await page.getByRole('contentinfo', { name: 'Command line' }).getByRole('code').textContent()) ?? ''
}

export async function untilCommand(page, pattern) {
  await until(`the command line is like ${pattern}`, async () => {
    const line = page.getByRole('contentinfo', { name: 'Command line' }).getByRole('code')
    if ((await line.count()) === 0) return ''
    const text = (await line.textContent()) ?? ''
    return pattern.test(text) || text
  })
  return command(page)
}

/** Runs a command line of the page as a shell would, on another library than the page's. */
export function runLine(studio, line, library, cwd = studio.folder) {
  const environment = { ...process.env, PATH: `${dirname(studio.program)}:${process.env.PATH}` }
  return run('/bin/sh', ['-c', line.replaceAll(studio.library, library)], { cwd, env: environment })
}

/** All that `marey` says of a library: clips, removed ones, and the kept contacts of one clip. */
export async function account(studio, library, clip) {
  return {
    clips: (await studio.marey('ls', library, '--long')).clips,
    removed: (await studio.marey('ls', library, '--removed', '--long')).clips,
    contacts: clip ? await studio.marey('contacts', '-L', library, clip) : null,
  }
}

/** What the page did last, done again by its command line on the twin, gives the same library. */
export async function twinAgrees(page, studio, pattern, clip) {
  const line = await untilCommand(page, pattern)
  await runLine(studio, line, studio.twin)
  assert.deepEqual(await account(studio, studio.library, clip), await account(studio, studio.twin, clip), line)
}
