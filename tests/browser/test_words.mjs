// test_words.mjs - the page in German: chosen by a button, remembered, and nothing of it left in English that the catalogue has
// in German.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { inStudio, noViolation } from './steps.mjs'

const here = dirname(fileURLToPath(import.meta.url))
const german = JSON.parse(readFileSync(join(here, '../../studio/web/src/words/de.json'), 'utf8'))

/** All that is read or heard on the page now. */
function textsOf(page) {
  return page.evaluate(() => {
    const texts = new Set()
    const add = (text) => text?.trim() && texts.add(text.trim().replace(/\s+/g, ' '))
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const parent = node.parentElement
      if (parent.checkVisibility() && !parent.closest('script, style, code')) add(node.data)
    }
    for (const each of document.querySelectorAll('[title], [placeholder], [aria-label]'))
      if (each.checkVisibility()) for (const name of ['title', 'placeholder', 'aria-label']) add(each.getAttribute(name))
    return [...texts]
  })
}

const clips = (count) => new RegExp(`^${count} ${german.clips}$`)

async function untilLoaded(page) {
  await page.getByRole('status').filter({ hasText: clips(30) }).first().waitFor()
}

export async function the_page_is_german_where_that_is_chosen(given) {
  await inStudio(given, { viewport: { width: 1440, height: 900 } }, async (page, studio) => {
    await page.getByRole('status').filter({ hasText: /^30 clips$/ }).first().waitFor()
    await page.getByRole('button', { name: 'DE: Deutsch' }).click()
    await untilLoaded(page)
    assert.equal(await page.evaluate(() => document.documentElement.lang), 'de')
    await page.reload()
    await untilLoaded(page)

    // Names, labels and joints are the user's own, and kinds of findings the library's.
    const own = new Set(['step', 'Hips'].concat((await studio.marey('ls', studio.library)).clips.flatMap(({ name, labels }) => [name, ...labels])))
    const same = new Set(Object.values(german))
    const left = (text) => german[text] && german[text] !== text && !own.has(text) && !same.has(text)
    const looked = []
    const look = async (where) => {
      const english = (await textsOf(page)).filter(left)
      assert.deepEqual(english, [], `${where}: still in English`)
      looked.push(where)
    }
    const named = (name) => page.getByRole('listbox', { name: german.Clips }).getByRole('option', { name: new RegExp(`^${name}`) })
    const field = page.getByRole('searchbox')
    const press = async (key, region) => {
      await page.keyboard.press(key)
      if (region) await page.getByRole('region', { name: region, exact: true }).waitFor()
    }

    await look('the library')
    await page.keyboard.press('?')
    await page.getByRole('dialog').waitFor()
    await look('the keys')
    await page.keyboard.press('Escape')
    await field.fill('walk')
    await named('walk_slow').dblclick()
    await page.getByRole('scrollbar', { name: german['Frames in view'] }).waitFor()
    await look('a clip')
    for (const [key, name] of [
      ['x', 'Doctor'],
      ['y', 'Motifs'],
      ['d', 'Sketch'],
      ['p', 'Families'],
      ['g', 'Motion graphs'],
      ['n', 'Cluster graphs'],
      ['u', 'Puppets'],
    ]) {
      await press(key, german[name])
      await look(name)
      if (name === 'Families') await page.screenshot({ path: join(given.shots, '95-german.png') })
      if (name === 'Motion graphs') await page.getByRole('combobox', { name: german.Graph, exact: true }).selectOption('standard')
      if (name === 'Motion graphs') await page.getByRole('tab').first().waitFor()
      if (name === 'Motion graphs' || name === 'Puppets')
        for (const tab of await page.getByRole('tab').all()) {
          await tab.click()
          await look(`${name}, ${await tab.textContent()}`)
        }
      await page.keyboard.press(key)
    }
    await named('walk_slow').click()
    await named('walk_fast').click({ modifiers: ['Control'] })
    for (const [key, name] of [['c', 'Compare'], ['b', 'Blend'], ['t', 'Transition'], ['h', 'Retarget']]) {
      await press(key, german[name])
      if (name === 'Retarget') await page.getByText(german['left knee'], { exact: true }).filter({ visible: true }).first().waitFor() // which comes with the bodies
      await look(name)
      await page.keyboard.press(key)
    }
    await noViolation(page, 'in German')
    assert.ok(looked.length === 20, looked.join())

    await page.getByRole('button', { name: 'EN: English' }).click()
    await page.getByRole('status').filter({ hasText: /^30 clips$/ }).first().waitFor()
    assert.equal(await page.evaluate(() => document.documentElement.lang), 'en')
  })
}
