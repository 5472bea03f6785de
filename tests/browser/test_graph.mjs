// test_graph.mjs - motion graphs: looked around in and built at a threshold; a path that is drawn on the floor and walked; and
// a character that is steered by the arrow keys.
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { explorer, live, onPage, onPlan, openGraph, optionOf, panel, plan, tab } from './graph_steps.mjs'
import {
  account,
  act,
  demo,
  drag,
  fillTwice,
  inStudio,
  loaded,
  noViolation,
  runLine,
  search,
  select,
  timeline,
  until,
  untilCommand,
  untilCount,
  untilEqual,
  untilFrame,
} from './steps.mjs'

function shownId(page) {
  return page.evaluate(() => window.mareyViewer?.characters[0]?.shown.clip.id ?? 0)
}

/** The share of the closure's picture that has the colour of what can be reached. */
function reachable(page) {
  return page.evaluate(() => {
    const canvas = document.querySelector('.closure canvas')
    if (!canvas?.width) return 0
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height)
    const probe = document.createElement('canvas').getContext('2d')
    probe.fillStyle = getComputedStyle(document.documentElement).getPropertyValue('--accent').trim()
    probe.fillRect(0, 0, 1, 1)
    const [red] = probe.getImageData(0, 0, 1, 1).data
    let count = 0
    for (let i = 0; i < data.length; i += 4) count += Math.abs(data[i] - red) < 8 ? 1 : 0
    return (4 * count) / data.length
  })
}

export async function a_graph_is_explored_and_plays_what_is_chosen(given) {
  await inStudio(given, {}, async (page) => {
    await openGraph(page)
    const figures = panel(page).getByLabel('Figures of the graph')
    await figures.getByText('Connectivity').waitFor()
    const told = Number((await figures.textContent()).match(/Connectivity(\d+) %/)[1])
    await until('the closure is drawn', async () => {
      const share = 100 * (await reachable(page))
      return Math.abs(share - told) < 3 || `${share} and ${told}`
    })
    await noViolation(page, 'the graph')

    await explorer(page).press('ArrowRight')
    await until('a segment is chosen', async () => {
      const name = await explorer(page).getAttribute('aria-label')
      return / reachable\./.test(name) || name
    })
    await explorer(page).press('ArrowRight')
    await explorer(page).press('Enter')
    await until('the segment is open', async () => (await shownId(page)) > 0)
    await loaded(page)
    await explorer(page).press('ArrowDown')
    await until('a transition is chosen', async () => {
      const name = await explorer(page).getAttribute('aria-label')
      return / → .*: distance .* jump /.test(name) || name
    })
    await explorer(page).press('Enter')
    await until('the transition is open', async () => (await shownId(page)) < 0)
    await loaded(page)
    await until('it plays', () => page.evaluate(() => window.mareyViewer.time_s > 0.1))

    const bar = await explorer(page).boundingBox()
    await page.mouse.click(bar.x + 0.5 * bar.width, bar.y + 0.58 * bar.height)
    await until('the bar under the pointer is open', async () => (await shownId(page)) > 0)
    await panel(page).getByRole('button', { name: 'Back to the library' }).click()
    await page.getByRole('region', { name: 'Library' }).waitFor()
  })
}

/** What the panel says a threshold is worth: [seconds from frame to frame, transitions]. */
async function worth(page) {
  const text = await panel(page).getByLabel('What this threshold is worth').textContent()
  const [, seconds, transitions] = text.match(/Transition time([\d.]+) s.*Transitions([\d,]+)/) ?? []
  return [Number(seconds), Number(transitions?.replaceAll(',', ''))]
}

