// search.test.mjs - the rules of searching that need no page: ways through the match graph, alignments along them, where
// nodes lie, motion in another timing, and command lines.
import assert from 'node:assert/strict'
import test from 'node:test'
import { load } from './bundle.mjs'

const data = await load('search/match_data')
const graph = await load('search/graph')
const { warped } = await load('search/motions')
const { overlap, overlapping } = await load('search/match_data')
const tiles = await load('viewer/arrange')

const near = (a, b, slack = 1e-5) => assert.ok(Math.abs(a - b) <= slack, `${a} should be ${b}`)

/** Query 0, near it 1 and 2; 3 is found through 2, and 1 is nearer through 2 than by itself. */
const answer = {
  matches: [0, 5, 2, 6].map((path_distance, i) => ({ clip: 1, start: 100 * i, end: 100 * i + 50, path_distance })),
  edges: [
    { from: 0, to: 1, distance: 9 },
    { from: 0, to: 2, distance: 2 },
    { from: 2, to: 1, distance: 3 },
    { from: 3, to: 2, distance: 4 },
  ],
}

test('the shortest way leads to every match, whichever way round its edges are', () => {
  const steps = data.stepsOf(answer)
  assert.deepEqual(steps, [null, { parent: 2, edge: 2 }, { parent: 0, edge: 1 }, { parent: 2, edge: 3 }])
  assert.deepEqual(data.wayTo(steps, 3), [{ edge: 1, to: 2 }, { edge: 3, to: 3 }])
  assert.deepEqual(data.wayTo(steps, 0), [])
  // What counts is the whole way, not its last edge.
  const detour = { ...answer, edges: answer.edges.map((edge, i) => (i === 2 ? { ...edge, distance: 8 } : edge)) }
  assert.deepEqual(data.stepsOf(detour)[1], { parent: 0, edge: 0 })
  // The edge with the query says most, even if the way goes elsewhere.
  assert.equal(data.edgeOf(answer, steps, 1), 0)
  assert.equal(data.edgeOf(answer, steps, 3), 3)
})

test('a search is asked for with what differs from its defaults, and with what its way has', () => {
  const { defaults, fieldsOf } = data
  assert.deepEqual(fieldsOf(defaults), { limit: 200 })
  assert.deepEqual(fieldsOf({ ...defaults, threshold: 9, label: 'a', same: 0.6, distinct: 0.3, tiers: 2 }), {
    threshold: 9, tiers: 2, limit: 200, label: 'a', same: 0.6, distinct: 0.3,
  })
  const like = [{ clip: 1, start: 2, end: 9 }]
  const all = { ...defaults, nearest: 5, like, ownSize: true }
  assert.deepEqual(fieldsOf(all), { nearest: 5, like, own_size: true, limit: 200 })
  assert.deepEqual(fieldsOf({ ...all, web: true }), { web: true, tiers: 1, limit: 200 })
})

test('a verdict takes the place of one on the same motion', () => {
  const spot = { clip: 1, start: 100, end: 200 }
  const once = data.judged(data.defaults, { ...spot, name: 'kicks', tier: 1 }, 'like')
  assert.deepEqual(once, { like: [spot], unlike: [] })
  const moved = { clip: 1, start: 140, end: 230 }
  const other = { clip: 2, start: 100, end: 200 }
  const both = data.judged(data.judged(once, moved, 'unlike'), other, 'unlike')
  assert.deepEqual(both, { like: [], unlike: [moved, other] })
  assert.deepEqual(data.judged(both, spot, null), { like: [], unlike: [other] })
})

test('frames follow an alignment, in between and beyond its ends', () => {
  const pairs = [[10, 20], [11, 20], [12, 24], [12, 26], [13, 27]]
  assert.equal(data.along(pairs, 10), 20)
  assert.equal(data.along(pairs, 11.5), 22)
  assert.equal(data.along(pairs, 12), 25)
  assert.equal(data.along(pairs, 8), 18)
  assert.equal(data.along(pairs, 15), 29)
  assert.deepEqual(data.pairsFrom({ from: 7, cells: [[1, 2]] }, 7), [[1, 2]])
  assert.deepEqual(data.pairsFrom({ from: 7, cells: [[1, 2]] }, 3), [[2, 1]])
})

test('a match follows the query along all alignments, never outside itself and never back', () => {
  const way = [[[0, 100], [4, 108]], [[100, 50], [108, 54]]]
  assert.deepEqual(data.warpOf({ start: 0, end: 5 }, { start: 50, end: 55 }, way), [50, 51, 52, 53, 54])
  assert.deepEqual(data.warpOf({ start: 0, end: 5 }, { start: 51, end: 53 }, way), [51, 51, 52, 52, 52])
  assert.deepEqual(data.warpOf({ start: 0, end: 3 }, { start: 0, end: 9 }, [[[0, 4], [1, 2], [2, 6]]]), [4, 4, 6])
})

test('nodes lie as far out as their way is long, apart from each other', () => {
  const nodes = graph.layout(answer.matches, data.stepsOf(answer), 6, 0.4)
  const out = nodes.map(({ x, y }) => Math.hypot(x, y))
  near(out[0], 0)
  near(out[3], 1)
  assert.ok(out[2] < out[1] && out[1] < out[3] && out[2] > 0.2)
  for (let a = 0; a < 4; a++) {
    for (let b = a + 1; b < 4; b++) {
      assert.ok(Math.hypot(nodes[a].x - nodes[b].x, nodes[a].y - nodes[b].y) > 0.3, `${a} and ${b}`)
    }
  }
  assert.deepEqual(graph.layout(answer.matches.slice(0, 1), [null], 6).map(({ x, y }) => [x, y]), [[0, -0]])
})

