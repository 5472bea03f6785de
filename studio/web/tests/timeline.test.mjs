// timeline.test.mjs - the rules of the timeline that need no page: editing plants, zooming, ticks, thinning.
import assert from 'node:assert/strict'
import test from 'node:test'
import { load } from './bundle.mjs'

const scale = await load('timeline/scale')
const edit = await load('timeline/contact_state')

const plant = (joint, start, end) => ({ joint, start, end })
const walk = [plant('left_heel', 10, 20), plant('left_heel', 30, 40), plant('left_toe', 35, 45)]

test('a plant stops at its neighbours and at the ends of the clip', () => {
  assert.deepEqual(edit.room(walk, 0, 100), { low: 0, high: 30 })
  assert.deepEqual(edit.room(walk, 1, 100), { low: 20, high: 100 })
  assert.deepEqual(edit.room(walk, 2, 100), { low: 0, high: 100 })
  assert.deepEqual(edit.move(walk, 0, 'whole', 50, 100)[0], plant('left_heel', 20, 30))
  assert.deepEqual(edit.move(walk, 0, 'whole', -50, 100)[0], plant('left_heel', 0, 10))
  assert.deepEqual(edit.move(walk, 1, 'start', -50, 100)[1], plant('left_heel', 20, 40))
  assert.deepEqual(edit.move(walk, 1, 'end', 500, 100)[1], plant('left_heel', 30, 100))
})

test('a plant keeps at least one frame', () => {
  assert.deepEqual(edit.move(walk, 0, 'start', 50, 100)[0], plant('left_heel', 19, 20))
  assert.deepEqual(edit.move(walk, 0, 'end', -50, 100)[0], plant('left_heel', 10, 11))
})

test('a change that does nothing gives the same list, and no list is changed in place', () => {
  const full = [plant('left_heel', 0, 100)]
  assert.equal(edit.move(full, 0, 'whole', 5, 100), full)
  edit.move(walk, 0, 'end', 3, 100)
  assert.deepEqual(walk[0], plant('left_heel', 10, 20))
})

test('a new plant takes the room that there is', () => {
  const at = (joint, frame, length) => edit.add(walk, joint, frame, length, 100)
  assert.deepEqual(at('left_heel', 25, 4)[1], plant('left_heel', 23, 27))
  assert.deepEqual(at('left_heel', 25, 40)[1], plant('left_heel', 20, 30))
  assert.deepEqual(at('left_heel', 99, 12)[2], plant('left_heel', 88, 100))
  assert.deepEqual(at('right_toe', 0, 12)[3], plant('right_toe', 0, 12))
  assert.equal(at('left_heel', 10, 12), walk)
  assert.equal(at('left_heel', 19, 12), walk)
  assert.equal(at('left_heel', 100, 12), walk)
  assert.deepEqual(edit.add([], 'left_toe', 0, 12, 1), [plant('left_toe', 0, 1)])
})

test('no sequence of random edits makes plants overlap', () => {
  let seed = 7
  const random = (n) => (seed = (seed * 48271) % 2147483647) % n
  let list = edit.sorted(walk)
  for (let i = 0; i < 5000; i++) {
    const part = ['start', 'end', 'whole'][random(3)]
    const joint = edit.contactJoints[random(6)]
    if (random(4) === 0) list = edit.add(list, joint, random(210) - 5, 1 + random(30), 200)
    else if (list.length > 12) list = edit.remove(list, random(list.length))
    else if (list.length) list = edit.move(list, random(list.length), part, random(81) - 40, 200)
    assert.deepEqual(list, edit.sorted(list))
    list.forEach((each, at) => {
      assert.ok(each.start >= 0 && each.start < each.end && each.end <= 200)
      const next = list[at + 1]
      if (next?.joint === each.joint) assert.ok(each.end <= next.start)
    })
  }
})

test('undo and redo go back and forth', () => {
  let history = edit.begin(walk)
  history = edit.commit(history, edit.remove(walk, 0))
  history = edit.commit(history, [])
  assert.equal(edit.commit(history, []), history)
  history = edit.undo(edit.undo(edit.undo(history)))
  assert.deepEqual(history.now, walk)
  history = edit.redo(edit.redo(edit.redo(history)))
  assert.deepEqual(history.now, [])
  history = edit.commit(edit.undo(history), walk)
  assert.deepEqual(history.future, [])
})

test('hands have rows where one is planted', () => {
  assert.deepEqual(edit.rowJoints(walk), ['left_heel', 'left_toe', 'right_heel', 'right_toe'])
  assert.deepEqual(edit.rowJoints([...walk, plant('right_hand', 1, 2)]), edit.contactJoints)
  assert.deepEqual(edit.add(walk, 'left_hand', 5, 4, 100).at(-1), plant('left_hand', 3, 7))
})

test('plants are named by their first and last frame', () => {
  assert.equal(edit.plantName(plant('left_heel', 120, 144)), 'left heel planted, frames 120 to 143')
})

test('the nearest plant is the one under the frame, or the closest', () => {
  assert.equal(edit.nearest(walk, 'left_heel', 12), 0)
  assert.equal(edit.nearest(walk, 'left_heel', 26), 1)
  assert.equal(edit.nearest(walk, 'right_toe', 0), -1)
})

