// Finds the definitions of names: in the code graph, or by a search and the index of what it finds.
import { posix } from 'node:path'
import { findNameLine } from '../../code/find-name-line.ts'
import type { Change } from '../../domain/change.ts'
import type { NamedDefinition } from '../../domain/change-graph.ts'
import { GitError } from '../../domain/errors.ts'
import type { SearchMatch } from '../../domain/snapshot.ts'
import { extensionsOfFamily, familyOfPath } from '../../languages/index.ts'
import { isTestPath } from '../../languages/test-paths.ts'
import { indentOf } from './enclosing-lines.ts'
import type { HeadFile, HeadReader } from './read-head.ts'
import type { UsedName } from './used-names.ts'
import { isStatement } from './weigh-lines.ts'

/** The line of a file that names a definition. */
interface FoundDefinition {
  readonly path: string
  readonly line: number
  readonly text: string
  /** It is inside of something, and used as a part of it. */
  readonly isMember: boolean
}

/** Contains an empty list for each name that is wanted. */
type DefinitionsByName = ReadonlyMap<string, FoundDefinition[]>

/** A search takes no longer patterns. */
const maxPatternLength = 1_000
/** Lines that the search may find. */
const maxMatches = 4_000
/** The places of one name that are shown. */
const maxPlacesPerName = 2
/** The files that are indexed to find one name. */
const maxFilesPerName = 2
/** In a file with a lower score, a match is rarely a definition. */
const minScore = 4

/**
 * Returns the most likely definitions of names, most wanted first: the best place of each, then
 * second ones.
 *
 * @param used the most important first
 * @param maxNames how many of them are searched for beyond the files that use them
 */
export async function findDefinitions(
  change: Change,
  head: HeadReader,
  used: readonly UsedName[],
  maxNames: number,
): Promise<FoundDefinition[]> {
  const names = used.filter(({ name }) => /^[\w$]+$/.test(name))
  if (names.length === 0) return []
  const found: DefinitionsByName = new Map(names.map(({ name }) => [name, []]))
  const usingPaths = new Set(names.map(({ path }) => path))
  await addIndexed(found, head, usingPaths)
  const placesOf = (use: UsedName) => rankPlaces(use, found.get(use.name)!)
  const isMissing = (use: UsedName) => placesOf(use).length === 0
  const missing = names.filter(isMissing).slice(0, maxNames)
  const indexed = new Set<string>()
  const indexOnce = async (path: string) => {
    if (indexed.has(path)) return
    indexed.add(path)
    await addIndexed(found, head, new Set([path]))
  }
  const stored = (await change.findDefinitions?.(missing.map(({ name }) => name))) ?? null
  if (stored === null) {
    const searched = pickNames(missing)
    const files = rankFiles(searched, usingPaths, await search(change, searched))
    // One by one, so that less wanted names don't take the limits of the reader from others.
    for (const [use, paths] of files)
      for (const path of paths.slice(0, maxFilesPerName)) if (isMissing(use)) await indexOnce(path)
  } else {
    const differing = await addStored(found, head, missing, stored)
    await addIndexed(found, head, new Set(differing).difference(usingPaths))
  }
  const places = names.map(placesOf)
  return Array.from({ length: maxPlacesPerName }, (_, nth) =>
    places.flatMap((list) => list[nth] ?? []),
  ).flat()
}

/** Adds the definitions in these files to those of their names. */
async function addIndexed(
  byName: DefinitionsByName,
  head: HeadReader,
  paths: ReadonlySet<string>,
): Promise<void> {
  const add = async (path: string) => {
    const file = await head.readFile(path)
    const symbols = (file && (await head.readIndex(file)))?.symbols ?? []
    for (const symbol of symbols) {
      const outer = symbols[symbol.within]?.kind
      const isInside = outer !== undefined && outer !== 'module' && outer !== 'enum'
      const isMember = isInside || symbol.owner !== null
      byName.get(symbol.name)?.push(describeDefinition(file!, symbol, isMember))
    }
  }
  await Promise.all([...paths].map(add))
}

/**
 * Adds the most likely definitions of the code graph.
 *
 * @returns the paths of those in files that differ from the graph, which must be indexed
 */
async function addStored(
  byName: DefinitionsByName,
  head: HeadReader,
  names: readonly UsedName[],
  stored: ReadonlyMap<string, readonly NamedDefinition[]>,
): Promise<string[]> {
  const differing: string[] = []
  const add = async (use: UsedName) => {
    const definitions = (stored.get(use.name) ?? []).map((definition) => ({
      ...definition,
      isMember: definition.kind === 'method',
    }))
    for (const place of rankPlaces(use, definitions).slice(0, maxPlacesPerName)) {
      const file = await head.readFile(place.path)
      if (file === undefined) continue
      if (file.oid !== place.oid) differing.push(place.path)
      else
        byName
          .get(use.name)!
          .push(describeDefinition(file, { ...place, name: use.name }, place.isMember))
    }
  }
  await Promise.all(names.map(add))
  return differing
}