export async function a_graph_is_built_at_a_threshold_that_was_looked_at(given) {
  await inStudio(given, { fill: fillTwice }, async (page, studio) => {
    // The tab that was open last is open again.
    await openGraph(page)
    await page.keyboard.press('Escape')
    await untilCount(page, '30 clips')
    await search(page, 'straight', '4 of 30 clips')
    await select(page, 'jog_straight', 'walk_straight')
    await act(page, 'Motion graph').click()
    const form = panel(page).getByRole('form', { name: 'New graph' })
    const slider = form.getByRole('slider', { name: 'Threshold' })
    await slider.waitFor()
    await until('the times are measured', async () => {
      const text = await form.getByLabel('What this threshold is worth').textContent()
      return /Transition time[\d.]+ s/.test(text) || text
    })
    await slider.press('Home')
    await until('the slider is at its left end', async () => {
      const [rows, text] = [await slider.inputValue(), await form.locator('.sweep-value').textContent()]
      return (rows === '0' && /cm2/.test(text)) || text
    })
    const least = await slider.getAttribute('aria-valuetext')
    const [slow, few] = await worth(page)
    for (let i = 0; i < 14; i++) await slider.press('ArrowRight')
    await until('there are more transitions, and ways are shorter', async () => {
      const [seconds, count] = await worth(page)
      return (seconds < slow && count > 2 * few) || [slow, few, seconds, count]
    })
    assert.notEqual(await slider.getAttribute('aria-valuetext'), least)
    await noViolation(page, 'the form for a graph')

    await form.getByLabel('Name').fill('mine')
    await form.getByRole('button', { name: 'Build the graph' }).click()
    const figures = panel(page).getByLabel('Figures of the graph')
    await figures.waitFor()
    const line = await untilCommand(page, /^marey graph build \S+ mine jog_straight walk_straight --threshold [\d.]+ --only-smooth$/)
    await runLine(studio, line, studio.twin)
    const ours = async (library) => (await studio.marey('graph', 'stats', library, 'mine'))
    const [here, there] = [await ours(studio.library), await ours(studio.twin)]
    assert.deepEqual({ ...here, library: '' }, { ...there, library: '' })

    await panel(page).getByRole('button', { name: 'Remove the graph mine' }).click()
    await untilCommand(page, /^marey graph rm \S+ mine$/)
    const names = async () => (await studio.marey('graph', 'ls', studio.library)).graphs.map(({ name }) => name)
    assert.ok(!(await names()).includes('mine'))
  })
}

/** Two bodies with other joints: a person, and a thing without roles. */
async function fillMixed(studio) {
  await fillTwice(studio)
  const text = readFileSync(join(await demo(studio.program), 'walk_left.bvh'), 'utf8')
  const person = join(studio.folder, 'x_left.bvh')
  const thing = join(studio.folder, 'x_thing.bvh')
  writeFileSync(person, text.replace(/(ROOT|JOINT) (\S+)/g, '$1 mixamorig:$2'))
  const channels = 'CHANNELS 3 Zrotation Xrotation Yrotation'
  const box = `HIERARCHY\nROOT a\n{\nOFFSET 0 9 0\n${channels}\nJOINT b\n{\nOFFSET 0 40 1\n${channels}\nEnd Site\n{\nOFFSET 0 20 0\n}\n}\n}\n`
  const frames = Array.from({ length: 40 }, (_, i) => `${i} 0 0 0 ${i} 5`).join('\n')
  writeFileSync(thing, `${box}MOTION\nFrames: 40\nFrame Time: 0.03333\n${frames}\n`)
  await studio.marey('add', studio.library, person, '--label', 'mixed')
  await studio.marey('add', studio.library, thing, '--label', 'mixed')
  await studio.marey('label', studio.library, 'walk_straight', '--add', 'mixed')
}