test('zooming keeps the frame under the pointer and stays in the clip', () => {
  const window = { start: 0, span: 1000 }
  const near = scale.zoomAt(window, 0.5, 250, 1000)
  assert.deepEqual(near, { start: 125, span: 500 })
  assert.equal(scale.frameToX(near, 250, 800), scale.frameToX(window, 250, 800))
  assert.deepEqual(scale.zoomAt(near, 10, 250, 1000), { start: 0, span: 1000 })
  assert.equal(scale.zoomAt(window, 1e-9, 0, 1000).span, 4)
  assert.deepEqual(scale.zoomAt({ start: 0, span: 1 }, 0.5, 0, 1), { start: 0, span: 1 })
  assert.deepEqual(scale.panBy(near, 9999, 1000), { start: 500, span: 500 })
})

test('the view turns its page only when the frame is not in it', () => {
  const window = { start: 100, span: 100 }
  assert.equal(scale.pageTo(window, 199, 1000), window)
  assert.deepEqual(scale.pageTo(window, 200, 1000), { start: 195, span: 100 })
  assert.deepEqual(scale.pageTo(window, 99, 1000, true), { start: 4, span: 100 })
})

test('ticks are round numbers, far enough apart to be read', () => {
  const window = { start: 0, span: 600 }
  const seconds = scale.secondTicks(window, 60, 640)
  const spoken = '0s 1s 2s 3s 4s 5s 6s 7s 8s 9s 10s'
  assert.equal(seconds.map((tick) => tick.label).join(' '), spoken)
  assert.equal(seconds[1].frame, 60)
  const frames = scale.frameTicks(window, 640)
  const labels = frames.filter((tick) => tick.label).map((tick) => tick.label)
  assert.equal(labels.join(' '), '0 50 100 150 200 250 300 350 400 450 500 550 600')
  assert.equal(frames[1].frame, 5)
  for (const span of [1, 7, 240, 1e3, 1e5]) {
    const long = scale.frameTicks({ start: 0, span }, 800)
    assert.ok(long.length <= 170 && long.length >= 2, `${long.length} ticks for ${span} frames`)
  }
  assert.equal(scale.secondsLabel(4.5, 0.5), '4.5s')
  assert.equal(scale.secondsLabel(65, 5), '1:05')
  assert.equal(scale.secondsLabel(65.25, 0.05), '1:05.25')
  assert.equal(scale.secondsLabel(65.5, 0.5), '1:05.5')
  assert.deepEqual(scale.roundNumbers(-47, 47), [-40, -20, 0, 20, 40])
  assert.deepEqual(scale.roundNumbers(0.05, 0.42), [0.1, 0.2, 0.3, 0.4])
  assert.deepEqual(scale.roundNumbers(5, 5), [])
})

test('marks closer than a pixel are one', () => {
  const range = (start, end) => ({ start, end })
  const marks = [range(50, 60), range(0, 10), range(11, 20), range(900, 910)]
  const shown = scale.rangesInView(marks, { start: 0, span: 800 }, 400)
  assert.deepEqual(shown, [{ start: 0, end: 20 }, { start: 50, end: 60 }])
})

test('curves with more samples than pixels keep every pixel’s least and greatest', () => {
  const row = Float32Array.from({ length: 1000 }, (_, i) => (i === 503 ? 9 : i === 507 ? -9 : Math.sin(i)))
  const few = scale.thin([row], 1000, { start: 10, span: 5 }, 100)
  assert.deepEqual(few.x, [10, 11, 12, 13, 14, 15])
  assert.equal(few.rows[0][0], row[10])
  const many = scale.thin([row], 1000, { start: 0, span: 1000 }, 100)
  assert.equal(many.x.length, 200)
  assert.deepEqual(many.rows[0].slice(100, 102), [9, -9])
  assert.deepEqual(many.x.slice(100, 102), [500, 505])
  assert.ok(many.x.every((x, i) => i === 0 || x > many.x[i - 1]))
  const holes = scale.thin([new Float32Array(1000).fill(NaN)], 1000, { start: 0, span: 1000 }, 10)
  assert.deepEqual(holes.rows[0], new Array(20).fill(null))
})

test('the frames of a stretch that have a label, and those that have it not, are all of them', async () => {
  const { framesHaving } = await load('actions')
  let seed = 5
  const chance = (below) => (seed = (seed * 48271) % 2147483647) % below
  for (let round = 0; round < 300; round++) {
    const has = Array.from({ length: 40 }, () => chance(3) === 0)
    const stretches = [{ label: 'other', start: 0, end: 40 }]
    has.forEach((on, at) => {
      if (on && !has[at - 1]) stretches.unshift({ label: 'kick', start: at, end: at })
      if (on) stretches[0].end = at + 1
    })
    const start = chance(39)
    const frames = { clip: 7, start, end: start + 1 + chance(40 - start) }
    for (const having of [true, false]) {
      const parts = framesHaving(frames, stretches, 'kick', having)
      const found = parts.flatMap(({ clip, start, end }) => Array.from({ length: end - start }, (_, i) => clip * 100 + start + i))
      const wanted = has.flatMap((on, at) => (on === having && at >= frames.start && at < frames.end ? [700 + at] : []))
      assert.deepEqual(found, wanted)
    }
  }
})
