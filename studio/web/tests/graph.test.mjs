// graph.test.mjs - the rules of motion graphs that need no page: paths, thresholds, the drawing, poses of a steered character,
// and command lines.
import assert from 'node:assert/strict'
import test from 'node:test'
import { load } from './bundle.mjs'

const paths = await load('graph/path_session', 'graph/floor_curve')
const motions = await load('graph/motions')
const play = await load('graph/play_session')
const goals = await load('graph/goals')
const sweep = await load('graph/building')
const drawing = await load('graph/explorer')
const { LiveBody } = await load('live_body')

const near = (a, b, slack = 1e-4) => assert.ok(Math.abs(a - b) <= slack, `${a} should be ${b}`)

test('what is drawn becomes few points that are near it', () => {
  const drawn = Array.from({ length: 200 }, (_, i) => [2 * i, 80 * Math.sin(i / 30)])
  const points = paths.pointsOf(drawn)
  assert.ok(points.length >= 5 && points.length <= paths.mostPoints, String(points.length))
  assert.deepEqual(points[0], [0, 0])
  const curve = paths.curveOf(points)
  for (const place of drawn) assert.ok(Math.min(...curve.map((each) => paths.apart(each, place))) < 30)
})

test('a click is no path', () => {
  assert.equal(paths.pointsOf([[0, 0]]), null)
  assert.equal(paths.pointsOf([[0, 0], [10, 0]]), null)
})

test('a curve goes through its points, in whole centimetres, and never stands still', () => {
  const points = [[0, 0], [150, 40], [150, 40], [300, 200]]
  const curve = paths.curveOf(points)
  for (const point of points) assert.ok(curve.some((each) => paths.apart(each, point) === 0))
  curve.forEach((each, i) => i && assert.ok(paths.apart(each, curve[i - 1]) > 0))
  assert.ok(curve.flat().every(Number.isInteger))
  const long = paths.curveOf([[0, 0], [40000, 0]])
  assert.ok(long.length <= 1024)
})

test('places have rising times, and obstacles are put far from them', () => {
  const more = goals.withGoal(goals.firstGoals, [300, 100])
  assert.deepEqual(more[3], { place: [300, 100], at_s: 13, heading_deg: null })
  assert.equal(goals.withGoal(more, [300, 100])[4].at_s, 13.5, 'also at the same place')
  assert.deepEqual(goals.timesOf(more, 1), [0.5, 8.5])
  assert.deepEqual(goals.timesOf(more, 3), [9.5, 599.5])
  assert.deepEqual(more.map(goals.goalWord), ['0s:0,0', '4s:0,300', '9s:300,400', '13s:300,100'])
  assert.deepEqual(goals.middleOf(more.map(({ place }) => place)), [150, 350])
  const obstacle = { place: [-20, 30], radius_cm: 40 }
  assert.equal(goals.obstacleWord(obstacle), '-20,30,40')
  assert.deepEqual(goals.edgesOf([obstacle]), [[-60, -10], [20, 70]])
  const reached = [3, 41.6].map((error_cm) => ({ error_cm }))
  assert.equal(goals.goalsText(reached, false), 'not every place is reached, 42 cm off at most')
})

test('places have headings, counter-clockwise from x on a plan on which z points down', () => {
  assert.deepEqual([[10, 0], [0, -10], [-10, 0], [0, 10]].map((to) => goals.headingTo([0, 0], to)), [0, 90, 180, -90])
  const [x, z] = goals.aheadOf([100, 50], 90, 20)
  near(x, 100)
  near(z, 30)
  const [first, second, last] = goals.firstGoals
  assert.deepEqual([0, 1, 2].map((i) => goals.facingOf(goals.firstGoals, i)), [-90, -18, -18], 'along its way')
  assert.equal(goals.facingOf([first, { ...second, heading_deg: 30 }, last], 1), 30)
  assert.equal(goals.goalWord({ ...last, heading_deg: -90 }), '9s:300,400,-90')
  const reached = [{ error_cm: 3, heading_deg: null, error_deg: null }, { error_cm: 1, heading_deg: 90, error_deg: 4.4 }]
  assert.equal(goals.goalsText(reached, true), 'every place is reached, 3 cm and 4 degrees off at most')
})

