// build.mjs - puts the page together: node build.mjs FOLDER leaves its files there, compressed, with page_files.inc, a row
// for each, which the server includes; and says how large they are. The same sources give the same bytes.
// Catalogues of words (src/words/LANGUAGE.json) are parts, too.
//
// The page begins with index.html, app.css, app.js and the one file that app.js needs. The parts of src/parts.ts are fetched
// when they are first wanted, and are at /part/NUMBER: the number stands for what is in them, so that a page that is open
// never takes a part of another build.
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import * as esbuild from 'esbuild'
import { flatten, settings } from './bundling.mjs'
import { trimThree } from './trim_three.mjs'

const here = dirname(fileURLToPath(import.meta.url))
const folder = process.argv[2]
if (!folder) {
  console.error('usage: node build.mjs FOLDER')
  process.exit(2)
}

/** Forty bits as a number: the server's addresses have those. */
const partAddress = (bits) => `/part/${bits + 1}`

/** The words of other languages, by language: where the page finds them, and what is there. */
const catalogues = readdirSync(join(here, 'src/words')).filter((name) => name.endsWith('.json')).sort().map((name) => {
  const text = JSON.stringify(JSON.parse(readFileSync(join(here, 'src/words', name), 'utf8')))
  const bits = parseInt(createHash('sha256').update(text).digest('hex').slice(0, 10), 16)
  return { language: name.slice(0, -5), address: partAddress(bits), text }
})

const main = 'src/main.ts'
const common = {
  absWorkingDir: here,
  entryPoints: { app: main },
  ...settings,
  splitting: true,
  chunkNames: '[hash]',
  // Only a name: the hashes depend on it.
  outdir: 'page',
  legalComments: 'none',
  define: { CATALOGUES: JSON.stringify(Object.fromEntries(catalogues.map(({ language, address }) => [language, address]))) },
}

/** Everything that a file brings along at once. */
function reach(inputs, from, found = new Set()) {
  if (found.has(from)) return found
  found.add(from)
  for (const { kind, path } of inputs[from]?.imports ?? []) if (kind === 'import-statement') reach(inputs, path, found)
  return found
}

/** What the page begins with, the parts, and what several parts bring along that is not there at the beginning. */
async function survey() {
  const { metafile } = await esbuild.build(common)
  const { inputs } = metafile
  const start = reach(inputs, main)
  const later = [...start].flatMap((path) => (inputs[path]?.imports ?? []).filter(({ kind }) => kind === 'dynamic-import'))
  const parts = [...new Set(later.map(({ path }) => path))]
  const users = new Map()
  for (const part of parts) for (const path of reach(inputs, part)) users.set(path, (users.get(path) ?? 0) + 1)
  const isShared = (path) => users.get(path) > 1 && !start.has(path) && /\.ts$/.test(path)
  return { parts, shared: [...users.keys()].filter(isShared).sort() }
}

/** esbuild makes a file for every set of parts that have something in common, dozens of little ones. If all parts bring
 *  along the beginning, and all that any two of them share, there are two such files: these. */
function together({ parts, shared }) {
  const brought = [main, ...shared].map((path) => join(here, path))
  const paths = new Set(parts.map((path) => join(here, path)))
  return {
    name: 'together',
    setup(build) {
      build.onLoad({ filter: /\.ts$/ }, ({ path }) => {
        if (!paths.has(path)) return undefined
        const near = (each) => `import ${JSON.stringify(`./${relative(dirname(path), each)}`)}\n`
        const imports = brought.filter((each) => each !== path).map(near)
        return { contents: imports.join('') + readFileSync(path, 'utf8'), loader: 'ts', resolveDir: dirname(path) }
      })
    },
  }
}

/** esbuild's hash: forty bits in letters and digits. */
function addressOf(hash) {
  const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
  return partAddress([...hash].reduce((sum, letter) => sum * 32 + digits.indexOf(letter), 0))
}

/** The addresses of a build's files, by their names. A part's own styles are all in app.css too. */
function addressesOf(outputs) {
  const named = Object.keys(outputs).map((path) => basename(path))
  const scripts = named.filter((name) => name.endsWith('.js') && name !== 'app.js')
  return new Map(scripts.map((name) => [name, addressOf(name.slice(0, -3))]))
}

const types = { html: 'text/html', js: 'text/javascript', css: 'text/css', json: 'application/json' }
const rows = []
const sizes = new Map()

function put(address, content, kind = 'js') {
  const name = address === '/' ? 'index.html' : address.slice(1).replace(/^part\/(.*)/, `part-$1.${kind}`)
  // No time and no name in gzip's header, or the bytes would change with every build.
  const packed = gzipSync(content, { level: 9 })
  packed.fill(0, 4, 8)
  packed[9] = 255
  writeFileSync(join(folder, `${name}.gz`), packed)
  const type = `${types[name.split('.').pop()]}; charset=utf-8`
  rows.push(`PAGE_FILE(studio_page_${rows.length}, "${name}.gz", "${address}", "${type}")\n`)
  sizes.set(address, packed.length)
}

const { outputFiles, metafile } = await esbuild.build({ ...common, plugins: [together(await survey()), trimThree] })
const { outputs } = metafile
const addresses = addressesOf(outputs)

mkdirSync(folder, { recursive: true })
for (const old of readdirSync(folder)) if (old.endsWith('.gz')) rmSync(join(folder, old))
put('/', readFileSync(join(here, 'src/index.html')))
for (const file of outputFiles.sort((a, b) => (a.path < b.path ? -1 : 1))) {
  const name = basename(file.path)
  if (name === 'app.css') put('/app.css', file.contents)
  if (!name.endsWith('.js')) continue
  const text = flatten(file.text).replace(/(["'])\.\/([A-Z2-7]{8}\.js)\1/g, (_, quote, to) => quote + addresses.get(to) + quote)
  put(addresses.get(name) ?? '/app.js', text)
}
for (const { address, text } of catalogues) put(address, text, 'json')
writeFileSync(join(folder, 'page_files.inc'), rows.join(''))

const scripts = Object.fromEntries(Object.entries(outputs).map(([path, { imports }]) => [path, { imports }]))
const entry = Object.keys(outputs).find((path) => basename(path) === 'app.js')
const first = [...reach(scripts, entry)].map((path) => addresses.get(basename(path)) ?? '/app.js')
const sum = (some) => some.reduce((all, address) => all + sizes.get(address), 0)
const [start, all] = [sum(['/', '/app.css', ...first]), sum([...sizes.keys()])]
writeFileSync(join(folder, 'size'), `start ${start}\nall ${all}\n`)
const kB = (bytes) => (bytes / 1000).toFixed(1)
console.log(`the page: ${kB(start)} kB gzipped at the start, ${kB(all)} kB in all (${relative('.', folder)}: ${rows.length} files)`)
