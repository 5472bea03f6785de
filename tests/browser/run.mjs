// run.mjs - runs the browser tests: node run.mjs PROGRAM BROWSER SCREENSHOTS [NAME]. A test is an exported function of
// test_*.mjs; its name is a sentence that is true when it passes. Quiet but for one line at the end, exact when red.
import { mkdirSync, readdirSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openBrowser } from './studio.mjs'

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
for (const { file, name, test } of wanted) {
  try {
    await test({ program: resolve(program), browser, shots: resolve(shots) })
  } catch (error) {
    failed++
    console.log(`${file}: ${name.replaceAll('_', ' ')}: failed\n${error.stack ?? error}`)
  }
}
await browser.close()
console.log(`studio in a browser: ${wanted.length - failed} of ${wanted.length} passed`)
process.exit(failed || !wanted.length ? 1 : 0)
