// Describes conventions that can be counted: names of files, locations of tests, kinds of types.
import type { NewMemory } from '../../domain/memory.ts'
import { isCode } from './component-type.ts'
import { topKeys } from './directories.ts'
import { formatList, formatNumber } from './format-text.ts'
import { directoryOf, nameOf, type Project, type ProjectFile } from './project.ts'
import { createProjectPattern } from './project-pattern.ts'

/** Fewer samples show no convention. */
const minSamples = 8
/** A convention applies to at least this share of the samples. */
const minShare = 0.8

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

/** Files with names of one word are left out, because these fit several styles. */
function describeNames(project: Project, code: readonly ProjectFile[]): NewMemory[] {
  const byLanguage = Map.groupBy(
    code.filter(({ isTest, path }) => !isTest && /\w\.\w+$/.test(nameOf(path))),
    ({ language }) => language ?? '',
  )
  return [...byLanguage].flatMap(([language, files]) => {
    const counts = new Map<string, number>()
    for (const { path } of files) {
      const stem = nameOf(path).replace(/\..*$/, '')
      const style = styles.find(([, pattern]) => pattern.test(stem))?.[0]
      if (style) counts.set(style, (counts.get(style) ?? 0) + 1)
    }
    const total = [...counts.values()].reduce((sum, count) => sum + count, 0)
    const [style] = topKeys(counts, 1)
    const count = counts.get(style ?? '') ?? 0
    if (style === undefined || total < minSamples || count < total * minShare) return []
    const share = `${formatNumber(count)} of ${formatNumber(total)}`
    const text = `${language} files are named in ${style} (${share} names of several words).`
    return [createProjectPattern(project, `file-names:${language}`, '.', text)]
  })
}

interface TestLocation {
  readonly description: string
  /** A glob such as `*.test.ts`; empty if the name has no known form. */
  readonly pattern: string
}

/** Describes for each language where most tests are and how they are named. */
function describeTests(project: Project, code: readonly ProjectFile[]): NewMemory[] {
  const sources = new Set(code.filter(({ isTest }) => !isTest).map(({ path }) => path))
  const tests = code.filter(({ isTest, path }) => isTest && testName.test(nameOf(path)))
  const byLanguage = Map.groupBy(tests, ({ language }) => language ?? '')
  return [...byLanguage].flatMap(([language, files]) => {
    if (files.length < 3) return []
    const counts = new Map<string, number>()
    for (const { path } of files) {
      const { description, pattern } = testLocationOf(path, sources)
      const key = `${description}\0${pattern}`
      counts.set(key, (counts.get(key) ?? 0) + 1)
    }
    const [key = ''] = topKeys(counts, 1)
    const count = counts.get(key) ?? 0
    if (count < files.length * 0.6) return []
    const [description = '', pattern = ''] = key.split('\0')
    const naming = pattern === '' ? '' : ` and are named ${pattern}`
    const share = `${formatNumber(count)} of ${formatNumber(files.length)}`
    const text = `${language} tests are ${description}${naming} (${share}).`
    return [createProjectPattern(project, `tests:${language}`, '.', text)]
  })
}

const testName =
  /^(test[-_].+|.+([._-](test|tests|spec|specs|cy|e2e)|Tests?|TestCase|Spec|IT))\.\w+$/

const testEnding = /([._-](test|tests|spec|specs|cy|e2e)|Tests?|TestCase|Spec|IT)(\.\w+)$/

function testLocationOf(path: string, sources: ReadonlySet<string>): TestLocation {
  const name = nameOf(path)
  const directory = directoryOf(path)
  const pattern = testPatternOf(name)
  const sourceName = name.replace(/^test[-_]/, '').replace(testEnding, '$3')
  const sourcePath = directory === '.' ? sourceName : `${directory}/${sourceName}`
  if (sources.has(sourcePath)) return { description: 'next to their sources', pattern }
  const match = /(^|\/)(__tests__|tests?|specs?)(\/|$)/i.exec(directory)
  if (match === null) return { description: 'among the sources', pattern }
  const [, separator = '', testDirectory = ''] = match
  if (testDirectory === '__tests__')
    return { description: 'in __tests__ directories next to their sources', pattern }
  const testRoot = directory.slice(0, match.index + separator.length + testDirectory.length)
  const isInPackage = testRoot.includes('/')
  return isInPackage
    ? { description: `in ${testDirectory} directories of their packages`, pattern }
    : { description: `in ${testRoot}/`, pattern }
}

function testPatternOf(name: string): string {
  const ending = testEnding.exec(name)
  if (ending !== null) return `*${ending[1]}${ending[3]}`
  if (!/^test[-_]/.test(name)) return ''
  const extension = /\.\w+$/.exec(name)?.[0] ?? ''
  return `test_*${extension}`
}

function describeTypes(project: Project, code: readonly ProjectFile[]): NewMemory[] {
  const typesByEnding = groupTypesByEnding(code)
  return [...typesByEnding].flatMap(([ending, types]) => {
    const areErrors = /Error|Exception/.test(ending)
    if (types.size < (areErrors ? 3 : minSamples)) return []
    const counts = new Map<string, number>()
    for (const path of types.values()) {
      const directory = directoryOf(path)
      counts.set(directory, (counts.get(directory) ?? 0) + 1)
    }
    const directories = formatList(topKeys(counts, 3))
    const subject = areErrors ? 'There are error types named' : 'There are types named'
    const names = `${formatNumber(types.size)}: ${formatList([...types.keys()], 5)}`
    const text = `${subject} …${ending} (${names}), most of them in ${directories}.`
    return [createProjectPattern(project, `types:${ending}`, '.', text)]
  })
}

const typeKinds = ['class', 'interface', 'type']

/** By ending, the names of the types with the path of their file. */
function groupTypesByEnding(code: readonly ProjectFile[]): Map<string, Map<string, string>> {
  const groups = new Map<string, Map<string, string>>()
  for (const { symbols, path, isTest } of code) {
    for (const { name, kind } of isTest ? [] : symbols) {
      const ending = typeKinds.includes(kind) ? endings.exec(name)?.[1] : undefined
      if (ending === undefined) continue
      const group = groups.get(ending) ?? new Map<string, string>()
      group.set(name, path)
      groups.set(ending, group)
    }
  }
  return groups
}

const endingsTerms = [
  'Error|Exception|Controller|Service|Repository|Handler|Factory|Provider|Store',
  'ViewModel|Middleware|Job|Command|Event|Listener|Policy|Resource|Request',
].join('|')
const endings = new RegExp(`[a-z0-9](${endingsTerms})$`)
