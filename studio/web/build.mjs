// build.mjs - puts the page together: node build.mjs FOLDER leaves index.html.gz, app.js.gz and app.css.gz there, and
// says how large they are. The same sources give the same bytes.
import { readFileSync, writeFileSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import * as esbuild from 'esbuild'

const here = dirname(fileURLToPath(import.meta.url))
const folder = process.argv[2]
if (!folder) {
  console.error('usage: node build.mjs FOLDER')
  process.exit(2)
}

const built = await esbuild.build({
  absWorkingDir: here,
  entryPoints: { app: 'src/main.ts' },
  bundle: true,
  minify: true,
  format: 'esm',
  target: 'es2022',
  outdir: folder,
  write: false,
  legalComments: 'none',
})

mkdirSync(folder, { recursive: true })
let total = 0
function put(name, content) {
  // No time and no name in gzip's header, or the bytes would change with every build.
  const packed = gzipSync(content, { level: 9 })
  packed.fill(0, 4, 8)
  packed[9] = 255
  writeFileSync(join(folder, `${name}.gz`), packed)
  total += packed.length
}

/** What a minifier must leave alone: lines inside templates, which here are HTML and shaders. Neither minds how far a line
 *  is indented. */
function flatten(js) {
  return js.replace(/\n[ \t]+/g, '\n')
}

put('index.html', readFileSync(join(here, 'src/index.html')))
for (const file of built.outputFiles) {
  if (file.path.endsWith('.css')) put('app.css', file.contents)
  else put('app.js', flatten(file.text))
}
writeFileSync(join(folder, 'size'), `${total}\n`)
console.log(`the page: ${(total / 1000).toFixed(1)} kB gzipped`)
