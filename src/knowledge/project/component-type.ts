// Sorts directories and files by what they are for: by contents first, then by name.

import { findConfiguredTool } from './configured-tools.ts'
import type { Directory } from './directories.ts'
import { type DirectoryConvention, findDirectoryConvention } from './directory-conventions.ts'
import { isProjectManifest } from './manifests/read-manifests.ts'
import { lastPathSegments, nameOf, type ProjectFile } from './project.ts'

const proseLanguages = new Set(['Markdown', 'MDX', 'reStructuredText', 'AsciiDoc', 'Text', 'TeX'])
const dataLanguages = new Set(
  `JSON|JSON5|JSON with Comments|YAML|TOML|INI|Java Properties|Dotenv|XML|CSV|SVG|Ignore List|Git Attributes
  |Git Config|EditorConfig|CODEOWNERS|Pip Requirements|Gemfile.lock|Go Checksums|Go Module`.split(
    /\s*\|/,
  ),
)
const styleLanguages = new Set(['CSS', 'SCSS', 'Sass', 'Less'])
const scriptLanguages = new Set(['Shell', 'PowerShell', 'Batchfile'])
const markupLanguages = new Set(['HTML', 'Jupyter Notebook'])
/** Of what the parts of a user interface are made. */
const userInterfaceLanguages = new Set(
  `TSX|TypeScript|JavaScript|Vue|Svelte|Astro|HTML|HTML+ERB|EJS|Handlebars|Jinja|Twig|Blade|Pug|PHP|Swift|Kotlin
  |Dart|MDX`.split(/\s*\|/),
)
const codeTypes = new Set(['api', 'service', 'module'])
const mediaFile =
  /\.(png|jpe?g|gif|webp|svg|ico|icns|bmp|avif|mp[34]|webm|wav|ogg|woff2?|ttf|otf|eot)$/i

/** Whether a language is one that programs are written in. */
export function isCode(language: string | null): boolean {
  return (
    language !== null &&
    ![proseLanguages, dataLanguages, styleLanguages, markupLanguages].some((languages) =>
      languages.has(language),
    )
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
export function directoryConventionOf(directory: Directory): DirectoryConvention | undefined {
  const meaning =
    directory.path === '.' ? undefined : findDirectoryConvention(nameOf(directory.path))
  if (!meaning) return undefined
  if (
    meaning.type === 'component' &&
    shareOf(directory, (language) => userInterfaceLanguages.has(language)) < 0.3
  )
    return undefined
  if (
    meaning.type === 'style' &&
    shareOf(directory, (language) => styleLanguages.has(language)) < 0.3
  )
    return undefined
  if (meaning.type === 'asset' && shareOf(directory, isCode) > 0.3) return undefined
  return codeTypes.has(meaning.type) && shareOf(directory, isCode) < 0.2 ? undefined : meaning
}

export function typeOfDirectory(directory: Directory): string {
  const { path, files, total } = directory
  if (path === '.') return 'directory'
  if (total.written === 0) return total.vendored > 0 ? 'vendored' : 'asset'
  const meaning = directoryConventionOf(directory)
  if (meaning?.type !== 'translation' && total.tests >= total.files * 0.8) return 'test'
  if (meaning) return meaning.type
  if (shareOf(directory, (language) => proseLanguages.has(language)) > 0.8) return 'document'
  if (shareOf(directory, (language) => styleLanguages.has(language)) > 0.6) return 'style'
  if (shareOf(directory, (language) => scriptLanguages.has(language)) > 0.6) return 'script'
  if (shareOf(directory, isCode) === 0)
    return files.some(({ path: name }) => mediaFile.test(name)) ? 'asset' : 'config'
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
  if (language !== null && proseLanguages.has(language)) return 'document'
  if (isProjectManifest(path) || findConfiguredTool(path) || name.startsWith('.')) return 'config'
  if (language === null || dataLanguages.has(language)) return 'config'
  if (styleLanguages.has(language)) return 'style'
  if (scriptLanguages.has(language) || /(^|\/)(scripts?|bin|hack)\//.test(lastPathSegments(path)))
    return 'script'
  if (['Protocol Buffer', 'GraphQL', 'Thrift'].includes(language)) return 'api'
  if (language === 'SQL' || /(^|\/)migrations?\//.test(lastPathSegments(path))) return 'migration'
  const named = fileNames.find(([pattern]) => pattern.test(name.replace(/\.\w+$/, '')))
  if (named) return named[1]
  if (['TSX', 'Vue', 'Svelte', 'Astro', 'HTML'].includes(language)) return 'component'
  const around = path.split('/').slice(0, -1).reverse()
  const meaning = around.map(findDirectoryConvention).find((found) => found !== undefined)
  return meaning && ['api', 'model', 'service', 'component', 'script'].includes(meaning.type)
    ? meaning.type
    : 'module'
}
