// words.mjs - checks the page's words: node words.mjs says which phrases each catalogue of src/words lacks or has for nothing,
// and which texts of the code are no phrases yet. With --write it adds what is missing, empty, and takes out the rest.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { load } from './tests/bundle.mjs'

const here = dirname(fileURLToPath(import.meta.url))
const src = join(here, 'src')
const { phrasesOf } = await load('words/templates')

const files = readdirSync(src, { recursive: true }).map(String).filter((name) => name.endsWith('.ts') && !name.startsWith('words/')).sort()
/** Where each phrase was seen first. */
const phrases = new Map()
const unmarked = []

/** The texts of a template between its values; of a plain text, itself. */
function stringsOf(node) {
  if (ts.isTemplateExpression(node)) return [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)]
  return [node.text]
}

const isText = (node) => ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node) || ts.isTemplateExpression(node)

/** All texts that an expression may be: "a ? 'x' : 'y'". */
function choicesOf(node) {
  if (isText(node)) return [node]
  if (ts.isParenthesizedExpression(node)) return choicesOf(node.expression)
  if (ts.isConditionalExpression(node)) return [...choicesOf(node.whenTrue), ...choicesOf(node.whenFalse)]
  return []
}

/** Attributes whose values are read by the program alone. */
const unread = /(^|[^\w-])(class|kind|icon|style|id|for|d|viewBox|transform|type|role|points|href|src|key|value|aria-(hidden|controls|labelledby|describedby|current|live|checked|pressed|selected|keyshortcuts))="?[^"]*$/
/** Functions whose texts are names of things in the program. */
const internal = /^(querySelector(All)?|closest|matches|getElementById|addEventListener|removeEventListener|setAttribute|getAttribute|removeAttribute|toggleAttribute|getItem|setItem|createElement(NS)?|getContext|operate|act|actInto|lineOf|post|get|includes|startsWith|endsWith|has|split|join|padStart|replace|replaceAll|matchMedia|keep|noteSetting|setting|remember|leaveField|dragging|add|remove|toggle|contains|setProperty|getPropertyValue|translateOf|RegExp|require)$/

/** Keys, commands, fonts, shaders, classes. */
const noWords = [
  /^(Home|End|Delete|Escape|Enter|Backspace|Insert|PageUp|PageDown|Space|Esc)$/,
  /^(Ctrl|Alt|Insert|PgDn|← → ↑ ↓)( (Delete|PgUp|PgDn|Q|E|W|Shift|[A-Z+−←→↑↓]))+$/,
  /^(graph|puppet|cluster|param) [a-z]+$/,
  /^echo /,
  /\dpx |px \{|^600 /,
  /\bvoid main\b|\battribute vec|\bvarying\b|\buniform\b|\bgl_/,
  /^(icon|button)[- ]/,
]

/** Words that a person would read: two of them, or one as a sentence begins. */
function readsAsWords(strings) {
  const text = strings.join('{}')
  if (noWords.some((one) => one.test(text))) return false
  return /\p{L}{2,}(,|:|;|\.|…|\?)? (\{\}|\p{L}+)/u.test(text) || /^[A-Z][a-z]+(…|\.| |\{|:|$)/.test(text)
}

function isInternal(node) {
  let child = node
  for (let at = node.parent; at; child = at, at = at.parent) {
    if (ts.isImportDeclaration(at) || ts.isExportDeclaration(at) || ts.isTypeNode(at) || ts.isCaseClause(at)) return true
    if (ts.isElementAccessExpression(at) && at.argumentExpression === child) return true
    if (ts.isPropertyAssignment(at) && at.name === child) return true
    if (ts.isBinaryExpression(at) && /^(=|!)==?$/.test(at.operatorToken.getText())) return true
    if (ts.isCallExpression(at) && at.expression !== child) {
      const name = at.expression.name?.text ?? at.expression.text ?? ''
      if (internal.test(name)) return true
    }
    if (ts.isTemplateSpan(at) && ts.isTaggedTemplateExpression(at.parent.parent)) {
      const { head, templateSpans } = at.parent
      const i = templateSpans.indexOf(at)
      const before = i > 0 ? templateSpans[i - 1].literal.text : head.text
      return unread.test(before.slice(Math.max(0, before.lastIndexOf('>'))))
    }
    if (ts.isStatement(at) || ts.isFunctionLike(at)) return false
  }
  return false
}

for (const file of files) {
  const source = ts.createSourceFile(file, readFileSync(join(src, file), 'utf8'), ts.ScriptTarget.ES2022, true)
  const note = (phrase) => phrase && !phrases.has(phrase) && phrases.set(phrase, file)
  const said = new Set()
  const mark = (node) => {
    said.add(node)
    note(stringsOf(node).reduce((all, part, i) => `${all}{${i - 1}}${part}`))
  }
  const visit = (node) => {
    if (ts.isTaggedTemplateExpression(node)) {
      const tag = node.tag.getText()
      said.add(node.template)
      if (tag === 'html') phrasesOf(stringsOf(node.template)).forEach(note)
      if (tag === 't') mark(node.template)
    } else if (ts.isCallExpression(node)) {
      const name = node.expression.getText()
      if (name === 't' && node.arguments[0]) choicesOf(node.arguments[0]).forEach(mark)
      if (name === 'plural') {
        const [, what, several] = node.arguments
        mark(what)
        if (several) mark(several)
        else note(`${what.text}s`)
      }
    } else if (isText(node) && !said.has(node) && readsAsWords(stringsOf(node)) && !isInternal(node)) {
      const { line } = source.getLineAndCharacterOfPosition(node.getStart())
      unmarked.push(`${file}:${line + 1}: ${node.getText()}`)
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
}

const holesOf = (phrase) => (phrase.match(/\{\d+\}/g) ?? []).sort().join()
const faults = []
for (const name of readdirSync(join(src, 'words')).filter((each) => each.endsWith('.json')).sort()) {
  const path = join(src, 'words', name)
  const words = JSON.parse(readFileSync(path, 'utf8'))
  if (process.argv.includes('--write')) {
    const rows = [...phrases.keys()].sort().map((phrase) => [phrase, words[phrase] ?? ''])
    writeFileSync(path, `${JSON.stringify(Object.fromEntries(rows), null, 1)}\n`)
    continue
  }
  for (const [phrase, file] of phrases) if (!words[phrase]) faults.push(`${name} lacks ${JSON.stringify(phrase)} (${file})`)
  for (const [phrase, said] of Object.entries(words)) {
    if (!phrases.has(phrase)) faults.push(`${name}: nothing says ${JSON.stringify(phrase)}`)
    else if (said && holesOf(said) !== holesOf(phrase)) faults.push(`${name}: other values than ${JSON.stringify(phrase)}`)
    else if (/[<>"]/.test(said)) faults.push(`${name}: < > " in what is said for ${JSON.stringify(phrase)}`)
  }
}
faults.push(...unmarked.map((one) => `no phrase: ${one}`))
for (const fault of faults) console.error(fault)
console.log(`${phrases.size} phrases in ${files.length} files of ${relative('.', src) || '.'}, ${faults.length} faults`)
process.exit(faults.length ? 1 : 0)