test('a place of a path is so far along it', () => {
  const curve = [[0, 0], [100, 0], [100, 50]]
  assert.deepEqual(paths.placeAlong(curve, 40), [40, 0])
  assert.deepEqual(paths.placeAlong(curve, 125), [100, 25])
  assert.deepEqual(paths.placeAlong(curve, -5), [0, 0])
  assert.deepEqual(paths.placeAlong(curve, Infinity), [100, 50])
  for (const along of [0, 40, 100, 125, 150]) near(paths.nearestAlong(curve, paths.placeAlong(curve, along)), along)
  near(paths.nearestAlong(curve, [130, 20]), 120)
})

test('motions are written as the command line has them, and are in the order of the path', () => {
  const kick = { name: 'kick', params: [{ kind: 'height', label: null }] }
  const both = { name: 'step', params: [{ kind: 'height', label: null }, { kind: 'speed', label: null }] }
  const named = { name: 'odd', params: [{ kind: 'height', label: 'so high' }] }
  assert.equal(motions.familyWord(kick, [95]), 'kick(height=95)')
  assert.equal(motions.familyWord(both, [95, -2.5]), 'step(at=95,-2.5)')
  assert.equal(motions.familyWord(named, [1]), 'odd(at=1)')
  const of = (key, along_cm) => ({ key, family: kick, values: [key], along_cm })
  const all = [of(1, null), of(2, 300), of(3, 120), of(4, null)]
  assert.deepEqual(motions.inOrder(all).map(({ key }) => key), [3, 2, 1, 4])
  assert.deepEqual(all.map((each) => motions.motionWord(each, true)), ['kick(height=1)@end', 'kick(height=2)@300', 'kick(height=3)@120', 'kick(height=4)@end'])
  assert.equal(motions.motionWord(all[1], false), 'kick(height=2)')
  assert.equal(motions.freePlace([], 700), 350)
  assert.equal(motions.freePlace(all, 700), 500)
  assert.deepEqual(motions.within(all, 250.7).map(({ along_cm }) => along_cm), [null, 250, 120, null])
  assert.equal(motions.within(all, 400), all)
})

test('pieces with one label that follow each other are one stretch', () => {
  const piece = (at, length, label) => ({ at, length, label })
  const pieces = [piece(0, 5, 'walk'), piece(5, 3, 'walk'), piece(8, 2, null), piece(10, 4, 'walk'), piece(14, 6, 'kick')]
  assert.deepEqual(paths.stretchesOf(pieces), [
    { label: 'walk', start: 0, end: 8 },
    { label: 'walk', start: 10, end: 14 },
    { label: 'kick', start: 14, end: 20 },
  ])
})

test('a point is added half way, or beyond the end', () => {
  assert.deepEqual(paths.withPoint([[0, 0], [100, 50]], 0), [[0, 0], [50, 25], [100, 50]])
  assert.deepEqual(paths.withPoint([[0, 0], [100, 50]], 1), [[0, 0], [100, 50], [200, 100]])
})

test('thresholds rise, around the ceiling', () => {
  const all = sweep.thresholdsUpTo(30)
  all.forEach((each, i) => i && assert.ok(each > all[i - 1]))
  assert.ok(all.length <= 64 && all[0] < 0.1 && all[all.length - 1] === 120)
  near(Math.log(all[sweep.nearestTo(all, 30)] / 30), 0, 0.2)
})

test('curves leave out what is not known', () => {
  const rows = [{ mean_transition_s: null }, { mean_transition_s: 2 }, { mean_transition_s: 1 }]
  assert.equal(sweep.curvePoints(rows, 'mean_transition_s'), '50.00,4.00 100.00,52.00')
})

