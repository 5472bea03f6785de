// blend.test.mjs - the rules of blends that need no page: weights by a point, weights over time, plants on common time, and
// command lines.
import assert from 'node:assert/strict'
import test from 'node:test'
import { load } from './bundle.mjs'

const w = await load('blend/weights')
const plants = await load('blend/plants')

const near = (a, b, slack = 1e-6) => assert.ok(Math.abs(a - b) <= slack, `${a} should be ${b}`)
const sum = (values) => values.reduce((total, each) => total + each, 0)

/** Numbers between -1.5 and 1.5 that are the same in every run. */
function* numbers(seed = 7) {
  for (let state = seed; ; ) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    yield (state / 2 ** 32) * 3 - 1.5
  }
}

test('weights of every point of the pad sum to one and are never negative', () => {
  const random = numbers()
  for (let count = 2; count <= 9; count++) {
    const polygon = w.corners(count)
    for (let n = 0; n < 500; n++) {
      const weights = w.weightsAt(polygon, [random.next().value, random.next().value])
      assert.equal(weights.length, count)
      near(sum(weights), 1, 1e-9)
      assert.ok(weights.every((each) => each >= -1e-9 && each <= 1 + 1e-9), String(weights))
    }
  }
})

test('a corner is all of its clip, the middle is even shares, an edge is two clips', () => {
  for (let count = 2; count <= 9; count++) {
    const polygon = w.corners(count)
    polygon.forEach((corner, i) => {
      w.weightsAt(polygon, corner).forEach((each, k) => near(each, k === i ? 1 : 0))
      // Far outside the nearest point counts.
      w.weightsAt(polygon, [9 * corner[0], 9 * corner[1]]).forEach((each, k) => near(each, k === i ? 1 : 0))
      const next = polygon[(i + 1) % count]
      const half = w.weightsAt(polygon, [(corner[0] + next[0]) / 2, (corner[1] + next[1]) / 2])
      near(half[i], 0.5)
      near(half[(i + 1) % count], 0.5)
    })
    w.weightsAt(polygon, [0, 0]).forEach((each) => near(each, 1 / count))
  }
})

test('weights say the point again, and go over edges without a jump', () => {
  const random = numbers(3)
  for (let count = 2; count <= 9; count++) {
    const polygon = w.corners(count)
    for (let n = 0; n < 200; n++) {
      const at = w.insidePoint(polygon, [random.next().value, random.next().value])
      const again = w.pointOf(polygon, w.weightsAt(polygon, at))
      near(again[0], at[0], 1e-6)
      near(again[1], at[1], 1e-6)
      const beside = w.weightsAt(polygon, [at[0] + 1e-4, at[1]])
      w.weightsAt(polygon, at).forEach((each, i) => near(each, beside[i], 0.02))
    }
  }
})

test('one share changes and the others keep their proportions', () => {
  const weights = w.withShare([0.5, 0.25, 0.25], 0, 0.8)
  weights.forEach((each, i) => near(each, [0.8, 0.1, 0.1][i]))
  assert.deepEqual(w.withShare([1, 0, 0], 0, 0.5), [0.5, 0.25, 0.25])
  assert.deepEqual(w.normal([0, 0]), [0.5, 0.5])
  assert.deepEqual(w.normal([3, 1]), [0.75, 0.25])
})

test('keys are added, moved between their neighbours, and removed', () => {
  const keys = [[0, 1, 0], [2, 0, 1]]
  assert.deepEqual(w.weightsAtTime(keys, 1), [0.5, 0.5])
  assert.deepEqual(w.weightsAtTime(keys, -1), [1, 0])
  assert.deepEqual(w.weightsAtTime(keys, 3), [0, 1])
  const added = w.addKey(keys, 0.5)
  assert.deepEqual(added, { keys: [[0, 1, 0], [0.5, 0.75, 0.25], [2, 0, 1]], at: 1 })
  assert.equal(w.addKey(keys, 2.001).at, 1, 'no second key at the same time')
  assert.equal(w.addKey(keys, 5).at, 2)
  assert.deepEqual(w.moveKey(added.keys, 1, 9, 4)[1], [1.99, 0.75, 0.25])
  assert.deepEqual(w.moveKey(added.keys, 2, 9, 4)[2], [4, 0, 1])
  assert.deepEqual(w.moveKey(added.keys, 0, -1, 4)[0], [0, 1, 0])
  assert.deepEqual(w.setKey(keys, 1, [0.25, 0.75])[1], [2, 0.25, 0.75])
  assert.deepEqual(w.removeKey(added.keys, 1), keys)
  assert.equal(w.removeKey([[0, 1, 0]], 0).length, 1, 'the last one stays')
})

/** Two clips, the second twice as long, on a common time from 0 to 10. */
const registration = {
  reference: 1,
  fps: 60,
  first: 0,
  last: 10,
  u: Array.from({ length: 11 }, (_, i) => i),
  clips: [
    { times: Array.from({ length: 11 }, (_, i) => 100 + 10 * i), plants: [{ joint: 'left_toe', start: 120, end: 150, matched: true }] },
    {
      times: Array.from({ length: 11 }, (_, i) => 20 * i),
      plants: [
        { joint: 'left_toe', start: 40, end: 100, matched: true },
        { joint: 'right_toe', start: 0, end: 10, matched: false },
      ],
    },
  ],
  matches: [],
}

test('plants of every clip are brought to common time', () => {
  const times = plants.blendTimes(registration, () => [1, 0])
  times.forEach((each, i) => near(each, 10 * i))
  plants.blendTimes(registration, () => [0, 1]).forEach((each, i) => near(each, 20 * i))
  // du/dt is the mean of 1/10 and 1/20 of a step each frame.
  plants.blendTimes(registration, () => [0.5, 0.5]).forEach((each, i) => near(each, i / 0.075, 1e-9))
  const rows = plants.plantRows(registration, [{ joint: 'left_toe', start: 20, end: 50 }], times)
  assert.equal(rows.length, 4 * 3)
  const spans = (joint, clip) => rows.find((row) => row.joint === joint && row.clip === clip).spans
  assert.deepEqual(spans('left_toe', 0), [{ start: 2, end: 5, matched: true }])
  assert.deepEqual(spans('left_toe', 1), [{ start: 2, end: 5, matched: true }])
  assert.deepEqual(spans('left_toe', -1), [{ start: 2, end: 5, matched: true }])
  assert.deepEqual(spans('right_toe', 1), [{ start: 0, end: 0.5, matched: false }])
  near(plants.shareOfFrame(times, 50), 0.5)
  assert.deepEqual(plants.evenTimes(registration, 101)[5], 50)
})
