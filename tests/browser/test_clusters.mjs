// test_clusters.mjs - the panel "Cluster graphs": nodes on a map, the sequences in one and the switches between them; routes
// through nodes, loops, and building a graph.
import assert from 'node:assert/strict'
import {
  account,
  act,
  fillTwice,
  inStudio,
  loaded,
  noViolation,
  runLine,
  search,
  select,
  until,
  untilCommand,
  untilCount,
} from './steps.mjs'

const panel = (page) => page.getByRole('region', { name: 'Cluster graphs' })
const map = (page) => panel(page).getByRole('application', { name: /from node to node/ })
const closer = (page) => panel(page).getByRole('region', { name: /^Node \d+$/ })

async function openClusters(page, name = 'moves') {
  await untilCount(page, '30 clips')
  await page.keyboard.press('n')
  await panel(page).getByRole('combobox', { name: 'Graph' }).selectOption(name)
  await map(page).waitFor()
  await untilCommand(page, new RegExp(`^marey cluster show \\S+ ${name}$`))
}

async function openNode(page, number) {
  const field = panel(page).getByRole('spinbutton', { name: 'Open node' })
  await field.fill(String(number))
  await field.press('Enter')
  await panel(page).getByRole('region', { name: `Node ${number}`, exact: true }).waitFor()
}

function shownId(page) {
  return page.evaluate(() => window.mareyViewer?.characters[0]?.shown.clip.id ?? 0)
}

function askAs(page, address) {
  return page.evaluate(async (path) => (await fetch(path)).json(), address)
}

/** Keeps what is in the view, and sees that its command line makes the same. */
async function keepAs(page, studio, name, pattern) {
  const keep = panel(page).getByRole('form', { name: 'Keep' })
  await keep.getByLabel('New clip').fill(name)
  await keep.getByRole('button', { name: 'Keep as clip' }).click()
  const line = await untilCommand(page, pattern)
  await runLine(studio, line, studio.twin)
  const frames = async (library) => (await account(studio, library, name)).clips.find((clip) => clip.name === name).frames
  assert.equal(await frames(studio.library), await frames(studio.twin), line)
}

export async function a_node_shows_its_sequences_and_a_switch_plays(given) {
  await inStudio(given, { fill: fillTwice }, async (page, studio) => {
    await openClusters(page)
    await noViolation(page, 'a cluster graph')
    await map(page).focus()
    await page.keyboard.press('ArrowRight')
    await until('the keys are on a node', async () => {
      const name = await map(page).getAttribute('aria-label')
      return /^node \d+: \d+ frames?, \d+ sequences? of \d+ clips?/.test(name) || name
    })
    await page.keyboard.press('Enter')
    await closer(page).waitFor()
    const number = Number((await closer(page).getAttribute('aria-label')).slice(5))
    const known = await askAs(page, `/api/cluster/node?name=moves&node=${number}`)
    const bars = closer(page).getByRole('list', { name: 'Sequences' }).getByRole('button', { name: /frames \d+ to \d+/ })
    assert.equal(await bars.count(), known.nodes[0].sequences.length)

    await bars.first().click()
    await until('the sequence plays', async () => (await shownId(page)) > 0)
    await loaded(page)
    const switches = closer(page).getByRole('region', { name: 'Switches' }).getByRole('button', { name: /→/ })
    await switches.first().waitFor()
    await noViolation(page, 'a node')
    await switches.first().click()
    await until('the switch is in the view', async () => (await shownId(page)) < 0)
    await loaded(page)
    await until('it plays', () => page.evaluate(() => window.mareyViewer.time_s > 0.1))
    await keepAs(page, studio, 'switched', /^marey cluster stitch \S+ moves .* --leave \d+ --enter \d+ .*--nodes \d+ -o \S+:switched$/)
    await panel(page).getByRole('button', { name: 'Back to the library' }).click()
    await page.getByRole('region', { name: 'Library' }).waitFor()
  })
}

