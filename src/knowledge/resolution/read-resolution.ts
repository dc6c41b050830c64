// Reads the manifests of a repository, which are anybody's, into what its imports are resolved with.
import { GitError } from '../../domain/errors.ts'
import type { Snapshot } from '../../workspace/snapshot.ts'
import { readComposer } from './manifests/composer.ts'
import { readGoModule } from './manifests/go-module.ts'
import { readIgnoreGlobs } from './manifests/ignore-globs.ts'
import { readPythonRoots } from './manifests/python-roots.ts'
import { readRustCrate } from './manifests/rust-crate.ts'
import { readScriptConfigs } from './manifests/script-config.ts'
import { readScriptPackages } from './manifests/script-package.ts'
import { filenameOf, folderOf } from './paths.ts'
import type { Resolution } from './resolution.ts'

/** Of each kind; the ones nearest to the root count. */
const mostManifests = 1_000
const largestManifest = 512 * 1024
const readAtOnce = 16

/** A manifest by its path. */
export interface Manifest {
  readonly folder: string
  readonly path: string
  readonly text: string
}

/** What the manifests that a change of which makes a new `Resolution` necessary are called. */
const manifestName =
  /(^|\/)(package\.json|pnpm-workspace\.yaml|lerna\.json|[tj]sconfig[\w.-]*\.json|go\.mod|pyproject\.toml|setup\.(cfg|py)|pytest\.ini|composer\.json|Cargo\.toml|\.gitignore)$/

/** Whether the file is one of those that `readResolution` reads. */
export function isManifest(path: string): boolean {
  return manifestName.test(path) && !/(^|\/)node_modules\//.test(path)
}

/**
 * Reads what the manifests among `paths` say. They are data: whatever is too large, broken or leads out of the tree is
 * left out, and says nothing.
 */
export async function readResolution(snapshot: Snapshot, paths: Iterable<string>): Promise<Resolution> {
  const manifests = await readManifests(snapshot, [...paths].filter(isManifest))
  const named = (pattern: RegExp) => manifests.filter(({ path }) => pattern.test(filenameOf(path)))
  return {
    closed: await listClosed(snapshot),
    ignored: named(/^\.gitignore$/).map(({ folder, text }) => ({ folder, globs: readIgnoreGlobs(text) })),
    scriptConfigs: readScriptConfigs(named(/^[tj]sconfig/), named(/^package\.json$/)),
    scriptPackages: readScriptPackages(named(/^package\.json$/), named(/^(pnpm-workspace\.yaml|lerna\.json)$/)),
    goModules: named(/^go\.mod$/).flatMap(readGoModule),
    pythonRoots: [...new Set(named(/^(pyproject\.toml|setup\.(cfg|py)|pytest\.ini)$/).flatMap(readPythonRoots))],
    phpPrefixes: named(/^composer\.json$/).flatMap(readComposer),
    rustCrates: named(/^Cargo\.toml$/).flatMap(readRustCrate),
  }
}

async function readManifests(snapshot: Snapshot, paths: readonly string[]): Promise<Manifest[]> {
  const byKind = Map.groupBy(paths, filenameOf)
  const chosen = [...byKind.values()].flatMap((list) =>
    list.toSorted((one, other) => countFolders(one) - countFolders(other)).slice(0, mostManifests),
  )
  const manifests: Manifest[] = []
  for (let start = 0; start < chosen.length; start += readAtOnce) {
    const texts = await Promise.all(chosen.slice(start, start + readAtOnce).map((path) => readManifest(snapshot, path)))
    manifests.push(...texts.filter((manifest) => manifest !== undefined))
  }
  return manifests
}

async function readManifest(snapshot: Snapshot, path: string): Promise<Manifest | undefined> {
  try {
    const bytes = await snapshot.readFile(path, { maxBytes: largestManifest })
    return bytes && { folder: folderOf(path), path, text: new TextDecoder().decode(bytes) }
  } catch (error) {
    if (error instanceof GitError) return undefined
    throw error
  }
}

async function listClosed(snapshot: Snapshot): Promise<string[]> {
  const entries = await snapshot.listFiles()
  return entries
    .filter(({ kind }) => kind !== 'file')
    .map(({ path }) => path)
    .slice(0, mostManifests)
}

function countFolders(path: string): number {
  return path.split('/').length
}
