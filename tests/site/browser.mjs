// browser.mjs - the site in a real browser, as files: browser.mjs FOLDER CHROMIUM. Nothing is loaded but files of the folder, no
// page complains, axe-core finds no violation, the search finds known words, the front page moves, holds still where the system
// asks for less motion, and reads without a script. Prints a line for each thing that is not so.
import { createRequire } from 'node:module'
import { createServer } from 'node:http'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const web = join(dirname(fileURLToPath(import.meta.url)), '../../studio/web')
const require = createRequire(join(web, 'package.json'))
const { chromium } = require('playwright-core')
const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8')

const [folder, executablePath] = process.argv.slice(2)
const at = (path) => `${pathToFileURL(folder)}/${path}`
const problems = []
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--no-first-run', '--disable-background-networking'] })

async function open(path, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options })
  const page = await context.newPage()
  page.on('request', (request) => {
    const url = request.url()
    if (!url.startsWith(at('')) && !url.startsWith('data:')) problems.push(`${path}: asks for ${url}`)
  })
  page.on('requestfailed', (request) => problems.push(`${path}: ${request.url()} is not there`))
  page.on('console', (message) => problems.push(`${path}: the console says ${message.text()}`))
  page.on('pageerror', (error) => problems.push(`${path}: ${error}`))
  await page.goto(at(path))
  return page
}

async function judge(path, options) {
  const page = await open(path, options)
  await page.evaluate(axe)
  const { violations } = await page.evaluate(() => globalThis.axe.run({ preload: false }))
  for (const { id, nodes } of violations) {
    problems.push(`${path}: axe-core: ${id}: ${nodes.slice(0, 3).map((node) => node.html.slice(0, 120)).join(' ')}`)
  }
  const over = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
  if (over > 0) problems.push(`${path}: ${over} pixels wider than the window`)
  await page.context().close()
}

const phone = { viewport: { width: 390, height: 844 } }
for (const path of ['index.html', 'docs/search.html', 'operations/search.html', 'papers.html', 'include/marey/blend.html']) {
  await judge(path, { colorScheme: 'light' })
}
await judge('index.html', { colorScheme: 'dark', ...phone })
await judge('docs/blending.html', { colorScheme: 'dark', ...phone })

const looked = {
  'kick': 'docs/search.html', 'foot slide': 'docs/blending.html', 'marey_clip_stitch': 'include/marey/blend.html',
  'graph walk': 'operations/graph-walk.html', 'numpy arrays': 'docs/python.html',
}
for (const path of ['index.html', 'docs/results/webs.html']) {
  const page = await open(path)
  const field = page.getByLabel('Search the site')
  for (const [words, wanted] of Object.entries(looked)) {
    await field.fill(words)
    const links = page.locator('.found a')
    await links.first().waitFor()
    const found = await links.evaluateAll((all) => all.map((each) => each.href))
    if (!found.some((href) => href.startsWith(at(wanted)))) problems.push(`${path}: a search for "${words}" does not lead to ${wanted}`)
  }
  await field.fill('qqzzxx')
  await page.getByText('Nothing has all of these words.').waitFor()
  await field.fill('marey_clip_stitch')
  await field.press('Enter')
  await page.waitForURL((url) => url.href.includes('include/marey/blend.html#'))
  await page.context().close()
}

// In motion within what a reader sees first: the picture is looked at until it is another.
const moving = await open('index.html')
const hero = moving.locator('.move.wide img')
const first = await hero.screenshot()
let same = true
for (let i = 0; i < 100 && same; i++) {
  await moving.waitForTimeout(100)
  same = first.equals(await hero.screenshot())
}
if (same) problems.push('index.html: the first picture does not move')
await moving.context().close()

const still = await open('index.html', { reducedMotion: 'reduce' })
for (const source of await still.locator('.move img').evaluateAll((all) => all.map((each) => each.currentSrc))) {
  if (!/-still\.(?:webp|svg)$/.test(source)) problems.push(`index.html: ${source} moves though less motion is asked for`)
}
await still.context().close()

const plain = await open('docs/search.html', { javaScriptEnabled: false })
if (!(await plain.getByRole('heading', { level: 1 }).isVisible())) problems.push('docs/search.html: no text without a script')
await plain.getByLabel('Search the site').press('Enter')
await plain.waitForURL((url) => url.href.startsWith(at('all.html')))
await plain.context().close()

// Below an address of its own on a server: what is asked for lies in the folder.
const types = { html: 'text/html', css: 'text/css', js: 'text/javascript', svg: 'image/svg+xml' }
const server = createServer((request, response) => {
  const path = decodeURIComponent(new URL(request.url, 'http://localhost').pathname)
  try {
    if (!path.startsWith('/below/it/')) throw new Error('outside')
    response.setHeader('Content-Type', types[path.split('.').pop()] ?? 'application/octet-stream')
    response.end(readFileSync(join(folder, path.slice('/below/it/'.length))))
  } catch {
    problems.push(`served at /below/it/: ${path} is asked for`)
    response.writeHead(404).end()
  }
})
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
const served = await browser.newPage()
await served.goto(`http://127.0.0.1:${server.address().port}/below/it/index.html`)
await served.getByRole('link', { name: 'Find motion by motion.' }).click()
await served.getByLabel('Search the site').fill('retarget')
await served.locator('.found a').first().waitFor()

await browser.close()
server.close()
for (const problem of problems) console.log(problem)
process.exit(problems.length ? 1 : 0)
