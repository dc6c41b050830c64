// Describes conventions that can be counted: names of files, locations of tests, kinds of types.
import { countEach } from '../../lib/count-each.ts'
import { longPattern } from '../../lib/long-pattern.ts'
import { formatNumber } from '../../lib/text.ts'
import { directoryOf, filenameOf } from '../../lib/tree-paths.ts'
import { isCode } from './component-type.ts'
import { formatList } from './format-text.ts'
import { createPattern, type Description, type ProjectFile } from './project.ts'

/** Fewer samples show no convention. */
const minSamples = 8
/** A convention applies to at least this share of the samples. */
const minShare = 0.8

export function describeConventions(files: readonly ProjectFile[]): Description[] {
  const code = files.filter(({ kind, language }) => kind === 'source' && isCode(language))
  return [...describeNames(code), ...describeTests(code), ...describeTypes(code)]
}

const styles: readonly (readonly [name: string, pattern: RegExp])[] = [
  ['kebab-case', /^[a-z0-9]+(-[a-z0-9]+)+$/],
  ['snake_case', /^_?[a-z0-9]+(_[a-z0-9]+)+$/],
  ['camelCase', /^[a-z][a-z0-9]*([A-Z][a-z0-9]*)+$/],
  ['PascalCase', /^([A-Z][a-z0-9]*)+$/],
]

/** Files with names of one word are left out, because these fit several styles. */
function describeNames(code: readonly ProjectFile[]): Description[] {
  const byLanguage = Map.groupBy(
    code.filter(({ isTest, path }) => !isTest && /\w\.\w+$/.test(filenameOf(path))),
    ({ language }) => language ?? '',
  )
  return [...byLanguage].flatMap(([language, files]) => {
    const found = files.flatMap(({ path }) => styleOf(filenameOf(path)) ?? [])
    const [[style, count] = ['', 0]] = countEach(found)
    if (found.length < minSamples || count < found.length * minShare) return []
    const share = `${formatNumber(count)} of ${formatNumber(found.length)}`
    const text = `${language} files are named in ${style} (${share} names of several words).`
    return [createPattern(`file-names:${language}`, text)]
  })
}

function styleOf(name: string): string | undefined {
  const stem = name.replace(/\..*$/, '')
  return styles.find(([, pattern]) => pattern.test(stem))?.[0]
}

/** Describes for each language where most tests are and how they are named. */
function describeTests(code: readonly ProjectFile[]): Description[] {
  const sources = new Set(code.filter(({ isTest }) => !isTest).map(({ path }) => path))
  const tests = code.filter(({ isTest, path }) => isTest && testName.test(filenameOf(path)))
  const byLanguage = Map.groupBy(tests, ({ language }) => language ?? '')
  return [...byLanguage].flatMap(([language, files]) => {
    if (files.length < 3) return []
    const placements = files.map(
      ({ path }) => `${testLocationOf(path, sources)}${testNamingOf(filenameOf(path))}`,
    )
    const [[placement, count] = ['', 0]] = countEach(placements)
    if (count < files.length * 0.6) return []
    const share = `${formatNumber(count)} of ${formatNumber(files.length)}`
    return [createPattern(`tests:${language}`, `${language} tests are ${placement} (${share}).`)]
  })
}

const testName =
  /^(test[-_].+|.+([._-](test|tests|spec|specs|cy|e2e)|Tests?|TestCase|Spec|IT))\.\w+$/

const testEnding = /([._-](test|tests|spec|specs|cy|e2e)|Tests?|TestCase|Spec|IT)(\.\w+)$/

function testLocationOf(path: string, sources: ReadonlySet<string>): string {
  const directory = directoryOf(path)
  const sourceName = filenameOf(path)
    .replace(/^test[-_]/, '')
    .replace(testEnding, '$3')
  const sourcePath = directory === '.' ? sourceName : `${directory}/${sourceName}`
  if (sources.has(sourcePath)) return 'next to their sources'
  const match = /(^|\/)(__tests__|tests?|specs?)(\/|$)/i.exec(directory)
  if (match === null) return 'among the sources'
  const [, separator = '', testDirectory = ''] = match
  if (testDirectory === '__tests__') return 'in __tests__ directories next to their sources'
  const testRoot = directory.slice(0, match.index + separator.length + testDirectory.length)
  const isInPackage = testRoot.includes('/')
  return isInPackage ? `in ${testDirectory} directories of their packages` : `in ${testRoot}/`
}

/** Ends with a glob such as `*.test.ts`; empty if the name has no known form. */
function testNamingOf(name: string): string {
  const ending = testEnding.exec(name)
  if (ending !== null) return ` and are named *${ending[1]}${ending[3]}`
  if (!/^test[-_]/.test(name)) return ''
  return ` and are named test_*${/\.\w+$/.exec(name)?.[0] ?? ''}`
}

function describeTypes(code: readonly ProjectFile[]): Description[] {
  const typesByEnding = groupTypesByEnding(code)
  return [...typesByEnding].flatMap(([ending, types]) => {
    const areErrors = /Error|Exception/.test(ending)
    if (types.size < (areErrors ? 3 : minSamples)) return []
    const counts = countEach(types.values().map(directoryOf))
    const directories = formatList(counts.slice(0, 3).map(([directory]) => directory))
    const subject = areErrors ? 'There are error types named' : 'There are types named'
    const names = `${formatNumber(types.size)}: ${formatList([...types.keys()], 5)}`
    const text = `${subject} …${ending} (${names}), most of them in ${directories}.`
    return [createPattern(`types:${ending}`, text)]
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

const endings = longPattern()`
  [a-z0-9](Error|Exception|Controller|Service|Repository|Handler|Factory|Provider|Store
  |ViewModel|Middleware|Job|Command|Event|Listener|Policy|Resource|Request)$`
