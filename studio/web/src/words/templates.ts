// templates.ts - phrases in templates: html`<p title="All of it">Frame ${i} of ${n}</p>` has "All of it" and "Frame {0} of {1}".
// What stands between two tags is one phrase with its values, so that a catalogue may put these in another order.
import type { Catalogue } from './words'

/** A piece of a template: text as it is, or the number of a value. */
type Piece = string | number

interface Phrase {
  /** As a catalogue has it; '': nothing to say. */
  key: string
  /** Its own values, in the order of the key: {0} is the first. */
  values: number[]
  /** As the template has it. */
  pieces: Piece[]
  /** What stands around it. */
  before: string
  after: string
}

/** Attributes that are read or heard. */
const read = /^(title|placeholder|alt|about|aria-(label|roledescription|valuetext|description))$/
/** What parts of the page are called by; that of an icon, or of an element, is not read. */
const isName = (text: string) => /^[A-Z]| /.test(text)

/** White space as htm has it: none at ends with a line break, else one blank. */
function tidied(text: string): string {
  return text.replace(/^\s*\n\s*|\s*\n\s*$/g, '').replace(/\s+/g, ' ')
}

function phraseOf(pieces: Piece[], isText: boolean): Phrase {
  const values: number[] = []
  const whole = pieces
    .map((piece) => (typeof piece === 'number' ? `{${values.push(piece) - 1}}` : isText ? tidied(piece) : piece))
    .join('')
  const key = whole.trim()
  const said = /\p{L}/u.test(key.replace(/\{\d+\}/g, '')) ? key : ''
  const [before, after] = whole.split(key || whole, 2)
  return { key: said, values, pieces, before: before ?? '', after: after ?? '' }
}

/** A template in its order: pieces that are no words, and phrases. */
export function readTemplate(strings: readonly string[]): (Piece | Phrase)[] {
  const out: (Piece | Phrase)[] = []
  let run: Piece[] = []
  let raw = ''
  /** 'text', or where in a tag: at its name, between attributes, or in the value of one. */
  let place: 'text' | 'tag' | 'between' | 'quoted' = 'text'
  let isPart = false
  let attribute = ''

  const endRaw = () => {
    if (raw) out.push(raw)
    raw = ''
  }
  const add = (char: string) => {
    if (typeof run[run.length - 1] === 'string') run[run.length - 1] += char
    else run.push(char)
  }
  const endRun = (isText: boolean) => {
    const whole = run.length === 1 && typeof run[0] === 'string' ? run[0] : ''
    const isRead = isText || read.test(attribute) || (attribute === 'name' && isPart && isName(whole))
    endRaw()
    if (isRead) out.push(phraseOf(run, isText))
    else out.push(...run)
    run = []
  }

  strings.forEach((string, i) => {
    if (i > 0) {
      if (place === 'text' || place === 'quoted') run.push(i - 1)
      else {
        isPart ||= place === 'tag'
        endRaw()
        out.push(i - 1)
      }
      if (place === 'tag') place = 'between'
    }
    for (const char of string) {
      if (place === 'text') {
        if (char !== '<') add(char)
        else {
          endRun(true)
          place = 'tag'
          isPart = false
          raw = char
        }
        continue
      }
      if (place === 'quoted') {
        if (char !== '"') add(char)
        else {
          endRun(false)
          place = 'between'
          raw = char
        }
        continue
      }
      if (char === '"') {
        attribute = /([\w-]+)=$/.exec(raw)?.[1] ?? ''
        place = 'quoted'
      } else if (char === '>') place = 'text'
      else if (/\s/.test(char)) place = 'between'
      raw += char
    }
  })
  if (place === 'text') endRun(true)
  endRaw()
  return out
}

/** The phrases of a template, as a catalogue has them. */
export function phrasesOf(strings: readonly string[]): string[] {
  return readTemplate(strings).flatMap((each) => (typeof each === 'object' && each.key ? [each.key] : []))
}

export interface Translated {
  strings: readonly string[]
  /** Of each value of these: which of the template's it is. */
  order: readonly number[]
}

/** The template in the words of a catalogue. */
export function translate(strings: readonly string[], words: Catalogue): Translated {
  const out = ['']
  const order: number[] = []
  const put = (piece: Piece) => {
    if (typeof piece === 'string') out[out.length - 1] += piece
    else {
      order.push(piece)
      out.push('')
    }
  }
  for (const each of readTemplate(strings)) {
    const said = typeof each === 'object' && each.key ? words[each.key] : undefined
    if (typeof each !== 'object') put(each)
    else if (said === undefined) each.pieces.forEach(put)
    else {
      put(each.before)
      said.split(/\{(\d+)\}/).forEach((part, i) => put(i % 2 ? each.values[Number(part)]! : part))
      put(each.after)
    }
  }
  return { strings: out, order }
}
