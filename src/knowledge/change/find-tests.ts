// Finds the tests that reach a change, and what of it none reaches.
import type { ChangeGraph } from '../../domain/change-graph.ts'
import { isTestPath } from '../../workspace/languages.ts'
import { type Family, familyOf } from '../resolution/families.ts'
import type { ChangedFile } from './changed-file.ts'
import { type Distances, nearest, spread, type Use } from './spread.ts'

const testSteps = 4
const reachSteps = 3

export type Reach = Pick<ChangeGraph, 'tests' | 'untested'> & Pick<ChangeGraph['counts'], 'reachedFiles'>

/** What sets something up for programs to run by. */
const configPath = /(^|\/)(\.[^/]+|[^/]+\.config|[^/]*rc|conftest|setup|manage|tasks|build|rakefile|gemfile)\.[a-z]+$/i

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
  const others = [...reached].filter(([path, distances]) => !changed.has(path) && nearest(distances) <= reachSteps)
  const tests = [...reached]
    .filter(([path]) => isTestPath(path))
    .map(([path, distances]) => describe(path, distances, origins))
  const tested = new Set(tests.flatMap(({ reaches }) => reaches))
  return {
    tests: tests.sort((a, b) => a.distance - b.distance || (a.path < b.path ? -1 : 1)),
    untested: isWhole ? listUntested(files, tested, findTestedFamilies(paths)) : [],
    reachedFiles: others.length,
  }
}

function describe(path: string, distances: Distances, origins: readonly string[]): Reach['tests'][number] {
  const reaches = origins.filter((_, index) => (distances[index] ?? 0) > 0)
  return { path, distance: nearest(distances), reaches }
}

/** Families of languages that have tests here. */
function findTestedFamilies(paths: Iterable<string>): Set<Family | undefined> {
  const families = new Set<Family | undefined>()
  for (const path of paths) {
    const family = familyOf(path)
    if (family !== undefined && !families.has(family) && isTestPath(path)) families.add(family)
  }
  return families
}

function listUntested(
  files: readonly ChangedFile[],
  tested: ReadonlySet<string>,
  families: ReadonlySet<Family | undefined>,
): string[] {
  return files
    .filter(({ diff: { path }, symbols }) => {
      // Only what runs can be tested.
      const runs = symbols.some(
        ({ kind, change }) => change !== 'removed' && (kind === 'function' || kind === 'method'),
      )
      return runs && families.has(familyOf(path)) && !isTestPath(path) && !configPath.test(path) && !tested.has(path)
    })
    .map(({ diff }) => diff.path)
}
