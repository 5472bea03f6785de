// size_bench.mjs - the studio and the command line on a library of 10,000 clips: node bench/size_bench.mjs PROGRAM BROWSER
// [CLIPS [LIBRARY]]. One line for each figure, beside what is asked; those without are there to be compared with later ones.
// LIBRARY is where the library is kept between runs; without it one is built every time.
import { execFileSync } from 'node:child_process'
import { copyFileSync, existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { openBrowser, Studio } from '../tests/browser/studio.mjs'

const [programPath, executable, countText = '10000', kept] = process.argv.slice(2)
if (!executable) {
  console.error('usage: node bench/size_bench.mjs PROGRAM BROWSER [CLIPS [LIBRARY]]')
  process.exit(2)
}
const program = resolve(programPath)
const clips = Number(countText)
const rounds = 5
/** Frames of a clip that is cut out of the demo's. */
const length = 40
/** The server takes no more cuts in one request. */
const mostCuts = 4096

const manners = ['slowly', 'quickly', 'with a limp', 'carrying a box', 'looking back', 'on a slope', 'in anger', 'half asleep']
const subjects = Array.from({ length: 40 }, (_, n) => `subject ${String(n + 1).padStart(2, '0')}`)

// The library: the demo's clips, and pieces of them under names, labels and descriptions as archives have them.

async function send(studio, path, body) {
  const { origin, searchParams } = new URL(studio.address)
  const answer = await fetch(`${origin}${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { Authorization: `Bearer ${searchParams.get('token')}`, 'Content-Type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${(await answer.text()).slice(0, 300)}`)
  return answer
}

async function done(studio, answer) {
  const { job } = await answer.json()
  for (;;) {
    const { state, error } = await (await send(studio, `/api/jobs/${job}`)).json()
    if (state === 'done') return
    if (error) throw new Error(error.message)
    await new Promise((next) => setTimeout(next, 200))
  }
}

async function fill(studio) {
  const takes = (await (await send(studio, '/api/clips')).json()).clips
  const made = []
  for (let n = takes.length; n < clips; ) {
    const cuts = []
    for (; n < clips && cuts.length < mostCuts; n++) {
      const take = takes[n % takes.length]
      const start = (7 * Math.floor(n / takes.length)) % Math.max(1, take.frames - length)
      cuts.push({ clip: take.id, start, end: Math.min(take.frames, start + length), name: `${take.name}_${n}` })
    }
    const answer = await (await send(studio, '/api/do/cut', { cuts })).json()
    made.push(...answer.clips.map(({ id }) => id))
  }
  for (let m = 0; m < manners.length; m++)
    for (let s = m % 5; s < subjects.length; s += 5) {
      const some = made.filter((_, n) => n % manners.length === m && Math.floor(n / manners.length) % subjects.length === s)
      if (!some.length) continue
      const describe = `${subjects[s]}, ${manners[m]}, take of the second day, recorded in the large hall`
      await send(studio, '/api/do/label', { clips: some, add: [subjects[s], manners[m].split(' ').at(-1)], describe })
    }
  await done(studio, await send(studio, '/api/do/doctor', {}))
}

// Measures

function median(values) {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]
}

function tell(what, figure, asked = '', good = true) {
  const beside = asked ? `   asked: ${asked.padEnd(16)} ${good ? 'ok' : 'NOT REACHED'}` : ''
  console.log(`${what.padEnd(58)} ${figure.padStart(12)}${beside}`)
  if (!good) process.exitCode = 1
}

