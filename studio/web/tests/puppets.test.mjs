// puppets.test.mjs - playing and teaching on the plan: the main character, passes by mouse, messages, what waits for answers, and
// the command lines.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { load } from './bundle.mjs'

const { Mover, nothing, topSpeed_cm_s, room_cm, wrapped } = await load('puppets/mover')
const { Recorder, placeAt, together, csvOf, rate, longest_s } = await load('puppets/takes')
const { readAnswers } = await load('puppets/reactor')
const { Lockstep, mostWaiting, mostInOne } = await load('puppets/reactor')
const { frameOf, spotAt, xOf, yOf, halfFor, eased, metres, Trail, least_cm, most_cm } = await load('puppets/plan_draw')
const { Reactor, playedRows, startAround } = await load('puppets/reactor')
const { commands, change } = await load('puppets/lessons', 'store')
const { lineFor, wordsFor, isComplete, asked } = await load('puppets/lessons')
const { LiveBody } = await load('live_body')
const { rowAt, insetOf } = await load('puppets/miniature')

const near = (a, b, within = 1e-6) => assert.ok(Math.abs(a - b) < within, `${a} is not ${b}`)
const step_s = 1 / 60

function play(mover, wish, seconds) {
  const places = []
  for (let t = 0; t < seconds; t += step_s) places.push(mover.step({ ...nothing, ...wish }, step_s))
  return places
}

test('the main character gets to the pointer, no faster than it can, and looks where it goes', () => {
  const mover = new Mover()
  const places = play(mover, { target: [300, 400] }, 5)
  const steps = places.slice(1).map((at, i) => Math.hypot(at.x - places[i].x, at.y - places[i].y))
  assert.ok(Math.max(...steps) <= topSpeed_cm_s * step_s + 1e-9)
  near(mover.x, 300, 2)
  near(mover.y, 400, 2)
  near(mover.place.dir, Math.atan2(4, 3), 0.05)
  assert.ok(places.every((at) => at.x < 301 && at.y < 401), 'not beyond it')
})

test('arrow keys move it one way however many are down, and the room ends somewhere', () => {
  const [straight, aslant] = [new Mover(), new Mover()]
  play(straight, { way: [1, 0] }, 2)
  play(aslant, { way: [1, 1] }, 2)
  near(Math.hypot(aslant.x, aslant.y), straight.x, 1e-6)
  near(aslant.place.dir, Math.PI / 4, 0.01)
  play(straight, { way: [1, 0] }, 60)
  assert.equal(straight.x, room_cm)
})

test('who looks somewhere stands, and a look that is turned stays turned until it looks ahead', () => {
  const mover = new Mover()
  play(mover, { target: [0, 200], lookAt: [0, 200] }, 1)
  near(mover.y, 0)
  near(mover.place.dir, Math.PI / 2, 0.01)
  play(mover, { turn: 1 }, 0.5)
  const turned = wrapped(mover.place.dir - Math.PI / 2)
  assert.ok(turned > 1 && turned < 1.6, String(turned))
  play(mover, { way: [0, 1] }, 1)
  near(wrapped(mover.place.dir - Math.PI / 2), turned, 0.01)
  play(mover, { way: [0, 1], ahead: true }, step_s)
  near(mover.place.dir, Math.PI / 2, 0.01)
})

test('directions stay between half a turn to either side', () => {
  for (const angle of [-9, -3.2, 0, 3.2, 100]) {
    assert.ok(Math.abs(wrapped(angle)) <= Math.PI + 1e-12)
    near(Math.sin(wrapped(angle)), Math.sin(angle))
  }
})

const plain = { looking: false, turn: 0, ahead: false }

test('a pass is the pace of the hand, in rising times, and ends by itself', () => {
  const recorder = new Recorder({ x: 0, y: 0, dir: 0 })
  for (let t = 0.01; t < 1; t += 0.01) recorder.move(t, [0, 200 * t], plain)
  assert.equal(recorder.move(recorder.seconds, [50, 50], plain), false)
  assert.equal(recorder.move(recorder.seconds + 0.001, [50, 50], plain), false)
  assert.equal(recorder.move(longest_s + 1, [50, 50], plain), false)
  const { samples } = recorder
  assert.ok(samples.every(([t], i) => i === 0 || t > samples[i - 1][0]))
  near(placeAt(samples, 0.5).y, 100, 3)
  near(recorder.place.dir, Math.PI / 2, 0.05)
})

test('a hand that jumps is followed at a run', () => {
  const recorder = new Recorder({ x: 0, y: 0, dir: 0 })
  recorder.move(0.1, [1000, 0], plain)
  assert.ok(recorder.place.x < 60)
})

