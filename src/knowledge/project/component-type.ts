// Sorts directories and files by what they are for: by contents first, then by name.

import { findTool } from './configuration.ts'
import type { Directory } from './directories.ts'
import { meaningOfDirectory } from './directory-names.ts'
import { isManifest } from './manifests/read-manifests.ts'
import { nameOf, type ProjectFile } from './project.ts'

const prose = new Set(['Markdown', 'MDX', 'reStructuredText', 'AsciiDoc', 'Text', 'TeX'])
const data = new Set(
  `JSON|JSON5|JSON with Comments|YAML|TOML|INI|Java Properties|Dotenv|XML|CSV|SVG|Ignore List|Git Attributes
  |Git Config|EditorConfig|CODEOWNERS|Pip Requirements|Gemfile.lock|Go Checksums|Go Module`.split(/\s*\|/),
)
const styles = new Set(['CSS', 'SCSS', 'Sass', 'Less'])
const scripts = new Set(['Shell', 'PowerShell', 'Batchfile'])
const markup = new Set(['HTML', 'Jupyter Notebook'])
const pictures = /\.(png|jpe?g|gif|webp|svg|ico|icns|bmp|avif|mp[34]|webm|wav|ogg|woff2?|ttf|otf|eot)$/i

/** Whether a language is one that programs are written in. */
export function isCode(language: string | null): boolean {
  return language !== null && ![prose, data, styles, markup].some((languages) => languages.has(language))
}

export function typeOfDirectory({ path, files, total }: Directory): string {
  const meaning = path === '.' ? undefined : meaningOfDirectory(nameOf(path))
  if (path === '.') return 'directory'
  if (total.written === 0) return files.some(({ path: name }) => pictures.test(name)) ? 'asset' : 'vendored'
  if (meaning?.type === 'translation') return 'translation'
  if (total.tests >= total.files * 0.8) return 'test'
  const languages = [...total.languages]
  const share = (of: (language: string) => boolean) => {
    const all = languages.reduce((sum, [, bytes]) => sum + bytes, 0)
    return all === 0 ? 0 : languages.reduce((sum, [language, bytes]) => sum + (of(language) ? bytes : 0), 0) / all
  }
  if (meaning && (share(isCode) > 0.2 || !['api', 'model', 'service', 'module'].includes(meaning.type)))
    return meaning.type
  const own = meaning?.type
  if (share((language) => prose.has(language)) > 0.8) return 'document'
  if (share((language) => styles.has(language)) > 0.6) return 'style'
  if (share((language) => scripts.has(language)) > 0.6) return 'script'
  if (share(isCode) === 0) return files.some(({ path: name }) => pictures.test(name)) ? 'asset' : 'config'
  if (/(^|\/)\.[^/]+$/.test(path)) return 'config'
  return own ?? (files.some(({ language, kind }) => kind === 'source' && isCode(language)) ? 'module' : 'directory')
}

/** Of the name without its extension, at the end or between signs. */
const fileNames: readonly (readonly [pattern: RegExp, type: string])[] = [
  [/(^|[._-])(migrations?)([._-]|$)/i, 'migration'],
  [/([._-]|^|[a-z])(controllers?|routes?|router|handlers?|endpoints?|resolvers?|api|views)$/i, 'api'],
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
  if (scripts.has(language) || /(^|\/)(scripts?|bin|hack)\//.test(path)) return 'script'
  if (['Protocol Buffer', 'GraphQL', 'Thrift'].includes(language)) return 'api'
  if (language === 'SQL' || /(^|\/)migrations?\//.test(path)) return 'migration'
  const named = fileNames.find(([pattern]) => pattern.test(name.replace(/\.\w+$/, '')))
  if (named) return named[1]
  if (['TSX', 'Vue', 'Svelte', 'Astro', 'HTML'].includes(language)) return 'component'
  const around = path.split('/').slice(0, -1).reverse()
  const meaning = around.map(meaningOfDirectory).find((found) => found !== undefined)
  return meaning && ['api', 'model', 'service', 'component', 'script'].includes(meaning.type) ? meaning.type : 'module'
}