const ms = (value) => `${value.toFixed(0)} ms`
const mb = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`

/** In the page, before anything of it runs: when cards are painted first, by the browser's own clock. */
function watchCards() {
  window.afterPaint = () =>
    new Promise((next) => requestAnimationFrame(() => requestAnimationFrame(() => next(performance.now()))))
  const look = () => {
    const strips = [...document.querySelectorAll('[role=option] img')]
    if (strips.some((strip) => strip.complete && strip.naturalWidth > 0))
      void window.afterPaint().then((now) => (window.firstCards_ms = now))
    else requestAnimationFrame(look)
  }
  requestAnimationFrame(look)
}

/** Without the clip that plays at the start, unless that is part of the figure: its pictures are drawn by software here. */
async function openPage(browser, studio, plays = false) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 720 } })
  if (!plays) await context.addInitScript(() => localStorage.setItem('marey-welcome', 'no'))
  const page = await context.newPage()
  page.setDefaultTimeout(120000)
  await page.addInitScript(watchCards)
  await page.goto(studio.address)
  await page.waitForFunction(() => window.firstCards_ms !== undefined)
  return page
}

async function measureFirstView(browser, studio) {
  const times = []
  for (let i = 0; i <= rounds; i++) {
    const page = await openPage(browser, studio, true)
    times.push(await page.evaluate(() => window.firstCards_ms))
    await page.context().close()
  }
  const [first, ...later] = times
  tell('first view, first opening', ms(first), 'under 1000 ms', first < 1000)
  tell(`first view, opened again (median of ${rounds})`, ms(median(later)), 'under 1000 ms', median(later) < 1000)
}

/** From a key in the search field to the list that it leads to, painted. */
async function measureFilter(page) {
  const times = []
  for (const text of ['walk', 'limp', 'kick 12', 'subject 07', 'walk_90']) {
    times.push(
      await page.evaluate(async (text) => {
        const field = document.querySelector('#search')
        const shown = () => document.querySelector('.count-row [role=status]').textContent
        const settle = async (value) => {
          const before = shown()
          const begin = performance.now()
          field.value = value
          field.dispatchEvent(new Event('input', { bubbles: true }))
          while (shown() === before) await new Promise((next) => requestAnimationFrame(next))
          return (await window.afterPaint()) - begin
        }
        const time = await settle(text)
        await new Promise((next) => setTimeout(next, 500))
        await settle('')
        await new Promise((next) => setTimeout(next, 500))
        return time
      }, text),
    )
  }
  tell('from typing to the filtered list', ms(median(times)), 'under 100 ms', median(times) < 100)
  tell('  the slowest of five words', ms(Math.max(...times)))
}

async function measureLabel(page) {
  const time = await page.evaluate(async () => {
    const chip = [...document.querySelectorAll('.label-filter .chip')].at(2)
    const shown = () => document.querySelector('.count-row [role=status]').textContent
    const press = async () => {
      const before = shown()
      const begin = performance.now()
      chip.click()
      while (shown() === before) await new Promise((next) => requestAnimationFrame(next))
      return (await window.afterPaint()) - begin
    }
    const time = await press()
    await press()
    return time
  })
  tell('from a click on a label to the filtered list', ms(time), 'under 100 ms', time < 100)
}

/** Through the whole list in 240 steps, one with every picture. */
async function measureScroll(page) {
  const frames = await page.evaluate(async () => {
    const list = document.querySelector('.clip-list')
    const frames = []
    let last = performance.now()
    const end = list.scrollHeight - list.clientHeight
    for (let at = 0; at <= end; at += end / 240) {
      list.scrollTop = at
      const now = await new Promise((next) => requestAnimationFrame(() => next(performance.now())))
      frames.push(now - last)
      last = now
    }
    list.scrollTop = 0
    return frames.slice(2)
  })
  tell('scrolling through, median picture', ms(median(frames)))
  tell('scrolling through, longest picture', ms(Math.max(...frames)))
}

async function measureKeys(page) {
  const list = page.getByRole('listbox', { name: 'Clips' })
  await list.focus()
  const times = []
  for (let i = 0; i < 12; i++) {
    times.push(
      await page.evaluate(async () => {
        const list = document.querySelector('.clip-list')
        const at = () => list.getAttribute('aria-activedescendant')
        const before = at()
        const begin = performance.now()
        list.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowDown', bubbles: true, cancelable: true }))
        while (at() === before) await new Promise((next) => requestAnimationFrame(next))
        return (await window.afterPaint()) - begin
      }),
    )
  }
  tell('from an arrow key to the next card', ms(median(times)))
}

async function measureOpening(page, studio) {
  const began = Date.now()
  await page.locator('.clip-list [role=option]').nth(3).dblclick()
  await page.waitForFunction(() => window.mareyViewer?.loaded === 1 && window.mareyViewer.stats().characters > 0)
  tell('opening a clip', ms(Date.now() - began))
  const card = (await (await send(studio, '/api/clips')).json()).clips[5]
  const name = `renamed_${card.id}`
  // Rename in another window (here: another program), until this one shows it.
  let bytes = 0
  page.on('response', async (answer) => {
    if (!/\/api\/(clips(\?|$)|about)/.test(answer.url())) return
    bytes += (await answer.body().catch(() => Buffer.alloc(0))).length
  })
  await page.evaluate(() => (document.querySelector('.clip-list').scrollTop = 0))
  const start = Date.now()
  await send(studio, '/api/do/rename', { clip: card.id, to: name })
  await page.locator('#search').fill(name)
  await page.getByRole('option', { name: new RegExp(`^${name}`) }).waitFor()
  tell('a name changed elsewhere is shown', ms(Date.now() - start))
  await page.waitForTimeout(1000)
  tell('  what lists were sent for it', mb(bytes))
}

/** The heap after a collection, and what the page's process has for itself. */
async function measureMemory(browser, page) {
  const session = await page.context().newCDPSession(page)
  await session.send('HeapProfiler.collectGarbage')
  await session.send('Performance.enable')
  const { metrics } = await session.send('Performance.getMetrics')
  const heap = metrics.find(({ name }) => name === 'JSHeapUsedSize').value
  tell('JavaScript heap of the page', mb(heap), 'under 300 MB', heap < 300e6)
  const whole = await browser.newBrowserCDPSession()
  const { processInfo } = await whole.send('SystemInfo.getProcessInfo')
  const sizes = processInfo
    .filter(({ type }) => type === 'renderer')
    .map(({ id }) => {
      const [, kb] = /Private_Dirty: +(\d+) kB/.exec(readFileSync(`/proc/${id}/smaps_rollup`, 'utf8')) ?? []
      return 1024 * Number(kb ?? 0)
    })
  const most = Math.max(...sizes)
  tell("the page's process, private memory", mb(most), 'under 300 MB', most < 300e6)
}

async function measureServer(studio) {
  const times = []
  let text
  for (let i = 0; i < rounds; i++) {
    const begin = performance.now()
    text = await (await send(studio, '/api/clips')).text()
    times.push(performance.now() - begin)
  }
  tell('GET /api/clips, the whole list', ms(median(times)))
  tell('  its size', mb(text.length))
}

function measureProgram(studio) {
  for (const words of [['ls'], ['ls', '--json'], ['ls', 'limp', '--json'], ['info', '#5', '--json']]) {
    const times = []
    for (let i = 0; i < rounds; i++) {
      const begin = performance.now()
      const args = words[0] === 'info' ? ['info', '-L', studio.library, ...words.slice(1)] : [words[0], studio.library, ...words.slice(1)]
      execFileSync(program, args, { maxBuffer: 1 << 28 })
      times.push(performance.now() - begin)
    }
    tell(`marey ${words.join(' ')}`, ms(median(times)))
  }
}

const browser = await openBrowser(executable)
/** Builds the library in a studio of its own, which is closed before it is measured. */
async function build(to) {
  const began = Date.now()
  const studio = await Studio.open(program, async ({ library }) =>
    execFileSync(program, ['add', library, '--demo', '--quiet']),
  )
  try {
    await fill(studio)
    await studio.stop()
    copyFileSync(studio.library, to)
  } finally {
    await studio.close()
  }
  tell(`a library of ${clips} clips, built in`, ms(Date.now() - began))
}

const studio = await Studio.open(program, async ({ library }) => {
  if (!kept) return build(library)
  if (!existsSync(kept)) await build(kept)
  copyFileSync(kept, library)
})
try {
  await measureServer(studio)
  measureProgram(studio)
  await measureFirstView(browser, studio)
  const page = await openPage(browser, studio)
  await page.waitForTimeout(1000)
  await measureFilter(page)
  await measureLabel(page)
  await measureScroll(page)
  await measureKeys(page)
  await measureOpening(page, studio)
  await measureMemory(browser, page)
} finally {
  await browser.close()
  await studio.close()
}