test('matches that are found one through the other, equally far, do not lie on each other', () => {
  const matches = [0, 4, 4.1, 4.2].map((path_distance, i) => ({ clip: 1, start: 100 * i, end: 100 * i + 50, path_distance }))
  const steps = [null, { parent: 0, edge: 0 }, { parent: 1, edge: 1 }, { parent: 2, edge: 2 }]
  const nodes = graph.layout(matches, steps, 6, 0.3).slice(1)
  nodes.forEach((a, i) => nodes.slice(i + 1).forEach((b) => assert.ok(Math.hypot(a.x - b.x, a.y - b.y) > 0.25)))
})

test('arrow keys go to the nearest node in their direction, and stay where there is none', () => {
  const nodes = [[0, 0], [0.5, 0.1], [0.9, 0], [0, -0.5]].map(([x, y], match) => ({ match, x, y }))
  assert.equal(graph.nodeTowards(nodes, 0, 1, 0), 1)
  assert.equal(graph.nodeTowards(nodes, 1, 1, 0), 2)
  assert.equal(graph.nodeTowards(nodes, 2, 1, 0), 2)
  assert.equal(graph.nodeTowards(nodes, 0, 0, -1), 3)
})

test('a segment is meant again when it moved a little', () => {
  const spot = { clip: 1, start: 100, end: 200 }
  near(overlap(spot, { clip: 1, start: 150, end: 350 }), 0.5)
  assert.equal(overlap(spot, { clip: 2, start: 100, end: 200 }), 0)
  assert.ok(overlapping([spot], { clip: 1, start: 110, end: 208 }))
  assert.ok(!overlapping([spot], { clip: 1, start: 160, end: 260 }))
})

/** Two joints; the root goes along x, and both turn about y by a tenth of a radian a frame. */
function motion(start, frames, fps) {
  const bytes = new ArrayBuffer(40 + frames * (12 + 32))
  const head = new DataView(bytes)
  ;[0x4659524d, 1, frames, 2, start, 1, 1, 0].forEach((each, i) => head.setUint32(4 * i, each, true))
  head.setFloat64(32, fps, true)
  const places = new Float32Array(bytes, 40, 3 * frames)
  const turns = new Float32Array(bytes, 40 + 12 * frames)
  for (let i = 0; i < frames; i++) {
    places.set([start + i, 90, 0], 3 * i)
    const half = 0.05 * (start + i)
    // Every other one the long way round: the same turn, the other sign.
    const sign = i % 2 ? -1 : 1
    for (const joint of [0, 1]) turns.set([sign * Math.cos(half), 0, sign * Math.sin(half), 0], 4 * (2 * i + joint))
  }
  return bytes
}

test('motion is put to another timing, with what lies between its frames', () => {
  const out = warped(motion(100, 11, 120), [100, 100.5, 105.25, 200], 60)
  const head = new DataView(out)
  assert.deepEqual([8, 12, 16, 20, 24].map((at) => head.getUint32(at, true)), [4, 2, 0, 1, 1])
  assert.equal(head.getFloat64(32, true), 60)
  const places = new Float32Array(out, 40, 12)
  assert.deepEqual([0, 3, 6, 9].map((at) => places[at]), [100, 100.5, 105.25, 110])
  const turns = new Float32Array(out, 40 + 48)
  ;[100, 100.5, 105.25, 110].forEach((frame, i) => {
    const sign = Math.sign(turns[8 * i] * Math.cos(0.05 * frame))
    near(sign * turns[8 * i], Math.cos(0.05 * frame), 1e-3)
    near(sign * turns[8 * i + 6], Math.sin(0.05 * frame), 1e-3)
  })
})

test('small views fill the view and do not overlap', () => {
  for (const [count, width, height] of [[1, 800, 450], [8, 731, 397], [25, 1999, 603], [3, 200, 900]]) {
    const all = tiles.tilesFor(count, width, height)
    assert.ok(all.columns * all.rows >= count && all.columns * (all.rows - 1) < count)
    const boxes = Array.from({ length: count }, (_, i) => tiles.tileAt(i, all, width, height))
    boxes.forEach((box, i) => {
      assert.ok(box.x >= 0 && box.y >= 0 && box.x + box.width <= width && box.y + box.height <= height)
      for (const other of boxes.slice(i + 1)) {
        const apart =
          box.x + box.width <= other.x || other.x + other.width <= box.x ||
          box.y + box.height <= other.y || other.y + other.height <= box.y
        assert.ok(apart)
      }
    })
    assert.equal(boxes[0].y + boxes[0].height, height)
  }
  assert.deepEqual(tiles.tilesFor(8, 731, 397), { columns: 4, rows: 2 })
})

test('names and times are short', () => {
  assert.deepEqual(data.namesFor('kick', 2), ['kick-1', 'kick-2'])
  assert.equal(data.prefixOf('kicks-12'), 'kicks')
  assert.equal(data.prefixOf('07'), '07')
  assert.equal(data.prefixOf('144_05'), '144_05')
  const stretches = [{ label: 'jab', start: 10, end: 20 }]
  const action = (labels, start) => data.actionOf({ name: 'fight-2', labels, stretches }, { start, end: start + 5 })
  assert.deepEqual([action(['punch'], 15), action(['punch'], 20), action(['a', 'b'], 20), action([], 4)], ['jab', 'punch', 'fight', 'fight'])
  assert.equal(data.distanceText(81, true), '9.0 cm')
  assert.equal(data.distanceText(0.12345, false), '0.123')
  assert.equal(data.framesText({ start: 3, end: 9 }), '3–8')
  assert.equal(data.timeText(0.2), '1 s')
  assert.equal(data.timeText(150), '3 min')
})
