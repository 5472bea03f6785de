// commands.test.mjs - command lines: what a shell and the program make of them.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import test from 'node:test'
import { load } from './bundle.mjs'

const { quote, showLine, change, initialState, lineOf, exportOf, listCommand } = await load(
  'store',
  'operations',
  'operations',
  'actions',
)

const clip = (id, name) => ({ id, name })
const segment = { start: 120, end: 300 }

function inLibrary(cards, removedCards = [], path = '/home/me/moves.marey') {
  change({ about: { library: { path } }, cards, removedCards })
}

/** The words that a shell hands over. */
function words(line) {
  const script = `marey() { for word; do printf '%s\\0' "$word"; done; }\n${line}`
  return execFileSync('/bin/sh', ['-c', script]).toString().split('\0').slice(0, -1)
}

test('a shell reads every word as it was', () => {
  const plain = ['', ' ', '#34', 'a#1-2', "it's", 'ä', '-x', 'a;b', 'a\nb']
  const odd = [...plain, '"', '$HOME', '`id`', '\\', '*', '~', '!', '(']
  assert.deepEqual(words(`marey ${odd.map(quote).join(' ')}`), odd)
  assert.equal(quote('walk_1.bvh'), 'walk_1.bvh')
  assert.equal(quote('#34'), "'#34'")
})

const row = (name, type, place = 0, more = {}) => ({ name, type, place, needed: false, help: '', ...more })
const named = row('clips', 'clips', -1)
const operations = new Map(
  [
    ['rm', 'operand', [named, row('purge', 'switch')]],
    ['label', 'operand', [named, row('add', 'texts', 0, { repeats: true }), row('describe', 'text')]],
    ['rename', 'operand', [row('clip', 'clip', 1), row('to', 'name', 2)]],
    ['cut', 'operand', [row('cuts', 'cuts', -1)]],
    ['contacts', 'option', [row('clip', 'segment', 1), row('forget', 'switch')]],
    ['ls', 'operand', [row('words', 'texts', -1, { repeats: true }), row('label', 'text'), row('removed', 'switch')]],
    ['render', 'option', [row('clips', 'segments', -1)]],
  ].map(([name, library, params]) => [name, { name, library, params }]),
)
change({ operations })

test('clips are named, and by number where the name is not theirs alone', () => {
  inLibrary([clip(3, 'walk'), clip(4, 'run')], [clip(34, 'walk'), clip(35, 'hop'), clip(36, 'hop')])
  assert.equal(lineOf('rm', { clips: [4] }), 'marey rm /home/me/moves.marey run')
  assert.equal(lineOf('rm', { clips: [3, 34] }), "marey rm /home/me/moves.marey '#3' '#34'")
  assert.equal(lineOf('rm', { clips: [35, 4], purge: true }), "marey rm /home/me/moves.marey '#35' run --purge")
  const cut = (id) => lineOf('cut', { cuts: [{ clip: id, ...segment, name: 'x' }] })
  assert.equal(cut(3), "marey cut /home/me/moves.marey '#3#120-300' x")
  assert.equal(cut(4), "marey cut /home/me/moves.marey 'run#120-300' x")
  assert.equal(lineOf('rename', { clip: 3, to: 'stroll' }), "marey rename /home/me/moves.marey '#3' stroll")
  const drawn = exportOf(3, segment, 'walk.png').command
  assert.equal(drawn, "marey render -L /home/me/moves.marey '#3#120-300' -o walk.png")
  assert.equal(lineOf('no such operation', {}), null)
})

test('a clip that is not in the list yet is named unless another one has the name', () => {
  inLibrary([clip(3, 'walk')])
  assert.equal(showLine([clip(9, 'new')]), 'marey info -L /home/me/moves.marey new --long')
  assert.equal(showLine([clip(9, 'walk')]), "marey info -L /home/me/moves.marey '#9' --long")
  assert.equal(showLine([clip(0, 'walk')]), 'marey info -L /home/me/moves.marey walk --long')
})

test('what begins like an option comes behind "--", and its options before', () => {
  inLibrary([clip(1, '-walk'), clip(2, 'run')])
  const at = '/home/me/moves.marey'
  assert.deepEqual(words(lineOf('rm', { clips: [1] })), ['rm', '--', at, '-walk'])
  assert.deepEqual(words(lineOf('rm', { clips: [1], purge: true })), ['rm', '--purge', '--', at, '-walk'])
  assert.deepEqual(words(lineOf('contacts', { clip: 1, forget: true })).slice(3), ['--forget', '--', '-walk'])
  const label = words(lineOf('label', { clips: [1], add: ['-x'], describe: '' })).slice(1)
  assert.deepEqual(label, ['--add=-x', '--describe', '', '--', at, '-walk'])
  assert.deepEqual(words(lineOf('rename', { clip: 2, to: '-r' })).slice(1), ['--', at, 'run', '-r'])
  const film = words(exportOf(1, null, '-walk.mp4').command).slice(3)
  assert.deepEqual(film, ['-o', '-walk.mp4', '--', '-walk'])
})

test('a list has a command where one lists exactly this', () => {
  inLibrary([])
  const list = (fields) => listCommand({ ...initialState.filter, ...fields })
  assert.equal(list({}), 'marey ls /home/me/moves.marey')
  assert.equal(list({ text: ' kick  high ' }), 'marey ls /home/me/moves.marey kick high')
  assert.equal(list({ text: 'kick', labels: ['a b'] }), "marey ls /home/me/moves.marey kick --label 'a b'")
  assert.equal(list({ text: '-x' }), 'marey ls -- /home/me/moves.marey -x')
  assert.equal(list({ removed: true }), 'marey ls /home/me/moves.marey --removed')
  for (const none of [
    { labels: ['a', 'b'] },
    { removed: true, text: 'kick' },
    { removed: true, labels: ['a'] },
    { skeleton: 'x' },
    { shortest_s: 1 },
    { longest_s: 1 },
  ]) {
    assert.equal(list(none), null, JSON.stringify(none))
  }
})
