// param.test.mjs - the rules of families that need no page: features as text, controls, what can be reached, errors in
// words, motion brought to zero, where the playhead belongs, and command lines.
import assert from 'node:assert/strict'
import test from 'node:test'
import { load } from './bundle.mjs'

const data = await load('param/param_data')
const { regionOf } = await load('param/controls')
const { atZero, broughtToZero, standingOf } = await load('param/showing')
const { timeFor } = await load('param/showing')
const { targetsOf } = await load('param/showing')
const { bodyOf, commandOf, change } = await load('store', 'param/param_data')
const { defaults } = await load('search/match_data')

const near = (a, b, slack = 1e-4) => assert.ok(Math.abs(a - b) <= slack, `${a} should be ${b}`)

const dim = (feature, axis, least, greatest, unit = 'cm') => ({ feature, axis, least, greatest, unit, low: least, high: greatest })
const param = (kind, from = null, joint = null) => ({ kind, joint, number: null, when: null, from, amount: null, label: null })

/** A wrist and a duration. */
const family = {
  name: 'reach',
  features: ['position(right_wrist, apex, start)', 'duration()'],
  axes: [dim(0, 'x', -60, 20), dim(0, 'y', 80, 180), dim(0, 'z', 10, 60), dim(1, 'time', 1, 2, 's')],
  params: [param('position', 'start', 'right_wrist'), param('duration')],
  examples: [[-60, 80, 10, 1], [20, 180, 60, 2], [-20, 130, 30, 1.4]].map((values) => ({ values })),
  sample_values: [[-20, 120, 30, 1.45], [0, 120, 58, 1.45]],
}

const table = {
  features: [
    { name: 'position', form: 'position(JOINT, WHEN, FROM)' },
    { name: 'speed', form: 'speed(JOINT, AMOUNT)' },
    { name: 'duration', form: 'duration()' },
    { name: 'label', form: 'label(NAME)' },
  ],
}

test('a feature is written with what its kind takes, and no more', () => {
  const draft = data.newDraft
  assert.equal(data.featureText(draft, table), 'position(right_wrist, apex, start)')
  assert.equal(data.featureText({ ...draft, when: 'N', frame: 12, from: 'root' }, table), 'position(right_wrist, 12, root)')
  assert.equal(data.featureText({ ...draft, kind: 'speed', amount: 'least' }, table), 'speed(right_wrist, least)')
  assert.equal(data.featureText({ ...draft, kind: 'duration' }, table), 'duration()')
  assert.equal(data.featureText({ ...draft, kind: 'label', label: ' mood ' }, table), 'label(mood)')
})

test('two numbers are a pad, one is a slider, and the third of a place lies behind the pad', () => {
  assert.deepEqual(data.controlsOf(family), [{ pad: [0, 1], depth: 2 }, { slider: 2 }, { slider: 3 }])
  const two = { axes: [dim(0, 'angle', 0, 90, 'deg'), dim(1, 'speed', 10, 90, 'cm/s')], params: [param('heading'), param('pace')] }
  assert.deepEqual(data.controlsOf(two), [{ pad: [0, 1], depth: null }])
  const floor = { axes: [dim(0, 'x', 0, 1), dim(0, 'z', 0, 1), dim(1, 'time', 0, 1)], params: [param('place', 'start'), param('duration')] }
  assert.deepEqual(data.controlsOf(floor), [{ pad: [0, 1], depth: null }, { slider: 2 }])
  const one = { axes: [dim(0, 'time', 0, 1)], params: [param('duration')] }
  assert.deepEqual(data.controlsOf(one), [{ slider: 0 }])
})

test('numbers are called by where they lead, seen from the body', () => {
  assert.deepEqual([0, 1, 2, 3].map((i) => data.dimTitle(family, i)), ['left', 'up', 'ahead', 'duration'])
  assert.equal(data.growsLeft(family.axes[0], family.params[0]), true)
  assert.equal(data.growsLeft(family.axes[0], param('position', 'world')), false)
  assert.equal(data.growsLeft(family.axes[3], family.params[1]), false)
})

test('places come from values and go back into them', () => {
  assert.deepEqual(data.spotsOf(family), [0])
  assert.deepEqual(data.placeOf(family, 0, [1, 2, 3, 4]), [1, 2, 3])
  assert.deepEqual(data.withPlace(family, 0, [1, 2, 3, 4], [7, 8, 9]), [7, 8, 9, 4])
  const floor = { axes: [dim(0, 'time', 0, 1), dim(1, 'x', 0, 1), dim(1, 'z', 0, 1)], params: [param('duration'), param('place', 'start')] }
  assert.deepEqual(data.spotsOf(floor), [1])
  assert.deepEqual(data.placeOf(floor, 1, [5, 6, 7]), [6, 0, 7])
  assert.deepEqual(data.withPlace(floor, 1, [5, 6, 7], [1, 2, 3]), [5, 1, 3])
})

