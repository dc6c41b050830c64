// Reads the manifests of a repository, which are anybody's, into what its imports are resolved with.
import { GitError } from '../../domain/errors.ts'
import type { Snapshot } from '../../git/snapshot.ts'
import type { ImportConfig } from './import-config.ts'
import type { ManifestFile } from './manifests/manifest-file.ts'
import { readComposer } from './manifests/read-composer.ts'
import { readGoModule } from './manifests/read-go-module.ts'
import { readIgnoreGlobs } from './manifests/read-ignore-globs.ts'
import { readPythonRoots } from './manifests/read-python-roots.ts'
import { readRustCrate } from './manifests/read-rust-crate.ts'
import { listExtended, readScriptConfigs } from './manifests/read-script-configs.ts'
import { readScriptPackages } from './manifests/read-script-packages.ts'
import { filenameOf, folderOf } from './paths.ts'

/** Of each kind; the ones nearest to the root count. */
const maxManifests = 1_000
const maxManifestBytes = 512 * 1024
/** Of all of them together. */
const maxTotalText = 32 * 1024 * 1024
const maxConcurrency = 16
const maxExtendsDepth = 4

/** What the manifests that a change of which makes a new `Resolution` necessary are called. */
const manifestPath =
  /(^|\/)(package\.json|pnpm-workspace\.yaml|lerna\.json|[tj]sconfig[\w.-]*\.json|go\.mod|pyproject\.toml|setup\.(cfg|py)|pytest\.ini|composer\.json|Cargo\.toml|\.gitignore)$/

/** Whether `readImportConfig` reads the file whatever others say: by its name. */
function isImportManifest(path: string): boolean {
  return manifestPath.test(path) && !/(^|\/)node_modules\//.test(path)
}

/** Whether a change of the file may make another `Resolution` of this one. */
export function affectsImportConfig(
  path: string,
  { extended }: Pick<ImportConfig, 'extended'>,
): boolean {
  return isImportManifest(path) || extended.includes(path)
}

/**
 * Reads what the manifests among `paths` say. They are data: whatever is too large, broken or leads out of the tree is
 * left out, and says nothing.
 */
export async function readImportConfig(
  snapshot: Snapshot,
  paths: Iterable<string>,
): Promise<ImportConfig> {
  const files = new Set(paths)
  const manifests = await readManifestFiles(snapshot, [...files].filter(isImportManifest))
  const configs = manifests.filter(({ path }) => /^[tj]sconfig/.test(filenameOf(path)))
  const extended = await readExtended(snapshot, configs, files)
  const named = (pattern: RegExp) => manifests.filter(({ path }) => pattern.test(filenameOf(path)))
  return {
    closed: await listNonFiles(snapshot),
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

async function readManifestFiles(
  snapshot: Snapshot,
  paths: readonly string[],
): Promise<ManifestFile[]> {
  const byKind = Map.groupBy(paths, (path) =>
    filenameOf(path).replace(/^[tj]sconfig.*/, 'tsconfig.json'),
  )
  const chosen = [...byKind.values()].flatMap((list) =>
    list.toSorted((one, other) => countFolders(one) - countFolders(other)).slice(0, maxManifests),
  )
  const manifests: ManifestFile[] = []
  let left = maxTotalText
  for (let start = 0; start < chosen.length && left > 0; start += maxConcurrency) {
    const read = await Promise.all(
      chosen.slice(start, start + maxConcurrency).map((path) => readManifestFile(snapshot, path)),
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
  configs: readonly ManifestFile[],
  files: ReadonlySet<string>,
): Promise<ManifestFile[]> {
  const seen = new Set(configs.map(({ path }) => path))
  const extended: ManifestFile[] = []
  for (let open = configs, step = 0; open.length > 0 && step < maxExtendsDepth; step++) {
    const paths = new Set(
      open.flatMap(listExtended).filter((path) => files.has(path) && !seen.has(path)),
    )
    const chosen = [...paths].slice(0, maxManifests - extended.length)
    for (const path of chosen) seen.add(path)
    open = (await Promise.all(chosen.map((path) => readManifestFile(snapshot, path)))).filter(
      (one) => one !== undefined,
    )
    extended.push(...open)
  }
  return extended
}

async function readManifestFile(
  snapshot: Snapshot,
  path: string,
): Promise<ManifestFile | undefined> {
  try {
    const bytes = await snapshot.readFile(path, { maxBytes: maxManifestBytes })
    return bytes && { folder: folderOf(path), path, text: new TextDecoder().decode(bytes) }
  } catch (error) {
    if (error instanceof GitError) return undefined
    throw error
  }
}

async function listNonFiles(snapshot: Snapshot): Promise<string[]> {
  const entries = await snapshot.listFiles()
  return entries
    .filter(({ kind }) => kind !== 'file')
    .map(({ path }) => path)
    .slice(0, maxManifests)
}

function countFolders(path: string): number {
  return path.split('/').length
}