export async function a_click_opens_a_node_and_a_route_through_nodes_becomes_a_clip(given) {
  await inStudio(given, { fill: fillTwice }, async (page, studio) => {
    await openClusters(page)
    const box = await map(page).boundingBox()
    let hit = false
    for (let i = 1; i < 12 && !hit; i++) {
      for (let j = 1; j < 12 && !hit; j++) {
        await page.mouse.move(box.x + (i / 12) * box.width, box.y + (j / 12) * box.height)
        hit = /^node/.test(await map(page).getAttribute('aria-label'))
        if (hit) await page.mouse.click(box.x + (i / 12) * box.width, box.y + (j / 12) * box.height)
      }
    }
    assert.ok(hit, 'there is a node under the pointer')
    await closer(page).waitFor()

    const { edges } = await askAs(page, '/api/cluster?name=moves')
    const [from, to] = edges.find(([a, b]) => a !== b)
    for (const node of [from, to]) {
      await openNode(page, node)
      await closer(page).getByRole('button', { name: 'Add to the route' }).click()
    }
    const route = panel(page).getByRole('group', { name: 'Route' })
    await noViolation(page, 'a route')
    await route.getByRole('button', { name: 'Make it' }).click()
    await until('the route is in the view', async () => (await shownId(page)) < 0)
    await loaded(page)
    await until('its pieces are told', async () => (await panel(page).getByRole('list', { name: 'Pieces' }).count()) > 0)
    await keepAs(page, studio, 'routed', new RegExp(`^marey cluster stitch \\S+ moves .* --nodes ${from},${to} -o \\S+:routed$`))
    await route.getByRole('button', { name: 'Clear' }).click()
    await until('there is no route', async () => (await route.count()) === 0)
  })
}

export async function a_clip_loops_through_a_node(given) {
  await inStudio(given, { fill: fillTwice }, async (page, studio) => {
    await openClusters(page)
    await panel(page).getByRole('checkbox', { name: 'Loops' }).check()
    const { nodes } = await askAs(page, '/api/cluster?name=moves')
    await openNode(page, nodes.find(({ loops }) => loops).node)
    await closer(page).getByRole('button', { name: /^Loop .* through this node/ }).first().click()
    await until('the loop is in the view', async () => (await shownId(page)) < 0)
    await loaded(page)
    await keepAs(page, studio, 'round', /^marey cluster loop \S+ moves \S+ .*-o \S+:round$/)
  })
}

export async function a_cluster_graph_is_built_and_removed_or_cancelled(given) {
  await inStudio(given, { fill: fillTwice }, async (page, studio) => {
    await untilCount(page, '30 clips')
    await search(page, 'straight', '4 of 30 clips')
    await select(page, 'jog_straight', 'walk_straight')
    await act(page, 'Cluster graph').click()
    const form = panel(page).getByRole('form', { name: 'New cluster graph' })
    await form.waitFor()
    await noViolation(page, 'the form for a cluster graph')
    await form.getByLabel('Threshold').fill('60')
    await form.getByLabel('Name').fill('mine')
    await form.getByRole('button', { name: 'Build it' }).click()
    await map(page).waitFor()
    const line = await untilCommand(page, /^marey cluster build \S+ mine jog_straight walk_straight --threshold 60$/)
    await runLine(studio, line, studio.twin)
    const made = async (library) => (await studio.marey('cluster', 'show', library, 'mine'))
    assert.deepEqual({ ...(await made(studio.library)), library: '' }, { ...(await made(studio.twin)), library: '' })
    await panel(page).getByRole('button', { name: 'Remove the cluster graph mine' }).click()
    await untilCommand(page, /^marey cluster rm \S+ mine$/)
    const names = async () => (await studio.marey('cluster', 'ls', studio.library)).clusters.map(({ name }) => name)
    assert.deepEqual(await names(), ['moves'])

    await panel(page).getByRole('combobox', { name: 'Graph' }).selectOption('')
    await form.getByRole('combobox', { name: 'Of' }).selectOption('all')
    await form.getByLabel('Name').fill('never')
    await form.getByRole('button', { name: 'Build it' }).click()
    await form.getByRole('button', { name: 'Cancel' }).click()
    await until('it is over', async () => (await form.getByRole('progressbar').count()) === 0)
    assert.deepEqual(await names(), ['moves'])
  })
}
