// Finds the tests that reach a change, and the changed files that no test reaches.

import type { ChangeGraph } from '../../domain/change-graph.ts'
import { familyOfPath } from '../../languages/index.ts'
import type { LanguageFamily } from '../../languages/language.ts'
import { isTestPath } from '../../languages/test-paths.ts'
import type { ChangedFile } from './changed-file.ts'
import { type Distances, type FileUse, minDistance, traceDependents } from './trace-dependents.ts'

const maxTestSteps = 4
const maxImpactSteps = 3

type TestImpact = Pick<ChangeGraph, 'tests' | 'untested'> &
  Pick<ChangeGraph['counts'], 'reachedFiles'>

const runnableKinds: ReadonlySet<string> = new Set(['function', 'method'])

/** Configuration and build scripts, which usually have no tests. */
const configPath =
  /(^|\/)(\.[^/]+|[^/]+\.config|[^/]*rc|conftest|setup|manage|tasks|build|rakefile|gemfile)\.[a-z]+$/i

/**
 * Finds the tests and other files that depend on the changed files.
 *
 * @param uses the uses between files at the head
 * @param paths the paths of all files at the head
 * @param isWhole whether `uses` is complete; otherwise no file is reported as untested
 */
export function findAffectedTests(
  files: readonly ChangedFile[],
  uses: Iterable<FileUse>,
  paths: Iterable<string>,
  isWhole: boolean,
): TestImpact {
  const origins = files.flatMap(({ diff, after }) => (after === null ? [] : [diff.path]))
  const reached = traceDependents(origins, uses, maxTestSteps)
  const changedPaths = new Set(origins)
  const impacted = [...reached].filter(
    ([path, distances]) => !changedPaths.has(path) && minDistance(distances) <= maxImpactSteps,
  )
  const tests = [...reached]
    .filter(([path]) => isTestPath(path))
    .map(([path, distances]) => describeTest(path, distances, origins))
  const tested = new Set(tests.flatMap(({ reaches }) => reaches))
  return {
    tests: tests.sort((a, b) => a.distance - b.distance || (a.path < b.path ? -1 : 1)),
    untested: isWhole ? listUntested(files, tested, paths) : [],
    reachedFiles: impacted.length,
  }
}

function describeTest(
  path: string,
  distances: Distances,
  origins: readonly string[],
): TestImpact['tests'][number] {
  const reaches = origins.filter((_, index) => (distances[index] ?? 0) > 0)
  return { path, distance: minDistance(distances), reaches }
}

function listUntested(
  files: readonly ChangedFile[],
  tested: ReadonlySet<string>,
  paths: Iterable<string>,
): string[] {
  const candidates = files
    .filter(hasRunnableChange)
    .map(({ diff }) => diff.path)
    .filter((path) => !isTestPath(path) && !configPath.test(path) && !tested.has(path))
  const families = listTestedFamilies(new Set(candidates.map(familyOfPath)), paths)
  return candidates.filter((path) => families.has(familyOfPath(path)))
}

/** Only functions and methods need tests, not types or constants. */
function hasRunnableChange({ symbols }: ChangedFile): boolean {
  return symbols.some(({ kind, change }) => change !== 'removed' && runnableKinds.has(kind))
}

/** Finds the wanted language families for which the repository has tests. */
function listTestedFamilies(
  wanted: ReadonlySet<LanguageFamily | undefined>,
  paths: Iterable<string>,
): Set<LanguageFamily | undefined> {
  const found = new Set<LanguageFamily | undefined>()
  for (const path of paths) {
    if (found.size === wanted.size) break
    const family = familyOfPath(path)
    if (wanted.has(family) && !found.has(family) && isTestPath(path)) found.add(family)
  }
  return found
}
