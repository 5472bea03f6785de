// drag_bench.mjs - how many motions a second the studio's server makes of a family while the user drags:
// node bench/drag_bench.mjs PROGRAM. One connection, kept alive, and the next wish when the last was answered, as the page
// asks; no browser, so that it is the server's figure and not the picture's.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { join, resolve } from 'node:path'
import { Studio } from '../tests/browser/studio.mjs'

const [programPath] = process.argv.slice(2)
if (!programPath) {
  console.error('usage: node bench/drag_bench.mjs PROGRAM')
  process.exit(2)
}
const program = resolve(programPath)
const [updates, asked_per_s] = [600, 60]
const ticks_per_s = 100 // of /proc, on every Linux

function fill(studio) {
  const run = (...words) => execFileSync(program, [...words, '--quiet'])
  const folder = join(studio.folder, 'demo')
  run('demo', folder, '--take', 'reach_right')
  execFileSync('mv', [join(folder, 'demo.marey'), studio.library])
}

/** Sends requests down one connection. */
class Client {
  constructor(address) {
    const url = new URL(address)
    this.agent = new Agent({ keepAlive: true, maxSockets: 1 })
    this.at = { host: url.hostname, port: url.port, agent: this.agent }
    this.headers = { Authorization: `Bearer ${url.searchParams.get('token')}` }
  }

  ask(method, path, body) {
    const text = body === undefined ? '' : JSON.stringify(body)
    const headers = { ...this.headers, ...(text && { 'Content-Type': 'application/json' }) }
    return new Promise((done, failed) => {
      const sent = request({ ...this.at, method, path, headers }, (answer) => {
        const parts = []
        answer.on('data', (part) => parts.push(part))
        answer.on('end', () => {
          const whole = Buffer.concat(parts)
          if (answer.statusCode === 200) done(whole)
          else failed(new Error(`${path}: ${answer.statusCode} ${whole}`))
        })
      })
      sent.on('error', failed)
      sent.end(text)
    })
  }
}

/** A hand that wanders through the box, out of what can be reached and in again. */
function wishAt(dims, i) {
  return dims.map(({ low, high }, d) => {
    const swing = Math.sin((i * (d + 2)) / 37 + d)
    return (low + high) / 2 + swing * 0.45 * (high - low)
  })
}

function processor_s(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ')
  return (Number(fields[11]) + Number(fields[12])) / ticks_per_s
}

function quantile(values, share) {
  return [...values].sort((a, b) => a - b)[Math.floor(share * (values.length - 1))]
}

async function drag(client, dims) {
  const times = []
  const hash = createHash('sha256')
  for (let i = 0; i < updates; i++) {
    const start = performance.now()
    hash.update(await client.ask('POST', '/api/families/ask', { family: 'reach', at: wishAt(dims, i) }))
    times.push(performance.now() - start)
  }
  return { times, sum: hash.digest('hex').slice(0, 12) }
}

const studio = await Studio.open(program, fill)
try {
  const client = new Client(studio.address)
  const { dims } = JSON.parse(await client.ask('GET', '/api/family?name=reach'))
  await client.ask('POST', '/api/families/ask', { family: 'reach', at: wishAt(dims, 0) })
  const used = processor_s(studio.process.pid)
  const start = performance.now()
  const { times, sum } = await drag(client, dims)
  const per_s = (updates * 1000) / (performance.now() - start)
  const each_ms = ((processor_s(studio.process.pid) - used) * 1000) / updates
  const ms = (share) => `${quantile(times, share).toFixed(1)} ms`
  console.log(`${updates} motions of a family dragged over HTTP, all answers hash to ${sum}`)
  console.log(`${per_s.toFixed(0)} a second here and now: median ${ms(0.5)}, 95 % within ${ms(0.95)}, the slowest ${ms(1)}`)
  // Other work on the machine makes the clock say less, but not the server's own time.
  const figure = `${(1000 / each_ms).toFixed(0)} (${each_ms.toFixed(2)} ms)`
  const good = 1000 / each_ms > asked_per_s
  const verdict = good ? 'ok' : 'NOT REACHED'
  console.log(`${'updates a second of one core'.padEnd(62)} ${figure.padStart(14)}   asked: ${'60 or more'.padEnd(24)} ${verdict}`)
  if (!good) process.exitCode = 1
  client.agent.destroy()
} finally {
  await studio.close()
}
