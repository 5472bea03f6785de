// words.test.mjs - phrases in templates: found, put into another language, and nothing else of a template changed by that.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import test from 'node:test'
import { fileURLToPath } from 'node:url'
import htm from 'htm'
import ts from 'typescript'
import { load } from './bundle.mjs'

const src = join(dirname(fileURLToPath(import.meta.url)), '../src')
const { phrasesOf, t, plural, translate } = await load('words/templates', 'words/words')

const template = htm.bind((type, props, ...children) => ({ type, props, children }))
const strings = (parts, ..._) => parts

/** What htm makes of a template whose values are a, b, c .., in the words of a catalogue. */
function made(parts, words) {
  const values = parts.slice(1).map((_, i) => `<${i}>`)
  if (!words) return template(parts, ...values)
  const { strings: said, order } = translate(parts, words)
  return template(said, ...order.map((i) => values[i]))
}

test('phrases stand between tags and in what is read, and names only of parts of the page', () => {
  const parts = strings`<p class="dim some" title="All of it">
    Frame ${1} of ${2}.
  </p>${3} <${4} icon="close" name="Take out" kind="not read" /><${5} name="warning" /><input name="Not Read" placeholder="any" />`
  assert.deepEqual(phrasesOf(parts), ['All of it', 'Frame {0} of {1}.', 'Take out', 'any'])
})

test('a catalogue may put values in another order', () => {
  const parts = strings`<p title="Save">Frame ${'i'} of ${'n'}</p>`
  const words = { 'Frame {0} of {1}': 'Von {1} der {0}.', Save: 'Speichern' }
  assert.deepEqual(made(parts, words), { type: 'p', props: { title: 'Speichern' }, children: ['Von ', '<1>', ' der ', '<0>', '.'] })
})

test('what a catalogue does not have stays as it is', () => {
  const parts = strings`<b>Stop</b> <i title="Go ${1}">Go</i>`
  assert.deepEqual(made(parts, { Stop: 'Halt' }), [{ type: 'b', props: null, children: ['Halt'] }, ' ', ...made(parts, {}).slice(2)])
  assert.deepEqual(made(parts, {}), made(parts))
})

test('phrases and numbers are said in English where there is no catalogue', () => {
  assert.equal(t`Saved as ${'walk'}, ${2} times`, 'Saved as walk, 2 times')
  assert.equal(t('Find more'), 'Find more')
  assert.equal(t`{1} is no value, ${'{0}'} neither`, '{1} is no value, {0} neither')
  assert.deepEqual([plural(1, 'match', 'matches'), plural(0, 'clip')], ['1 match', '0 clips'])
})

/** White space within a phrase is one blank, as a browser shows it. */
function tidied(made) {
  return JSON.parse(JSON.stringify(made).replace(/(\\n|\s)+/g, ' '))
}

test('every template of the page is the same in a catalogue that says it in English', () => {
  let count = 0
  for (const file of readdirSync(src, { recursive: true }).map(String).filter((name) => name.endsWith('.ts'))) {
    const source = ts.createSourceFile(file, readFileSync(join(src, file), 'utf8'), ts.ScriptTarget.ES2022, true)
    const visit = (node) => {
      if (ts.isTaggedTemplateExpression(node) && node.tag.getText() === 'html' && ts.isTemplateExpression(node.template)) {
        const { head, templateSpans } = node.template
        const parts = [head.text, ...templateSpans.map(({ literal }) => literal.text)]
        const same = Object.fromEntries(phrasesOf(parts).map((phrase) => [phrase, phrase]))
        assert.deepEqual(tidied(made(parts, same)), tidied(made(parts)), `${file}: ${head.text}`)
        count++
      }
      ts.forEachChild(node, visit)
    }
    visit(source)
  }
  assert.ok(count > 300, `${count} templates`)
})
