// compare.test.mjs - the rules of the comparison that need no page: shades, axes, places, and what is asked for.
import assert from 'node:assert/strict'
import test from 'node:test'
import { load } from './bundle.mjs'

const shades = await load('compare/grid_data')
const axes = await load('compare/grid_canvas')
const data = await load('compare/grid_data')
const { comparedOf } = await load('compare/grid_data')

/** Lightness as it is seen, of one shade. */
function luminance(all, i) {
  const linear = (byte) => (byte / 255 <= 0.04045 ? byte / 255 / 12.92 : ((byte / 255 + 0.055) / 1.055) ** 2.4)
  const [r, g, b] = [...all.slice(3 * i, 3 * i + 3)].map(linear)
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}

test('shades grow lighter from the nearest to the farthest', () => {
  const all = shades.makeShades()
  assert.equal(all.length, 3 * shades.shadeCount)
  for (let i = 1; i < shades.shadeCount; i++) assert.ok(luminance(all, i) >= luminance(all, i - 1), `shade ${i}`)
  assert.ok(luminance(all, 0) < 0.02 && luminance(all, shades.shadeCount - 1) > 0.8)
})

test('a few wild cells do not take the range', () => {
  const cells = Float32Array.from({ length: 1000 }, (_, i) => (i < 995 ? i / 10 : 1e9))
  assert.deepEqual(shades.rangeOf(cells), { low: 0, high: 99 })
  assert.deepEqual(shades.rangeOf(new Float32Array([4, NaN, Infinity])), { low: 4, high: 4 })
  assert.deepEqual(shades.rangeOf(new Float32Array(0)), { low: 0, high: 0 })
})

test('a distance has its shade, squared ones by their root', () => {
  const range = { low: 0, high: 100 }
  assert.equal(shades.shadeOf(0, range, false), 0)
  assert.equal(shades.shadeOf(100, range, false), 255)
  assert.equal(shades.shadeOf(1e9, range, false), 255)
  assert.equal(shades.shadeOf(NaN, range, false), 255)
  assert.equal(shades.shadeOf(25, range, true), 128)
  assert.equal(shades.shadeOf(7, { low: 7, high: 7 }, true), 0)
  assert.equal(shades.paintCells(new Float32Array([0, 100]), range, false).length, 8)
})

test('both axes have ticks inside the clip, in frames and seconds', () => {
  const { frames, seconds } = axes.axisTicks(600, 60, 400, 50)
  assert.deepEqual(frames.map(({ label }) => label), ['0', '100', '200', '300', '400', '500'])
  assert.deepEqual(seconds.map(({ label }) => label), ['0s', '2s', '4s', '6s', '8s'])
  assert.deepEqual(axes.axisTicks(1, 60, 400, 50).frames.map(({ label }) => label), ['0'])
  const { left, top, width, height } = axes.plotBox(512, 280, 16)
  assert.ok(left + width <= 512 && top + height <= 280 && width >= 320 && height >= 240)
})

test('the nearest dot within reach is taken', () => {
  const dots = [[10, 10], [14, 10], [100, 100]]
  assert.equal(axes.nearest(dots, 13, 10, 9), 1)
  assert.equal(axes.nearest(dots, 60, 60, 9), -1)
  assert.equal(axes.nearest([], 0, 0, 9), -1)
})

function grid(rows, cols, fps) {
  const buffer = new ArrayBuffer(40 + 4 * 6)
  const view = new DataView(buffer)
  ;[0x4759524d, 1, 2, 3, rows, cols].forEach((each, i) => view.setUint32(4 * i, each, true))
  view.setFloat32(24, 1, true)
  view.setFloat32(28, 6, true)
  view.setFloat64(32, fps, true)
  for (let i = 0; i < 6; i++) view.setFloat32(40 + 4 * i, i + 1, true)
  return buffer
}

test('a grid is read as it was sent, and anything else refused', () => {
  const read = data.readGrid(grid(20, 30, 30))
  assert.deepEqual([...read.cells], [1, 2, 3, 4, 5, 6])
  assert.deepEqual([read.rows, read.cols, read.frames, read.fps], [2, 3, [20, 30], 30])
  assert.deepEqual([read.least, read.greatest], [1, 6])
  assert.throws(() => data.readGrid(new ArrayBuffer(8)), /no grid/)
  assert.throws(() => data.readGrid(new ArrayBuffer(64)), /no grid/)
})

test('rows stand for frames of clips with other rates', () => {
  const clip = { frames: 41, fps: 60 }
  assert.equal(data.frameOf(clip, 7, 30), 14)
  assert.equal(data.frameOf(clip, 99, 30), 40)
  assert.equal(data.rowOf(clip, 15, 30, 20), 8)
  const read = data.readGrid(grid(20, 30, 30))
  assert.deepEqual(data.placeAt(read, 0.5, 1), { row: 19, col: 15 })
  assert.deepEqual(data.moved(read, { row: 0, col: 29 }, -1, 10), { row: 0, col: 29 })
})

test('only what is not the default is asked for', () => {
  const how = { metric: 'points', joints: 'equal', window: 0, attributes: [], count: 20, minima: true }
  assert.deepEqual(comparedOf(1, 2, how), { a: 1, b: 2, metric: 'points' })
  assert.deepEqual(comparedOf(1, 2, { ...how, metric: 'angles', joints: 'lee', attributes: [1, 0.5, 0] }), {
    a: 1,
    b: 2,
    metric: 'angles',
    joints: 'lee',
    attributes: [1, 0.5, 0],
  })
  assert.deepEqual(comparedOf(1, 2, { ...how, window: 9, attributes: [1, 1, 1] }), { a: 1, b: 2, metric: 'points', window: 9 })
})
