// Reads the import configuration of a repository from its manifests, which are untrusted input.
import { GitError } from '../../domain/errors.ts'
import type { Snapshot } from '../../domain/snapshot.ts'
import type { ImportConfig } from '../../languages/common/import-config.ts'
import type { ManifestFile } from '../../languages/common/manifest-file.ts'
import { readGoModule } from '../../languages/go/read-module.ts'
import { listExtended, readScriptConfigs } from '../../languages/javascript/read-configs.ts'
import { readScriptPackages } from '../../languages/javascript/read-packages.ts'
import { readComposer } from '../../languages/php/read-composer.ts'
import { readPythonRoots } from '../../languages/python/read-roots.ts'
import { readRustCrate } from '../../languages/rust/read-crate.ts'
import { filenameOf, folderOf } from '../../lib/tree-paths.ts'
import { readIgnoreGlobs } from './read-ignore-globs.ts'

/** Applies to each kind of manifest. Those nearest to the root take precedence. */
const maxManifests = 1_000
const maxManifestBytes = 512 * 1024
/** Applies to the text of all manifests together. */
const maxTotalLength = 32 * 1024 * 1024
const maxConcurrency = 16
const maxExtendsDepth = 4

const packageJson = /^package\.json$/
const workspaceFile = /^(pnpm-workspace\.yaml|lerna\.json)$/
const scriptConfig = /^[tj]sconfig/
const pythonManifest = /^(pyproject\.toml|setup\.(cfg|py)|pytest\.ini)$/
const manifestName = new RegExp(
  `^(${[
    'package\\.json',
    'pnpm-workspace\\.yaml',
    'lerna\\.json',
    '[tj]sconfig[\\w.-]*\\.json',
    'go\\.mod',
    'pyproject\\.toml',
    'setup\\.(cfg|py)',
    'pytest\\.ini',
    'composer\\.json',
    'Cargo\\.toml',
    '\\.gitignore',
  ].join('|')})$`,
)

/** Checks by its path whether `readImportConfig` reads a file. */
function isImportManifest(path: string): boolean {
  return manifestName.test(filenameOf(path)) && !/(^|\/)node_modules\//.test(path)
}

/** Checks whether a change of the file may change the configuration. */
export function affectsImportConfig(
  path: string,
  { extended }: Pick<ImportConfig, 'extended'>,
): boolean {
  return isImportManifest(path) || extended.includes(path)
}

/**
 * Reads the manifests among `paths`. Files that are too large or invalid are skipped, and so are
 * paths that lead out of the tree.
 */
export async function readImportConfig(
  snapshot: Snapshot,
  paths: Iterable<string>,
): Promise<ImportConfig> {
  const files = new Set(paths)
  const manifests = await readManifestFiles(snapshot, [...files].filter(isImportManifest))
  const select = (name: RegExp) => manifests.filter(({ path }) => name.test(filenameOf(path)))
  const scriptConfigs = select(scriptConfig)
  const packages = select(packageJson)
  const extended = await readExtended(snapshot, scriptConfigs, files)
  return {
    closed: await listNonFiles(snapshot),
    ignored: select(/^\.gitignore$/).map(({ folder, text }) => ({
      folder,
      globs: readIgnoreGlobs(text),
    })),
    scriptConfigs: readScriptConfigs(scriptConfigs, extended, packages),
    extended: extended.map(({ path }) => path),
    scriptPackages: readScriptPackages(packages, select(workspaceFile)),
    goModules: select(/^go\.mod$/).flatMap(readGoModule),
    pythonRoots: [...new Set(select(pythonManifest).flatMap(readPythonRoots))],
    phpPrefixes: select(/^composer\.json$/).flatMap(readComposer),
    rustCrates: select(/^Cargo\.toml$/).flatMap(readRustCrate),
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
    list.toSorted((a, b) => countFolders(a) - countFolders(b)).slice(0, maxManifests),
  )
  const manifests: ManifestFile[] = []
  let lengthLeft = maxTotalLength
  for (let start = 0; start < chosen.length && lengthLeft > 0; start += maxConcurrency) {
    const batch = await readAll(snapshot, chosen.slice(start, start + maxConcurrency))
    manifests.push(...batch)
    lengthLeft -= batch.reduce((sum, { text }) => sum + text.length, 0)
  }
  return manifests
}

/** Reads the configurations that others extend directly or indirectly and that have other names. */
async function readExtended(
  snapshot: Snapshot,
  configs: readonly ManifestFile[],
  files: ReadonlySet<string>,
): Promise<ManifestFile[]> {
  const seen = new Set(configs.map(({ path }) => path))
  const extended: ManifestFile[] = []
  let level = configs
  for (let depth = 0; depth < maxExtendsDepth && level.length > 0; depth++) {
    const paths = new Set(
      level.flatMap(listExtended).filter((path) => files.has(path) && !seen.has(path)),
    )
    const chosen = [...paths].slice(0, maxManifests - extended.length)
    for (const path of chosen) seen.add(path)
    level = await readAll(snapshot, chosen)
    extended.push(...level)
  }
  return extended
}

async function readAll(snapshot: Snapshot, paths: readonly string[]): Promise<ManifestFile[]> {
  const manifests = await Promise.all(paths.map((path) => readManifestFile(snapshot, path)))
  return manifests.filter((manifest) => manifest !== undefined)
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
