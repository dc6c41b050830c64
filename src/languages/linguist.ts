// Determines a file's language from its path, by the table of GitHub's linguist.
import { createRequire } from 'node:module'
import { languages, parsedLanguageOfPath } from './index.ts'

/** `name` and `type` are those of GitHub's linguist. */
export interface LinguistLanguage {
  readonly name: string
  readonly type: 'programming' | 'markup' | 'data' | 'prose'
}

interface LinguistData extends LinguistLanguage {
  readonly extensions?: readonly string[]
  readonly filenames?: readonly string[]
}

/**
 * The other languages of linguist's eight hundred that occur in reviews. If several use one
 * extension (`.h`, `.m`, `.pl`), the first one gets it.
 */
const otherNames =
  `Swift|Objective-C|Objective-C++|Shell|PowerShell|Dart|Elixir|Erlang|Haskell|Clojure|F#|OCaml|Lua
  |Perl|R|Julia|Groovy|SQL|Solidity|Zig|Nim|D|Crystal|Elm|MATLAB|Assembly|Cuda|GLSL|Common Lisp
  |Emacs Lisp|Scheme|Fortran|Pascal|Visual Basic .NET|Vim script|Tcl|Verilog|SystemVerilog|VHDL
  |Makefile|CMake|Dockerfile|Batchfile|HCL|Nix|Starlark|Protocol Buffer|GraphQL|Thrift|Prisma|Gradle
  |Gradle Kotlin DSL|Vue|Svelte|Astro|HTML|HTML+ERB|EJS|Handlebars|Jinja|Twig|Blade|Pug|CSS|SCSS
  |Sass|Less|JSON|JSON5|JSON with Comments|YAML|TOML|INI|Java Properties|Dotenv|XML|SVG|CSV
  |Jupyter Notebook|Go Module|Go Checksums|Pip Requirements|Gemfile.lock|CODEOWNERS|Ignore List
  |Git Attributes|Git Config|EditorConfig|Markdown|MDX|reStructuredText|AsciiDoc|TeX|Text|NPM Config
  |Gettext Catalog|XML Property List|Browserslist|Public Key|Microsoft Visual Studio Solution
  |Go Workspace|Option List|Just|TSV|JSONLD`.split(/\s*\|/)

/** Extensions whose common meaning isn't the first language in the list. */
const exceptions: Readonly<Record<string, string>> = { '.inc': 'PHP', '.frag': 'GLSL' }

interface LanguageTables {
  readonly byFilename: ReadonlyMap<string, LinguistLanguage>
  readonly byExtension: ReadonlyMap<string, LinguistLanguage>
}

// Loading takes some 40 ms, so commands that need no language skip it.
let tables: LanguageTables | undefined

function loadTables(): LanguageTables {
  const require = createRequire(import.meta.url)
  const byFilename = new Map<string, LinguistLanguage>()
  const byExtension = new Map<string, LinguistLanguage>()
  for (const name of new Set([...languages.flatMap(({ names }) => names), ...otherNames])) {
    const file = name.replaceAll(
      /[^\w.-]/g,
      (character) => `_${character.charCodeAt(0).toString(16)}_`,
    )
    const { default: data } = require(`linguist-languages/data/${file}`) as {
      default: LinguistData
    }
    const language = { name, type: data.type }
    for (const filename of data.filenames ?? []) {
      if (!byFilename.has(filename)) byFilename.set(filename, language)
    }
    for (const extension of data.extensions ?? []) {
      const isAssignedHere = (exceptions[extension] ?? name) === name
      if (isAssignedHere && !byExtension.has(extension)) byExtension.set(extension, language)
    }
  }
  return { byFilename, byExtension }
}

/** Whether a file is written in a programming language, by its path. */
export function isProgrammingPath(path: string): boolean {
  // The most common languages are recognized without loading the table.
  return parsedLanguageOfPath(path) !== undefined || languageOfPath(path)?.type === 'programming'
}

/**
 * The language of a file by its name, otherwise by its longest known extension in any case;
 * undefined if both are unknown. An extension with several meanings gives the most common one.
 */
export function languageOfPath(path: string): LinguistLanguage | undefined {
  tables ??= loadTables()
  const filename = path.slice(path.lastIndexOf('/') + 1)
  const language = tables.byFilename.get(filename)
  if (language !== undefined) return language
  const lowerCase = filename.toLowerCase()
  let dot = lowerCase.indexOf('.')
  while (dot !== -1) {
    const extensionLanguage = tables.byExtension.get(lowerCase.slice(dot))
    if (extensionLanguage !== undefined) return extensionLanguage
    dot = lowerCase.indexOf('.', dot + 1)
  }
  return undefined
}
