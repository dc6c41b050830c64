// Searches the head for files that may use a change, for repositories without a stored graph.
import { GitError } from '../../domain/errors.ts'
import type { Snapshot } from '../../domain/snapshot.ts'
import { extensionsOfFamily, familyOfPath } from '../../languages/index.ts'

/**
 * All files that contain a name are read, because any of them can also define it: a use of the
 * other definition would count as a use of the changed one.
 */
const maxFiles = 60
const maxPatternLength = 900
const maxMatches = 8_000
/** The second search leaves out the names that were too common in the first. */
const maxSearches = 2

export interface FoundUses {
  /** Contains all files that contain the searched names. */
  readonly paths: readonly string[]
  /** The names that few enough files contain. The others weren't searched. */
  readonly names: ReadonlySet<string>
}

/**
 * Finds the files that contain names as whole words, in the languages of the changed files.
 *
 * @param changedPaths decide the languages
 * @param names in the order of their priority
 */
export async function searchUsingFiles(
  head: Pick<Snapshot, 'search'>,
  changedPaths: readonly string[],
  names: readonly string[],
  signal: AbortSignal,
): Promise<FoundUses> {
  const families = new Set(changedPaths.flatMap((path) => familyOfPath(path) ?? []))
  const extensions = [...families].flatMap(extensionsOfFamily)
  let wanted = chooseNames(names)
  for (let search = 0; search < maxSearches && wanted.length > 0; search++) {
    const pathsByName = await findPaths(head, wanted, { extensions, signal })
    if (pathsByName.isComplete) return chooseFiles(wanted, pathsByName.paths)
    wanted = wanted.filter((name) => (pathsByName.paths.get(name)?.size ?? 0) <= maxFiles)
  }
  return { paths: [], names: new Set() }
}

/** Chooses as many names as fit into one pattern. */
function chooseNames(names: readonly string[]): string[] {
  let length = 0
  return [...new Set(names)].filter((name) => {
    if (!/^[\w$][\w$.-]+$/.test(name) || length + 2 * name.length > maxPatternLength) return false
    length += RegExp.escape(name).length + 1
    return length <= maxPatternLength
  })
}

async function findPaths(
  head: Pick<Snapshot, 'search'>,
  names: readonly string[],
  options: { extensions: readonly string[]; signal: AbortSignal },
): Promise<{ paths: Map<string, Set<string>>; isComplete: boolean }> {
  const escaped = names.map((name) => name.replaceAll(/[$.]/g, '\\$&'))
  const pattern = `(^|[^A-Za-z0-9_$])(${escaped.join('|')})([^A-Za-z0-9_$]|$)`
  const paths = new Map(names.map((name) => [name, new Set<string>()]))
  const found = await head
    .search(pattern, { ...options, fast: true, limit: maxMatches })
    .catch((error) => {
      // Repositories that git can't fetch can't be searched either.
      if (error instanceof GitError) return null
      throw error
    })
  for (const { path, text } of found ?? []) {
    const present = names.filter((name) => text.includes(name))
    // The match can be in the part of a long line that was cut off.
    for (const name of present.length > 0 ? present : names) paths.get(name)!.add(path)
  }
  return { paths, isComplete: found !== null && found.length < maxMatches }
}

/** Chooses the names whose files are few enough to be read together. */
function chooseFiles(
  names: readonly string[],
  pathsByName: ReadonlyMap<string, ReadonlySet<string>>,
): FoundUses {
  let paths = new Set<string>()
  const chosen = new Set<string>()
  for (const name of names) {
    const all = paths.union(pathsByName.get(name) ?? new Set<string>())
    if (all.size > maxFiles) continue
    paths = all
    chosen.add(name)
  }
  return { paths: [...paths], names: chosen }
}
