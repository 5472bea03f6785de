// clips.test.mjs - clips on their way to the viewer: their frames, which opening wins, what another program changes,
// and which of the selected ones an action is about.
import assert from 'node:assert/strict'
import test from 'node:test'
import { load } from './bundle.mjs'

// Notices go away after a while; the tests do not wait for that.
const { setTimeout } = globalThis
globalThis.setTimeout = (...args) => setTimeout(...args).unref()
globalThis.matchMedia = () => ({ matches: false })

const page = await load('store', 'open_clips', 'frames', 'library/select', 'library/preview', 'actions')
const { change, getState, initialState } = page

/** Frames whose root stands at x = the number of the frame. */
function framesAnswer(joints, start, end, step) {
  const frames = Math.ceil((end - start) / step)
  const buffer = new ArrayBuffer(40 + frames * 12 + frames * joints * 16)
  const head = new DataView(buffer)
  head.setUint32(0, 0x4d525946, false)
  ;[1, frames, joints, start, step, 1, 0].forEach((value, i) => head.setUint32(4 + 4 * i, value, true))
  const places = new Float32Array(buffer, 40, frames * 3)
  for (let i = 0; i < frames; i++) places[3 * i] = start + i * step
  return buffer
}

test('a clip that is kept with gaps is shown to its very last frame', async () => {
  for (const [frames, step] of [[1002, 2], [1003, 2], [2200, 3], [500, 1]]) {
    const joint = { parent: 0, offset_cm: [0, 0, 0], channels: [] }
    const joints = Array.from({ length: 8000 }, (_, j) => (j ? joint : { ...joint, parent: -1 }))
    const fetchFrames = async (id, start, end, every) => framesAnswer(8000, start, end, every)
    const kept = new page.ClipFrames({ id: 1, frames, fps: 1, joints }, fetchFrames)
    assert.equal(kept.step, step)
    await kept.load()
    assert.equal(kept.error, null)
    const pose = new page.Pose(8000)
    for (const frame of [0, 1, 7.25, frames - 4, frames - 2.5, frames - 2, frames - 1.5, frames - 1, frames + 5]) {
      assert.ok(kept.pose(frame, page.AS_CAPTURED, pose, kept.chain([0])))
      const wanted = Math.min(frame, frames - 1)
      assert.ok(Math.abs(pose.places[0] - wanted) < 1e-3, `frame ${frame} of ${frames}: ${pose.places[0]}`)
    }
  }
})

const joint = { name: 'hips', parent: -1, offset_cm: [0, 0, 0], end_cm: null, channels: [] }
const clipOf = (id, fields = {}) => ({
  ...{ id, name: `clip ${id}`, frames: 10, fps: 30, seconds: 1, labels: [], stretches: [], skeleton: 's', description: '' },
  ...{ licence: '', removed: false, joints: [joint], contacts: [], marks: [], contacts_set: false, ...fields },
})

/** The library answers on demand. */
function slowLibrary() {
  const waiting = new Map()
  globalThis.fetch = (path) => new Promise((done) => waiting.set(path, done))
  return async (id, clip = clipOf(id)) => {
    const done = waiting.get(`/api/clips/${id}`)
    waiting.delete(`/api/clips/${id}`)
    done(new Response(JSON.stringify(clip)))
    await new Promise((next) => setImmediate(next))
  }
}

function begin(...clips) {
  const shown = clips.map((clip) => ({ clip, alignFrame: 0 }))
  change({ ...initialState, shown, cards: clips, notices: [] })
}

const open = () => getState().shown.map(({ clip }) => clip.id)
const notices = () => getState().notices.map(({ text }) => text)
const quickLibrary = () => {
  globalThis.fetch = async (path) => new Response(JSON.stringify(clipOf(Number(path.split('/').pop()))))
}

test('the clip that was opened last is shown, whichever answer comes first', async () => {
  begin()
  const answer = slowLibrary()
  const both = [page.openClips([1]), page.openClips([2])]
  await answer(2)
  assert.deepEqual(open(), [2])
  await answer(1)
  await Promise.all(both)
  assert.deepEqual([open(), getState().command], [[2], "marey info -L library.marey 'clip 2' --long"])
})

test('an opening that failed says so only if it is still wanted', async () => {
  begin()
  globalThis.fetch = async (path) => {
    if (path.endsWith('/2')) return new Response(JSON.stringify(clipOf(2)))
    return new Response(JSON.stringify({ error: { status: 'input', message: 'no such clip' } }), { status: 404 })
  }
  await Promise.all([page.openClips([1]), page.openClips([2])])
  assert.deepEqual([open(), notices()], [[2], []])
  await page.openClips([1])
  assert.deepEqual([open(), notices()], [[2], ['no such clip']])
})

test('what is added waits for what is being opened, and not beside a later one', async () => {
  begin(clipOf(9))
  const answer = slowLibrary()
  const first = [page.openClips([1]), page.addToView([2])]
  await answer(1)
  await answer(2)
  await Promise.all(first)
  assert.deepEqual(open(), [1, 2])
  const second = [page.addToView([3]), page.openClips([4])]
  await answer(4)
  await Promise.all(second)
  assert.deepEqual(open(), [4])
})

