// operations.test.mjs - bodies of operations as command lines.
import assert from 'node:assert/strict'
import test from 'node:test'
import { load } from './bundle.mjs'

const { change, commandOf } = await load('store', 'operations')

const row = (name, type, more = {}) => ({ name, type, place: 0, needed: false, help: '', ...more })
const operation = (name, library, params, more = {}) => ({
  name,
  summary: '',
  library,
  output_last: false,
  clip_option: null,
  makes_clip: false,
  takes_long: false,
  params,
  ...more,
})

const clips = [
  { id: 3, name: 'walk' },
  { id: 4, name: 'my kick' },
]
change({ about: { library: { path: 'moves.marey' } }, cards: clips, removedCards: [{ id: 9, name: 'walk' }] })

const transition = operation('transition', 'option', [
  row('a', 'segment', { place: 1 }),
  row('b', 'segment', { place: 2 }),
  row('half', 'whole'),
  row('method', 'word', { default: 'aligned' }),
  row('near', 'pair'),
  row('no_clean', 'switch'),
])

test('options that say nothing new are left out', () => {
  const body = { a: { clip: 4, start: 12 }, b: 3, half: 20, method: 'aligned', near: [12, null], no_clean: false }
  assert.equal(
    commandOf(transition, body, { name: 'a-b' }),
    "marey transition -L moves.marey 'my kick#12' '#3' --half 20 --near 12, -o moves.marey:a-b",
  )
  assert.equal(
    commandOf(transition, { b: 'x', a: { clip: 'y', start: 1, end: 5 }, method: 'cut', no_clean: true }),
    "marey transition -L moves.marey 'y#1-5' x --method cut --no-clean",
  )
})

test('a clip may go where another option says', () => {
  const similar = operation('similar', 'option', transition.params, { makes_clip: true, clip_option: 'cut' })
  assert.equal(commandOf(similar, { a: 3, b: 4 }, { name: 'both' }), "marey similar -L moves.marey '#3' 'my kick' --cut moves.marey:both")
})

test('lists are words, and a document comes through a pipe', () => {
  const label = operation('label', 'operand', [
    row('clips', 'clips', { place: -1 }),
    row('add', 'texts', { repeats: true }),
    row('joints', 'texts'),
    row('set', 'document'),
  ])
  assert.equal(
    commandOf(label, { clips: [4, 'run'], add: ['a', '-b'], joints: ['x', 'y'], set: { n: 1 } }),
    `echo '{"n":1}' | marey label moves.marey 'my kick' run --add a --add=-b --joints x,y --set /dev/stdin`,
  )
  const cut = operation('cut', 'operand', [row('cuts', 'cuts', { place: -1 })])
  assert.equal(
    commandOf(cut, { cuts: [{ clip: 4, start: 1, end: 2, name: 'x' }] }),
    "marey cut moves.marey 'my kick#1-2' x",
  )
})

test('a file may be the last operand', () => {
  const convert = operation('convert', 'option', [row('clips', 'segments', { place: -1 })], { output_last: true })
  assert.equal(commandOf(convert, { clips: [4] }, { file: 'k.bvh' }), "marey convert -L moves.marey 'my kick' k.bvh")
  change({ about: { library: { path: 'moves.db' } } })
  assert.equal(commandOf(convert, { clips: [4] }, { name: 'k' }), null)
})
