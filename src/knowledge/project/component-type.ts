// Sorts directories and files by what they are for: by contents first, then by name.

import { findTool } from './configuration.ts'
import type { Directory } from './directories.ts'
import { type DirectoryMeaning, meaningOfDirectory } from './directory-names.ts'
import { isManifest } from './manifests/read-manifests.ts'
import { endOf, nameOf, type ProjectFile } from './project.ts'

const prose = new Set(['Markdown', 'MDX', 'reStructuredText', 'AsciiDoc', 'Text', 'TeX'])
const data = new Set(
  `JSON|JSON5|JSON with Comments|YAML|TOML|INI|Java Properties|Dotenv|XML|CSV|SVG|Ignore List|Git Attributes
  |Git Config|EditorConfig|CODEOWNERS|Pip Requirements|Gemfile.lock|Go Checksums|Go Module`.split(
    /\s*\|/,
  ),
)
const styles = new Set(['CSS', 'SCSS', 'Sass', 'Less'])
const scripts = new Set(['Shell', 'PowerShell', 'Batchfile'])
const markup = new Set(['HTML', 'Jupyter Notebook'])
/** Of what the parts of a user interface are made. */
const pages = new Set(
  `TSX|TypeScript|JavaScript|Vue|Svelte|Astro|HTML|HTML+ERB|EJS|Handlebars|Jinja|Twig|Blade|Pug|PHP|Swift|Kotlin
  |Dart|MDX`.split(/\s*\|/),
)
const ofCode = new Set(['api', 'service', 'module'])
const pictures =
  /\.(png|jpe?g|gif|webp|svg|ico|icns|bmp|avif|mp[34]|webm|wav|ogg|woff2?|ttf|otf|eot)$/i

/** Whether a language is one that programs are written in. */
export function isCode(language: string | null): boolean {
  return (
    language !== null && ![prose, data, styles, markup].some((languages) => languages.has(language))
  )
}

/** By its bytes, from 0 to 1. */
function shareOf({ total }: Directory, isMeant: (language: string) => boolean): number {
  let all = 0
  let meant = 0
  for (const [language, bytes] of total.languages) {
    all += bytes
    if (isMeant(language)) meant += bytes
  }
  return all === 0 ? 0 : meant / all
}

/** What the name of a directory says, where what lies in it doesn't belie it. */
export function meaningOf(directory: Directory): DirectoryMeaning | undefined {
  const meaning = directory.path === '.' ? undefined : meaningOfDirectory(nameOf(directory.path))
  if (!meaning) return undefined
  if (meaning.type === 'component' && shareOf(directory, (language) => pages.has(language)) < 0.3)
    return undefined
  if (meaning.type === 'style' && shareOf(directory, (language) => styles.has(language)) < 0.3)
    return undefined
  if (meaning.type === 'asset' && shareOf(directory, isCode) > 0.3) return undefined
  return ofCode.has(meaning.type) && shareOf(directory, isCode) < 0.2 ? undefined : meaning
}

export function typeOfDirectory(directory: Directory): string {
  const { path, files, total } = directory
  if (path === '.') return 'directory'
  if (total.written === 0) return total.vendored > 0 ? 'vendored' : 'asset'
  const meaning = meaningOf(directory)
  if (meaning?.type !== 'translation' && total.tests >= total.files * 0.8) return 'test'
  if (meaning) return meaning.type
  if (shareOf(directory, (language) => prose.has(language)) > 0.8) return 'document'
  if (shareOf(directory, (language) => styles.has(language)) > 0.6) return 'style'
  if (shareOf(directory, (language) => scripts.has(language)) > 0.6) return 'script'
  if (shareOf(directory, isCode) === 0)
    return files.some(({ path: name }) => pictures.test(name)) ? 'asset' : 'config'
  if (/(^|\/)\.[^/]+$/.test(path)) return 'config'
  return files.some(({ language, kind }) => kind === 'source' && isCode(language))
    ? 'module'
    : 'directory'
}

/** Of the name without its extension, at the end or between signs. */
const fileNames: readonly (readonly [pattern: RegExp, type: string])[] = [
  [/(^|[._-])(migrations?)([._-]|$)/i, 'migration'],
  [
    /([._-]|^|[a-z])(controllers?|routes?|router|handlers?|endpoints?|resolvers?|api|views)$/i,
    'api',
  ],
  [/([._-]|^|[a-z])(services?|repository|client|provider|store|worker|job)$/i, 'service'],
  [/([._-]|^|[a-z])(models?|entity|entities|schemas?|types|dto|interfaces?)$/i, 'model'],
  [/([._-]|^|[a-z])(config|configuration|settings|options|constants|defaults)$/i, 'config'],
  [/([._-]|^|[a-z])(component|page|view|layout|screen)$/i, 'component'],
]

export function typeOfFile(file: ProjectFile): string {
  const { path, language } = file
  const name = nameOf(path)
  if (file.isTest) return 'test'
  if (language !== null && prose.has(language)) return 'document'
  if (isManifest(path) || findTool(path) || name.startsWith('.')) return 'config'
  if (language === null || data.has(language)) return 'config'
  if (styles.has(language)) return 'style'
  if (scripts.has(language) || /(^|\/)(scripts?|bin|hack)\//.test(endOf(path))) return 'script'
  if (['Protocol Buffer', 'GraphQL', 'Thrift'].includes(language)) return 'api'
  if (language === 'SQL' || /(^|\/)migrations?\//.test(endOf(path))) return 'migration'
  const named = fileNames.find(([pattern]) => pattern.test(name.replace(/\.\w+$/, '')))
  if (named) return named[1]
  if (['TSX', 'Vue', 'Svelte', 'Astro', 'HTML'].includes(language)) return 'component'
  const around = path.split('/').slice(0, -1).reverse()
  const meaning = around.map(meaningOfDirectory).find((found) => found !== undefined)
  return meaning && ['api', 'model', 'service', 'component', 'script'].includes(meaning.type)
    ? meaning.type
    : 'module'
}
