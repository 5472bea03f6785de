// commands.test.mjs - command lines: what a shell and the program make of them.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import test from 'node:test'
import { load } from './bundle.mjs'

const { quote, commands, change, initialState } = await load('store', 'commands')

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

test('clips are named, and by number where the name is not theirs alone', () => {
  inLibrary([clip(3, 'walk'), clip(4, 'run')], [clip(34, 'walk'), clip(35, 'hop'), clip(36, 'hop')])
  assert.equal(commands.remove([clip(4, 'run')]), 'marey rm /home/me/moves.marey run')
  assert.equal(commands.remove([clip(3, 'walk')]), "marey rm /home/me/moves.marey '#3'")
  assert.equal(commands.restore([clip(34, 'walk')]), "marey restore /home/me/moves.marey '#34'")
  assert.equal(commands.purge([clip(35, 'hop'), clip(4, 'run')]), "marey rm /home/me/moves.marey '#35' run --purge")
  assert.equal(commands.cut(clip(3, 'walk'), segment)('x'), "marey cut /home/me/moves.marey '#3#120-300' x")
  assert.equal(commands.cut(clip(4, 'run'), segment)('x'), "marey cut /home/me/moves.marey 'run#120-300' x")
  assert.equal(commands.rename(clip(3, 'walk'))('stroll'), "marey rename /home/me/moves.marey '#3' stroll")
  const exported = commands.export(clip(3, 'walk'), 'png', segment)
  assert.equal(exported, "marey render -L /home/me/moves.marey '#3#120-300' -o walk.png")
})

test('a clip that is not in the list yet is named unless another one has the name', () => {
  inLibrary([clip(3, 'walk')])
  assert.equal(commands.show([clip(9, 'new')]), 'marey info -L /home/me/moves.marey new --long')
  assert.equal(commands.show([clip(9, 'walk')]), "marey info -L /home/me/moves.marey '#9' --long")
  assert.equal(commands.show([clip(0, 'walk')]), 'marey info -L /home/me/moves.marey walk --long')
})

test('the new name is put to an address that was looked up before', () => {
  inLibrary([clip(3, 'walk')])
  const renamed = commands.rename(clip(3, 'walk'))
  inLibrary([clip(3, 'stroll'), clip(4, 'walk')])
  assert.equal(renamed('stroll'), 'marey rename /home/me/moves.marey walk stroll')
})

test('what begins like an option comes behind "--", and its options before', () => {
  inLibrary([clip(1, '-walk')])
  const named = [clip(1, '-walk')]
  assert.deepEqual(words(commands.remove(named)), ['rm', '--', '/home/me/moves.marey', '-walk'])
  assert.deepEqual(words(commands.purge(named)), ['rm', '--purge', '--', '/home/me/moves.marey', '-walk'])
  assert.deepEqual(words(commands.contacts(named[0], null)).slice(3), ['--forget', '--', '-walk'])
  const label = words(commands.label(named, { add: ['-x'], describe: '' })).slice(1)
  assert.deepEqual(label, ['--add', '-x', '--describe', '', '--', '/home/me/moves.marey', '-walk'])
  const render = words(commands.export(named[0], 'mp4', null)).slice(3)
  assert.deepEqual(render, ['-o', '-walk.mp4', '--', '-walk'])
  assert.deepEqual(words(commands.rename(clip(2, 'run'))('-r')).slice(1), ['--', '/home/me/moves.marey', 'run', '-r'])
  const added = words(commands.add(['-a.bvh'], ['x'])).slice(1)
  assert.deepEqual(added, ['--label', 'x', '--', '/home/me/moves.marey', '-a.bvh'])
  inLibrary([clip(1, 'walk')], [], '-lib.marey')
  assert.deepEqual(words(commands.demo()), ['add', '--demo', '--', '-lib.marey'])
})

test('a list has a command where one lists exactly this', () => {
  inLibrary([])
  const list = (fields) => commands.list({ ...initialState.filter, ...fields })
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
