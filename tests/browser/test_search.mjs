// test_search.mjs - one kick is marked and the others are found: the threshold, strips and graph, alignments, match webs,
// matches in the view, and what is made of those that are ticked.
import assert from 'node:assert/strict'
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  account,
  button,
  card,
  cardNames,
  demo,
  goTo,
  inStudio,
  loaded,
  mark,
  noViolation,
  open,
  runLine,
  search as searchClips,
  timeline,
  twinAgrees,
  until,
  untilCommand,
  untilCount,
  untilEqual,
  viewer,
} from './steps.mjs'

const clips = ['kicks', 'mixed_fight', 'small_fight']
/** A kick of the demo's clip "kicks", and all frames of that. */
const kick = { start: 122, end: 252, frames: 1622 }

const panel = (page) => page.getByRole('region', { name: 'Search' })
const matches = (page) => panel(page).getByRole('list', { name: 'Matches' }).locator('.match-main')
const ticks = (page) => panel(page).getByRole('list', { name: 'Matches' }).getByRole('checkbox')
const threshold = (page) => panel(page).getByRole('slider', { name: 'Threshold' })
const findings = (page) => panel(page).locator('.search-findings')

/** The clips with kicks; and a twin. */
async function fillWithKicks(studio) {
  const folder = await demo(studio.program)
  await studio.marey('add', studio.library, ...clips.map((name) => join(folder, `${name}.bvh`)))
  studio.twin = join(studio.folder, 'twin.marey')
  copyFileSync(studio.library, studio.twin)
}

/** The same with match webs. */
async function fillWithWebs(studio) {
  await fillWithKicks(studio)
  await studio.marey('index', studio.library, '--fps', '30')
}

async function begin(page) {
  await untilCount(page, '3 clips')
  await open(page, 'kicks')
  await mark(page, kick.frames, kick.start, kick.end - 1)
  await timeline(page).getByRole('button', { name: 'Find more' }).click()
  await panel(page).waitFor()
}

/** Nothing more is to come. */
async function settled(page) {
  await until('all is found', async () => (await findings(page).getAttribute('aria-busy').catch(() => null)) === 'false')
}

async function setThreshold(page, share) {
  const most = Number(await threshold(page).getAttribute('max'))
  await threshold(page).fill(String(Math.round(share * most)))
  await until('it searches', async () => (await findings(page).count()) > 0)
  await settled(page)
}

function colours(canvas) {
  return canvas.evaluate((element) => {
    const { data } = element.getContext('2d').getImageData(0, 0, element.width, element.height)
    const seen = new Set()
    for (let i = 0; i < data.length; i += 4) seen.add((data[i] << 16) | (data[i + 1] << 8) | data[i + 2])
    return seen.size
  })
}

function bodies(page) {
  return page.evaluate(() => window.mareyViewer.characters.length)
}

/** How high each body has its higher foot, in cm. */
function feet(page) {
  return page.evaluate(() =>
    window.mareyViewer.characters.map(({ pose, figure }) =>
      Math.round(Math.max(...figure.sides.map(({ ankle }) => pose.places[3 * ankle + 1]))),
    ),
  )
}

/** How far apart the roots of the bodies are on the floor, in cm, and the greatest difference of their headings. */
function gathering(page) {
  return page.evaluate(() => {
    const all = window.mareyViewer.characters
    const [first] = all
    const at = ({ pose, figure }) => [pose.places[3 * figure.root], pose.places[3 * figure.root + 2]]
    const turn = (one) => one.figure.heading(one.pose)
    const off = (a) => Math.abs(Math.atan2(Math.sin(a), Math.cos(a)))
    return {
      apart: Math.max(...all.map((one) => Math.hypot(at(one)[0] - at(first)[0], at(one)[1] - at(first)[1]))),
      turned: Math.max(...all.map((one) => off(turn(one) - turn(first)))),
    }
  })
}

/** So often that the server forgets what this page has found. */
async function othersSearch(page) {
  await page.evaluate(async () => {
    const [{ shown }] = window.mareyViewer.characters
    const query = { clip: shown.clip.id, start: 400, end: 500 }
    const headers = { 'Content-Type': 'application/json' }
    const body = JSON.stringify({ query, threshold: 1, tiers: 1 })
    for (let n = 0; n < 9; n++) await fetch('/api/do/search', { method: 'POST', headers, body })
  })
}