test('a small tremble turns no character, and one that looks at the pointer stands', () => {
  const recorder = new Recorder({ x: 0, y: 0, dir: 1 })
  for (let i = 1; i < 50; i++) recorder.move(0.02 * i, [i % 2, 0], plain)
  near(recorder.place.dir, 1)
  const { x } = recorder.place
  for (let i = 50; i < 120; i++) recorder.move(0.02 * i, [x, -300], { ...plain, looking: true })
  near(recorder.place.x, x)
  near(recorder.place.dir, -Math.PI / 2, 0.01)
})

test('between samples the look goes the shorter way round, and outside it is as at the ends', () => {
  const samples = [[0, 0, 0, 3], [1, 10, 20, -3]]
  near(Math.abs(placeAt(samples, 0.5).dir), Math.PI, 1e-9)
  near(placeAt(samples, 0.25).y, 5)
  assert.deepEqual([placeAt(samples, -1).x, placeAt(samples, 9).x], [0, 10])
})

test('both passes become rows for as long as both last', () => {
  const main = [[0, 0, 0, 0], [2, 200, 0, 0]]
  const react = [[0, 0, 50, 1], [1, 100, 50, 1]]
  const rows = together(main, react)
  assert.equal(rows.length, rate + 1)
  assert.deepEqual(rows[30].map((value) => Number(value.toFixed(6))), [0.5, 50, 0, 0, 50, 50, 1])
  assert.ok(rows.every((row, i) => i === 0 || row[0] > rows[i - 1][0]))
})

test('tables have the columns that the program reads', () => {
  assert.equal(csvOf([[0, 1.23456, 2, 3]]), 'time,main_x,main_y,main_dir\n0,1.23,2,3\n')
  const both = csvOf([[0.016666, 1, 2, 3, 4, 5, 6.123456]])
  assert.equal(both, 'time,main_x,main_y,main_dir,react_x,react_y,react_dir\n0.0167,1,2,3,4,5,6.1235\n')
})

/** As the server lays it out. */
function message(rows, time_s = 1.5) {
  const bytes = 16 + rows.reduce((sum, { values }) => sum + 44 + 4 * values.length, 0)
  const buffer = new ArrayBuffer(bytes)
  const view = new DataView(buffer)
  view.setUint32(0, 512, true)
  view.setUint32(4, rows.length, true)
  view.setFloat64(8, time_s, true)
  let at = 16
  for (const { whole, numbers, values } of rows) {
    const [react, run, coherent] = whole
    const [moment, x, y, dir, weight, balance, away] = numbers
    view.setUint32(at, react, true)
    view.setUint32(at + 4, run, true)
    view.setFloat32(at + 8, moment, true)
    view.setUint32(at + 12, coherent, true)
    ;[x, y, dir, weight, balance, away].forEach((value, k) => view.setFloat32(at + 16 + 4 * k, value, true))
    view.setUint32(at + 40, values.length / 7, true)
    values.forEach((value, k) => view.setFloat32(at + 44 + 4 * k, value, true))
    at += 44 + 4 * values.length
  }
  return buffer
}

const plainRow = { whole: [0, 1, 1], numbers: [2.5, 10, 20, 0.5, 3, 0.25, 0], values: [] }
const bodyRow = { whole: [5, 0, 0], numbers: [1, -30, 40, 1, 1, 0.5, 7], values: [1, 2, 3, 1, 0, 0, 0, 4, 5, 6, 0, 1, 0, 0] }

test('answers are read, with and without bodies', () => {
  const { time_s, rows } = readAnswers(message([plainRow, bodyRow]))
  assert.equal(time_s, 1.5)
  const [first, second] = rows
  assert.deepEqual(
    [first.react, first.run, first.moment_s, first.coherent, first.x, first.y, first.dir, first.weight, first.balance],
    [0, 1, 2.5, true, 10, 20, 0.5, 3, 0.25],
  )
  assert.equal(first.values.length, 0)
  assert.deepEqual([second.react, second.coherent, second.away_cm], [5, false, 7])
  assert.deepEqual([...second.values], bodyRow.values)
})

test('half a message and another message are nothing', () => {
  const whole = message([plainRow, bodyRow])
  for (const bytes of [0, 8, 15, 40, 70, whole.byteLength - 4]) assert.equal(readAnswers(whole.slice(0, bytes)), null, String(bytes))
  const other = message([plainRow])
  new DataView(other).setUint32(0, 256, true)
  assert.equal(readAnswers(other), null)
})

