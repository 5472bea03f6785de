// test_player.mjs - the player: clips in a page of their own, without server and network, by themselves and in a frame of another
// page that lets them do nothing but run.
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { inStudio, noViolation, until, untilEqual } from './steps.mjs'
import { openPage } from './studio.mjs'

const mark = '<!-- marey:clips -->'

/** What the studio knows of some clips of the demo, with their frames. */
async function clipsOf(given, names) {
  let clips = []
  await inStudio(given, {}, async (page) => {
    clips = await page.evaluate(async (wanted) => {
      const { clips: cards } = await (await fetch('/api/clips')).json()
      const taken = wanted.map(async (name) => {
        const { id } = cards.find((card) => card.name === name)
        const clip = await (await fetch(`/api/clips/${id}`)).json()
        const answer = await fetch(`/api/clips/${id}/frames?start=0&end=${clip.frames}`)
        const bytes = new Uint8Array(await answer.arrayBuffer())
        let text = ''
        for (let i = 0; i < bytes.length; i += 4096) text += String.fromCharCode(...bytes.subarray(i, i + 4096))
        return { ...clip, data: btoa(text) }
      })
      return Promise.all(taken)
    }, names)
  })
  return clips
}

function filled(program, content) {
  const template = readFileSync(join(dirname(program), 'studio/player.html'), 'utf8')
  assert.equal(template.split(mark).length, 2, 'there is one place for the clips')
  return template.replace(mark, () => JSON.stringify(content).replaceAll('<', '\\u003c'))
}

/** Opens a text as a page of a file, with the network cut; sees that nothing complains and nothing is asked for. */
async function inFile({ browser, shots, name }, html, options, work) {
  const folder = mkdtempSync(join(tmpdir(), 'marey-player-'))
  const file = join(folder, 'clip.html')
  writeFileSync(file, html)
  const page = await openPage(browser, 'about:blank', { offline: true, viewport: { width: 640, height: 400 }, ...options })
  try {
    page.setDefaultTimeout(60000)
    const requests = []
    page.on('request', (request) => requests.push(request.url()))
    const address = pathToFileURL(file).href
    await page.goto(address)
    await work(page)
    assert.deepEqual(requests, [address])
    assert.deepEqual(page.complaints, [])
  } catch (error) {
    await page.screenshot({ path: join(shots, `failed-${name}.png`) }).catch(() => {})
    throw error
  } finally {
    await page.context().close()
    rmSync(folder, { recursive: true, force: true })
  }
}

const canvas = (at) => at.getByRole('img', { name: /^3D view of/ })
const scrubber = (at) => at.getByRole('slider', { name: 'Time' })
const frame = async (at) => Number(await scrubber(at).inputValue())
const press = (at, name) => at.getByRole('button', { name, exact: true }).click()

/** Plays, pauses and scrubs, and what is drawn goes along. `at` is the page or a frame in it. */
async function playsAndScrubs(at) {
  await canvas(at).waitFor()
  await until('it plays', async () => (await frame(at)) > 0)
  await press(at, 'Pause')
  const seen = async (wanted) => {
    await scrubber(at).fill(String(wanted))
    assert.equal(await frame(at), wanted)
    await settled(at)
    return canvas(at).screenshot()
  }
  const [one, other, again] = [await seen(10), await seen(90), await seen(90)]
  assert.notDeepEqual(one, other, 'another moment is another picture')
  assert.deepEqual(other, again, 'the same moment is the same picture')
  await press(at, 'Play')
  await until('it goes on', async () => (await frame(at)) !== 90)
  await at.getByRole('combobox', { name: 'Speed' }).selectOption('0.5')
  await press(at, 'Pause')
}

/** The camera is where it goes to, and what was asked for is drawn. */
async function settled(at) {
  const where = () =>
    canvas(at).evaluate(async () => {
      for (let i = 0; i < 3; i++) await new Promise(requestAnimationFrame)
      return String(window.mareyViewer.rig.camera.position.toArray())
    })
  let last = ''
  await until('the camera rests', async () => {
    const before = last
    last = await where()
    return last === before
  })
}

export async function the_player_plays_a_clip_from_a_file_without_a_network(given) {
  const [clip] = await clipsOf(given, ['jumps'])
  const clips = [{ ...clip, name: 'Sprünge', description: 'auf der Stelle' }]
  await inFile(given, filled(given.program, { clips }), { colorScheme: 'dark' }, async (page) => {
    await playsAndScrubs(page)
    assert.equal(await page.title(), 'Sprünge')
    await page.getByText('Sprünge · auf der Stelle').waitFor()
    await noViolation(page, 'the player, dark')
    await page.screenshot({ path: join(given.shots, '90-player-dark.png') })
    await page.emulateMedia({ colorScheme: 'light' })
    await untilEqual('it is light', () => page.evaluate(() => document.documentElement.dataset.theme), 'light')
    await settled(page)
    await noViolation(page, 'the player, light')
    await page.screenshot({ path: join(given.shots, '91-player-light.png') })
    const before = await frame(page)
    await page.keyboard.press('.')
    assert.equal(await frame(page), before + 1)
    await page.keyboard.press('Space')
    await page.getByRole('button', { name: 'Pause', exact: true }).waitFor()
    await page.keyboard.press('Space')
    const still = await canvas(page).screenshot()
    await canvas(page).hover()
    await page.mouse.down()
    await page.mouse.move(420, 160, { steps: 3 })
    await page.mouse.up()
    await settled(page)
    assert.notDeepEqual(await canvas(page).screenshot(), still, 'dragging turns the view')
    await page.setViewportSize({ width: 320, height: 240 })
    await press(page, 'Reset the camera')
    await settled(page)
    await noViolation(page, 'the player, small')
    await page.screenshot({ path: join(given.shots, '92-player-small.png') })
    const over = await page.evaluate(() => {
      const { scrollWidth, scrollHeight } = document.documentElement
      return [scrollWidth - innerWidth, scrollHeight - innerHeight]
    })
    assert.deepEqual(over, [0, 0], 'it fills its frame and no more')
  })
}

