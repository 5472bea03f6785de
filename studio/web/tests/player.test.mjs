// player.test.mjs - the playhead: loops, ends, segments, both directions.
import assert from 'node:assert/strict'
import test from 'node:test'
import { load } from './bundle.mjs'

const { Player } = await load('player')

/** A clip of ten frames, one a second: times are frames. */
function playerOf(fields = {}) {
  const player = new Player()
  player.load(10, 1)
  player.set(fields)
  return player
}

/** How long each frame is shown while so many steps of the clock pass. */
function timeOfFrames(player, steps, step_s) {
  const shown = new Map()
  for (let i = 0; i < steps; i++) {
    shown.set(player.frame, (shown.get(player.frame) ?? 0) + 1)
    player.advance(step_s)
  }
  return Object.fromEntries([...shown].sort(([a], [b]) => a - b))
}

const evenly = (first, end, each) =>
  Object.fromEntries(Array.from({ length: end - first }, (_, i) => [first + i, each]))

test('a loop gives every frame the same time', () => {
  const player = playerOf({ loop: true })
  player.toggle()
  assert.deepEqual(timeOfFrames(player, 10 * 8 * 3, 1 / 8), evenly(0, 10, 24))
})

test('a loop of a segment gives every frame of it the same time and shows nothing behind it', () => {
  const player = playerOf({ loop: true, rangeStart: 3, rangeEnd: 7 })
  const latest = []
  player.onTime(() => latest.push(player.now.time))
  player.toggle()
  assert.deepEqual(timeOfFrames(player, 4 * 8 * 3, 1 / 8), evenly(3, 7, 24))
  assert.ok(Math.max(...latest) <= 6 && Math.min(...latest) >= 3)
})

test('a loop backwards gives every frame the same time', () => {
  const player = playerOf({ loop: true, rangeStart: 3, rangeEnd: 7, speed: -1 })
  player.toggle()
  const shown = timeOfFrames(player, 4 * 8 * 100, 1 / 8)
  assert.deepEqual(Object.keys(shown), ['3', '4', '5', '6'])
  for (const count of Object.values(shown)) assert.ok(Math.abs(count - 800) <= 8, JSON.stringify(shown))
})

test('a loop of one frame plays on and stays there', () => {
  const player = playerOf({ loop: true, rangeStart: 4, rangeEnd: 5 })
  player.toggle()
  assert.deepEqual(timeOfFrames(player, 50, 0.3), { 4: 50 })
  assert.ok(player.now.playing)
})

test('without a loop it stops at the last frame, and playing again begins anew', () => {
  const player = playerOf({ loop: false })
  player.toggle()
  timeOfFrames(player, 30, 0.5)
  assert.deepEqual([player.frame, player.now.playing], [9, false])
  player.toggle()
  assert.deepEqual([player.frame, player.now.playing], [0, true])
})

test('without a loop a segment is played from its start, wherever the playhead was', () => {
  for (const from of [0, 2, 6, 7, 9]) {
    const player = playerOf({ loop: false, rangeStart: 3, rangeEnd: 7 })
    player.seekFrame(from)
    player.toggle()
    assert.deepEqual([player.frame, player.now.playing], [3, true], `from ${from}`)
    assert.deepEqual(Object.keys(timeOfFrames(player, 40, 0.25)), ['3', '4', '5', '6'])
    assert.deepEqual([player.frame, player.now.playing], [6, false])
  }
})

test('from inside a segment it goes on from there', () => {
  const player = playerOf({ loop: false, rangeStart: 3, rangeEnd: 7 })
  player.seekFrame(5)
  player.toggle()
  assert.equal(player.frame, 5)
})

test('backwards from the start it begins at the end, and stops at the start', () => {
  for (const [rangeStart, rangeEnd, from] of [[0, 10, 0], [3, 7, 3], [3, 7, 0], [3, 7, 9]]) {
    const player = playerOf({ loop: false, rangeStart, rangeEnd, speed: -1 })
    player.seekFrame(from)
    player.toggle()
    assert.deepEqual([player.frame, player.now.playing], [rangeEnd - 1, true])
    timeOfFrames(player, 60, 0.25)
    assert.deepEqual([player.now.time, player.now.playing], [rangeStart, false])
  }
})

test('a segment marked while it plays is entered at the proper end', () => {
  for (const [speed, expected] of [[1, 5], [-1, 7]]) {
    const player = playerOf({ loop: true, speed })
    player.seekFrame(1)
    player.play()
    player.set({ rangeStart: 5, rangeEnd: 8 })
    player.advance(0.1)
    assert.equal(player.frame, expected)
  }
})

test('turning around while it plays goes on from where it is', () => {
  const player = playerOf({ loop: false })
  player.seekFrame(9)
  player.play(-2)
  player.advance(1)
  assert.equal(player.now.time, 7)
  player.play(1)
  assert.equal(player.now.time, 7)
})

test('a clip opens and loops without the marked frames at its ends', async () => {
  const { capturedFrames } = await load('frames')
  const mark = (start, end) => ({ kind: 'invented-first-frame', start, end })
  const clip = { frames: 10, made: false, marks: [mark(0, 1), mark(1, 2), mark(5, 6), mark(9, 10)] }
  assert.deepEqual(capturedFrames(clip), { start: 2, end: 9 })
  assert.deepEqual(capturedFrames({ ...clip, made: true }), { start: 0, end: 10 })
  assert.deepEqual(capturedFrames({ ...clip, marks: [mark(0, 10)] }), { start: 0, end: 10 })
  const player = new Player()
  player.load(10, 1, capturedFrames(clip))
  assert.equal(player.frame, 2)
  player.toggle()
  assert.deepEqual(timeOfFrames(player, 7 * 8 * 3, 1 / 8), evenly(2, 9, 24))
  player.set({ rangeStart: 0, rangeEnd: 3 })
  assert.equal(player.isWhole, false)
  player.playWhole()
  assert.equal(player.isWhole, true)
})
