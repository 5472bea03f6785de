// transition.test.mjs - the rules of transitions that need no page: made clips as bytes, one request at a time, and command
// lines.
import assert from 'node:assert/strict'
import test from 'node:test'
import { load } from './bundle.mjs'

const { readMade, framesFrom, asShownClip, centreOf, decodeFrames, ClipFrames } = await load('making/made', 'frames')
const { Latest } = await load('making/latest')

const facts = { faults: [], frames: 5, fps: 60, contacts: [{ joint: 'left_toe', start: 0, end: 2 }], jump_ratio: 1 }

/** Frames as the server sends them: place (frame, 0, 0), and a turn whose w is the frame and the joint. */
function frameBytes(frames, joints, places = 1) {
  const bytes = new ArrayBuffer(40 + frames * (12 * places + 16 * joints))
  const view = new DataView(bytes)
  view.setUint32(0, 0x4d525946, false)
  for (const [at, value] of [[4, 1], [8, frames], [12, joints], [16, 0], [20, 1], [24, places]]) view.setUint32(at, value, true)
  view.setFloat64(32, 60, true)
  for (let f = 0; f < frames; f++) {
    for (let j = 0; j < places; j++) view.setFloat32(40 + 12 * (f * places + j), f, true)
    for (let j = 0; j < joints; j++) view.setFloat32(40 + 12 * frames * places + 16 * (f * joints + j), f + j / 10, true)
  }
  return bytes
}

/** A made clip as the server sends it. */
function madeBytes(said = facts, frames = frameBytes(5, 2)) {
  const text = new TextEncoder().encode(JSON.stringify(said))
  const length = Math.ceil(text.length / 8) * 8
  const bytes = new Uint8Array(16 + length + frames.byteLength).fill(32)
  const view = new DataView(bytes.buffer)
  view.setUint32(0, 0x4d52594d, false)
  view.setUint32(4, 1, true)
  view.setUint32(8, length, true)
  view.setUint32(12, 0, true)
  bytes.set(text, 16)
  bytes.set(new Uint8Array(frames), 16 + length)
  return bytes.buffer
}

test('a made clip is read, and its frames can be had like those of any clip', async () => {
  const made = readMade(madeBytes())
  assert.deepEqual(made.facts, facts)
  const block = decodeFrames(await framesFrom(made.motion)(-1, 1, 5, 2))
  assert.deepEqual([block.frames, block.start, block.step, block.fps], [2, 1, 2, 60])
  assert.deepEqual([...block.translations], [1, 0, 0, 3, 0, 0])
  assert.deepEqual([...block.rotations].filter((_, i) => i % 4 === 0).map((w) => w.toFixed(1)), ['1.0', '1.1', '3.0', '3.1'])
})

test('joints with places of their own keep them', async () => {
  const made = readMade(madeBytes(facts, frameBytes(5, 2, 2)))
  const block = decodeFrames(await framesFrom(made.motion)(-1, 4, 5))
  assert.deepEqual([...block.translations], [4, 0, 0, 4, 0, 0])
})

test('other bytes are no made clip', () => {
  assert.throws(() => readMade(new ArrayBuffer(8)), /no made clip/)
  assert.throws(() => readMade(frameBytes(1, 1)), /no made clip/)
  assert.throws(() => readMade(madeBytes().slice(0, 60)), /half/)
  const newer = madeBytes()
  new DataView(newer).setUint32(4, 2, true)
  assert.throws(() => readMade(newer), /no made clip/)
})

test('a made clip is shown with the first one’s skeleton and its own frames', async () => {
  const joint = (parent) => ({ name: 'j', parent, offset_cm: [0, 1, 0], end_cm: null, channels: [] })
  const like = { id: 3, name: 'walk', frames: 100, fps: 30, joints: [joint(-1), joint(0)], contacts: [], marks: [{}] }
  const made = readMade(madeBytes())
  const shown = asShownClip(-1, 'transition', like, made, 2)
  assert.deepEqual([shown.clip.id, shown.clip.frames, shown.clip.fps, shown.alignFrame], [-1, 5, 60, 2])
  assert.deepEqual([shown.clip.contacts, shown.clip.marks, like.frames], [facts.contacts, [], 100])
  const blended = asShownClip(-1, 't', like, { ...made, facts: { ...facts, from_a_end: 1, from_b_start: 4 } })
  assert.deepEqual(blended.clip.marks, [{ kind: 'blended', start: 1, end: 4 }])
  const fault = (kind, value, frame) => ({ kind, value, limit: 20, unit: 'cm/s', about: `its ${kind}`, frame })
  const faults = [fault('pose', 31, 4), fault('jump', 2), fault('turn', 25, 2), fault('speed', 40, 4)]
  const faulty = asShownClip(-1, 't', like, { ...made, facts: { ...facts, faults } })
  assert.deepEqual(faulty.clip.marks, [
    { kind: 'fault', about: 'its turn: 25 cm/s, at most 20', start: 2, end: 3 },
    { kind: 'fault', about: 'its pose: 31 cm/s, at most 20; its speed: 40 cm/s, at most 20', start: 4, end: 5 },
  ])
  const frames = new ClipFrames(shown.clip, framesFrom(shown.motion))
  await frames.load()
  assert.equal(frames.error, null)
  assert.ok(frames.complete)
})

test('the middle of a transition is where the cut is', () => {
  assert.equal(centreOf({ from_a_end: 100, from_b_start: 131 }), 115)
  assert.equal(centreOf({ from_a_end: 0, from_b_start: 1 }), 0)
  assert.equal(centreOf({}), 0)
})

/** Questions wait here until the test answers them. */
function server() {
  const open = []
  const told = { asked: [], answers: [], failures: [] }
  const ask = (question) =>
    new Promise((answer, fail) => {
      told.asked.push(question)
      open.push({ answer, fail })
    })
  const latest = new Latest(
    ask,
    (answer, question, last) => told.answers.push([question, answer, last]),
    (cause, question) => told.failures.push([question, cause.message]),
  )
  const settle = async (how) => {
    how(open.shift())
    await new Promise((next) => setTimeout(next))
  }
  return { latest, told, answer: (value) => settle((one) => one.answer(value)), fail: (text) => settle((one) => one.fail(new Error(text))) }
}

test('one request is in flight, and of those that wait the last is made', async () => {
  const { latest, told, answer } = server()
  for (const question of [1, 2, 3, 4]) latest.want(question)
  assert.deepEqual(told.asked, [1])
  assert.ok(latest.busy)
  await answer('one')
  assert.deepEqual(told.asked, [1, 4])
  await answer('four')
  assert.deepEqual(told.answers, [[1, 'one', false], [4, 'four', true]])
  assert.ok(!latest.busy)
  latest.want(5)
  assert.deepEqual(told.asked, [1, 4, 5])
})

test('what fails is reported once nothing newer waits, and what is forgotten is not shown', async () => {
  const { latest, told, answer, fail } = server()
  latest.want(1)
  latest.want(2)
  await fail('gone')
  assert.deepEqual(told.failures, [])
  await fail('gone again')
  assert.deepEqual(told.failures, [[2, 'gone again']])
  latest.want(3)
  latest.want(4)
  latest.forget()
  latest.want(5)
  await answer('three')
  await answer('five')
  assert.deepEqual(told.asked, [1, 2, 3, 5])
  assert.deepEqual(told.answers, [[5, 'five', true]])
})
