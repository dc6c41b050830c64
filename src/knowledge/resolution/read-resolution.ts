// Reads the manifests of a repository, which are anybody's, into what its imports are resolved with.
import { GitError } from '../../domain/errors.ts'
import type { Snapshot } from '../../workspace/snapshot.ts'
import { readComposer } from './manifests/composer.ts'
import { readGoModule } from './manifests/go-module.ts'
import { readIgnoreGlobs } from './manifests/ignore-globs.ts'
import type { Manifest } from './manifests/manifest.ts'
import { readPythonRoots } from './manifests/python-roots.ts'
import { readRustCrate } from './manifests/rust-crate.ts'
import { listExtended, readScriptConfigs } from './manifests/script-config.ts'
import { readScriptPackages } from './manifests/script-package.ts'
import { filenameOf, folderOf } from './paths.ts'
import type { Resolution } from './resolution.ts'

/** Of each kind; the ones nearest to the root count. */
const mostManifests = 1_000
const largestManifest = 512 * 1024
/** Of all of them together. */
const mostText = 32 * 1024 * 1024
const readAtOnce = 16
const mostExtensions = 4

/** What the manifests that a change of which makes a new `Resolution` necessary are called. */
const manifestName =
  /(^|\/)(package\.json|pnpm-workspace\.yaml|lerna\.json|[tj]sconfig[\w.-]*\.json|go\.mod|pyproject\.toml|setup\.(cfg|py)|pytest\.ini|composer\.json|Cargo\.toml|\.gitignore)$/

/** Whether `readResolution` reads the file whatever others say: by its name. */
function isManifest(path: string): boolean {
  return manifestName.test(path) && !/(^|\/)node_modules\//.test(path)
}

/** Whether a change of the file may make another `Resolution` of this one. */
export function saysWhereImportsLead(
  path: string,
  { extended }: Pick<Resolution, 'extended'>,
): boolean {
  return isManifest(path) || extended.includes(path)
}

/**
 * Reads what the manifests among `paths` say. They are data: whatever is too large, broken or leads out of the tree is
 * left out, and says nothing.
 */
export async function readResolution(
  snapshot: Snapshot,
  paths: Iterable<string>,
): Promise<Resolution> {
  const files = new Set(paths)
  const manifests = await readManifests(snapshot, [...files].filter(isManifest))
  const configs = manifests.filter(({ path }) => /^[tj]sconfig/.test(filenameOf(path)))
  const extended = await readExtended(snapshot, configs, files)
  const named = (pattern: RegExp) => manifests.filter(({ path }) => pattern.test(filenameOf(path)))
  return {
    closed: await listClosed(snapshot),
    ignored: named(/^\.gitignore$/).map(({ folder, text }) => ({
      folder,
      globs: readIgnoreGlobs(text),
    })),
    scriptConfigs: readScriptConfigs(configs, extended, named(/^package\.json$/)),
    extended: extended.map(({ path }) => path),
    scriptPackages: readScriptPackages(
      named(/^package\.json$/),
      named(/^(pnpm-workspace\.yaml|lerna\.json)$/),
    ),
    goModules: named(/^go\.mod$/).flatMap(readGoModule),
    pythonRoots: [
      ...new Set(named(/^(pyproject\.toml|setup\.(cfg|py)|pytest\.ini)$/).flatMap(readPythonRoots)),
    ],
    phpPrefixes: named(/^composer\.json$/).flatMap(readComposer),
    rustCrates: named(/^Cargo\.toml$/).flatMap(readRustCrate),
  }
}

async function readManifests(snapshot: Snapshot, paths: readonly string[]): Promise<Manifest[]> {
  const byKind = Map.groupBy(paths, (path) =>
    filenameOf(path).replace(/^[tj]sconfig.*/, 'tsconfig.json'),
  )
  const chosen = [...byKind.values()].flatMap((list) =>
    list.toSorted((one, other) => countFolders(one) - countFolders(other)).slice(0, mostManifests),
  )
  const manifests: Manifest[] = []
  let left = mostText
  for (let start = 0; start < chosen.length && left > 0; start += readAtOnce) {
    const read = await Promise.all(
      chosen.slice(start, start + readAtOnce).map((path) => readManifest(snapshot, path)),
    )
    const found = read.filter((manifest) => manifest !== undefined)
    manifests.push(...found)
    left -= found.reduce((sum, { text }) => sum + text.length, 0)
  }
  return manifests
}

/** Configurations of other names that some extend, and what those extend. */
async function readExtended(
  snapshot: Snapshot,
  configs: readonly Manifest[],
  files: ReadonlySet<string>,
): Promise<Manifest[]> {
  const seen = new Set(configs.map(({ path }) => path))
  const extended: Manifest[] = []
  for (let open = configs, step = 0; open.length > 0 && step < mostExtensions; step++) {
    const paths = new Set(
      open.flatMap(listExtended).filter((path) => files.has(path) && !seen.has(path)),
    )
    const chosen = [...paths].slice(0, mostManifests - extended.length)
    for (const path of chosen) seen.add(path)
    open = (await Promise.all(chosen.map((path) => readManifest(snapshot, path)))).filter(
      (one) => one !== undefined,
    )
    extended.push(...open)
  }
  return extended
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