const letChoose = (page) => panel(page).getByRole('button', { name: 'Let the query choose' })

async function setField(page, name, value) {
  const field = panel(page).getByRole('spinbutton', { name })
  await field.fill(String(value))
  await field.press('Enter')
}

export async function one_kick_finds_the_others(given) {
  await inStudio(given, { fill: fillWithKicks, colorScheme: 'dark' }, async (page) => {
    await begin(page)
    await matches(page).first().waitFor()
    await settled(page)
    await untilCommand(page, /^marey search \S+ 'kicks#122-252' --limit 200$/)
    await panel(page).getByText('chosen by the query').waitFor()
    await panel(page).getByText(/^24\.\d cm/).waitFor()
    await until('other kicks are found', async () => (await matches(page).count()) > 2)
    await until('strips are drawn', async () => (await panel(page).locator('.match-film .figure').count()) >= 14)
    const all = await matches(page).count()
    await setThreshold(page, 0.1)
    await until('fewer are found', async () => (await matches(page).count()) < all)
    assert.ok((await matches(page).count()) > 1)
    await untilCommand(page, / --threshold 1[45](\.\d+)? --limit 200$/)
    await setThreshold(page, 0.01)
    await panel(page).getByText('Nothing is that much like it.').waitFor()
    assert.equal(await matches(page).count(), 1)
    await letChoose(page).click()
    await untilEqual('all again', () => matches(page).count(), all)
    await threshold(page).press('ArrowRight')
    await untilCommand(page, / --threshold [56]\d\d(\.\d+)? --limit 200$/)
    await page.screenshot({ path: join(given.shots, '41-search.png') })
    await noViolation(page, 'matches as strips')
    // The query follows the segment.
    await page.getByRole('slider', { name: 'Segment end' }).press('ArrowLeft')
    await untilCommand(page, /^marey search \S+ 'kicks#122-251' /)
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    await card(page, 'kicks').waitFor()
    await untilEqual('one body', () => bodies(page), 1)
  })
}

const verdict = (page, words) => panel(page).getByRole('list', { name: 'Matches' }).getByRole('button', { name: words })

export async function what_is_meant_and_what_is_not_ranks_matches_anew(given) {
  await inStudio(given, { fill: fillWithKicks, colorScheme: 'light' }, async (page, studio) => {
    await begin(page)
    await settled(page)
    const found = await matches(page).count()
    await verdict(page, /^Not small_fight, frames 15\d–27\d$/).click()
    await untilCommand(page, / --unlike 'small_fight#15\d-27\d' --limit 200$/)
    await settled(page)
    assert.ok((await matches(page).count()) < found)
    await panel(page).getByText('chosen by the query and what is not meant').waitFor()
    const said = panel(page).getByRole('group', { name: 'What you said of matches' })
    await said.getByRole('button', { name: /^small_fight .* is not meant; take it back$/ }).click()
    await untilEqual('all again', () => matches(page).count(), found)
    // What is farther than the query's own threshold is liked there, and what is like it comes with it.
    await setThreshold(page, 0.95)
    await verdict(page, /^More like mixed_fight, frames 21\d\d–22\d\d$/).click()
    await letChoose(page).click()
    await settled(page)
    await verdict(page, /^Not small_fight, frames 15\d–27\d$/).click()
    const command = await untilCommand(page, / --like 'mixed_fight#21\d\d-22\d\d' --unlike 'small_fight#15\d-27\d' --limit 200$/)
    const { stdout } = await runLine(studio, `${command} --json`, studio.twin)
    const there = JSON.parse(stdout).matches
    await untilEqual('what the program finds', () => matches(page).count(), there.length)
    assert.ok(there[1].distance === 0 && !there.some(({ clip, start }) => clip === 'small_fight' && start > 140 && start < 170))
    assert.equal(await panel(page).locator('.match-like[aria-pressed="true"]').count(), 1)
    await matches(page).nth(2).click()
    await panel(page).getByRole('region', { name: 'The chosen match' }).waitFor()
    await page.screenshot({ path: join(given.shots, '45-search-said.png') })
    await noViolation(page, 'what was said of matches')
    await said.getByRole('button', { name: /^small_fight .* is not meant; take it back$/ }).click()
    await untilCommand(page, / --like 'mixed_fight#21\d\d-22\d\d' --limit 200$/)
    await said.getByRole('button', { name: 'Take all back' }).click()
    await untilCommand(page, /'kicks#122-252' --limit 200$/)
    await untilEqual('as before', () => matches(page).count(), found)
  })
}

