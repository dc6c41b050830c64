// Finds the tests that reach a change, and what of it none reaches.
import type { ChangeGraph } from '../../domain/change-graph.ts'
import { isTestPath } from '../../workspace/languages.ts'
import { type Family, familyOf } from '../resolution/families.ts'
import type { ChangedFile } from './changed-file.ts'
import { type Distances, nearest, spread, type Use } from './spread.ts'

const testSteps = 4
const reachSteps = 3

export type Reach = Pick<ChangeGraph, 'tests' | 'untested'> &
  Pick<ChangeGraph['counts'], 'reachedFiles'>

const runnable: ReadonlySet<string> = new Set(['function', 'method'])

/** What sets something up for programs to run by. */
const configPath =
  /(^|\/)(\.[^/]+|[^/]+\.config|[^/]*rc|conftest|setup|manage|tasks|build|rakefile|gemfile)\.[a-z]+$/i

/**
 * Who reaches the changed files.
 *
 * @param uses between files at the head
 * @param paths of all files at the head
 * @param isWhole whether all uses are known; otherwise nothing is called untested
 */
export function findTests(
  files: readonly ChangedFile[],
  uses: Iterable<Use>,
  paths: Iterable<string>,
  isWhole: boolean,
): Reach {
  const origins = files.flatMap(({ diff, after }) => (after === null ? [] : [diff.path]))
  const reached = spread(origins, uses, testSteps)
  const changed = new Set(origins)
  const others = [...reached].filter(
    ([path, distances]) => !changed.has(path) && nearest(distances) <= reachSteps,
  )
  const tests = [...reached]
    .filter(([path]) => isTestPath(path))
    .map(([path, distances]) => describe(path, distances, origins))
  const tested = new Set(tests.flatMap(({ reaches }) => reaches))
  return {
    tests: tests.sort((a, b) => a.distance - b.distance || (a.path < b.path ? -1 : 1)),
    untested: isWhole ? listUntested(files, tested, paths) : [],
    reachedFiles: others.length,
  }
}

function describe(
  path: string,
  distances: Distances,
  origins: readonly string[],
): Reach['tests'][number] {
  const reaches = origins.filter((_, index) => (distances[index] ?? 0) > 0)
  return { path, distance: nearest(distances), reaches }
}

function listUntested(
  files: readonly ChangedFile[],
  tested: ReadonlySet<string>,
  paths: Iterable<string>,
): string[] {
  const candidates = files
    .map(({ diff }) => diff.path)
    .filter((path, index) => {
      // Only what runs can be tested.
      const runs =
        files[index]?.symbols.some(
          ({ kind, change }) => change !== 'removed' && runnable.has(kind),
        ) ?? false
      return runs && !isTestPath(path) && !configPath.test(path) && !tested.has(path)
    })
  const families = findTestedFamilies(new Set(candidates.map(familyOf)), paths)
  return candidates.filter((path) => families.has(familyOf(path)))
}

/** Those of some families of languages that have tests here. */
function findTestedFamilies(
  wanted: ReadonlySet<Family | undefined>,
  paths: Iterable<string>,
): Set<Family | undefined> {
  const found = new Set<Family | undefined>()
  for (const path of paths) {
    if (found.size === wanted.size) break
    const family = familyOf(path)
    if (wanted.has(family) && !found.has(family) && isTestPath(path)) found.add(family)
  }
  return found
}