export async function the_player_works_in_a_frame_that_may_only_run_scripts(given) {
  const clips = await clipsOf(given, ['jumps', 'cartwheels'])
  const player = filled(given.program, { clips, title: 'Two <clips>', options: { speed: 2 } })
  const attribute = player.replaceAll('&', '&amp;').replaceAll('"', '&quot;')
  const html = `<!doctype html><html lang="en"><title>notebook</title><main><h1>A notebook</h1>
    <iframe title="player" sandbox="allow-scripts" style="width: 600px; height: 320px; border: 0" srcdoc="${attribute}"></iframe></main>`
  await inFile(given, html, { colorScheme: 'light' }, async (page) => {
    const at = page.frameLocator('iframe')
    await playsAndScrubs(at)
    await at.getByRole('heading', { name: 'Two <clips>' }).waitFor()
    const speed = at.getByRole('combobox', { name: 'Speed' })
    assert.equal(await speed.evaluate((menu) => menu.selectedOptions[0].text.trim()), '0.5×', 'whatever the encoding of the page around')
    const listed = await at.getByRole('list', { name: 'Clips in the view' }).getByRole('listitem').allTextContents()
    assert.deepEqual(listed, clips.map(({ name, description }) => (description ? `${name} · ${description}` : name)))
    const last = Number(await scrubber(at).getAttribute('max'))
    const seconds = Math.max(...clips.map(({ frames, fps }) => (frames - 1) / fps))
    assert.ok(Math.abs(last / clips[0].fps - seconds) < 1.5 / clips[0].fps, 'the longest clip is played to its end')
    await page.screenshot({ path: join(given.shots, '93-player-two.png') })
    await at.getByRole('combobox', { name: 'Arrangement of the clips' }).selectOption('side')
    await settled(at)
    await page.screenshot({ path: join(given.shots, '94-player-side.png') })
    await page.locator('iframe').evaluate((box) => Object.assign(box.style, { width: '320px', height: '240px' }))
    await at.getByRole('combobox', { name: 'Arrangement of the clips' }).selectOption('tiles')
    await settled(at)
    await page.screenshot({ path: join(given.shots, '95-player-small-grid.png') })
    await at.getByRole('combobox', { name: 'Arrangement of the clips' }).selectOption('overlaid')
    await settled(at)
    await page.screenshot({ path: join(given.shots, '96-player-small-two.png') })
    assert.equal(await at.getByRole('button', { name: 'Full screen' }).count(), 0, 'the frame does not allow it')
  })
}

export async function the_player_waits_for_users_who_want_less_motion_and_speaks_german(given) {
  const clips = await clipsOf(given, ['jumps'])
  const options = { reducedMotion: 'reduce', locale: 'de-DE' }
  await inFile(given, filled(given.program, { clips }), options, async (page) => {
    await page.getByRole('button', { name: 'Spielen', exact: true }).waitFor()
    await page.getByRole('button', { name: 'Kamera zurücksetzen' }).waitFor()
    await page.getByRole('button', { name: 'Vollbild' }).waitFor()
    assert.equal(await page.getByRole('slider', { name: 'Zeit' }).inputValue(), '0')
    assert.equal(await page.evaluate(() => document.documentElement.lang), 'de')
  })
}

export async function a_player_with_nothing_to_show_says_why(given) {
  const template = readFileSync(join(dirname(given.program), 'studio/player.html'), 'utf8')
  await inFile(given, template, {}, async (page) => {
    assert.equal(await page.getByRole('alert').textContent(), 'There are no clips in this page.')
    await noViolation(page, 'a player without clips')
  })
  const [clip] = await clipsOf(given, ['jumps'])
  const half = { ...clip, data: clip.data.slice(0, 4000) }
  await inFile(given, filled(given.program, { clips: [half] }), {}, async (page) => {
    assert.equal(await page.getByRole('alert').textContent(), 'The frames of jumps are damaged.')
  })
  const withoutWebGl = filled(given.program, { clips: [clip] }).replace(
    '<head>',
    '<head><script>HTMLCanvasElement.prototype.getContext = () => null; console.error = () => {}</script>',
  )
  await inFile(given, withoutWebGl, {}, async (page) => {
    await page.getByRole('alert').getByText('The 3D view needs WebGL').waitFor()
    await noViolation(page, 'a player without WebGL')
  })
}
