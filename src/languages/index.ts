// Lists the languages, and looks up in the list by the extension of a file.
import { c, cPlusPlus } from './c/language.ts'
import { cSharp } from './c-sharp/language.ts'
import { go } from './go/language.ts'
import { java } from './java/language.ts'
import { javascript, typescript } from './javascript/language.ts'
import { kotlin } from './kotlin/language.ts'
import type { Grammar, Language, LanguageFamily } from './language.ts'
import { php } from './php/language.ts'
import { python } from './python/language.ts'
import { ruby } from './ruby/language.ts'
import { rust } from './rust/language.ts'
import { scala } from './scala/language.ts'

const list = [
  javascript,
  typescript,
  python,
  go,
  java,
  c,
  cPlusPlus,
  cSharp,
  ruby,
  php,
  rust,
  kotlin,
  scala,
] as const

/** If linguist gives an extension to several of them, the first one gets it. */
export const languages: readonly Language[] = list

export type GrammarName = (typeof list)[number]['grammars'][number]['name']

export const languageFamilies: readonly LanguageFamily[] = [
  ...new Set(languages.map(({ family }) => family)),
]

/** A language with the one of its grammars that reads a file. */
interface ParsedLanguage {
  readonly language: Language
  readonly grammar: Grammar
}

const parsedByExtension = new Map<string, ParsedLanguage>()
const checkedByExtension = new Map<string, ParsedLanguage>()
const searchedByExtension = new Map<string, ParsedLanguage>()
const languageOfGrammar = new Map<string, ParsedLanguage>()
for (const language of languages) {
  for (const grammar of language.grammars) {
    const parsed = { language, grammar }
    if (!languageOfGrammar.has(grammar.name)) languageOfGrammar.set(grammar.name, parsed)
    for (const extension of grammar.extensions) parsedByExtension.set(extension, parsed)
    for (const extension of grammar.checked ?? []) checkedByExtension.set(extension, parsed)
    for (const extension of grammar.searched ?? []) searchedByExtension.set(extension, parsed)
  }
}

const languageOfPage: ReadonlyMap<string, Language> = new Map(
  languages.flatMap((language) => (language.pages ?? []).map((each) => [each, language] as const)),
)

const headerExtensions: ReadonlySet<string> = new Set(
  languages.flatMap(({ headers = [] }) => headers),
)

// An extension that one language only knows belongs to the language that parses it.
const familyOfExtension = new Map<string, LanguageFamily>([
  ...languages.flatMap(({ family, unparsed = [], pages = [] }) =>
    [...unparsed, ...pages].map((extension) => [extension, family] as const),
  ),
  ...[...parsedByExtension].map(
    ([extension, { language }]) => [extension, language.family] as const,
  ),
])

/** Finds the language and the grammar that parse files with this extension. */
export function parsedLanguageOfPath(path: string): ParsedLanguage | undefined {
  return parsedByExtension.get(extensionOf(path))
}

/** Finds the language and the grammar whose syntax rules check files with this extension. */
export function checkedLanguageOfPath(path: string): ParsedLanguage | undefined {
  return checkedByExtension.get(extensionOf(path))
}

/** Finds the language and the grammar whose rules search files with this extension for dangers. */
export function searchedLanguageOfPath(path: string): ParsedLanguage | undefined {
  return searchedByExtension.get(extensionOf(path))
}

/** Finds the language in which files with this extension are written, or their scripts. */
export function languageOfCode(path: string): Language | undefined {
  return parsedLanguageOfPath(path)?.language ?? languageOfPage.get(extensionOf(path))
}

/** Finds the language of a grammar; of several, the first in the list. */
export function languageOfGrammarNamed(name: string): ParsedLanguage {
  const found = languageOfGrammar.get(name)
  if (found === undefined) throw new Error(`There is no grammar named ${name}.`)
  return found
}

/** Lists the extensions of files that can use each other's definitions. */
export function extensionsOfFamily(family: LanguageFamily): string[] {
  return [...familyOfExtension].flatMap(([extension, each]) => (each === family ? extension : []))
}

/** Returns undefined for files whose names can't be resolved. */
export function familyOfPath(path: string): LanguageFamily | undefined {
  return familyOfExtension.get(extensionOf(path))
}

/** The grammar that reads the scripts of pages. */
export const pageGrammar: string = languages.find(({ pages }) => pages)!.grammars[0]!.name

/** Whether a file declares what others define. */
export function isHeader(path: string): boolean {
  return headerExtensions.has(extensionOf(path))
}

/** Whether the file is a page that contains scripts. */
export function isPage(path: string): boolean {
  return languageOfPage.has(extensionOf(path))
}

/** The extension in lower case with its dot; empty without one, and for names such as `.py`. */
function extensionOf(path: string): string {
  const dot = path.lastIndexOf('.')
  return dot <= 0 || path[dot - 1] === '/' ? '' : path.slice(dot).toLowerCase()
}
