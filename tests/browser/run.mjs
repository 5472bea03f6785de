// run.mjs - runs the browser tests: node run.mjs PROGRAM BROWSER SCREENSHOTS [NAME]. A test is an exported function of
// test_*.mjs; its name is a sentence that is true when it passes. Quiet but for one line at the end, exact when red.
// With MAREY_TEST_TIMES set it also says how long each took.
import { mkdirSync, readdirSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openBrowser } from './studio.mjs'

/** Tests spend much of their time waiting, so some run at once; each has a server and a page of its own. */
const together = 3

const [program, executable, shots, only] = process.argv.slice(2)
const here = dirname(fileURLToPath(import.meta.url))
mkdirSync(shots, { recursive: true })

const tests = []
for (const file of readdirSync(here).filter((name) => /^test_.*\.mjs$/.test(name)).sort()) {
  for (const [name, test] of Object.entries(await import(join(here, file)))) tests.push({ file, name, test })
}
const wanted = tests.filter(({ name }) => !only || name.includes(only))
const browser = await openBrowser(executable)
let failed = 0
let skipped = 0

async function runOne({ file, name, test }) {
  const began = Date.now()
  try {
    const why = await test({ program: resolve(program), browser, shots: resolve(shots), name })
    if (why) {
      skipped++
      console.log(`${name.replaceAll('_', ' ')}: ${why}`)
    }
  } catch (error) {
    failed++
    console.log(`${file}: ${name.replaceAll('_', ' ')}: failed\n${error.stack ?? error}`)
  }
  if (process.env.MAREY_TEST_TIMES) console.log(`${((Date.now() - began) / 1000).toFixed(1)} s ${name}`)
}

const waiting = [...wanted]
async function work() {
  for (let next = waiting.shift(); next; next = waiting.shift()) await runOne(next)
}
await Promise.all(Array.from({ length: together }, work))
await browser.close()
const left = skipped ? `, ${skipped} skipped` : ''
console.log(`studio in a browser: ${wanted.length - failed - skipped} of ${wanted.length} passed${left}`)
process.exit(failed || !wanted.length ? 1 : 0)