test('the hull has all points inside and none of them twice', () => {
  const inner = [[0.5, 0.5], [0.2, 0.7], [0.5, 0]]
  const hull = data.hullOf([[0, 0], [1, 1], ...inner, [1, 0], [0, 1]])
  assert.deepEqual(hull, [[0, 0], [1, 0], [1, 1], [0, 1]])
  assert.deepEqual(data.hullOf([[1, 1]]), [[1, 1]])
})

test('samples are near if the numbers that are not shown are nearly as wanted', () => {
  const at = [0, 0, 30, 1.5]
  assert.equal(data.isNear(family.axes, [-60, 180, 33, 1.45], at, [0, 1]), true)
  assert.equal(data.isNear(family.axes, [-60, 180, 58, 1.45], at, [0, 1]), false)
  const region = regionOf(family, at, [0, 1], (values) => [values[0], values[1]])
  assert.equal(region.near, 'M-20.00 120.00h0')
  assert.equal(region.far, 'M0.00 120.00h0')
  assert.equal(region.examples.split('M').length, 4)
})

test('one begins with the example in the middle', () => {
  assert.deepEqual(data.middleOf(family), [-20, 130, 30, 1.4])
})

test('values have as many figures as say something', () => {
  assert.equal(data.tidy({ least: -50, greatest: 20 }, 12.34567), 12.35)
  assert.equal(data.tidy({ least: 1, greatest: 2 }, 1.234567), 1.235)
  assert.equal(data.tidy({ least: 0, greatest: 4000 }, -0.3), 0)
})

test('errors are described in words', () => {
  const miss = (error, outside, unit = 'cm') => data.missText({ error, error_unit: unit, outside })
  assert.equal(miss(0.12, false), '0.1 cm off')
  assert.equal(miss(0.004, false), 'less than 0.1 cm off')
  assert.equal(miss(12.3, true), 'outside what can be reached: 12 cm off')
  assert.equal(miss(1.26, false, ''), '1.3 off')
})

/** Two frames of a root and a hip on either side; the first stands at (10, 20) and faces along +x. */
function motion() {
  const joints = 3
  const buffer = new ArrayBuffer(40 + 2 * 12 + 2 * 16 * joints)
  const view = new DataView(buffer)
  ;[0x4659524d, 1, 2, joints, 0, 1, 1, 0].forEach((each, i) => view.setUint32(4 * i, each, true))
  view.setFloat64(32, 30, true)
  new Float32Array(buffer, 40, 6).set([10, 90, 20, 15, 91, 22])
  const half = Math.PI / 4
  const turns = new Float32Array(buffer, 64)
  for (let frame = 0; frame < 2; frame++) {
    for (let j = 0; j < joints; j++) turns.set(j ? [1, 0, 0, 0] : [Math.cos(half), 0, Math.sin(half), 0], 4 * (frame * joints + j))
  }
  return buffer
}

const joint = (parent, offset_cm) => ({ parent, offset_cm, channels: [], end_cm: null })
const clip = {
  id: 1,
  frames: 2,
  fps: 30,
  joints: [joint(-1, [0, 0, 0]), joint(0, [8, 0, 0]), joint(0, [-8, 0, 0])],
  roles: { hips: 0, left_hip: 1, right_hip: 2 },
}

test('a motion is brought to zero: it begins there, faces ahead, and goes on as before', async () => {
  const standing = await standingOf(clip, motion())
  near(standing.x_cm, 10)
  near(standing.z_cm, 20)
  near(standing.angle_rad, Math.PI / 2)
  const before = motion()
  const moved = broughtToZero(before, clip, standing)
  const places = new Float32Array(moved, 40, 6)
  ;[0, 90, 0, -2, 91, 5].forEach((each, i) => near(places[i], each))
  const [w, x, y, z] = new Float32Array(moved, 64, 4)
  near(Math.abs(w), 1)
  ;[x, y, z].forEach((each) => near(each, 0))
  assert.deepEqual(new Uint8Array(before), new Uint8Array(motion()), 'what was given stays')
  const again = await standingOf(clip, moved)
  near(again.x_cm, 0)
  near(again.angle_rad, 0)
})