export async function a_search_takes_the_nearest_bodies_as_they_are_or_webs(given) {
  await inStudio(given, { fill: fillWithKicks }, async (page, studio) => {
    await begin(page)
    await settled(page)
    await panel(page).getByRole('button', { name: 'More settings' }).click()
    await setField(page, 'Nearest', 7)
    await untilCommand(page, / --nearest 7 --limit 200$/)
    await untilEqual('so many', () => matches(page).count(), 8)
    await panel(page).getByText('as far as the nearest 7 take').waitFor()
    await panel(page).getByRole('checkbox', { name: 'Own size' }).check()
    await untilCommand(page, / --nearest 7 --own-size --limit 200$/)
    await setThreshold(page, 0.5)
    const command = await untilCommand(page, / --threshold \S+ --own-size --limit 200$/)
    const { stdout } = await runLine(studio, `${command} --json`, studio.twin)
    await untilEqual('what the program finds', () => matches(page).count(), JSON.parse(stdout).matches.length)
    assert.equal(await panel(page).getByRole('checkbox', { name: 'By match webs' }).count(), 0)
    await noViolation(page, 'all settings')
    // It is there as soon as there are webs, and no longer when they are gone.
    await studio.marey('index', studio.library, '--fps', '30')
    await panel(page).getByRole('checkbox', { name: 'By match webs' }).check()
    await untilCommand(page, / --web --tiers 1 --limit 200$/)
    await studio.marey('index', studio.library, '--drop')
    await untilCommand(page, / --own-size --limit 200$/)
  })
}

export async function what_is_done_with_the_other_side_is_marked_and_mirrored_back(given) {
  await inStudio(given, { fill: fillWithKicks }, async (page, studio) => {
    const blend = panel(page).getByRole('button', { name: 'Blend' })
    await begin(page)
    await settled(page)
    const before = await matches(page).count()
    await panel(page).getByRole('button', { name: 'More settings' }).click()
    await panel(page).getByRole('checkbox', { name: 'Both sides' }).check()
    const command = await untilCommand(page, / --mirror --limit 200$/)
    const found = JSON.parse((await runLine(studio, `${command} --json`, studio.twin)).stdout).matches
    await untilEqual('what the program finds', () => matches(page).count(), found.length)
    assert.ok(found.length > before)
    const marked = matches(page).filter({ hasText: 'mirrored' })
    assert.equal(await marked.count(), found.filter(({ mirrored }) => mirrored).length)
    await noViolation(page, 'both sides')
    assert.ok(await blend.isDisabled())
    await marked.first().click()
    await panel(page).getByRole('img', { name: /^Cost over time: \d/ }).waitFor()
    await page.screenshot({ path: join(given.shots, '41-search-both-sides.png') })
    // With the query alone it becomes two clips, both kicks with the same foot.
    const first = found.findIndex(({ mirrored }) => mirrored)
    await panel(page).getByRole('button', { name: 'None' }).click()
    await ticks(page).first().check()
    await ticks(page).nth(first).check()
    await panel(page).getByLabel('Name').fill('side')
    await panel(page).getByRole('button', { name: 'Cut into clips' }).click()
    await untilCommand(page, / side-1 && marey cut .* side-2 --mirror$/)
    const again = await studio.marey('search', studio.library, 'side-1', '--in', 'side-2')
    assert.deepEqual(again.matches.map(({ clip }) => clip), ['side-1', 'side-2'])
    await ticks(page).nth(first).uncheck()
    await ticks(page).nth(found.findIndex(({ mirrored }, i) => i > 0 && !mirrored)).check()
    await until('both are of one side', () => blend.isEnabled())
  })
}