test('no more than a few messages wait for answers, and nothing that happened meanwhile is left out', () => {
  const sent = []
  const lockstep = new Lockstep((at) => sent.push(at) > 0)
  for (let i = 0; i < 6; i++) lockstep.put([i, 0, 0, 0], 16 * i, true)
  assert.equal(sent.length, mostWaiting)
  lockstep.answered()
  lockstep.put([6, 0, 0, 0], 100, true)
  assert.deepEqual(sent[mostWaiting].map(([t]) => t), [2, 3, 4, 5, 6])
})

test('where no character reacts nothing is sent, and only the last places are kept', () => {
  const sent = []
  const lockstep = new Lockstep((at) => sent.push(at) > 0)
  for (let i = 0; i < 200; i++) lockstep.put([i, 0, 0, 0], i, false)
  assert.equal(sent.length, 0)
  lockstep.put([200, 0, 0, 0], 200, true)
  assert.deepEqual([sent[0].length, sent[0][mostInOne - 1][0]], [mostInOne, 200])
})

test('an answer that never comes stops no one for long', () => {
  const sent = []
  const lockstep = new Lockstep((at) => sent.push(at) > 0)
  for (let i = 0; i < 10; i++) lockstep.put([i, 0, 0, 0], i, true)
  assert.equal(sent.length, mostWaiting)
  lockstep.put([11, 0, 0, 0], 10000, true)
  assert.equal(sent.length, mostWaiting + 1)
})

test('a place of the plan is where the pointer has to be to be there', () => {
  const frame = frameOf(600, 300, 400)
  const [x, y] = spotAt(frame, xOf(frame, 120), yOf(frame, -70))
  near(x, 120)
  near(y, -70)
  assert.ok(yOf(frame, 100) < yOf(frame, 0), 'up is up')
})

test('the plan shows everybody, but not the whole world', () => {
  assert.equal(halfFor([{ x: 0, y: 0 }], 600, 300), least_cm)
  assert.equal(halfFor([{ x: 1e6, y: 0 }], 600, 300), most_cm)
  const half = halfFor([{ x: 0, y: -600 }], 600, 300)
  const frame = frameOf(600, 300, half)
  assert.ok(yOf(frame, -600) < 300 && half > 600)
  assert.ok(eased(400, 800, 0.1) - 400 > 800 - eased(800, 400, 0.1), 'it is out faster than in')
  near(eased(400, 800, 100), 800)
})

test('the grid has a line every metre', () => {
  assert.deepEqual(metres(-150, 210, 1), [-100, 0, 100, 200])
  assert.deepEqual(metres(10, 90, 1), [])
  assert.deepEqual(metres(-700, 700, 5), [-500, 0, 500])
})

test('trails end some seconds back and are not denser than they need be', () => {
  const trail = new Trail(2)
  for (let i = 0; i < 600; i++) trail.put(i / 60, { x: i, y: 0, dir: 0 })
  assert.ok(trail.marks.length <= 61 && trail.marks.length > 45)
  assert.ok(trail.marks[0].time_s >= trail.marks[trail.marks.length - 1].time_s - 2)
})

test('what was played with a character begins when it began', () => {
  const reactor = new Reactor(2, 'shy')
  assert.deepEqual([reactor.hue, reactor.colour], [4, '--clip-4'])
  reactor.begin({ x: 100, y: 0, dir: 1 }, 2)
  reactor.take({ x: 120, y: 0, dir: 1, values: new Float32Array(0) }, 3)
  const main = [[0, 0, 0, 0], [1, 10, 0, 0], [2.5, 25, 0, 0], [3, 30, 0, 0], [4, 40, 0, 0]]
  const rows = playedRows(reactor, main)
  assert.deepEqual(rows.map((row) => row.map((value) => Number(value.toFixed(6)))), [
    [0, 20, 0, 0, 100, 0, 1],
    [0.5, 25, 0, 0, 110, 0, 1],
    [1, 30, 0, 0, 120, 0, 1],
  ])
})

test('poses of an answer move the body, which is where the scene has it', () => {
  const reactor = new Reactor(0, 'dancer')
  reactor.live = new LiveBody(2)
  reactor.begin({ x: 0, y: 0, dir: 0 }, 0)
  reactor.take(readAnswers(message([bodyRow])).rows[0], 1)
  assert.deepEqual([reactor.live.poses, reactor.live.x_cm, reactor.live.z_cm], [1, -30, -40])
  const pose = { places: new Float64Array(6), turns: new Float64Array(8) }
  assert.ok(reactor.live.pose(pose, 2))
  assert.deepEqual([...pose.places], [1, 4, 3, 4, 7, 6])
})