export async function a_graph_of_several_skeletons_is_one_and_says_what_was_left_out(given) {
  await inStudio(given, { fill: fillMixed }, async (page, studio) => {
    await untilCount(page, '32 clips')
    await search(page, 'straight', '4 of 32 clips')
    await select(page, 'jog_straight', 'walk_straight')
    await act(page, 'Motion graph').click()
    const form = panel(page).getByRole('form', { name: 'New graph' })
    await form.getByRole('combobox', { name: 'Of' }).selectOption('label mixed')
    await form.getByLabel('Name').fill('both')
    await form.getByRole('button', { name: 'Build the graph' }).click()
    await page.getByText(/Graph both: .*; 1 clip retargeted, reach error [\d.]+ % at most; 1 clip left out \(x_thing: its body has no/).waitFor()
    const { parts, retargeted } = await studio.marey('graph', 'stats', studio.library, 'both')
    assert.deepEqual(parts.map(({ name, core }) => [name, core > 100]), [['walk_straight', true], ['x_left', true]])
    assert.deepEqual(retargeted.map(({ clip }) => clip), ['x_left'])
  })
}

function path(page) {
  return page.evaluate(() => window.mareyViewer.way.path.points.map((point) => [...point]))
}

/** The walk of the path that is on the floor is in the view. */
async function untilWalked(page) {
  await until('the path is walked', async () => {
    const line = (await page.getByRole('contentinfo').getByRole('code').textContent()) ?? ''
    const told = line.match(/--path[= ]'?([-\d., ]+?)'? --effort/)?.[1]
    const now = await page.evaluate(() => window.mareyViewer.way.path.curve.map((point) => point.join()).join(' '))
    return (told === now && /--effort 30000/.test(line)) || `${line}\n${now}`
  })
  await loaded(page)
}

/** How far the body is from a place, at the nearest moment of its walk. */
function nearestTo(page, x, z) {
  return page.evaluate(
    ([px, pz]) => {
      let best = Infinity
      window.mareyViewer.characters[0].eachRoot(400, (at) => {
        best = Math.min(best, Math.hypot(at[0] - px, at[2] - pz))
      })
      return best
    },
    [x, z],
  )
}

export async function a_path_that_is_drawn_on_the_floor_is_walked(given) {
  await inStudio(given, { fill: fillTwice }, async (page, studio) => {
    await openGraph(page)
    await tab(page, 'Walk').click()
    await plan(page).waitFor()
    await untilWalked(page)
    await noViolation(page, 'the path')

    await panel(page).getByRole('button', { name: 'Draw a path' }).click()
    const corners = [[-60, 40], [20, 160], [120, 250], [260, 300], [400, 300]]
    const places = []
    for (const [x, z] of corners) places.push(await onPage(page, x, z))
    const eye = () => page.evaluate(() => window.mareyViewer.rig.controls.getAzimuthalAngle().toFixed(3))
    const stood = await eye()
    await page.mouse.move(places[0].x, places[0].y)
    await page.mouse.down()
    for (const place of places.slice(1)) await page.mouse.move(place.x, place.y, { steps: 4 })
    await page.mouse.up()
    await until('what was drawn is the path', async () => {
      const points = await path(page)
      const [first, last] = [points[0], points[points.length - 1]]
      const off = Math.hypot(first[0] - -60, first[1] - 40) + Math.hypot(last[0] - 400, last[1] - 300)
      return off < 25 || points
    })
    assert.equal(await eye(), stood, 'the view is not turned')
    await untilWalked(page)
    for (const [x, z] of corners) {
      const off = await nearestTo(page, x, z)
      assert.ok(off < 60, `${off} cm from ${x}, ${z}`)
    }
    const told = await panel(page).locator('.path-off').textContent()
    assert.match(told, /^\d+ cm off on the mean/)

    const points = await path(page)
    const end = points.length - 1
    const from = await onPage(page, ...points[end])
    const to = await onPage(page, 420, 150)
    await drag(page, from, to)
    await until('the end was moved', async () => {
      const [x, z] = (await path(page))[end]
      return Math.hypot(x - 420, z - 150) < 15 || [x, z]
    })
    await untilWalked(page)
    assert.ok((await nearestTo(page, 420, 150)) < 80)

    await plan(page).focus()
    const before = (await path(page))[end]
    await page.keyboard.press('Shift+ArrowRight')
    await untilEqual('the end is farther right', async () => (await path(page))[end], [before[0] + 50, before[1]])
    await page.keyboard.press('Insert')
    await untilEqual('the points', async () => (await path(page)).length, end + 2)
    await page.keyboard.press('Delete')
    await untilEqual('the points', async () => (await path(page)).length, end + 1)
    await untilWalked(page)

    const keep = panel(page).getByRole('form', { name: 'Keep' })
    await keep.getByLabel('New clip').fill('stroll')
    await keep.getByRole('button', { name: 'Keep as clip' }).click()
    const line = await untilCommand(page, /^marey graph walk \S+ standard '?--path.* -o \S+:stroll$/)
    await runLine(studio, line, studio.twin)
    assert.deepEqual(await account(studio, studio.library, 'stroll'), await account(studio, studio.twin, 'stroll'))
    await tab(page, 'Graph').click()
    await untilEqual('the path', () => page.evaluate(() => window.mareyViewer.way.object.visible), false)
  })
}

/** Draws over the floor of the view. */
async function drawPath(page, corners) {
  await panel(page).getByRole('button', { name: 'Draw a path' }).click()
  const places = []
  for (const [x, z] of corners) places.push(await onPage(page, x, z))
  await page.mouse.move(places[0].x, places[0].y)
  await page.mouse.down()
  for (const place of places.slice(1)) await page.mouse.move(place.x, place.y, { steps: 6 })
  await page.mouse.up()
}

export async function a_path_that_is_too_tight_is_shown_rounded(given) {
  await inStudio(given, { fill: fillTwice }, async (page) => {
    await openGraph(page)
    await tab(page, 'Walk').click()
    await plan(page).waitFor()
    await untilWalked(page)
    const followed = () => page.evaluate(() => window.mareyViewer.way.path.followed.length)
    assert.equal(await followed(), 0, 'the first path can be walked as it is')
    assert.equal(await panel(page).getByText('Rounded at').count(), 0)

    await drawPath(page, [[0, 0], [300, 30], [20, 80], [320, 150]])
    const said = panel(page).getByText(/^Rounded at \d places?$/)
    await untilWalked(page)
    assert.equal(await said.count(), 1)
    assert.ok((await followed()) > 20)
    const rings = panel(page).locator('.plan-tight')
    assert.ok((await rings.count()) >= 1)
    assert.match(await rings.first().locator('title').textContent(), /^Too tight: the walk passes \d+ cm from here$/)
    assert.match(await panel(page).locator('.path-off').textContent(), /^\d cm off on the mean\d+ cm at most/)

    await drawPath(page, [[0, 0], [150, 20], [350, 60]])
    await untilEqual('nothing is rounded', () => said.count(), 0)
    assert.equal(await followed(), 0)
  })
}

/** The dwell of a form or a walk is a number with the help of its row. */
async function setDwell(page, value) {
  const field = panel(page).getByRole('spinbutton', { name: 'Dwell' })
  await field.fill(String(value))
  await field.press('Tab')
}

export async function a_graph_and_a_walk_have_a_dwell(given) {
  await inStudio(given, { fill: fillTwice }, async (page, studio) => {
    // The tab that was open last is open again.
    await openGraph(page)
    await page.keyboard.press('Escape')
    await untilCount(page, '30 clips')
    await search(page, 'straight', '4 of 30 clips')
    await select(page, 'jog_straight', 'walk_straight')
    await act(page, 'Motion graph').click()
    const form = panel(page).getByRole('form', { name: 'New graph' })
    const dwell = form.getByRole('spinbutton', { name: 'Dwell' })
    await untilEqual('the default', () => dwell.inputValue(), '0.3')
    const { operations } = await page.evaluate(async () => (await fetch('/api/operations')).json())
    const row = operations.find(({ name }) => name === 'graph build').params.find(({ name }) => name === 'dwell')
    assert.equal(await form.getByTitle(row.help).count(), 1, 'the help of the row')
    assert.equal(await dwell.getAttribute('max'), String(row.most))
    await setDwell(page, 0.8)
    await form.getByLabel('Name').fill('slow')
    await form.getByRole('button', { name: 'Build the graph' }).click()
    await panel(page).getByLabel('Figures of the graph').getByText('0.8 s').waitFor()
    const line = await untilCommand(page, /^marey graph build \S+ slow jog_straight walk_straight --dwell 0.8$/)
    await runLine(studio, line, studio.twin)
    const settings = async (library) => (await studio.marey('graph', 'stats', library, 'slow')).settings
    assert.equal((await settings(studio.library)).dwell_s, 0.8)
    assert.deepEqual(await settings(studio.library), await settings(studio.twin))

    await tab(page, 'Walk').click()
    await plan(page).waitFor()
    await untilWalked(page)
    await untilEqual('that of the graph', () => panel(page).getByRole('spinbutton', { name: 'Dwell' }).inputValue(), '0.8')
    await setDwell(page, 0)
    await untilCommand(page, /^marey graph walk \S+ slow .*--dwell 0 /)
    await setDwell(page, 0.8)
    await untilCommand(page, /^marey graph walk \S+ slow (?!.*--dwell)/)
  })
}

/** Also a graph whose poor transitions are seen, along the path that the page begins with. */
async function fillPoor(studio) {
  await fillTwice(studio)
  const clips = ['hops', 'jumps']
  await studio.marey('graph', 'build', studio.library, 'poor', ...clips, '--threshold', '3000', '--dwell', '0')
}

export async function faults_of_a_walk_lead_to_their_frames(given) {
  await inStudio(given, { fill: fillPoor }, async (page, studio) => {
    await openGraph(page)
    await tab(page, 'Walk').click()
    await plan(page).waitFor()
    await untilWalked(page)
    await panel(page).getByText(/^no faults/).waitFor()
    const faults = panel(page).getByRole('region', { name: 'Faults' })
    const marks = timeline(page).getByRole('img', { name: /^frame \d+: .*at most/ })
    assert.equal(await faults.count(), 0)
    assert.equal(await marks.count(), 0)
    const first = panel(page).getByRole('list', { name: 'Made of' }).getByRole('listitem').first()
    assert.match(await first.textContent(), /^walk\s*walk_/, 'a piece says its action')
    await timeline(page).getByRole('group', { name: 'Frames labelled walk' }).waitFor()

    await panel(page).getByRole('combobox', { name: 'Graph' }).selectOption('poor')
    await tab(page, 'Walk').click()
    await faults.waitFor()
    await untilWalked(page)
    await noViolation(page, 'the faults of a walk')
    const line = await untilCommand(page, /^marey graph walk \S+ poor /)
    const out = join(studio.folder, 'again.bvh')
    await runLine(studio, line.replace(/-o \S+/, `-o ${out} --fps 30 --json > again.json`), studio.library)
    const told = JSON.parse(readFileSync(join(studio.folder, 'again.json'), 'utf8'))
    const seen = told.faults.filter(({ frame }) => frame !== undefined)
    assert.ok(seen.length > 1 && told.searches > 1, JSON.stringify(told.faults))
    await faults.getByText(`${told.faults.length} faults left, after ${told.searches} searches`).waitFor()
    assert.equal(await faults.getByRole('listitem').count(), told.faults.length)
    assert.equal(await faults.getByRole('button').count(), seen.length)
    assert.equal(await marks.count(), new Set(seen.map(({ frame }) => frame)).size)
    for (const { frame, about } of seen) {
      const button = faults.getByRole('button', { name: new RegExp(`^frame ${frame} ${about}: [\\d.]+ .*, at most`) })
      await button.focus()
      await page.keyboard.press('Enter')
      await untilFrame(page, frame)
      await marks.and(page.getByRole('img', { name: new RegExp(`^frame ${frame}: ${about}`) })).waitFor()
    }
    assert.equal(await page.evaluate(() => window.mareyViewer.characters.length), 1)
  })
}

export async function a_body_is_at_places_at_times_and_goes_round_obstacles(given) {
  await inStudio(given, { fill: fillTwice }, async (page, studio) => {
    await openGraph(page)
    await tab(page, 'Walk').click()
    await plan(page).waitFor()
    await untilWalked(page)
    await panel(page).getByRole('button', { name: 'To places' }).click()
    const places = panel(page).getByRole('application', { name: /^(Place|Obstacle) / })
    const at = () => optionOf(page, 'at')
    await untilEqual('the places to begin with', at, ['0s:0,0', '4s:0,300', '9s:300,400'])

    const spot = await onPlan(page, 300, 200)
    await page.mouse.click(spot.x, spot.y)
    await until('one more', async () => {
      const words = await at()
      const [, time, x, z] = words[3]?.match(/^([\d.]+)s:(-?\d+),(-?\d+)$/) ?? []
      return (Number(time) > 9 && Math.abs(x - 300) < 4 && Math.abs(z - 200) < 4) || words
    })
    const time = panel(page).getByRole('spinbutton', { name: 'At' })
    await time.fill('15')
    await time.press('Enter')
    await until('it has that time', async () => (await at())[3]?.startsWith('15s:') || (await at()))

    await panel(page).getByRole('button', { name: 'Obstacle', exact: true }).click()
    const avoid = () => optionOf(page, 'avoid')
    await untilEqual('an obstacle on the way', avoid, ['150,350,40'])
    await drag(page, await onPlan(page, 165, 360), await onPlan(page, 15, 160))
    await untilEqual('it was moved', async () => (await avoid()).map((text) => text.split(',').map((n) => Math.round(n / 5) * 5).join()), ['0,150,40'])
    const [x, z] = (await avoid())[0].split(',').map(Number)
    await drag(page, await onPlan(page, x + 40, z), await onPlan(page, x + 60, z))
    await until('it is larger', async () => Math.abs(Number((await avoid())[0]?.split(',')[2]) - 60) < 3 || (await avoid()))
    const discs = await page.evaluate(() => window.mareyViewer.way.path.obstacles.map(({ radius_cm }) => radius_cm))
    assert.ok(discs.length === 1 && Math.abs(discs[0] - 60) < 3, 'the view has it too')
    await loaded(page)
    await noViolation(page, 'places and obstacles')

    const line = await untilCommand(page, /^marey graph walk \S+ standard --at 0s:0,0 .*--avoid .*--effort 60000 -o \S+$/)
    await runLine(studio, line.replace(/-o \S+/, `-o again.bvh --fps 30 --json > again.json`), studio.twin)
    const told = JSON.parse(readFileSync(join(studio.folder, 'again.json'), 'utf8'))
    const worst = Math.round(Math.max(...told.goals.map(({ error_cm }) => error_cm)))
    await panel(page).getByText(`very place is reached, ${worst} cm off at most`).waitFor().catch(() => undefined)
    const said = await panel(page).locator('.path-off').textContent()
    assert.match(said, new RegExp(`${told.arrived ? '^every' : '^not every'} place is reached, ${worst} cm off at most`))
    assert.match(said, new RegExp(`${Math.round(told.clearance_cm)} cm from obstacles`))

    await places.focus()
    const before = (await avoid())[0].split(',').map(Number)
    await page.keyboard.press('ArrowLeft')
    await untilEqual('it is farther left', async () => Number((await avoid())[0].split(',')[0]), before[0] - 10)
    await page.keyboard.press('Delete')
    await untilEqual('the obstacles', avoid, [])
    await page.keyboard.press('Delete')
    await untilEqual('the places', async () => (await at()).length, 3)
    assert.match(await places.getAttribute('aria-label'), /^Place 3 of 3, at 9 s/)
  })
}

/** Where the hips are drawn, on the page. */
function hips(page) {
  return page.evaluate(() => {
    const [body] = window.mareyViewer.characters
    return [...body.pose.places.slice(3 * body.figure.root, 3 * body.figure.root + 3)]
  })
}

export async function matching_steers_without_a_policy(given) {
  await inStudio(given, { fill: fillTwice }, async (page, studio) => {
    await openGraph(page)
    await tab(page, 'Play').click()
    await panel(page).getByRole('button', { name: 'Train it' }).waitFor()
    await panel(page).getByLabel('Steered by').selectOption('matching')
    await panel(page).getByRole('button', { name: 'Start' }).click()
    await until('poses come', async () => (await live(page)).poses > 5)
    await noViolation(page, 'a character steered by matching')
    assert.ok(await panel(page).getByLabel('Steered by').isDisabled(), 'it stays as it is while it plays')
    const before = await live(page)
    await page.keyboard.down('ArrowUp')
    await until('it goes', async () => {
      const { x_cm, z_cm } = await live(page)
      return Math.hypot(x_cm - before.x_cm, z_cm - before.z_cm) > 150 || [x_cm, z_cm]
    })
    await page.keyboard.up('ArrowUp')
    await panel(page).getByRole('button', { name: 'Stop' }).click()
    await panel(page).getByText(/control 0\.\d+, transition/).waitFor()
    const line = await untilCommand(page, /marey graph control \S+ standard --script \/dev\/stdin .*--controller matching/)
    await runLine(studio, line, studio.twin)
    const { clips } = await studio.marey('ls', studio.twin)
    assert.ok(clips.some(({ name }) => name.startsWith('way')), 'the command makes a clip of the same inputs')
  })
}

export async function arrow_keys_steer_a_character(given) {
  await inStudio(given, { fill: fillTwice }, async (page, studio) => {
    await openGraph(page)
    await tab(page, 'Play').click()
    await panel(page).getByRole('button', { name: 'Train it' }).click()
    const start = panel(page).getByRole('button', { name: 'Start' })
    await start.waitFor()
    await untilCommand(page, /^marey graph train \S+ standard$/)
    await noViolation(page, 'the tab Play')
    await start.click()
    await until('poses come', async () => (await live(page)).poses > 5)
    await loaded(page)
    const frameField = timeline(page).getByLabel('Frame; type a number to go there')
    const before = await live(page)
    const right = await page.evaluate(() => window.mareyViewer.looking_rad - Math.PI / 2)
    await page.keyboard.down('ArrowRight')
    const ahead = ({ x_cm, z_cm }) => {
      return (x_cm - before.x_cm) * Math.cos(right) - (z_cm - before.z_cm) * Math.sin(right)
    }
    await until('it goes to the right', async () => {
      const now = await live(page)
      return ahead(now) > 150 || now
    })
    const now = await live(page)
    assert.ok(Math.abs(Math.sin((now.input.direction_rad - right) / 2)) < 0.1, 'the input is to the right of the view')
    assert.ok(now.input.speed_cm_s > 50 && now.does.speed_cm_s > 30, JSON.stringify(now))
    // They are drawn with the next picture, which a busy machine takes its time for.
    await until('both arrows are seen, that of the input to the right', () => page.evaluate((wanted) => {
      const { input, does } = window.mareyViewer.arrows
      const off = Math.abs(Math.sin((input.object.rotation.y - wanted) / 2))
      return (input.object.visible && does.object.visible && off < 0.1) || [input.object.visible, does.object.visible, off]
    }, right))
    await until('the body is drawn where it is', async () => {
      const [x, , z] = await hips(page)
      const { x_cm, z_cm } = await live(page)
      return Math.hypot(x - x_cm, z - z_cm) < 40 || [x, z, x_cm, z_cm]
    })
    assert.ok(await frameField.isDisabled(), 'keys that steer do not step: the timeline is live')
    await noViolation(page, 'a steered character')
    await page.keyboard.up('ArrowRight')
    await until('the input is to stand', async () => (await live(page)).input.speed_cm_s === 0)
    await panel(page).getByRole('button', { name: 'Stop' }).click()
    await panel(page).getByText(/control 0\.\d+, transition/).waitFor()
    const line = await untilCommand(page, /^printf .* \| marey graph control \S+ standard --script \/dev\/stdin --length \d+ -o \S+:way/)
    await studio.marey('graph', 'train', studio.twin, 'standard')
    await runLine(studio, line, studio.twin)
    const { clips } = await studio.marey('ls', studio.twin)
    const way = clips.find(({ name }) => name.startsWith('way'))
    assert.ok(way.frames / way.fps > 1, 'the command makes a clip of the same inputs')
    await tab(page, 'Graph').click()
    await explorer(page).waitFor()
  })
}
