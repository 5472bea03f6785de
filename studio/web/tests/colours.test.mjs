// colours.test.mjs - colours that tell two things apart do so for eyes without one of the three kinds of cones, too: the
// difference after Machado, Oliveira and Fernandes 2009 (severity 1), in CIE 1976 L*a*b*.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import test from 'node:test'
import { fileURLToPath } from 'node:url'
import { load } from './bundle.mjs'

const source = (path) => readFileSync(join(dirname(fileURLToPath(import.meta.url)), '../src', path), 'utf8')

/** Of linear red, green and blue. */
const eyes = {
  'all cones': [1, 0, 0, 0, 1, 0, 0, 0, 1],
  protanopia: [0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998],
  deuteranopia: [0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.01182, 0.04294, 0.968881],
  tritanopia: [1.255528, -0.076749, -0.178779, -0.078411, 0.930809, 0.147602, 0.004733, 0.691367, 0.3039],
}

/** So far apart two colours differ at a glance, also when they are not side by side. */
const leastDifference = 20

const linear = (hex) =>
  [1, 3, 5].map((at) => {
    const share = parseInt(hex.slice(at, at + 2), 16) / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })

const seenBy = (m, [r, g, b]) =>
  [0, 3, 6].map((row) => Math.min(1, Math.max(0, m[row] * r + m[row + 1] * g + m[row + 2] * b)))

/** L*, a*, b* under daylight (D65). */
function labOf([r, g, b]) {
  const x = (0.4124564 * r + 0.3575761 * g + 0.1804375 * b) / 0.95047
  const y = 0.2126729 * r + 0.7151522 * g + 0.072175 * b
  const z = (0.0193339 * r + 0.119192 * g + 0.9503041 * b) / 1.08883
  const [fx, fy, fz] = [x, y, z].map((t) => (t > 216 / 24389 ? Math.cbrt(t) : (24389 / 27 * t + 16) / 116))
  return [116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)]
}

function difference(matrix, a, b) {
  const [p, q] = [a, b].map((hex) => labOf(seenBy(matrix, linear(hex))))
  return Math.hypot(...p.map((each, i) => each - q[i]))
}

/** Every variable of these styles that is a colour; the last one said for a theme counts. */
function variables(theme, ...paths) {
  const found = {}
  for (const path of paths) {
    for (const [, selector, body] of source(path).matchAll(/([^{}]+)\{([^{}]*)\}/g)) {
      const isLight = selector.includes("data-theme='light'")
      if ((theme === 'dark' && isLight) || selector.includes('not([data-theme])')) continue
      for (const [, name, hex] of body.matchAll(/(--[\w-]+):\s*(#[0-9a-f]{6})/gi)) found[name] = hex
    }
  }
  return found
}

function tellApart(what, a, b) {
  assert.ok(a && b, what)
  for (const [eye, matrix] of Object.entries(eyes)) {
    const far = difference(matrix, a, b)
    assert.ok(far >= leastDifference, `${what}, ${eye}: ${a} and ${b} differ by ${far.toFixed(1)}`)
  }
}

const styles = ['theme.css', 'making/making.css']

for (const theme of ['dark', 'light']) {
  test(`left and right, good and bad, and the clips of a pair differ for every eye, ${theme}`, () => {
    const of = variables(theme, ...styles)
    tellApart('left and right', of['--left'], of['--right'])
    tellApart('good and bad', of['--ok'], of['--danger'])
    tellApart('accent and bad', of['--accent'], of['--danger'])
    tellApart('clip 1 and clip 2', of['--clip-1'], of['--clip-2'])
    tellApart('clip 1 and clip 3', of['--clip-1'], of['--clip-3'])
    tellApart('clip 2 and clip 3', of['--clip-2'], of['--clip-3'])
  })

  test(`what is wanted differs from examples and from characters that react, ${theme}`, () => {
    const family = variables(theme, ...styles, 'param/param.css')
    tellApart('wanted and example', family['--wanted'], family['--example'])
    const puppets = variables(theme, ...styles, 'puppets/puppets.css')
    for (const react of ['--clip-1', '--clip-2']) tellApart(`you and ${react}`, puppets['--wanted'], puppets[react])
  })
}

test('the bodies of the view have sides, times and characters that every eye tells apart', async () => {
  const { DARK, LIGHT, characterColour } = await load('viewer/palette')
  const hex = (colour) => `#${colour.getHexString()}`
  for (const [theme, palette] of Object.entries({ DARK, LIGHT })) {
    tellApart(`left and right, ${theme}`, hex(palette.left), hex(palette.right))
    tellApart(`past and future, ${theme}`, hex(palette.past), hex(palette.future))
    const [first, second, third] = [0, 1, 2].map((i) => hex(characterColour(palette, i, true)))
    tellApart(`the first and the second, ${theme}`, first, second)
    tellApart(`the first and the third, ${theme}`, first, third)
    tellApart(`the second and the third, ${theme}`, second, third)
  }
})