export async function webs_are_searched_and_made_for_clips_that_came(given) {
  await inStudio(given, { fill: fillWithWebs }, async (page) => {
    await begin(page)
    await settled(page)
    await panel(page).getByRole('button', { name: 'More settings' }).click()
    await panel(page).getByRole('checkbox', { name: 'By match webs' }).check()
    await untilCommand(page, / --web --tiers 1 --limit 200$/)
    await settled(page)
    await untilEqual('the usual threshold', () => panel(page).locator('output').textContent(), '8.0 cm 64 cm²')
    await setThreshold(page, 0.32)
    await setField(page, 'Tiers', 5)
    await untilCommand(page, / --threshold 102\.4 --web --tiers 5 --limit 200$/)
    await settled(page)
    await matches(page).nth(1).click()
    await panel(page).getByText('threshold', { exact: true }).waitFor()
    const found = await matches(page).count()
    await panel(page).getByLabel('Name').fill('kick')
    await panel(page).getByRole('button', { name: 'Cut into clips' }).click()
    await page.getByText(`Cut into ${found} clips`).waitFor()
    const hint = panel(page).getByText(/came since and are not found yet/)
    await hint.waitFor()
    await page.screenshot({ path: join(given.shots, '40-search-webs.png') })
    await noViolation(page, 'webs that are behind')
    await panel(page).getByRole('button', { name: 'Index them' }).click()
    await untilCommand(page, /^marey index \S+lib\.marey/)
    await hint.waitFor({ state: 'detached' })
  })
}

export async function a_match_shows_its_alignment_and_is_cut_with_the_others(given) {
  await inStudio(given, { fill: fillWithKicks, colorScheme: 'light' }, async (page, studio) => {
    await begin(page)
    await matches(page).nth(2).waitFor()
    await settled(page)
    await matches(page).nth(1).click()
    const closer = panel(page).getByRole('region', { name: 'The chosen match' })
    const grid = closer.getByRole('img', { name: /^Time alignment of/ })
    await grid.waitFor()
    await until('the grid is drawn', async () => (await colours(grid)) > 30)
    await closer.getByRole('img', { name: /^Cost over time: \d/ }).waitFor()
    await untilEqual('the query and the match', () => bodies(page), 2)
    await page.screenshot({ path: join(given.shots, '42-search-match.png') })
    await noViolation(page, 'a chosen match')
    await othersSearch(page)
    await matches(page).nth(2).click()
    await closer.getByRole('img', { name: /^Time alignment of kicks, across/ }).waitFor()
    // That the server had forgotten is no failure; the search was made again.
    assert.ok(page.complaints.length > 0 && page.complaints.every((each) => /\b404\b.*\/edges\/\d+$/.test(each)))
    page.complaints.length = 0
    const found = await matches(page).count()
    await panel(page).getByLabel('Name').fill('kick')
    await panel(page).getByRole('button', { name: 'Cut into clips' }).click()
    await page.getByText(`Cut into ${found} clips`).waitFor()
    await twinAgrees(page, studio, / search .* --cut kick$/)
    await ticks(page).nth(1).uncheck()
    await panel(page).getByLabel('Name').fill('good')
    await panel(page).getByLabel('Labels').fill('picked, front')
    await panel(page).getByRole('button', { name: 'Cut into clips' }).click()
    await page.getByText(`Cut into ${found - 1} clips`).waitFor()
    await twinAgrees(page, studio, /^marey cut .* good-1 .* --label picked --label front$/)
    await page.getByRole('button', { name: 'Show them' }).last().click()
    await card(page, 'good-1').waitFor()
    await untilCount(page, `${3 + found + found - 1} clips`)
    assert.ok((await cardNames(page)).includes('good-2'))
    assert.deepEqual((await account(studio, studio.library)).clips.find(({ name }) => name === 'good-1').labels.includes('picked'), true)
  })
}

/** Half a number is typed when other matches arrive, as somebody who drags the threshold has them; it counts with Enter. */
async function typedStays(page) {
  await panel(page).getByRole('button', { name: 'More settings' }).click()
  const most = panel(page).getByRole('spinbutton', { name: 'At most' })
  const said = await findings(page).textContent()
  await most.focus()
  await page.keyboard.press('Control+a')
  await page.keyboard.type('15')
  await threshold(page).evaluate((slider) => {
    slider.value = String(Math.round(0.9 * Number(slider.max)))
    slider.dispatchEvent(new Event('input', { bubbles: true }))
  })
  await until('other matches are there', async () => (await findings(page).textContent()) !== said)
  await settled(page)
  assert.equal(await most.inputValue(), '15')
  await page.keyboard.type('0')
  await page.keyboard.press('Enter')
  await untilCommand(page, / --limit 150$/)
  await page.keyboard.press('Control+a')
  await page.keyboard.type('99999')
  await page.keyboard.press('Tab')
  await untilEqual('what cannot be', () => most.inputValue(), '150')
  await letChoose(page).click()
  await settled(page)
  await panel(page).getByRole('button', { name: 'More settings' }).click()
}

