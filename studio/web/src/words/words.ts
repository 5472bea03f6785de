// words.ts - the page's words. The code says every phrase in English, where it is used; a catalogue (de.json) has the same
// phrases in another language, and nothing else of the page knows which one is shown.
//
//   t('Find more')                        a phrase
//   t`Saved as ${name}`                   one with values: "Saved as {0}" in the catalogue, which may put them elsewhere
//   html`<p title="All of it">Frame ${i} of ${n}</p>`   phrases between tags, and of what is read out, by themselves (html.ts)
//
// `node words.mjs` says which phrases a catalogue lacks. Names that people gave, commands, and what the library itself says
// (errors, titles of steps, what its methods are about) stay as they are.

/** English phrases, and what they are. {0} {1} .. are values. */
export type Catalogue = Readonly<Record<string, string>>

/** Where the server has the catalogues, or they themselves in a page without a server: build.mjs and build_player.mjs write
 *  that. */
declare const CATALOGUES: Readonly<Record<string, string | Catalogue>> | undefined

export const languages = { en: 'English', de: 'Deutsch' } as const
export type Language = keyof typeof languages

const languageKey = 'marey-language'

function isLanguage(text: string | null | undefined): text is Language {
  return text != null && Object.hasOwn(languages, text)
}

/** What was chosen here, or else what the browser asks for. */
function wanted(): Language {
  try {
    const chosen = localStorage.getItem(languageKey)
    if (isLanguage(chosen)) return chosen
  } catch {
    // Nothing is kept here; then it is as the browser asks.
  }
  const asked = typeof document === 'undefined' ? 'en' : navigator.language.slice(0, 2)
  return isLanguage(asked) ? asked : 'en'
}

/** Null where it could not be had: then the page is in English. */
async function fetchCatalogue(language: Language): Promise<Catalogue | null> {
  const address = typeof CATALOGUES === 'undefined' ? undefined : CATALOGUES[language]
  if (typeof address !== 'string') return address ?? null
  try {
    const answer = await fetch(address)
    return answer.ok ? ((await answer.json()) as Catalogue) : null
  } catch {
    return null
  }
}

// Before any other part of the page runs: they say their words when they are loaded.
export const catalogue: Catalogue | null = await fetchCatalogue(wanted())
export const language: Language = catalogue ? wanted() : 'en'
if (typeof document !== 'undefined') document.documentElement.lang = language

/** The page comes again in that language. */
export function setLanguage(next: Language): void {
  try {
    localStorage.setItem(languageKey, next)
  } catch {
    return
  }
  location.reload()
}

/** A phrase in the language of the page. */
export function t(phrase: string | TemplateStringsArray, ...values: unknown[]): string {
  if (typeof phrase === 'string') return catalogue?.[phrase] ?? phrase
  const said = catalogue?.[phrase.reduce((all, part, i) => `${all}{${i - 1}}${part}`)]
  if (said === undefined) return phrase.reduce((all, part, i) => `${all}${String(values[i - 1])}${part}`)
  return said.replace(/\{(\d+)\}/g, (_, i) => String(values[Number(i)]))
}

/** "1 clip", "3 clips" */
export function plural(count: number, what: string, several = `${what}s`): string {
  return `${count} ${t(count === 1 ? what : several)}`
}
