// The conventions that can be counted: how files are named, where tests stand, how errors are made.
import type { NewMemory } from '../../domain/memory.ts'
import { isCode } from './component-type.ts'
import { topKeys } from './directories.ts'
import { formatList, formatNumber } from './format-text.ts'
import { directoryOf, nameOf, type Project, type ProjectFile } from './project.ts'
import { createProjectPattern } from './project-pattern.ts'

/** Of fewer, nothing can be said. */
const minSamples = 8
/** So many of all make a convention. */
const minShare = 0.8

/** What most do alike, each with how many. */
export function describeConventions(project: Project): NewMemory[] {
  const code = project.files.filter(({ kind, language }) => kind === 'source' && isCode(language))
  return [
    ...describeNames(project, code),
    ...describeTests(project, code),
    ...describeTypes(project, code),
  ]
}

const styles: readonly (readonly [name: string, pattern: RegExp])[] = [
  ['kebab-case', /^[a-z0-9]+(-[a-z0-9]+)+$/],
  ['snake_case', /^_?[a-z0-9]+(_[a-z0-9]+)+$/],
  ['camelCase', /^[a-z][a-z0-9]*([A-Z][a-z0-9]*)+$/],
  ['PascalCase', /^([A-Z][a-z0-9]*)+$/],
]

/** By language. A name of one small word fits all styles but the last, and says nothing. */
function describeNames(project: Project, code: readonly ProjectFile[]): NewMemory[] {
  const byLanguage = Map.groupBy(
    code.filter(({ isTest, path }) => !isTest && /\w\.\w+$/.test(nameOf(path))),
    ({ language }) => language ?? '',
  )
  return [...byLanguage].flatMap(([language, files]) => {
    const counts = new Map<string, number>()
    for (const { path } of files) {
      const style = styles.find(([, pattern]) =>
        pattern.test(nameOf(path).replace(/\..*$/, '')),
      )?.[0]
      if (style) counts.set(style, (counts.get(style) ?? 0) + 1)
    }
    const telling = [...counts.values()].reduce((sum, count) => sum + count, 0)
    const [style] = topKeys(counts, 1)
    const count = counts.get(style ?? '') ?? 0
    if (style === undefined || telling < minSamples || count < telling * minShare) return []
    const text = `${language} files are named in ${style} (${formatNumber(count)} of ${formatNumber(telling)} names of several words).`
    return [createProjectPattern(project, `file-names:${language}`, '.', text)]
  })
}

interface TestLocation {
  readonly words: string
  readonly pattern: string
}

/** By language: beside the sources, in a directory of their own, or in a tree of their own. */
function describeTests(project: Project, code: readonly ProjectFile[]): NewMemory[] {
  const sources = new Set(code.filter(({ isTest }) => !isTest).map(({ path }) => path))
  const tests = code.filter(({ isTest, path }) => isTest && testName.test(nameOf(path)))
  const byLanguage = Map.groupBy(tests, ({ language }) => language ?? '')
  return [...byLanguage].flatMap(([language, files]) => {
    if (files.length < 3) return []
    const counts = new Map<string, number>()
    for (const { path } of files) {
      const { words, pattern } = testLocationOf(path, sources)
      const key = `${words}\0${pattern}`
      counts.set(key, (counts.get(key) ?? 0) + 1)
    }
    const [key = ''] = topKeys(counts, 1)
    const count = counts.get(key) ?? 0
    if (count < files.length * 0.6) return []
    const [words = '', pattern = ''] = key.split('\0')
    const text = `${language} tests stand ${words}${pattern === '' ? '' : ` and are named ${pattern}`} (${formatNumber(count)} of ${formatNumber(files.length)}).`
    return [createProjectPattern(project, `tests:${language}`, '.', text)]
  })
}

const testName =
  /^(test[-_].+|.+([._-](test|tests|spec|specs|cy|e2e)|Tests?|TestCase|Spec|IT))\.\w+$/

function testLocationOf(path: string, sources: ReadonlySet<string>): TestLocation {
  const name = nameOf(path)
  const directory = directoryOf(path)
  const ending = /([._-](test|tests|spec|specs|cy|e2e)|Tests?|TestCase|Spec|IT)(\.\w+)$/.exec(name)
  const pattern = ending
    ? `*${ending[1]}${ending[3]}`
    : /^test[-_]/.test(name)
      ? `test_*${/\.\w+$/.exec(name)?.[0] ?? ''}`
      : ''
  const tested = name
    .replace(/^test[-_]/, '')
    .replace(/([._-](test|tests|spec|specs|cy|e2e)|Tests?|TestCase|Spec|IT)(\.\w+)$/, '$3')
  if (sources.has(directory === '.' ? tested : `${directory}/${tested}`))
    return { words: 'beside their sources', pattern }
  const own = /(^|\/)(__tests__|tests?|specs?)(\/|$)/i.exec(directory)
  if (own === null) return { words: 'among the sources', pattern }
  const top = directory.slice(0, own.index + (own[1] ?? '').length + (own[2] ?? '').length)
  if (own[2] === '__tests__')
    return { words: 'in __tests__ directories beside their sources', pattern }
  return top.includes('/')
    ? { words: `in ${own[2]} directories of their packages`, pattern }
    : { words: `in ${top}/`, pattern }
}

/** Types by the ending of their names, where many have it: errors of one's own among them. */
function describeTypes(project: Project, code: readonly ProjectFile[]): NewMemory[] {
  const names = new Map<string, Map<string, string>>()
  for (const { symbols, path, isTest } of code) {
    for (const { name, kind } of isTest ? [] : symbols) {
      const ending =
        kind === 'class' || kind === 'interface' || kind === 'type'
          ? endings.exec(name)?.[1]
          : undefined
      if (ending === undefined) continue
      const own = names.get(ending) ?? new Map<string, string>()
      own.set(name, path)
      names.set(ending, own)
    }
  }
  return [...names].flatMap(([ending, own]) => {
    if (own.size < (/Error|Exception/.test(ending) ? 3 : minSamples)) return []
    const places = new Map<string, number>()
    for (const path of own.values())
      places.set(directoryOf(path), (places.get(directoryOf(path)) ?? 0) + 1)
    const where = formatList(topKeys(places, 3))
    const what = /Error|Exception/.test(ending)
      ? 'Errors are types of their own, named'
      : 'There are types named'
    const text = `${what} …${ending} (${formatNumber(own.size)}: ${formatList([...own.keys()], 5)}), most of them in ${where}.`
    return [createProjectPattern(project, `types:${ending}`, '.', text)]
  })
}

const endingsTerms = [
  'Error|Exception|Controller|Service|Repository|Handler|Factory|Provider|Store',
  'ViewModel|Middleware|Job|Command|Event|Listener|Policy|Resource|Request',
].join('|')
const endings = new RegExp(`[a-z0-9](${endingsTerms})$`)
