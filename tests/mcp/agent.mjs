// agent.mjs PROGRAM LIBRARY - works with a copy of the demo library as an agent would, by the protocol's own client: finds
// kicks, looks at them, blends two, saves and takes back; is refused, cancels, and hears how far a long call is.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { Ajv2020 } from 'ajv/dist/2020.js'

const [program, library] = process.argv.slice(2)
const PATIENCE_MS = 600_000
const ajv = new Ajv2020({ strict: true, allowUnionTypes: true })

async function connect(...options) {
    const transport = new StdioClientTransport({ command: program, args: ['mcp', library, ...options], stderr: 'inherit' })
    const client = new Client({ name: 'agent', version: '1.0.0' })
    await client.connect(transport)
    client.onerror = (error) => assert.fail(`the client found: ${error}`)
    client.tools = (await client.listTools()).tools
    client.schemas = new Map(client.tools.map((tool) => [tool.name, ajv.compile(tool.inputSchema)]))
    return client
}

function call(client, name, args = {}, options = {}) {
    return client.callTool({ name, arguments: args }, undefined, { timeout: PATIENCE_MS, ...options })
}

// What a tool answered well to arguments that its schema allows, as a value; its text says the same.
async function answer(client, name, args = {}) {
    const fits = client.schemas.get(name)
    assert.ok(fits(args), `${name}: ${ajv.errorsText(fits.errors)}`)
    const result = await call(client, name, args)
    assert.ok(!result.isError, `${name}: ${result.content[0].text}`)
    assert.deepEqual(JSON.parse(result.content[0].text), result.structuredContent)
    return result.structuredContent
}

function pictures(result) {
    return result.content.filter((one) => one.type === 'image').map((one) => {
        const bytes = Buffer.from(one.data, 'base64')
        assert.equal(one.mimeType, 'image/png')
        assert.equal(bytes.subarray(1, 4).toString(), 'PNG')
        return bytes
    })
}

// ---- what can only be read ----

const reader = await connect()
assert.equal(reader.getServerVersion().name, 'marey')
assert.ok(reader.getServerCapabilities().tools)
assert.match(reader.getInstructions(), /motion capture/)
const tools = reader.tools
for (const tool of tools) assert.ok(tool.annotations.readOnlyHint, tool.name)
assert.ok(reader.schemas.has('search') && !reader.schemas.has('label'))
assert.ok(!reader.schemas.get('search')({ query: { start: 622 } }), 'a query without a clip')
const { clips } = await answer(reader, 'ls')
assert.deepEqual((await answer(reader, 'ls', { offset: { clips: 20 } })).clips, clips.slice(20))
const before = readFileSync(library)
const refused = await call(reader, 'blend', { clips: ['walk_slow', 'walk_fast'], weights: [1, 1], save_as: 'x' })
assert.ok(refused.isError)
assert.match(refused.content[0].text, /--write/)
await assert.rejects(call(reader, 'add', { files: ['/etc/passwd'] }), { code: -32602 })
assert.deepEqual(readFileSync(library), before)
await reader.close()

// ---- find, look, make, save ----

const agent = await connect('--write')
const found = await answer(agent, 'ls', { words: ['kick'] })
const names = found.clips.map((clip) => clip.name)
assert.ok(names.includes('kicks'))
const query = { query: { clip: 'kicks', start: 622, end: 750 }, label: 'kick', threshold: '12cm' }
const { matches } = await answer(agent, 'search', query)
assert.ok(matches.length > 2)
assert.deepEqual([matches[0].clip, matches[0].start, matches[0].end], ['kicks', 622, 750])
const segments = matches.slice(0, 3).map(({ clip, start, end }) => ({ clip, start, end }))
const strip = await call(agent, 'render', { clips: segments.slice(0, 1) })
const sheet = await call(agent, 'render', { clips: segments })
assert.equal(pictures(strip).length + pictures(sheet).length, 2)

const mix = { clips: [segments[0], segments[1]], weights: [1, 1], picture: true, save_as: 'kick between' }
const made = await call(agent, 'blend', mix)
assert.ok(!made.isError, made.content[0].text)
assert.equal(pictures(made).length, 1)
assert.equal(made.structuredContent.saved_as, 'kick between')
const about = await answer(agent, 'info', { clip: 'kick between' })
assert.equal(about.clip.frames, made.structuredContent.frames)
await answer(agent, 'undo')
const gone = await call(agent, 'info', { clip: 'kick between' })
assert.ok(gone.isError)
assert.match(gone.content[0].text, /no clip is called kick between/)

// ---- every form that arguments have ----

const contacts = [{ joint: 'left_heel', start: 3, end: 20 }]
await answer(agent, 'contacts', { clip: 'idles', set: { contacts } })
assert.deepEqual((await answer(agent, 'contacts', { clip: 'idles' })).contacts, contacts)
await answer(agent, 'undo')
await answer(agent, 'label', { clips: [{ clip: 'kicks', start: 622, end: 750 }], add: ['high'] })
await answer(agent, 'cut', { cuts: [{ clip: 'kicks', start: 622, end: 750, name: 'one kick' }] })
assert.deepEqual((await answer(agent, 'ls', { label: 'high' })).clips.map(({ name }) => name), ['kicks', 'one kick'])
const reach = await answer(agent, 'param_make', { family: 'reach', at: [-15, 125, 48] })
assert.ok(reach.error_cm < 1)
const walk = await answer(agent, 'graph_walk', { graph: 'standard', path: [[0, 0], [300, 0]] })
assert.ok(walk.arrived && walk.frames > 60)
const cut = await answer(agent, 'transition', { a: 'walk_straight', b: 'run_straight', at: [508, 138], method: 'registered' })
assert.deepEqual([cut.cuts[0].a, cut.cuts[0].b], [508, 138])
await answer(agent, 'transition', { a: 'walk_straight', b: 'run_straight', leave: [180, 420], enter: '2s-4s', below: 400 })
const shy = await answer(agent, 'puppet_run', { puppet: 'shy', main: 'time,main_x,main_y,main_dir\n0,0,0,0\n0.5,9,0,0\n1,20,0,0\n' })
assert.equal(shy.frames, 3)
await answer(agent, 'retarget', { clips: ['kicks'], onto: 'small_fight' })
const both = await answer(agent, 'align', { clips: ['walk_slow', { clip: 'walk_fast', start: 0, end: 800 }] })
assert.deepEqual(both.path[0], [0, 0])

// ---- how far it is, and enough of it ----

const shares = []
await call(agent, 'motifs', {}, { onprogress: ({ progress, message }) => shares.push([progress, message]) })
assert.ok(shares.length > 0, 'no word of progress')
for (let i = 1; i < shares.length; i++) assert.ok(shares[i][0] > shares[i - 1][0], 'progress rises')
assert.match(shares[0][1], /\d %/)

const abort = new AbortController()
const stopped = call(agent, 'index', { web: true, rebuild: true }, { onprogress: () => abort.abort('enough'), signal: abort.signal })
await assert.rejects(stopped, /enough/)
assert.ok((await answer(agent, 'ls')).clips.length >= found.clips.length)
await agent.close()
console.log(`node ${process.versions.node}: ${tools.length} tools, ${matches.length} kicks found, ${shares.length} words of progress`)
