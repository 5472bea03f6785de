// sketch.test.mjs - curves drawn by hand: what the pen and the keys leave, and the query they are.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { load } from './bundle.mjs'

const { blank, lengthened, stroke, lift, hull, filled, resampled, rescaled, scaleOf, ticks, grouped, dofText, sketchFps, colourOf, colourCount } =
  await load('sketch/sketch_data')
const { queryOf } = await load('sketch/sketch_data')

const near = (a, b) => assert.ok(Math.abs(a - b) < 1e-9, `${a} is not ${b}`)

test('a stroke leaves a sample at every time it passes, whichever way it goes', () => {
  for (const turned of [false, true]) {
    const curve = blank(2)
    const [a, b] = [{ time_s: 0.5, value: 10 }, { time_s: 1, value: 20 }]
    stroke(curve, turned ? b : a, turned ? a : b)
    const [first, last] = hull(curve)
    assert.deepEqual([first, last], [Math.ceil(0.5 * sketchFps), Math.floor(sketchFps)])
    for (let i = first; i <= last; i++) near(curve[i], 10 + (20 * i) / sketchFps - 10)
  }
})

test('a stroke replaces what was there, and a point between samples is not lost', () => {
  const curve = blank(1)
  stroke(curve, { time_s: 0, value: 1 }, { time_s: 1, value: 1 })
  stroke(curve, { time_s: 0.4, value: 5 }, { time_s: 0.6, value: 5 })
  assert.deepEqual([curve[0], curve[Math.round(0.5 * sketchFps)], curve[sketchFps]], [1, 5, 1])
  const dot = blank(1)
  stroke(dot, { time_s: 0.501, value: 7 }, { time_s: 0.502, value: 7 })
  assert.equal(dot[Math.round(0.5 * sketchFps)], 7)
})

test('strokes end where the paper does', () => {
  const curve = blank(1)
  stroke(curve, { time_s: -3, value: 0 }, { time_s: 9, value: 12 })
  assert.deepEqual(hull(curve), [0, curve.length - 1])
  near(curve[0], 3)
})

test('gaps are bridged, and outside of what was drawn the curve holds still', () => {
  const curve = blank(1)
  curve[4] = 10
  curve[8] = 18
  curve[10] = 0
  assert.deepEqual(filled(curve, 2, 12), [10, 10, 10, 12, 14, 16, 18, 9, 0, 0, 0])
  assert.equal(filled(blank(1), 0, 5), null)
  assert.equal(hull(blank(1)), null)
})

test('keys lift the curve most under the pen, and draw where nothing was drawn', () => {
  const curve = blank(2)
  lift(curve, 20, 10, 50)
  near(curve[20], 60)
  assert.ok(curve[17] > 50 && curve[17] < 60)
  assert.ok(Number.isNaN(curve[40]))
  lift(curve, 20, -4, 50)
  near(curve[20], 56)
})

test('a longer paper keeps what was drawn', () => {
  const curve = blank(1)
  curve[3] = 4
  assert.equal(lengthened(curve, 5)[3], 4)
  assert.equal(lengthened(curve, 5).length, 5 * sketchFps + 1)
})

test('a curve of another rate has the same values at the same times', () => {
  const curve = resampled(Float32Array.from({ length: 121 }, (_, i) => i / 120), 120, 1.4)
  for (let i = 0; i <= sketchFps; i++) assert.ok(Math.abs(curve[i] - i / sketchFps) < 1e-6)
  assert.deepEqual(hull(curve), [0, sketchFps])
})

test('another joint takes the shape over on its own scale', () => {
  const [knee, hip] = [{ low: 0, high: 100 }, { low: -50, high: 50 }]
  const curve = rescaled(Float64Array.from([0, 100]), knee, hip)
  near(curve[0], -50)
  near(curve[1], 50)
  assert.ok(scaleOf(knee).low < 0 && scaleOf({ low: 3, high: 3 }).high > 3)
})

test('ticks are round and inside', () => {
  assert.deepEqual(ticks(-12, 154, 4), [0, 50, 100, 150])
  assert.ok(ticks(0, 3, 6).every((tick) => tick >= 0 && tick <= 3))
})

test('fragments have their colours in turn', () => {
  assert.equal(colourOf(0), 1)
  assert.equal(colourOf(colourCount), 1)
  assert.notEqual(colourOf(0), colourOf(1))
})

test('channels are listed by parts of the body, those of joints without a role last', () => {
  const dof = (joint, role) => ({ dof: `${joint}.Xrotation`, joint, channel: 'Xrotation', role })
  const all = grouped([dof('Hips', 'hips'), dof('Tail', null), dof('LeftUpLeg', 'left_hip'), dof('LeftArm', 'left_shoulder')])
  assert.deepEqual(all.map(([name]) => name), ['Legs', 'Arms', 'Hips', 'Other joints'])
  assert.equal(dofText(dof('LeftUpLeg', 'left_hip')), 'left hip, X turn')
  assert.equal(dofText(dof('Tail', null)), 'Tail, X turn')
})

test('what is asked for is what was drawn, of those curves that were', () => {
  const table = { k: 3, noise: 1 }
  const settings = { k: 3, noise: 1, shape: false, label: '' }
  const lane = (dof, ...places) => {
    const curve = blank(2)
    places.slice(1).forEach((to, i) => stroke(curve, places[i], to))
    return { dof: { dof }, curve }
  }
  const wave = [{ time_s: 0.4, value: 0 }, { time_s: 0.8, value: 20 }, { time_s: 1.2, value: 0 }]
  const asked = queryOf([lane('a', ...wave), lane('b')], null, settings, table)
  assert.deepEqual(asked.body.dof, ['a'])
  assert.equal(asked.body.curve.values[0].length, Math.round(0.8 * sketchFps) + 1)
  near(asked.first_s, 0.4)
  assert.equal(queryOf([lane('a')], null, settings, table), null)
  assert.equal(queryOf([lane('a', { time_s: 0, value: 3 }, { time_s: 1, value: 3.5 })], null, settings, table), null)
  const clip = { id: 7, fps: 120 }
  const taken = queryOf([lane('a'), lane('b')], { clip, start: 30, end: 90 }, { ...settings, k: 5 }, table)
  assert.deepEqual([taken.body.query.clip, taken.body.query.start, taken.body.query.end, taken.body.k, taken.rate, taken.from], [7, 30, 90, 5, 120, 30])
  assert.deepEqual(taken.body.dof, ['a', 'b'])
})
