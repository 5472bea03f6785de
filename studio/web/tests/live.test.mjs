// live.test.mjs - what the page makes of the server's messages.
import assert from 'node:assert/strict'
import test from 'node:test'
import { load } from './bundle.mjs'

class Line {
  static OPEN = 1
  readyState = 1
  sent = []
  constructor() {
    Line.last = this
  }
  send(text) {
    this.sent.push(JSON.parse(text))
  }
  says(message) {
    this.onmessage({ data: JSON.stringify(message) })
  }
}
globalThis.WebSocket = Line
globalThis.location = { protocol: 'http:', host: 'here' }

const { connect, playStream, getState, change } = await load('store', 'live')
connect()
const line = Line.last
const turn = () => new Promise((next) => setImmediate(next))
const job = (number, state, fields = {}) => ({ job: number, state, result: null, error: null, ...fields })

test('a job is noted as the server reports it', () => {
  line.says({ type: 'job', ...job(1, 'running', { done: 3, total: 12 }) })
  assert.equal(getState().jobs.get(1).done, 3)
})

test('a long result is fetched before the job counts as done', async () => {
  let answer
  globalThis.fetch = (path) => {
    assert.equal(path, '/api/jobs/2')
    return new Promise((done) => (answer = (body) => done(new Response(JSON.stringify(body)))))
  }
  line.says({ type: 'job', ...job(2, 'running') })
  line.says({ type: 'job', ...job(2, 'done', { result_at: '/api/jobs/2' }) })
  assert.equal(getState().jobs.get(2).state, 'running')
  answer(job(2, 'done', { result: { added: [] } }))
  await turn()
  assert.deepEqual([getState().jobs.get(2).state, getState().jobs.get(2).result], ['done', { added: [] }])
})

test('what is wrong with a stream goes to its listener alone, everything else to all', () => {
  change({ notices: [] })
  const heard = []
  const listener = { begin() {}, pose() {}, end() {}, failed: (message) => heard.push(message) }
  assert.ok(playStream(3, { clip: 1, start: 0, end: 9, rate: 30, speed: 1, loop: true }, listener))
  assert.equal(line.sent.at(-1).stream, 3)
  line.says({ type: 'error', stream: 3, message: 'too long' })
  line.says({ type: 'error', stream: 4, message: 'without a listener' })
  assert.deepEqual([heard, getState().notices], [['too long'], []])
  line.says({ type: 'error', message: 'not understood' })
  assert.equal(getState().notices[0].text, 'not understood')
})
