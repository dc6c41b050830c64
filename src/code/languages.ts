// Tells from its path what language a file is in, and whether it is a test.
import { createRequire } from 'node:module'

/** A language by linguist's name; `type` as linguist sorts them. */
export interface Language {
  readonly name: string
  readonly type: 'programming' | 'markup' | 'data' | 'prose'
}

interface LinguistLanguage extends Language {
  readonly extensions?: readonly string[]
  readonly filenames?: readonly string[]
}

/**
 * Those of linguist's eight hundred languages that turn up in reviews. Where several use one extension (`.h`,
 * `.m`, `.pl`, `.ts`), the first one here has it.
 */
const names =
  `TypeScript|TSX|JavaScript|Python|Go|Java|Kotlin|C|C++|C#|Ruby|PHP|Rust|Swift|Objective-C|Objective-C++
  |Scala|Shell|PowerShell|Dart|Elixir|Erlang|Haskell|Clojure|F#|OCaml|Lua|Perl|R|Julia|Groovy|SQL|Solidity|Zig|Nim|D
  |Crystal|Elm|MATLAB|Assembly|Cuda|GLSL|Common Lisp|Emacs Lisp|Scheme|Fortran|Pascal|Visual Basic .NET|Vim script
  |Tcl|Verilog|SystemVerilog|VHDL|Makefile|CMake|Dockerfile|Batchfile|HCL|Nix|Starlark|Protocol Buffer|GraphQL|Thrift
  |Prisma|Gradle|Gradle Kotlin DSL|Vue|Svelte|Astro|HTML|HTML+ERB|EJS|Handlebars|Jinja|Twig|Blade|Pug|CSS|SCSS|Sass
  |Less|JSON|JSON5|JSON with Comments|YAML|TOML|INI|Java Properties|Dotenv|XML|SVG|CSV|Jupyter Notebook|Go Module
  |Go Checksums|Pip Requirements|Gemfile.lock|CODEOWNERS|Ignore List|Git Attributes|Git Config|EditorConfig|Markdown
  |MDX|reStructuredText|AsciiDoc|TeX|Text|NPM Config|Gettext Catalog|XML Property List|Browserslist|Public Key
  |Microsoft Visual Studio Solution|Go Workspace|Option List|Just|TSV|JSONLD`.split(/\s*\|/)

/** Where the common meaning isn't that of the first language in the list. */
const exceptions: Readonly<Record<string, string>> = { '.inc': 'PHP', '.frag': 'GLSL' }

interface LanguageTables {
  readonly byFilename: ReadonlyMap<string, Language>
  readonly byExtension: ReadonlyMap<string, Language>
}

// Constant once loaded. Loaded on first use: it takes some 40 ms, which a command that needs no language spares.
let tables: LanguageTables | undefined

function loadTables(): LanguageTables {
  const require = createRequire(import.meta.url)
  const byFilename = new Map<string, Language>()
  const byExtension = new Map<string, Language>()
  for (const name of names) {
    const file = name.replaceAll(
      /[^\w.-]/g,
      (character) => `_${character.charCodeAt(0).toString(16)}_`,
    )
    const { default: data } = require(`linguist-languages/data/${file}`) as {
      default: LinguistLanguage
    }
    const language = { name, type: data.type }
    for (const filename of data.filenames ?? [])
      if (!byFilename.has(filename)) byFilename.set(filename, language)
    for (const extension of data.extensions ?? [])
      if (!byExtension.has(extension) && (exceptions[extension] ?? name) === name)
        byExtension.set(extension, language)
  }
  return { byFilename, byExtension }
}

/**
 * The language of a file by its name, else by its longest known extension, whatever its case; undefined where
 * nothing is known about it. Where an extension has several meanings, the most common one is given.
 */
export function languageOfPath(path: string): Language | undefined {
  tables ??= loadTables()
  const filename = path.slice(path.lastIndexOf('/') + 1)
  const known = tables.byFilename.get(filename)
  if (known !== undefined) return known
  const lowerCase = filename.toLowerCase()
  for (let dot = lowerCase.indexOf('.'); dot !== -1; dot = lowerCase.indexOf('.', dot + 1)) {
    const language = tables.byExtension.get(lowerCase.slice(dot))
    if (language !== undefined) return language
  }
  return undefined
}

const testFolder =
  /(^|\/)(tests?|__tests__|specs?|testing|testdata|test[-_]?(utils|helpers|fixtures)|e2e|cypress|__mocks__|__fixtures__|fixtures)\//i
const testFilename = /^(test[-_].*|conftest|.*[._-](test|tests|spec|specs|cy|e2e))\.[^/]+$/
const testClassFilename =
  /^(Test[A-Z]\w*|\w*[a-z0-9](Test|Tests|TestCase|Spec|IT))\.(java|kt|kts|scala|groovy|cs|swift|php|m|mm)$/

/** Whether the path is that of a test or of what only tests use, by the customs of common languages. */
export function isTestPath(path: string): boolean {
  const filename = path.slice(path.lastIndexOf('/') + 1)
  return testFolder.test(path) || testFilename.test(filename) || testClassFilename.test(filename)
}
