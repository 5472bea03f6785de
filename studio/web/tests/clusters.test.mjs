// clusters.test.mjs - cluster graphs: which nodes are drawn and where, and their poses.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { load } from './bundle.mjs'

const { shownNodes, layOut, fit, zoomed, under, beside, nodeText, defaults } = await load('clusters/map')
const { readPoses, drawingsOf } = await load('clusters/map_draw')

/** Numbers that look random and are always the same. */
function numbers(seed) {
  let state = seed
  return () => {
    state = (1664525 * state + 1013904223) % 4294967296
    return state / 4294967296
  }
}

function nodesOf(count, seed = 1) {
  const next = numbers(seed)
  return Array.from({ length: count }, (_, node) => ({
    node,
    frames: 1 + Math.floor(2000 * next() ** 6),
    sequences: 3,
    clips: next() < 0.6 ? 2 : 1,
    loops: next() < 0.3,
    x: 2 * next() - 1,
    y: next() < 0.5 ? 0.3 : 2 * next() - 1,
  }))
}

test('nodes of several clips come first, then the largest', () => {
  const shown = shownNodes({ nodes: nodesOf(200) }, { ...defaults, most: 50 })
  assert.equal(shown.length, 50)
  for (let i = 1; i < shown.length; i++) {
    const [a, b] = [shown[i - 1], shown[i]]
    assert.ok((a.clips > 1) > (b.clips > 1) || ((a.clips > 1) === (b.clips > 1) && a.frames >= b.frames))
  }
  assert.ok(shownNodes({ nodes: nodesOf(200) }, { ...defaults, shared: true, loops: true }).every(({ clips, loops }) => clips > 1 && loops))
})

test('no node covers another, with ten and with two hundred, even if all have one place', () => {
  for (const [count, aspect] of [[1, 1], [10, 0.8], [60, 1.4], [200, 2.5]]) {
    for (const place of [null, 0]) {
      const nodes = nodesOf(count).map((node) => (place === null ? node : { ...node, x: place, y: place }))
      const spots = layOut(nodes, aspect)
      for (let i = 0; i < spots.length; i++) {
        for (let j = i + 1; j < spots.length; j++) {
          const [a, b] = [spots[i], spots[j]]
          const far = Math.hypot(a.x - b.x, a.y - b.y)
          assert.ok(far > 0.97 * (a.r + b.r), `${count}: ${far} between ${a.r} and ${b.r}`)
        }
      }
    }
  }
})

test('the same nodes are always in the same places, larger ones are larger', () => {
  const nodes = nodesOf(80)
  assert.deepEqual(layOut(nodes, 1.4), layOut(nodes, 1.4))
  const spots = layOut(nodes, 1.4)
  const by = [...spots].sort((a, b) => a.node.frames - b.node.frames)
  for (let i = 1; i < by.length; i++) assert.ok(by[i].r >= by[i - 1].r)
})

test('all of the map is seen at first, and zooming keeps what is under the pointer', () => {
  const spots = layOut(nodesOf(60), 1.4)
  const view = fit(spots, 560, 400)
  for (const { x, y, r } of spots) {
    assert.ok(Math.abs(x - view.x) * view.zoom + r * view.zoom <= 280 + 1e-6)
    assert.ok(Math.abs(y - view.y) * view.zoom + r * view.zoom <= 200 + 1e-6)
  }
  const at = (look) => [look.x + (100 - 280) / look.zoom, look.y + (50 - 200) / look.zoom]
  const nearer = zoomed(view, 2, 100, 50, 560, 400)
  at(view).forEach((value, i) => assert.ok(Math.abs(value - at(nearer)[i]) < 1e-9))
  const [spot] = spots
  const [px, py] = [280 + (spot.x - view.x) * view.zoom, 200 + (spot.y - view.y) * view.zoom]
  assert.equal(under(spots, view, px, py, 560, 400), spot)
})

test('arrow keys reach every node', () => {
  const spots = layOut(nodesOf(60), 1.4)
  const seen = new Set([spots[0]])
  const waiting = [spots[0]]
  while (waiting.length) {
    const from = waiting.pop()
    for (const key of ['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown']) {
      const next = beside(spots, from, key)
      if (!seen.has(next)) {
        seen.add(next)
        waiting.push(next)
      }
    }
  }
  assert.ok(seen.size >= 0.95 * spots.length, `${seen.size} of ${spots.length}`)
  assert.equal(beside(spots, null, 'ArrowLeft'), spots[0])
})

test('a node is described in words', () => {
  const node = { node: 4, frames: 1, sequences: 2, clips: 1, loops: true }
  assert.equal(nodeText(node), 'node 4: 1 frame, 2 sequences of 1 clip, loops')
})

function posesBytes() {
  const bytes = new ArrayBuffer(16 + 4 * 3 + 4 * 2 + 12 * 2 * 3)
  const view = new DataView(bytes)
  view.setUint32(0, 0x4d525950, false)
  view.setUint32(4, 1, true)
  view.setUint32(8, 2, true)
  view.setUint32(12, 3, true)
  ;[-1, 0, 1].forEach((parent, j) => view.setInt32(16 + 4 * j, parent, true))
  ;[7, 9].forEach((node, i) => view.setUint32(28 + 4 * i, node, true))
  const places = [[0, 90, 0], [0, 140, 0], [0, 170, 5]]
  ;[0, 1].forEach((i) =>
    places.forEach((place, j) => place.forEach((value, k) => view.setFloat32(36 + 4 * (9 * i + 3 * j + k), value * (i + 1), true))),
  )
  return bytes
}

test('poses are read and drawn into their box, the taller one larger', () => {
  const poses = readPoses(posesBytes())
  assert.deepEqual([...poses.at.keys()], [7, 9])
  const joints = ['Hips', 'Spine', 'Head'].map((name, j) => ({ name, parent: j - 1 }))
  const drawings = drawingsOf(poses, { joints, roles: { head: 2 } })
  const tall = (node) => drawings.get(node).bones.reduce((sum, { line: [, ay, , by] }) => sum + ay - by, 0)
  assert.ok(tall(9) > 1.9 * tall(7))
  for (const { bones, head } of drawings.values()) {
    for (const { line } of bones) for (const [i, value] of line.entries()) assert.ok(i % 2 ? value >= 0 && value <= 1 : Math.abs(value) <= 0.5)
    assert.ok(head)
  }
  assert.throws(() => readPoses(posesBytes().slice(0, 60)), /half/)
  assert.throws(() => readPoses(new ArrayBuffer(40)), /no poses/)
})
