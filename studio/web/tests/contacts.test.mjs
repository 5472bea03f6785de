// contacts.test.mjs - foot plants that are edited while the library answers, or while another program sets others.
import assert from 'node:assert/strict'
import test from 'node:test'
import { load } from './bundle.mjs'

// Notices go away after a while; the tests do not wait for that.
const { setTimeout } = globalThis
globalThis.setTimeout = (...args) => setTimeout(...args).unref()

const { plants, change, getState } = await load('store', 'timeline/contact_state')

const plant = (start, end, joint = 'left_heel') => ({ joint, start, end })
let lastId = 0

/** A clip with one plant is open, and the library takes its time to answer. */
function open(contacts = [plant(10, 20)]) {
  const clip = { id: ++lastId, name: `walk ${lastId}`, frames: 100, contacts, contacts_set: false }
  change({ shown: [{ clip, alignFrame: 0 }], cards: [clip], removedCards: [], notices: [] })
  plants.load(clip)
  return clip
}

/** Holds back the answer to the next save; gives what was asked, and the function that answers. */
function heldBack() {
  const held = {}
  globalThis.fetch = (path, init) => {
    held.path = path
    held.sent = JSON.parse(init.body)
    return new Promise((done) => {
      held.answer = (body, status = 200) => done(new Response(JSON.stringify(body), { status }))
    })
  }
  return held
}

/** The same clip as another program left it. */
function changeElsewhere(clip, contacts) {
  const next = { ...clip, contacts, contacts_set: true }
  change({ shown: [{ clip: next, alignFrame: 0 }] })
  plants.load(next)
}

const notices = () => getState().notices.map(({ text }) => text)

test('saved plants are what the library kept, and nothing is left to undo', async () => {
  const clip = open()
  const held = heldBack()
  plants.commit([plant(10, 25)])
  const saved = plants.save()
  assert.deepEqual([held.path, held.sent], ['/api/do/contacts', { clip: clip.id, set: { contacts: [plant(10, 25)] } }])
  assert.ok(plants.busy)
  held.answer({ contacts: [plant(10, 25)], contacts_set: true })
  await saved
  assert.deepEqual(plants.now, [plant(10, 25)])
  assert.deepEqual([plants.busy, plants.edited, plants.canUndo, plants.unsaved], [false, false, false, false])
  assert.deepEqual(getState().shown[0].clip.contacts, [plant(10, 25)])
  assert.equal(getState().strips.get(clip.id), 1)
})

test('what is edited while saving stays, and is still to be saved', async () => {
  open()
  const held = heldBack()
  plants.commit([plant(10, 25)])
  const saved = plants.save()
  plants.commit([plant(10, 30)])
  held.answer({ contacts: [plant(10, 25)], contacts_set: true })
  await saved
  assert.deepEqual(plants.now, [plant(10, 30)])
  assert.ok(plants.edited && plants.canUndo && plants.unsaved)
  plants.revert()
  assert.deepEqual([plants.now, plants.edited], [[plant(10, 25)], false])
})

test('a bar that is dragged while saving is not taken from under the pointer', async () => {
  open()
  const held = heldBack()
  plants.drag(0, 'end', 3)
  const again = plants.findAgain()
  held.answer({ contacts: [], contacts_set: false })
  await again
  plants.drag(0, 'end', 4)
  assert.deepEqual(plants.now, [plant(10, 24)])
  plants.drop(true)
  assert.deepEqual([plants.now, plants.edited], [[plant(10, 24)], true])
  plants.drag(5, 'end', 1)
  assert.equal(plants.dragging, false)
})

test('another clip may be opened while saving', async () => {
  const first = open()
  const held = heldBack()
  plants.commit([plant(10, 25)])
  const saved = plants.save()
  open([plant(50, 60)])
  held.answer({ contacts: [plant(10, 25)], contacts_set: true })
  await saved
  assert.deepEqual([plants.now, plants.edited], [[plant(50, 60)], false])
  plants.load({ ...first, contacts: [plant(10, 25)] })
  assert.deepEqual([plants.now, plants.edited], [[plant(10, 25)], false])
})

test('a refused save loses nothing', async () => {
  open()
  const held = heldBack()
  plants.commit([plant(10, 25)])
  const saved = plants.save()
  held.answer({ error: { status: 'io', message: 'the disk is full' } }, 500)
  await saved
  assert.deepEqual([plants.now, plants.edited, plants.busy], [[plant(10, 25)], true, false])
  assert.deepEqual(notices(), ['the disk is full'])
})

test('plants set elsewhere are shown, unless some were edited here', () => {
  const clip = open()
  changeElsewhere(clip, [plant(40, 50)])
  assert.deepEqual([plants.now, plants.edited, notices()], [[plant(40, 50)], false, []])
  plants.commit([plant(40, 55)])
  changeElsewhere(clip, [plant(70, 80)])
  assert.deepEqual([plants.now, plants.edited], [[plant(40, 55)], true])
  assert.match(notices().join(), /were changed elsewhere/)
  changeElsewhere(clip, [plant(70, 80)])
  assert.equal(notices().length, 1)
  plants.revert()
  assert.deepEqual([plants.now, plants.edited], [[plant(70, 80)], false])
})

test('edited plants of a clip that is gone are forgotten', () => {
  const clip = open()
  plants.commit([])
  assert.ok(plants.unsaved)
  plants.keepOnly(new Set([clip.id]))
  assert.ok(plants.unsaved)
  plants.keepOnly(new Set())
  assert.equal(plants.unsaved, false)
})