test('a playhead at the moment stays there, elsewhere it keeps its share', () => {
  const before = { frames: 61, fps: 30 }
  const after = { frames: 91, fps: 30 }
  const time = (now, moment, of = before) => timeFor({ playing: false, time: now }, moment, of)(after, 1.6)
  assert.equal(time(0, null, null), 1.6)
  assert.equal(time(1.01, 1), 1.6)
  near(time(0.5, 1), 0.75)
  near(timeFor({ playing: true, time: 1 }, 1, before)(after, 1.6), 1.5)
  near(timeFor({ playing: false, time: 1 }, 1, before)(after, null), 1.5)
})

test('what is dragged in the view becomes values, and the cloud stays the same', () => {
  const asked = { places: [{ x_cm: 5, y_cm: 1, z_cm: 6, angle_rad: 1 }, null], reached: [1, 2, 3, 4] }
  let moved = null
  const at = [-20, 130, 30, 1.4]
  const targets = targetsOf(family, 0, at, asked, (next) => (moved = next))
  assert.deepEqual(targets.wanted, [-20, 130, 30])
  assert.deepEqual(targets.reached, [1, 2, 3])
  assert.deepEqual(targets.from, { ...atZero, y_cm: 1 })
  targets.move([1, 100, 2])
  assert.deepEqual(moved, [1, 100, 2, 1.4])
  assert.equal(targetsOf(family, 0, [0, 0, 0, 0], asked, () => {}).samples, targets.samples)
})

const row = (name, type, place = 0, more = {}) => ({ name, type, place, needed: false, help: '', ...more })
const building = [
  row('name', 'name', 1),
  row('feature', 'texts', 0, { repeats: true }),
  row('clips', 'segments'),
  row('query', 'segment'),
  row('threshold', 'number'),
  row('limit', 'whole'),
  row('keep', 'segments'),
  row('through', 'texts', 0, { repeats: true }),
]

test('a family is built of parts, or of what was found', () => {
  const operations = new Map([['param build', { name: 'param build', library: 'operand', params: building }]])
  change({ operations, about: { library: { path: 'a.marey' } }, cards: [{ id: 3, name: 'walk' }], removedCards: [] })
  const part = (start, end) => ({ clip: { id: 3, name: 'walk' }, segment: { start, end } })
  const parts = [part(0, 90), part(100, 180)]
  const features = ['height(left_wrist, apex)']
  assert.deepEqual(bodyOf({ parts }, 'w', features), {
    name: 'w', feature: features, clips: [{ clip: 3, start: 0, end: 90 }, { clip: 3, start: 100, end: 180 }],
  })
  assert.equal(
    commandOf({ parts }, 'w', features),
    "marey param build a.marey w --feature 'height(left_wrist, apex)' --clips 'walk#0-90' --clips 'walk#100-180'",
  )
  const settings = { ...defaults, threshold: 120 }
  const some = { parts, found: { search: 5, matches: [0, 2], settings } }
  assert.deepEqual(bodyOf(some, 'w', features), { name: 'w', feature: features, search: 5, matches: [0, 2] })
  assert.equal(commandOf(some, 'w', features), null)
  const all = { parts, found: { search: 5, matches: null, settings } }
  assert.deepEqual(bodyOf(all, 'w', features), { name: 'w', feature: features, search: 5 })
  assert.equal(
    commandOf(all, 'w', features),
    "marey param build a.marey w --feature 'height(left_wrist, apex)' --query 'walk#0-90' --threshold 120 --limit 200",
  )
  const one = { ...all, keep: [part(200, 260)] }
  assert.deepEqual(bodyOf(one, 'w', features).keep, [{ clip: 3, start: 200, end: 260 }])
  assert.match(commandOf(one, 'w', features), / --limit 200 --keep 'walk#200-260'$/)
  const pinned = { parts, through: data.pinsOf(' walk#30, walk#120;\nwalk#60,walk#150 ;') }
  assert.deepEqual(bodyOf(pinned, 'w', features).through, ['walk#30,walk#120', 'walk#60,walk#150'])
  assert.match(commandOf(pinned, 'w', features), / --through 'walk#30,walk#120' --through 'walk#60,walk#150'$/)
})

test('what is left out is grouped by why', () => {
  const out = (id, about) => ({ id, about })
  assert.deepEqual(
    data.reasonsOf([out(1, 'has other joints'), out(2, 'moves otherwise'), out(3, 'moves otherwise')]),
    [
      { about: 'moves otherwise', list: [out(2, 'moves otherwise'), out(3, 'moves otherwise')] },
      { about: 'has other joints', list: [out(1, 'has other joints')] },
    ],
  )
})