test('no more than ten clips are shown together, and that is said', async () => {
  begin(...Array.from({ length: 9 }, (_, i) => clipOf(i + 1)))
  quickLibrary()
  await page.addToView([9, 10, 11])
  assert.deepEqual([open().length, notices().length], [10, 1])
  assert.match(notices()[0], /only one more is added/)
  await page.addToView([11])
  assert.deepEqual([open().length, notices().length], [10, 2])
  assert.match(notices()[1], /^10 clips are open/)
  await page.addToView([3])
  assert.equal(notices().length, 2)
})

test('plants that another program set reach the open clip; what did not change stays the same object', async () => {
  begin(clipOf(1), clipOf(2))
  const before = getState().shown
  const plant = { joint: 'left_heel', start: 1, end: 2 }
  const answer = slowLibrary()
  const followed = page.followContents()
  await answer(1, clipOf(1, { contacts: [plant], contacts_set: true }))
  await answer(2)
  await followed
  const after = getState().shown
  assert.deepEqual([after[0].clip.contacts, after[0].clip.contacts_set], [[plant], true])
  assert.equal(after[1], before[1])
})

test('an answer that was asked for before a change made here is ignored', async () => {
  begin(clipOf(1))
  const answer = slowLibrary()
  const followed = page.followContents()
  const saved = clipOf(1, { contacts_set: true })
  change({ shown: [{ clip: saved, alignFrame: 0 }] })
  await answer(1)
  await followed
  assert.equal(getState().shown[0].clip, saved)
})

test('open clips follow their cards and leave with them', () => {
  begin(clipOf(1), clipOf(2))
  const [, second] = getState().shown
  change({ cards: [clipOf(1, { name: 'renamed', description: 'new words' }), clipOf(2)] })
  page.followCards()
  const [first, same] = getState().shown
  assert.deepEqual([first.clip.name, first.clip.description, same], ['renamed', 'new words', second])
  change({ cards: [clipOf(2)], segment: { start: 1, end: 2 } })
  page.followCards()
  assert.deepEqual([open(), getState().segment], [[2], null])
})

test('actions are about those selected cards that are in sight', () => {
  begin()
  const stretches = [{ label: 'walk', start: 2, end: 5 }]
  const cards = [clipOf(1, { labels: ['walk'] }), clipOf(2), clipOf(3, { stretches })]
  const filter = { ...initialState.filter, labels: ['walk'] }
  change({ cards, filter, selected: new Set([1, 2]) })
  assert.deepEqual(page.selectedVisible(getState()).map(({ id }) => id), [1])
  change({ filter: initialState.filter })
  assert.deepEqual(page.selectedVisible(getState()).map(({ id }) => id), [1, 2])
})

test('words begin somewhere in the name, the labels or the description, one behind the other', () => {
  const stretches = [{ label: 'slow turn', start: 0, end: 2 }]
  const cards = [
    clipOf(1, { name: 'Walk_90b', labels: ['subject 07'], description: 'on a slope' }),
    clipOf(2, { name: 'walk-9', labels: ['a07'], description: 'Élan, à pied' }),
    clipOf(3, { name: 'run', stretches, description: 'walks' }),
  ]
  const found = (text) => {
    const filter = { ...initialState.filter, text }
    return page.visibleCards({ ...initialState, cards, filter, sort: 'newest' }).map(({ id }) => id)
  }
  for (const [text, wanted] of [
    ['walk', [3, 2, 1]],
    ['WALK', [3, 2, 1]],
    ['walk_9', [2, 1]],
    ['walk_90', [1]],
    ['walk 07', [1]],
    ['alk', []],
    ['slow-turn', [3]],
    ['turn slow', [3]],
    ['turn-slow', []],
    ['elan', [2]],
    ['Élan', [2]],
    ['pied élan', [2]],
    ['07 slope', [1]],
    ['07-on', []],
    ['  ', [3, 2, 1]],
  ])
    assert.deepEqual(found(text), wanted, text)
})

test('a list is merged with what changed in it, and what did not change stays the same object', () => {
  const [a, b, c] = [clipOf(1), clipOf(2), clipOf(3)]
  const before = [a, b, c]
  assert.equal(page.mergeCards(before, { clips: [], gone: [] }), before)
  const renamed = clipOf(2, { name: 'renamed' })
  const added = clipOf(9)
  const after = page.mergeCards(before, { clips: [added, renamed], gone: [3] })
  assert.deepEqual(after, [a, renamed, added])
  assert.equal(after[0], a)
  assert.deepEqual(before, [a, b, c])
})

test('labels are typed with commas between', () => {
  assert.deepEqual(page.labelsIn(' walk, session 3,,walk '), ['walk', 'session 3'])
  assert.deepEqual(page.labelsIn(' '), [])
})

test('a preview asks for no more than a stream holds', () => {
  const poses = (frames, fps) => Math.ceil(frames / Math.max(1, Math.floor(fps / 30)))
  assert.equal(page.previewFrames({ frames: 1000, fps: 120 }, 31), 1000)
  for (const [fps, joints] of [[120, 31], [30, 31], [24, 1000], [100, 77]]) {
    const frames = page.previewFrames({ frames: 1e7, fps }, joints)
    const bytes = poses(frames, fps) * (8 + 28 * joints)
    assert.ok(bytes <= 16 * 1024 * 1024 && bytes > 15 * 1024 * 1024, `${bytes} bytes`)
  }
})
