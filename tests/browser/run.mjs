// run.mjs - runs the browser tests: node run.mjs PROGRAM BROWSER SCREENSHOTS [NAME]. A test is an exported function of
// test_*.mjs; its name is a sentence that is true when it passes. Quiet but for one line at the end, exact when red.
// A test that fails beside others is run once more alone: a browser without a graphics card on a busy machine is late
// at times. What failed the first time is printed whatever comes of it, and one that fails twice has failed.
// With MAREY_TEST_TIMES set it also says how long each took.
import { mkdirSync, readdirSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openBrowser } from './studio.mjs'

/** Tests spend much of their time waiting, so more run at once than there are processors; each has a server of its own, and they
 *  take turns in as many pages (`tab`) as run at once. */
const together = Math.min(6, 2 * availableParallelism())

const [program, executable, shots, only] = process.argv.slice(2)
const here = dirname(fileURLToPath(import.meta.url))
mkdirSync(shots, { recursive: true })

const tests = []
for (const file of readdirSync(here).filter((name) => /^test_.*\.mjs$/.test(name)).sort()) {
  for (const [name, test] of Object.entries(await import(join(here, file)))) tests.push({ file, name, test })
}
const wanted = tests.filter(({ name }) => !only || name.includes(only))
const browser = await openBrowser(executable)
const again = []
const running = new Set()
let failed = 0
let skipped = 0

// What fails where no test waits for it would end this program with the browser left over, and whoever waits for both with it.
process.on('unhandledRejection', (error) => {
  failed++
  console.log(`something failed that no test waited for, while these ran: ${[...running].join(', ')}\n${error?.stack ?? error}`)
})

async function runOne({ file, name, test }, tab, onFailure) {
  const began = Date.now()
  running.add(name)
  try {
    const why = await test({ program: resolve(program), browser, tab, shots: resolve(shots), name })
    if (why) {
      skipped++
      console.log(`${why} (${name.replaceAll('_', ' ')})`) // begins with "skipped:", which ./dev test looks for
    }
  } catch (error) {
    console.log(`${file}: ${name.replaceAll('_', ' ')}: failed\n${error.stack ?? error}`)
    onFailure()
  }
  running.delete(name)
  if (process.env.MAREY_TEST_TIMES) console.log(`${((Date.now() - began) / 1000).toFixed(1)} s ${name}`)
}

const waiting = [...wanted]
async function work() {
  const tab = { page: null }
  for (let next = waiting.shift(); next; next = waiting.shift()) {
    await runOne(next, tab, () => again.push(next))
  }
}
await Promise.all(Array.from({ length: together }, work))
for (const one of again) await runOne(one, { page: null }, () => failed++)
if (again.length > failed) console.log(`${again.length - failed} of them passed when run alone`)
await browser.close()
const left = skipped ? `, ${skipped} skipped` : ''
console.log(`studio in a browser: ${wanted.length - failed - skipped} of ${wanted.length} passed${left}`)
process.exit(failed || !wanted.length ? 1 : 0)