test('several of one kind stand around the main character as far as was shown', () => {
  const row = [0, 10, 20, 0, 110, 20, Math.PI]
  const main = { x: -50, y: 5, dir: 0 }
  const [first, second] = [0, 1].map((which) => startAround(main, row, which))
  near(first.x, 50)
  near(first.y, 5)
  for (const each of [first, second]) near(Math.hypot(each.x - main.x, each.y - main.y), 100)
  assert.ok(Math.hypot(first.x - second.x, first.y - second.y) > 100)
})

test('command lines ask for the same', () => {
  change({ about: { library: { path: 'm.marey' } } })
  const played = { puppet: 'dog', start: { x: -10.123, y: 20, dir: 0.5 }, balance: 0.7, rough: true }
  assert.equal(
    commands.run(played),
    'marey puppet run -L m.marey dog dog-played.csv -o dog.csv --start=-10.12,20,0.5 --balance 0.7 --rough',
  )
  const body = commands.body(played, 'standard', [[0, 1, 2, 0.123456], [0.5, 3, 4, 0]])('dog_2')
  assert.match(body, /^printf '%s\\n' time,main_x,main_y,main_dir 0,1,2,0\.1235 0\.5,3,4,0 \| marey puppet run .* dog \/dev\/stdin /)
  assert.match(body, / --graph standard --body m\.marey:dog_2$/)
  const lesson = (fields) => commands.train('dog', { files: [], ready: [], clips: [], more: null, ...fields })
  assert.equal(lesson({ files: ['a.csv', 'b.csv'] }), 'marey puppet train -L m.marey a.csv b.csv -o dog')
  const [walk, jog] = [{ id: 1, name: 'walk' }, { id: 2, name: 'jog' }]
  assert.equal(lesson({ clips: [[walk, jog]] }), 'marey puppet train -L m.marey --clips walk jog -o dog')
  assert.equal(
    lesson({ files: ['a.csv'], more: 'dog' }),
    'marey puppet show -L m.marey dog --csv dog.csv && marey puppet train -L m.marey dog.csv a.csv -o dog',
  )
  assert.equal(
    lesson({ ready: ['shy'], clips: [[walk, jog], [jog, walk]] }),
    'marey puppet train -L m.marey --ready shy --clips walk jog --clips jog walk -o dog',
  )
  assert.equal(lesson({}), null)
})

test('a moment of a thinned run is found by its time', () => {
  const run = { samples: 600, seconds: 10, rows: [0, 2, 4, 6, 8].map((t) => [t, 100 * t, 0, 0, 0, 50, 0]) }
  assert.deepEqual([-1, 0, 3, 4, 7.9, 8, 99].map((t) => rowAt(run, t)), [0, 0, 1, 2, 3, 4, 4])
  const ending = { ...run, rows: [...run.rows, [8.5, 850, 0, 0, 0, 50, 0]] }
  assert.deepEqual([0, 1.9, 7.9, 8.4, 8.5, 9].map((t) => rowAt(ending, t)), [0, 0, 3, 4, 5, 5], 'the last row is nearer')
  const [one] = run.rows
  assert.equal(rowAt({ ...run, rows: [one] }, 3), 0)
  const inset = insetOf(run, 110, 60)
  assert.deepEqual([inset.x, inset.y], [400, 25])
  assert.ok(inset.scale * 800 <= 100 + 1e-9)
})

test('what a puppet is taught by is described in words, asked for, and has a line where one does the same', () => {
  const main = [[0, 0, 0, 0], [2, 100, 0, 0]]
  const half = { what: 'mouse', main, react: [] }
  const whole = { ...half, react: [[0, 0, 50, 0], [3, 100, 50, 0]] }
  assert.deepEqual([isComplete(half), isComplete(whole)], [false, true])
  assert.equal(wordsFor(whole), 'by mouse, 2.0 s')
  assert.equal(asked(whole).samples.length, 2 * rate + 1)
  const table = { what: 'csv', text: 't', called: 'a.csv' }
  const library = 'library.marey'
  assert.equal(
    lineFor([table, whole, half], 'dog'),
    `marey puppet show -L ${library} dog --csv dog.csv && marey puppet train -L ${library} dog.csv -o dog`,
    'what was shown by mouse is in no file until the line writes it',
  )
  assert.equal(lineFor([table, half], 'dog'), `marey puppet train -L ${library} a.csv -o dog`)
  assert.equal(lineFor([{ what: 'ready', name: 'shy' }], 'dog'), `marey puppet train -L ${library} --ready shy -o dog`)
  assert.match(lineFor([{ what: 'puppet', name: 'dog' }, table], 'dog'), /^marey puppet show .* && marey puppet train /)
})