export async function matches_play_together_in_a_grid_and_as_a_graph(given) {
  await inStudio(given, { fill: fillWithKicks, colorScheme: 'dark' }, async (page) => {
    await begin(page)
    await matches(page).nth(2).waitFor()
    await settled(page)
    await typedStays(page)
    const found = await matches(page).count()
    await panel(page).getByRole('button', { name: 'Together' }).click()
    await untilEqual('all bodies', () => bodies(page), found)
    await loaded(page)
    await button(page, 'Pause').click()
    await page.evaluate(() => document.activeElement?.blur())
    await page.keyboard.press('Home')
    await until('they stand in one place', async () => {
      const seen = await gathering(page)
      return (seen.apart < 25 && seen.turned < 0.6) || seen
    })
    await goTo(page, 187)
    await until('they kick at once', async () => {
      const heights = await feet(page)
      return heights.every((each) => each > 45) || heights
    })
    await ticks(page).nth(1).uncheck()
    await untilEqual('one less', () => bodies(page), found - 1)
    await panel(page).getByRole('button', { name: 'Grid' }).click()
    await viewer(page).getByRole('list', { name: 'Clips in the view' }).waitFor()
    await untilEqual('a name each', () => viewer(page).getByRole('listitem').count(), found - 1)
    await page.screenshot({ path: join(given.shots, '43-search-grid.png') })
    await noViolation(page, 'matches in small views')
    await panel(page).getByRole('button', { name: 'Graph', exact: true }).click()
    const graph = panel(page).getByRole('group', { name: /^Match graph/ })
    const nodes = graph.getByRole('button')
    await untilEqual('a node each', () => nodes.count(), found)
    await nodes.first().focus()
    await page.keyboard.press('ArrowUp')
    await until('another node has the focus', () =>
      page.evaluate(() => Number(document.activeElement?.getAttribute('data-node')) > 0))
    await page.keyboard.press('Enter')
    await panel(page).getByRole('region', { name: 'The chosen match' }).waitFor()
    await untilEqual('it is pressed', () => graph.locator('[aria-pressed="true"]').count(), 1)
    await page.screenshot({ path: join(given.shots, '44-search-graph.png') })
    await noViolation(page, 'the match graph')
  })
}

/** The demo, and a twin. */
async function fillWithAll(studio) {
  copyFileSync(join(await demo(studio.program), 'demo.marey'), studio.library)
  studio.twin = join(studio.folder, 'twin.marey')
  copyFileSync(studio.library, studio.twin)
}

