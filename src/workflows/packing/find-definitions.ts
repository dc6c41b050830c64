// Finds the definitions of names in other files, with one search over the head.
import { posix } from 'node:path'
import type { Change } from '../../domain/change.ts'
import { GitError } from '../../domain/errors.ts'
import type { SearchMatch } from '../../domain/snapshot.ts'
import { isTestPath } from '../../languages/test-paths.ts'
import { type DefinedName, familyOf, readDefinedName } from './definition-lines.ts'
import type { UsedName } from './used-names.ts'

/** The place where a name is defined. */
interface FoundDefinition {
  readonly name: string
  readonly path: string
  readonly line: number
  readonly text: string
}

/** A search takes no longer patterns. */
const longestPattern = 1_000
/** Lines that the search may bring. */
const mostMatches = 4_000
/** So many places of one name may be shown. */
const placesOfName = 2

/**
 * The most likely definitions of names, most wanted first: the best place of each, then second
 * ones. Empty where the repository can't be searched.
 */
export async function findDefinitions(
  change: Change,
  used: readonly UsedName[],
): Promise<FoundDefinition[]> {
  const names = pickNames(used)
  if (names.length === 0) return []
  const wanted = new Map(names.map((each) => [each.name, each]))
  const candidates = (await search(change, names)).flatMap((match) => {
    const defined = readDefinedName(match.text)
    const use = defined && wanted.get(defined.name)
    return !use || (defined.isMember && !use.isMember)
      ? []
      : [{ ...defined, ...match, text: match.text.trim() }]
  })
  const byName = Map.groupBy(candidates, ({ name }) => name)
  const places = names.map((each) => rankPlaces(byName.get(each.name) ?? [], each))
  return Array.from({ length: placesOfName }, (_, nth) =>
    places.flatMap((list) => list[nth] ?? []),
  ).flat()
}

/** As many of the names as a pattern can hold, most wanted first. */
function pickNames(used: readonly UsedName[]): UsedName[] {
  let left = longestPattern - writePattern([]).length
  return used.filter((each) => {
    const length =
      (each.name.length + 1) * (isAssigned(each) ? 2 : 1) + 4 * (each.name.split('$').length - 1)
    if (length > left) return false
    left -= length
    return true
  })
}

/** A method may be given to an object: `prototype.name = function`. */
function isAssigned({ isMember, file }: UsedName): boolean {
  return isMember && /\.[cm]?[jt]sx?$/.test(file.path)
}

/**
 * Before the name of a definition there is a blank or the sign of a pointer, and one of few signs
 * after it. A more exact pattern would slow down git far more than filtering its matches here.
 */
function writePattern(names: readonly UsedName[]): string {
  const join = (some: readonly UsedName[]) =>
    some.map(({ name }) => name.replaceAll('$', '\\$')).join('|')
  const signAfter = '[ \t]*([(<={:;,[]|$)'
  const keywordAfter = '[ \t]+(struct|interface|extends|implements|func)[ (]'
  const plain = `([ \t*&:]|^)(${join(names)})(${signAfter}|${keywordAfter})`
  const assigned = join(names.filter(isAssigned))
  return `${plain}|[.](${assigned || '-'}) = (async |function|[(])`
}

async function search(change: Change, names: readonly UsedName[]): Promise<readonly SearchMatch[]> {
  const families = new Set(names.map(({ file }) => familyOf(file.path)))
  const extensions = [...families]
    .flatMap((family) => family.split(' '))
    .filter((one) => /^\.\w{1,10}$/.test(one))
  if (extensions.length === 0) return []
  try {
    return await change.head.search(writePattern(names), {
      fast: true,
      extensions,
      limit: mostMatches,
    })
  } catch (error) {
    if (error instanceof GitError) return []
    throw error
  }
}

type Candidate = FoundDefinition & DefinedName

/** The places of one name that can be meant, most likely first. */
function rankPlaces(candidates: readonly Candidate[], wanted: UsedName): Candidate[] {
  const family = familyOf(wanted.file.path)
  return candidates
    .filter(({ path }) => familyOf(path) === family)
    .map((candidate) => ({ candidate, score: scorePlace(candidate, wanted) }))
    .sort((one, other) => other.score - one.score)
    .map(({ candidate }) => candidate)
}

function scorePlace(
  { path, strength, isMember: isValue }: Candidate,
  { file, from }: UsedName,
): number {
  const imported = from !== undefined && matchesImport(path, file.path, from) ? 6 : 0
  // C files share what is in headers.
  const isShared = /\.(h|hh|hpp|hxx)$/.test(path) && isValue ? 1 : 0
  const isStandIn = /(^|[/_.-])(mocks?|stubs?|fakes?)([/_.-]|$)/i.test(path)
  const isForTests = isTestPath(path) && !isTestPath(file.path)
  return (
    imported +
    2 * strength +
    isShared +
    nearness(path, file.path) -
    (isStandIn ? 2 : 0) -
    (isForTests ? 3 : 0)
  )
}

/** From 0 to 3: how many of their folders two paths share. */
function nearness(path: string, other: string): number {
  const [one, two] = [path, other].map((each) => each.split('/').slice(0, -1))
  const parted = one!.findIndex((folder, index) => folder !== two![index])
  return (3 * (parted === -1 ? one!.length : parted)) / Math.max(1, one!.length, two!.length)
}

/** Whether a path matches a module specifier. */
function matchesImport(path: string, importer: string, from: string): boolean {
  const bare = path.replace(/(\/index|\/__init__|\/mod)?\.\w+$/, '')
  if (from.startsWith('.') && !/^\.+\w/.test(from))
    return bare === posix.join(posix.dirname(importer), from.replace(/\.[cm]?[jt]sx?$/, ''))
  const name = from.replaceAll(/[.:\\]+/g, '/').replace(/^[@~#]?\/?/, '')
  const folder = posix.dirname(path)
  return `/${bare}`.endsWith(`/${name}`) || (folder !== '.' && `/${name}`.endsWith(`/${folder}`))
}