function describeDefinition(
  { path, lines }: HeadFile,
  symbol: Parameters<typeof findNameLine>[1],
  isMember: boolean,
): FoundDefinition {
  const line = findNameLine(lines, symbol)
  return { path, line, text: lines[line - 1]?.trim() ?? '', isMember }
}

/** As many of the names as a pattern can hold, most wanted first. */
function pickNames(used: readonly UsedName[]): UsedName[] {
  let left = maxPatternLength - writePattern([]).length
  return used.filter(({ name }) => {
    const length = name.replaceAll('$', '\\$').length + 1
    if (length > left) return false
    left -= length
    return true
  })
}

/**
 * Before the name of a definition there is a blank or the sign of a pointer, and one of few signs
 * after it. The rest is left to the index: a more exact pattern would slow down git.
 */
function writePattern(names: readonly string[]): string {
  const list = names.map((name) => name.replaceAll('$', '\\$')).join('|')
  const signAfter = '[ \t]*([(<={:;,[]|$)'
  const keywordAfter = '[ \t]+(struct|interface|extends|implements|func)[ (]'
  return `([ \t*&:]|^)(${list})(${signAfter}|${keywordAfter})`
}

/** Only modifiers, types and a receiver stand before the name of a definition. */
const typesBefore = /^[\w\s*&<>[\]:,~@()]*(?<!\(|\b(?:await|else|in|new|of|return|throw|yield))$/

/** Finds lines that may define the names. Empty where the repository can't be searched. */
async function search(
  change: Change,
  names: readonly UsedName[],
): Promise<Map<string, SearchMatch[]>> {
  const pattern = writePattern(names.map(({ name }) => name))
  const families = new Set(names.flatMap(({ path }) => familyOfPath(path) ?? []))
  const extensions = [...families].flatMap(extensionsOfFamily)
  const found = new Map<string, SearchMatch[]>(names.map(({ name }) => [name, []]))
  if (extensions.length === 0) return found
  const matches = await change.head
    .search(pattern, { fast: true, extensions, limit: maxMatches })
    .catch((error: unknown) => {
      if (error instanceof GitError) return []
      throw error
    })
  const expression = new RegExp(pattern, 'g')
  for (const match of matches) {
    if (!isStatement(match.text)) continue
    for (const { 2: name = '', index } of match.text.matchAll(expression))
      if (typesBefore.test(match.text.slice(0, index))) found.get(name)?.push(match)
  }
  return found
}

/** Returns the files that may define each name, the most likely first, if there are any. */
function rankFiles(
  names: readonly UsedName[],
  known: ReadonlySet<string>,
  matches: ReadonlyMap<string, readonly SearchMatch[]>,
): Map<UsedName, string[]> {
  const ranked = names.map((use) => {
    const family = familyOfPath(use.path)
    const files = [...Map.groupBy(matches.get(use.name)!, ({ path }) => path)]
      .filter(([path]) => familyOfPath(path) === family && !known.has(path))
      .map(([path, found]) => {
        // A definition stands further out than most uses, and there is one of it.
        const indent = Math.min(...found.map(({ text }) => indentOf(text)))
        return { path, score: scorePath(path, use) + 6 / (1 + indent / 4) + 2 / found.length }
      })
      .filter(({ score }) => score >= minScore)
      .sort((one, other) => other.score - one.score)
    return [use, files.map(({ path }) => path)] as const
  })
  return new Map(ranked.filter(([, paths]) => paths.length > 0))
}

/** The places of one name that can be meant, most likely first. */
function rankPlaces<Place extends Pick<FoundDefinition, 'path' | 'isMember'>>(
  use: UsedName,
  places: readonly Place[],
): Place[] {
  const family = familyOfPath(use.path)
  const score = ({ path, isMember }: Place) =>
    scorePath(path, use) + (isMember === (use.place === 'member') ? 2 : 0)
  return places
    .filter(
      ({ path, isMember }) => familyOfPath(path) === family && !(isMember && use.place === 'top'),
    )
    .map((place) => ({ place, score: score(place) }))
    .sort((one, other) => other.score - one.score)
    .map(({ place }) => place)
}

function scorePath(path: string, { path: user, from }: UsedName): number {
  const imported = from !== undefined && matchesImport(path, user, from) ? 6 : 0
  const isStandIn = /(^|[/_.-])(mocks?|stubs?|fakes?)([/_.-]|$)/i.test(path)
  const isForTests = isTestPath(path) && !isTestPath(user)
  return imported + nearness(path, user) - (isStandIn ? 2 : 0) - (isForTests ? 3 : 0)
}

/** Up to 4: how many of their folders two paths share. */
function nearness(path: string, other: string): number {
  if (path === other) return 4
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