export async function three_clicks_lead_from_one_kick_to_a_walk_with_kicks(given) {
  await inStudio(given, { fill: fillWithAll }, async (page, studio) => {
    await untilCount(page, '30 clips')
    await searchClips(page, 'kicks', '1 of 30 clips')
    await open(page, 'kicks')
    await mark(page, kick.frames, kick.start, kick.end - 1)
    await timeline(page).getByRole('button', { name: 'Find more' }).click()
    await matches(page).nth(2).waitFor()
    await settled(page)
    const found = await matches(page).count()
    assert.equal(await panel(page).getByRole('combobox', { name: 'Action' }).inputValue(), 'kick', 'the label of its clip')
    const toGraph = panel(page).getByRole('button', { name: 'Graph with this action' })
    assert.ok(await toGraph.isDisabled(), 'no frames have it yet')
    await noViolation(page, 'a search whose matches become an action')

    await panel(page).getByRole('button', { name: `Label all ${found}` }).click()
    await twinAgrees(page, studio, / search \S+ 'kicks#122-252' .*--label-matches kick$/)
    const { clips: all } = await studio.marey('ls', studio.library, '--long')
    const having = all.filter(({ stretches }) => stretches.some(({ label }) => label === 'kick')).map(({ name }) => name)
    assert.ok(having.length > 1 && having.length < 6, having.join())

    await toGraph.click()
    const graphs = page.getByRole('region', { name: 'Motion graphs' })
    await graphs.getByText('every action is done').waitFor()
    await untilCommand(page, /^marey graph walk \S+ kick --through kick,kick -o \S+:walk-1$/)
    await loaded(page)
    assert.equal(await graphs.getByRole('combobox', { name: 'Graph' }).inputValue(), 'kick')
    const { parts, actions } = await studio.marey('graph', 'stats', studio.library, 'kick')
    assert.deepEqual([...new Set(parts.map(({ name }) => name))].sort(), having.sort())
    assert.deepEqual(actions, ['kick'])
    const pieces = graphs.getByRole('list', { name: 'Made of' }).getByRole('listitem')
    for (const text of await pieces.allTextContents()) assert.match(text, /^\s*kick\s/)
    await noViolation(page, 'a walk through actions')

    // Another kick, and two less.
    await graphs.getByRole('button', { name: '+ kick', exact: true }).click()
    await untilCommand(page, / --through kick,kick,kick -o /)
    const told = await frames(page)
    await graphs.getByRole('button', { name: 'Take out kick, action 3 of 3' }).click()
    await graphs.getByRole('button', { name: 'Take out kick, action 2 of 2' }).click()
    await untilCommand(page, / --through kick -o /)
    await until('the walk is shorter', async () => (await frames(page)) < told)
    const bars = timeline(page).getByRole('group', { name: 'Frames labelled kick' }).getByRole('button')
    assert.ok((await bars.count()) > 0)

    const keep = graphs.getByRole('form', { name: 'Keep' })
    await keep.getByRole('button', { name: 'Keep as clip' }).click()
    const line = await untilCommand(page, / --through kick -o \S+:walk-1$/)
    await until('it is kept', async () => (await studio.marey('ls', studio.library)).clips.some(({ name }) => name === 'walk-1'))
    await studio.marey('graph', 'build', studio.twin, 'kick', ...having)
    await runLine(studio, line, studio.twin)
    const kept = async (library) => (await studio.marey('ls', library)).clips.find(({ name }) => name === 'walk-1').frames
    assert.equal(await kept(studio.library), await kept(studio.twin))
  })
}

/** Of what is in the view. */
function frames(page) {
  return page.evaluate(() => window.mareyViewer.characters[0]?.shown.clip.frames ?? 0)
}

export async function matches_are_exported_labelled_and_blended(given) {
  await inStudio(given, { fill: fillWithKicks }, async (page, studio) => {
    await begin(page)
    await matches(page).nth(2).waitFor()
    await settled(page)
    const found = await matches(page).count()
    const files = []
    page.on('download', (each) => files.push(each.suggestedFilename()))
    await panel(page).getByLabel('Name').fill('kick')
    await panel(page).getByRole('button', { name: 'Export', exact: true }).click()
    await page.getByText(`Exported ${found} files`).waitFor()
    await untilEqual('the files', () => files.length, found)
    assert.equal(files[0], 'kick-1.bvh')
    await runLine(studio, await untilCommand(page, /^marey convert .* kick-1\.bvh && /), studio.twin)
    await panel(page).getByRole('combobox', { name: 'Action' }).fill('has kicks')
    await panel(page).getByRole('button', { name: `Label all ${found}` }).click()
    await page.getByText(`Labelled ${found} matches has kicks`).waitFor()
    await twinAgrees(page, studio, / search \S+ .* --label-matches 'has kicks'$/)
    const labelled = (await studio.marey('ls', studio.library, '--label', 'has kicks')).clips
    assert.equal(labelled.flatMap(({ stretches }) => stretches).length, found)
    await panel(page).getByRole('combobox', { name: 'In' }).selectOption('has kicks')
    await untilCommand(page, / --label 'has kicks' /)
    for (let n = await ticks(page).count(); n > 3; n--) await ticks(page).nth(n - 1).uncheck()
    await panel(page).getByRole('button', { name: 'Blend' }).click()
    const blend = page.getByRole('region', { name: 'Blend' })
    await blend.locator('dl.making-figures').waitFor()
    await untilEqual('its parts', () => blend.locator('.blend-name').count(), 3)
    await untilCommand(page, / blend -L \S+ 'kicks#122-252' '\w+#\d+-\d+' /)
  })
}
