// build_player.mjs - puts the player together: node build_player.mjs FILE writes one page that holds the studio's viewer and all
// it needs, and no clips yet. src/share/shared_clips.ts says what is put in the place of its comment. The same sources give the
// same bytes.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as esbuild from 'esbuild'
import { flatten, settings } from './bundling.mjs'
import { trimThree } from './trim_three.mjs'

const here = dirname(fileURLToPath(import.meta.url))
const file = process.argv[2]
if (!file) {
  console.error('usage: node build_player.mjs FILE')
  process.exit(2)
}

const MARK = '<!-- marey:clips -->'

/** Script and styles, with the words of other languages in the script. */
async function bundle(catalogues, charset) {
  const { outputFiles } = await esbuild.build({
    ...settings,
    absWorkingDir: here,
    entryPoints: ['src/share/player_page.ts'],
    outdir: 'player',
    charset,
    legalComments: 'none',
    define: { CATALOGUES: JSON.stringify(catalogues) },
    plugins: [trimThree],
  })
  const textOf = (ending) => outputFiles.find(({ path }) => path.endsWith(ending)).text
  return { script: flatten(textOf('.js')), styles: textOf('.css') }
}

/** Those phrases of a catalogue that the script has: their texts between values, perhaps with other white space. More than
 *  are said do no harm. */
function saidIn(script, words) {
  const text = script.replace(/\s+/g, ' ').replace(/\\(['"`])/g, '$1')
  const isSaid = (phrase) => {
    const parts = phrase.split(/\{\d+\}/)
    if (parts.length > 1) return parts.every((part) => text.includes(part))
    return ['"', "'", '`', '>', '> '].some((before) => ['"', "'", '`', '<', ' <'].some((after) => text.includes(before + phrase + after)))
  }
  return Object.fromEntries(Object.entries(words).filter(([phrase]) => isSaid(phrase)))
}

const languages = readdirSync(join(here, 'src/words')).filter((name) => name.endsWith('.json')).sort()
const { script: wordless } = await bundle({}, 'utf8')
const catalogues = languages.map((name) => {
  const words = JSON.parse(readFileSync(join(here, 'src/words', name), 'utf8'))
  return [name.slice(0, -5), saidIn(wordless, words)]
})
// The file may be put into a page of another encoding. What esbuild cannot escape is in html`` templates: there it has to be
// in a value.
const { script, styles } = await bundle(Object.fromEntries(catalogues), 'ascii')
// Either would end the element, or begin another, wherever in the text it is.
for (const bad of [/<\/script/i, /<script/i, /<!--/]) if (bad.test(script)) throw new Error(`the player's script has ${bad}`)
if (/<\/style/i.test(styles)) throw new Error("the player's styles end their element")

/** The file is given away by itself: the licences of what is in it come along. Of htm's, which is long, its last words. */
const licences = [
  ['marey', '../../LICENSE'],
  ['three.js', 'node_modules/three/LICENSE'],
  ['preact', 'node_modules/preact/LICENSE'],
  ['htm', 'node_modules/htm/LICENSE'],
].map(([name, path]) => {
  const text = readFileSync(join(here, path), 'utf8').replaceAll('\u00a9', '(c)')
  return `${name}\n\n${text.slice(Math.max(0, text.lastIndexOf('   Copyright '))).trim()}\n`
})

const template = readFileSync(join(here, 'src/share/player_page.html'), 'utf8')
const parts = { STYLES: styles.trim(), SCRIPT: script.trim(), LICENCES: licences.join('\n') }
const page = template.replace(/\b(STYLES|SCRIPT|LICENCES)\b/g, (name) => parts[name])
if (page.split(MARK).length !== 2) throw new Error(`the player has not exactly one ${MARK}`)
if (/[^\x00-\x7f]/.test(page)) throw new Error('the player is not in ASCII')
writeFileSync(file, page)
console.log(`the player: ${(Buffer.byteLength(page) / 1000).toFixed(1)} kB`)
