// keys.test.mjs - keys that are named in titles are in the table that the page obeys and lists.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import test from 'node:test'
import { fileURLToPath } from 'node:url'

const src = join(dirname(fileURLToPath(import.meta.url)), '../src')
const read = (path) => readFileSync(join(src, path), 'utf8')
const sources = readdirSync(src, { recursive: true }).filter((path) => path.endsWith('.ts') && path !== 'keys.ts')

/** All that stands in the table's first column, word by word. */
function tableKeys() {
  const rows = [...read('keys.ts').matchAll(/\[\s*'([^']+)',\s*t\('[A-Z]/g)].map(([, shown]) => shown)
  return new Set(rows.flatMap((shown) => [shown, ...shown.split(' ')]))
}

/** As titles write them. */
const spelt = (key) => key.replace('-', '−').replace('Escape', 'Esc').replace('Ctrl+Shift+Z', 'Ctrl Z').replace('Ctrl+', 'Ctrl ')

const patterns = [
  /\(([A-Z]|Enter|Delete|Insert|Escape|Space|Ctrl Z)(?:, [^)]*)?\)['"`]/g,
  /keys="([^"]+)"/g,
  /hint="([^"]+)"/g,
  /tool\('\w+', t\('[^']+'\), '([A-Z])'/g,
]

test('every key that a title names is in the table of keys', () => {
  const known = tableKeys()
  assert.ok(known.has('Space') && known.has('M') && known.has('Ctrl Z'), [...known].join())
  let count = 0
  for (const path of sources) {
    for (const pattern of patterns) {
      for (const [, key] of read(path).matchAll(pattern)) {
        count++
        assert.ok(known.has(spelt(key)), `${path}: ${key}`)
      }
    }
  }
  assert.ok(count > 40, `${count} keys in titles`)
})

test('every letter of the table is named in a title, so that it is learned where it is used', () => {
  const letters = [...read('keys.ts').matchAll(/\[\s*'([A-Z])',/g)].map(([, letter]) => letter)
  const all = sources.map(read).join('\n')
  const shuttle = ['J', 'K', 'L'] // three keys for one button, which names Space
  for (const letter of letters.filter((each) => !shuttle.includes(each))) {
    const named = [`(${letter})`, `(${letter},`, `keys="${letter}"`, `hint="${letter}"`, `'${letter}',`].some((each) => all.includes(each))
    assert.ok(named, letter)
  }
})
