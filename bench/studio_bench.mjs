// studio_bench.mjs - the studio's figures in a real browser: node bench/studio_bench.mjs PROGRAM BROWSER. One line for
// each, beside what is asked.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { openBrowser, openPage, Studio } from '../tests/browser/studio.mjs'

const [programPath, executable] = process.argv.slice(2)
if (!executable) {
  console.error('usage: node bench/studio_bench.mjs PROGRAM BROWSER')
  process.exit(2)
}
const program = resolve(programPath)
const clips = 100
const openings = 5
const characters = [1, 5, 10]

/** 100 clips: the demo's 30, and pieces cut out of them. */
async function fill(studio) {
  const run = (...words) => execFileSync(program, [...words, '--quiet'])
  run('add', studio.library, '--demo')
  const takes = (await studio.marey('ls', studio.library)).clips
  for (let i = takes.length; i < clips; i++) {
    const take = takes[i % takes.length]
    const start = 60 * Math.floor(i / takes.length)
    run('cut', studio.library, `${take.name}#${start}-${start + 240}`, `${take.name}_part`)
  }
}

/** In the page, before anything of it runs: when the first strip has been painted, by the browser's own clock. */
function watchStrips() {
  const look = () => {
    const strips = [...document.querySelectorAll('[role=option] img')]
    if (strips.some((strip) => strip.complete && strip.naturalWidth > 0)) {
      // The frame after the next is on the screen.
      requestAnimationFrame(() => requestAnimationFrame(() => (window.firstStrip_ms = performance.now())))
    } else requestAnimationFrame(look)
  }
  requestAnimationFrame(look)
}

/** Milliseconds from the request for the page to the first strip on the screen. */
async function firstView(browser, studio) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 720 } })
  const page = await context.newPage()
  await page.addInitScript(watchStrips)
  await page.goto(studio.address)
  await page.waitForFunction(() => window.firstStrip_ms !== undefined)
  const time = await page.evaluate(() => window.firstStrip_ms)
  await context.close()
  return time
}

function median(values) {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]
}

function tell(what, figure, asked, good) {
  console.log(`${what.padEnd(62)} ${figure.padStart(14)}   asked: ${asked.padEnd(24)} ${good ? 'ok' : 'NOT REACHED'}`)
  if (!good) process.exitCode = 1
}

async function measureFirstView(browser, studio) {
  const first = await firstView(browser, studio)
  const later = []
  for (let i = 0; i < openings; i++) later.push(await firstView(browser, studio))
  const ms = (value) => `${value.toFixed(0)} ms`
  tell(`first view of ${clips} clips, first opening (strips are drawn)`, ms(first), 'under 1000 ms', first < 1000)
  const usual = median(later)
  tell(`first view of ${clips} clips, opened again (median of ${openings})`, ms(usual), 'under 1000 ms', usual < 1000)
}

/** Opens so many clips at once and turns everything on that the viewer can draw. */
async function show(page, count) {
  const list = page.getByRole('listbox', { name: 'Clips' })
  await list.focus()
  await page.keyboard.press('Control+Home')
  for (let i = 1; i < count; i++) await page.keyboard.press('Shift+ArrowDown')
  await page.keyboard.press('Enter')
  await page.waitForFunction(
    (wanted) => window.mareyViewer?.stats().characters === wanted && window.mareyViewer.loaded === 1,
    count,
  )
}

async function turnAllOn(page) {
  const press = (name) => page.getByRole('button', { name, exact: true }).click()
  await press('Onion skin: settings')
  await page.getByLabel('Show onion skin').check()
  await press('Joint trails: settings')
  for (const joint of ['left wrist', 'right wrist']) await page.getByLabel(joint, { exact: true }).check()
  await page.keyboard.press('Escape')
}

/** Mean script time and draw calls of some draws, after half as many for warming up. Before each the graphics card has ended what it
 *  had to do: in the test browser it is made of software and would take the processors away from the script. */
async function measureDrawing(page, draws) {
  return page.evaluate(async (draws) => {
    const viewer = window.mareyViewer
    const gl = document.querySelector('canvas.viewer-canvas').getContext('webgl2')
    const draw = async (count) => {
      for (let i = 0; i < count; i++) {
        viewer.draw(1 + i / 60)
        gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4))
        await new Promise((next) => setTimeout(next))
      }
    }
    await draw(draws / 2)
    viewer.measureAnew()
    await draw(draws)
    return viewer.stats()
  }, draws)
}

async function measureViewer(browser, studio) {
  // Small, because pixels are not what is measured.
  const page = await openPage(browser, studio.address, { viewport: { width: 960, height: 480 } })
  page.setDefaultTimeout(120000)
  const calls = []
  let last
  for (const count of characters) {
    await show(page, count)
    if (count === characters[0]) await turnAllOn(page)
    last = await measureDrawing(page, count === characters.at(-1) ? 30 : 2)
    calls.push(last.drawCalls)
  }
  await page.context().close()
  const [one, five, ten] = calls
  const perCharacter = [(five - one) / 4, (ten - five) / 5]
  const script = last.scriptMs
  tell('script of a picture, 10 characters, all options on', `${script.toFixed(2)} ms`, 'at most 6 ms', script <= 6)
  const constant = perCharacter[0] === perCharacter[1]
  const figure = perCharacter.map((each) => each.toFixed(1)).join(', ')
  tell(`draw calls for each further character (1: ${one}, 5: ${five}, 10: ${ten})`, figure, 'constant', constant)
}

const size = Number(/^start (\d+)$/m.exec(readFileSync(join(dirname(program), 'studio/page/size'), 'utf8'))[1])
const browser = await openBrowser(executable)
const studio = await Studio.open(program, fill)
try {
  await measureFirstView(browser, studio)
  await measureViewer(browser, studio)
  tell('size of the page at the start, gzipped', `${size} bytes`, 'at most 320000 bytes', size <= 320000)
} finally {
  await browser.close()
  await studio.close()
}