const graph = { parts: [{ id: 3, name: 'walk', start: 0, end: 200, node: 0, nodes: 100 }], unit: 'cm2' }
const picture = {
  segments: [
    { node: 0, nodes: 60, clip: 3, start: 0, end: 120, core: 1 },
    { node: 60, nodes: 40, clip: 3, start: 120, end: 200, core: 0.5 },
  ],
  segment_count: 2,
  arcs: [[50, 10, 0.5, 1], [20, 90, 1.5, 1.05]],
  arc_count: 2,
}

test('bars and arcs are found where they are drawn', () => {
  const frame = { width: 500, height: 200, span: drawing.whole, lines: drawing.linesOf(graph, picture) }
  const y = drawing.lineY(frame, 0)
  assert.equal(drawing.under(frame, picture, 100, y), picture.segments[0])
  assert.equal(drawing.under(frame, picture, 400, y), picture.segments[1])
  for (const arc of picture.arcs) {
    const [ax, ay, , by, , , dx] = drawing.curveOf(frame, arc)
    assert.equal(drawing.under(frame, picture, (ax + dx) / 2, 0.25 * ay + 0.75 * by), arc)
    assert.equal(by < ay, arc[1] > arc[0], 'forward is over the line')
  }
  assert.equal(drawing.under(frame, picture, 250, 1), null)
})

test('zooming keeps what is under the pointer, and nothing is beyond the ends', () => {
  const near1 = drawing.zoomed(drawing.whole, 0.5, 0.3)
  near((0.3 - near1.start) / near1.span, 0.3)
  assert.deepEqual(drawing.zoomed(near1, 100, 0.9), drawing.whole)
  assert.deepEqual(drawing.shifted({ start: 0.5, span: 0.5 }, 3), { start: 0.5, span: 0.5 })
})

test('what is chosen is said in words', () => {
  assert.equal(drawing.textOf(graph, picture, picture.arcs[0]), 'walk 100 → walk 20: distance 0.5 cm2, jump 1.00×')
  assert.equal(drawing.textOf(graph, picture, picture.segments[1]), 'walk 120–199: 50 % reachable')
})

function poseMessage(numbers, joints) {
  const bytes = new ArrayBuffer(48 + 28 * joints)
  const view = new DataView(bytes)
  ;[256, 7, 42, 1].forEach((each, i) => view.setUint32(4 * i, each, true))
  numbers.forEach((each, i) => view.setFloat32(16 + 4 * i, each, true))
  for (let i = 0; i < 7 * joints; i++) view.setFloat32(48 + 4 * i, i, true)
  return bytes
}

test('a steered body takes its poses as they are laid out', () => {
  const body = new LiveBody(2)
  const out = { places: new Float64Array(6), turns: new Float64Array(8) }
  assert.equal(body.pose(out, 0), false)
  body.take(new ArrayBuffer(20))
  assert.equal(body.poses, 0)
  body.take(poseMessage([10, 20, 0.5, 100, 1.5, 140, 0.75, 0.5], 2))
  assert.deepEqual([body.tick, body.node, body.transitions, body.x_cm, body.z_cm], [7, 42, 1, 10, 20])
  assert.deepEqual([body.does, body.input], [
    { direction_rad: 0.5, speed_cm_s: 100 },
    { direction_rad: 1.5, speed_cm_s: 140 },
  ])
  assert.equal(body.pose(out, 5), true)
  assert.deepEqual([...out.places], [0, 6, 2, 7, 13, 9])
  assert.deepEqual([...out.turns], [3, 4, 5, 6, 10, 11, 12, 13])
})

test('a place of the floor is to the left of a body and ahead of it', () => {
  const seen = (x, z, direction_rad) => play.asSeen([x, z], { x_cm: 100, z_cm: 50, direction_rad })
  const same = ([left, ahead], wantedLeft, wantedAhead) => {
    near(left, wantedLeft)
    near(ahead, wantedAhead)
  }
  same(seen(130, 50, 0), 0, 30)
  same(seen(100, 20, 0), 30, 0)
  same(seen(100, 80, -Math.PI / 2), 0, 30)
  same(seen(130, 50, -Math.PI / 2), 30, 0)
})
