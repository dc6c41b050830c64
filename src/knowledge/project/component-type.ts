// Determines the component type of directories and files: by their contents, then by their names.
import { filenameOf } from '../../lib/tree-paths.ts'
import { findConfiguredTool } from './configured-tools.ts'
import type { Directory } from './directories.ts'
import { type DirectoryConvention, findDirectoryConvention } from './directory-conventions.ts'
import { isProjectManifest } from './manifests/read-manifests.ts'
import { lastPathSegments, type ProjectFile } from './project.ts'

const proseLanguages = new Set(['Markdown', 'MDX', 'reStructuredText', 'AsciiDoc', 'Text', 'TeX'])
const dataLanguages = new Set(
  `JSON|JSON5|JSON with Comments|YAML|TOML|INI|Java Properties|Dotenv|XML|CSV|SVG
  |Ignore List|Git Attributes|Git Config|EditorConfig|CODEOWNERS|Pip Requirements
  |Gemfile.lock|Go Checksums|Go Module`.split(/\s*\|/),
)
const styleLanguages = new Set(['CSS', 'SCSS', 'Sass', 'Less'])
const scriptLanguages = new Set(['Shell', 'PowerShell', 'Batchfile'])
const markupLanguages = new Set(['HTML', 'Jupyter Notebook'])
const interfaceDefinitionLanguages = new Set(['Protocol Buffer', 'GraphQL', 'Thrift'])
const componentLanguages = new Set(['TSX', 'Vue', 'Svelte', 'Astro', 'HTML'])
/** Directories of user-interface components consist mostly of these. */
const userInterfaceLanguages = new Set(
  `TSX|TypeScript|JavaScript|Vue|Svelte|Astro|HTML|HTML+ERB|EJS|Handlebars|Jinja|Twig|Blade|Pug
  |PHP|Swift|Kotlin|Dart|MDX`.split(/\s*\|/),
)
const codeTypes = new Set(['api', 'service', 'module'])
const mediaFile =
  /\.(png|jpe?g|gif|webp|svg|ico|icns|bmp|avif|mp[34]|webm|wav|ogg|woff2?|ttf|otf|eot)$/i

const nonCodeLanguages = [proseLanguages, dataLanguages, styleLanguages, markupLanguages]

/** Whether programs are written in this language. */
export function isCode(language: string | null): boolean {
  return language !== null && !nonCodeLanguages.some((languages) => languages.has(language))
}

/** The share of a directory's bytes in matching languages, from 0 to 1. */
function shareOf({ total }: Directory, matches: (language: string) => boolean): number {
  let allBytes = 0
  let matchingBytes = 0
  for (const [language, bytes] of total.languages) {
    allBytes += bytes
    if (matches(language)) matchingBytes += bytes
  }
  return allBytes === 0 ? 0 : matchingBytes / allBytes
}

/** The convention for a directory's name, unless the directory's contents contradict it. */
export function directoryConventionOf(directory: Directory): DirectoryConvention | undefined {
  if (directory.path === '.') return undefined
  const convention = findDirectoryConvention(filenameOf(directory.path))
  if (convention === undefined) return undefined
  return hasContentsOf(convention.type, directory) ? convention : undefined
}

function hasContentsOf(type: string, directory: Directory): boolean {
  if (type === 'component')
    return shareOf(directory, (language) => userInterfaceLanguages.has(language)) >= 0.3
  if (type === 'style') return shareOf(directory, (language) => styleLanguages.has(language)) >= 0.3
  if (type === 'asset') return shareOf(directory, isCode) <= 0.3
  return !codeTypes.has(type) || shareOf(directory, isCode) >= 0.2
}

export function typeOfDirectory(directory: Directory): string {
  const { path, files, total } = directory
  if (path === '.') return 'directory'
  if (total.written === 0) return total.vendored > 0 ? 'vendored' : 'asset'
  const convention = directoryConventionOf(directory)
  const isMostlyTests = total.tests >= total.files * 0.8
  if (isMostlyTests && convention?.type !== 'translation') return 'test'
  return convention?.type ?? typeByLanguages(directory) ?? typeOfMixedDirectory(path, files)
}

function typeByLanguages(directory: Directory): string | undefined {
  const share = (languages: ReadonlySet<string>) =>
    shareOf(directory, (language) => languages.has(language))
  if (share(proseLanguages) > 0.8) return 'document'
  if (share(styleLanguages) > 0.6) return 'style'
  if (share(scriptLanguages) > 0.6) return 'script'
  if (shareOf(directory, isCode) > 0) return undefined
  const hasMedia = directory.files.some(({ path }) => mediaFile.test(path))
  return hasMedia ? 'asset' : 'config'
}

function typeOfMixedDirectory(path: string, files: readonly ProjectFile[]): string {
  const isHidden = filenameOf(path).length > 1 && filenameOf(path).startsWith('.')
  if (isHidden) return 'config'
  const hasSources = files.some(({ language, kind }) => kind === 'source' && isCode(language))
  return hasSources ? 'module' : 'directory'
}

/** Patterns of a file's name without its extension, which may end with the term or contain it. */
const typesByName: readonly (readonly [pattern: RegExp, type: string])[] = [
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
  const { path, language, isTest } = file
  if (isTest) return 'test'
  if (language !== null && proseLanguages.has(language)) return 'document'
  if (language === null || isConfiguration(path, language)) return 'config'
  return typeOfSource(path, language)
}

function isConfiguration(path: string, language: string): boolean {
  return (
    isProjectManifest(path) ||
    findConfiguredTool(path) !== undefined ||
    filenameOf(path).startsWith('.') ||
    dataLanguages.has(language)
  )
}

function typeOfSource(path: string, language: string): string {
  const lastSegments = lastPathSegments(path)
  if (styleLanguages.has(language)) return 'style'
  if (scriptLanguages.has(language) || /(^|\/)(scripts?|bin|hack)\//.test(lastSegments))
    return 'script'
  if (interfaceDefinitionLanguages.has(language)) return 'api'
  if (language === 'SQL' || /(^|\/)migrations?\//.test(lastSegments)) return 'migration'
  const typeOfName = typeByName(path)
  if (typeOfName !== undefined) return typeOfName
  if (componentLanguages.has(language)) return 'component'
  return typeByDirectory(path) ?? 'module'
}

function typeByName(path: string): string | undefined {
  const stem = filenameOf(path).replace(/\.\w+$/, '')
  return typesByName.find(([pattern]) => pattern.test(stem))?.[1]
}

/** The type of the nearest directory with a conventional name, if files inherit that type. */
function typeByDirectory(path: string): string | undefined {
  const directoryNames = path.split('/').slice(0, -1)
  const convention = directoryNames
    .reverse()
    .map(findDirectoryConvention)
    .find((candidate) => candidate !== undefined)
  return convention && inheritedTypes.has(convention.type) ? convention.type : undefined
}

const inheritedTypes = new Set(['api', 'model', 'service', 'component', 'script'])
