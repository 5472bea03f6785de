// studio.mjs - a studio on a library of its own and a page in a browser, for one test; and what tests do with both.
import { spawn, execFile } from 'node:child_process'
import { createRequire } from 'node:module'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const web = join(dirname(fileURLToPath(import.meta.url)), '../../studio/web')
const require = createRequire(join(web, 'package.json'))
const { chromium } = require('playwright-core')
const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8')
const run = promisify(execFile)

/** Pixels of the screen to a pixel of the page. Drawing by software costs by the pixel, and no test looks at single
 *  ones; the page is laid out as ever. MAREY_TEST_SCALE=1 makes screenshots to look at. */
const deviceScaleFactor = Number(process.env.MAREY_TEST_SCALE || 0.5)

/** The browser, once for all tests. Nothing that asks the network for anything; WebGL by software, without smoothed
 *  edges, and the page itself painted without it: a graphics card made of software would take a quarter of a second for
 *  every picture. */
export function openBrowser(executablePath) {
  return chromium.launch({
    executablePath,
    args: [
      '--no-sandbox',
      '--use-angle=swiftshader',
      '--enable-unsafe-swiftshader',
      '--webgl-antialiasing-mode=none',
      '--disable-gpu-compositing',
      '--disable-gpu-rasterization',
      '--disable-accelerated-2d-canvas',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })
}

export class Studio {
  /** `fill` is given a folder and makes the library in it as lib.marey (or makes none). */
  static async open(program, fill, options = ['--no-browser']) {
    const studio = new Studio()
    studio.program = program
    studio.folder = mkdtempSync(join(tmpdir(), 'marey-studio-'))
    studio.library = join(studio.folder, 'lib.marey')
    await fill?.(studio)
    // In place of the desktop's opener, which nothing here may start: it notes what it is called with.
    writeFileSync(
      join(studio.folder, 'xdg-open'),
      '#!/bin/sh\nprintf %s "$*" > opened.part && mv opened.part opened\n',
      { mode: 0o755 },
    )
    studio.process = spawn(program, ['studio', studio.library, '--quiet', ...options], {
      cwd: studio.folder,
      env: { ...process.env, PATH: `${studio.folder}:${process.env.PATH}` },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    studio.address = await new Promise((found, failed) => {
      let text = ''
      studio.process.stdout.on('data', (part) => {
        text += part
        if (text.includes('\n')) found(text.split('\n')[0])
      })
      studio.process.on('exit', (code) => failed(new Error(`the studio ended with ${code} before it said where it is`)))
    })
    return studio
  }

  /** Runs the program and gives its JSON. */
  async marey(...args) {
    const { stdout } = await run(this.program, [...args, '--json'], { cwd: this.folder, maxBuffer: 1 << 28 })
    return JSON.parse(stdout)
  }

  /** What the desktop's opener was called with, or '' if it was not yet. */
  opened() {
    const note = join(this.folder, 'opened')
    return existsSync(note) ? readFileSync(note, 'utf8') : ''
  }

  /** Ends the server, as Ctrl-C does. */
  async stop() {
    if (this.process.exitCode !== null || this.process.signalCode !== null) return
    const ended = new Promise((resolve) => this.process.on('exit', resolve))
    this.process.kill('SIGTERM')
    await ended
  }

  async close() {
    await this.stop()
    rmSync(this.folder, { recursive: true, force: true })
  }
}

/** The browser tells itself that it reads the 3D picture back to paint it, and tests read what is drawn; that is none of the
 *  page's doing. */
const ownComplaint = /GL Driver Message .* GPU stall due to ReadPixels|Canvas2D: Multiple readback operations/

/** Pictures are drawn by software, which takes most of the time of these tests: at most 5 a second are enough for them. The
 *  first one after a while comes at once, so that what a test does is seen as soon as on any page. */
function drawSeldom() {
  const apart_ms = 200
  const draw = window.requestAnimationFrame.bind(window)
  const forget = window.cancelAnimationFrame.bind(window)
  const waiting = new Map()
  let next = 0
  let last = -apart_ms
  window.requestAnimationFrame = (callback) => {
    const number = ++next
    const picture = (time) => {
      last = performance.now()
      if (waiting.delete(number)) callback(time)
    }
    const soon = () => waiting.set(number, { frame: draw(picture) })
    const rest_ms = last + apart_ms - performance.now()
    if (rest_ms > 0) waiting.set(number, { timer: setTimeout(soon, rest_ms) })
    else soon()
    return number
  }
  window.cancelAnimationFrame = (number) => {
    const { timer, frame } = waiting.get(number) ?? {}
    clearTimeout(timer)
    if (frame) forget(frame)
    waiting.delete(number)
  }
}

const viewport = { width: 1280, height: 720 }

/** A page that notes whatever a console or the network has to complain about. */
export async function openPage(browser, address, options = {}) {
  const context = await browser.newContext({
    viewport,
    deviceScaleFactor,
    acceptDownloads: true,
    bypassCSP: false,
    ...options,
  })
  await context.addInitScript(drawSeldom)
  await context.addInitScript(withoutDoors)
  await context.grantPermissions(['clipboard-read', 'clipboard-write']).catch(() => {})
  const page = await context.newPage()
  page.complaints = []
  page.on('console', (message) => {
    const bad = message.type() === 'error' || message.type() === 'warning'
    if (bad && !ownComplaint.test(message.text())) page.complaints.push(`${message.text()} ${message.location().url}`)
  })
  page.on('pageerror', (error) => page.complaints.push(String(error)))
  page.on('requestfailed', (request) => {
    const why = request.failure()?.errorText ?? ''
    if (why !== 'net::ERR_ABORTED') page.complaints.push(`${request.url()}: ${why}`)
  })
  await page.goto(address)
  return page
}

/** The page of a tab, opened at another address: a fresh one costs more than all that most tests do with it. A studio's port
 *  is its own, so what a page keeps under its address does not come back. */
/** Most tests begin where the doors were closed for good; test_doors.mjs opens them. */
function withoutDoors() {
  try {
    if (localStorage.getItem('marey-welcome') === null) localStorage.setItem('marey-welcome', 'no')
  } catch {
    // Not on a page of the studio.
  }
}

export async function turnPage(tab, browser, address, { colorScheme = 'light', reducedMotion = 'no-preference', ...options }) {
  if (!tab.page) tab.page = await openPage(browser, 'about:blank')
  const page = tab.page
  await page.context().clearCookies()
  await page.mouse.move(0, 0)
  await page.setViewportSize(options.viewport ?? viewport)
  await page.emulateMedia({ colorScheme, reducedMotion })
  page.complaints = []
  await page.goto(address)
  return page
}

/** Leaves the studio, before it ends. */
export async function leavePage(tab) {
  await tab.page.evaluate(() => localStorage.clear())
  await tab.page.goto('about:blank')
}

/** What axe-core finds wrong: one line for each. It is run in an isolated world, which no policy of the page binds. */
export async function accessibility(page) {
  const session = await page.context().newCDPSession(page)
  const { frameTree } = await session.send('Page.getFrameTree')
  const { executionContextId } = await session.send('Page.createIsolatedWorld', {
    frameId: frameTree.frame.id,
    worldName: 'axe',
  })
  const evaluate = async (expression, awaitPromise) => {
    const answer = await session.send('Runtime.evaluate', {
      expression,
      contextId: executionContextId,
      returnByValue: true,
      awaitPromise,
    })
    if (answer.exceptionDetails) throw new Error(JSON.stringify(answer.exceptionDetails).slice(0, 500))
    return answer.result.value
  }
  await evaluate(`${axe}; 0`, false)
  const violations = await evaluate(
    `axe.run(document, { resultTypes: ['violations'] }).then(r => r.violations.map(v =>
       v.id + ': ' + v.help + ' | ' + v.nodes.slice(0, 4).map(n => n.target.join(' ') + ' ' + (n.any[0]?.message ?? '')).join(' || ')))`,
    true,
  )
  await session.detach()
  return violations
}
