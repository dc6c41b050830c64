// Reads the import configuration of a repository from its manifests, which are untrusted input.
import { GitError } from '../../domain/errors.ts'
import type { Snapshot } from '../../domain/snapshot.ts'
import { emptyImportConfig, type ImportConfig } from '../../languages/common/import-config.ts'
import type { ManifestFile } from '../../languages/common/manifest-file.ts'
import { languageFamilies } from '../../languages/index.ts'
import type { ManifestReader } from '../../languages/language.ts'
import { filenameOf, folderOf } from '../../lib/tree-paths.ts'
import { readIgnoreGlobs } from './read-ignore-globs.ts'

/** Applies to each kind of manifest. Those nearest to the root take precedence. */
const maxManifests = 1_000
const maxManifestBytes = 512 * 1024
/** Applies to the text of all manifests together. */
const maxTotalLength = 32 * 1024 * 1024
const maxConcurrency = 16
const maxExtendsDepth = 4

const ignoreFile = /^\.gitignore$/
const manifestNames = [
  ignoreFile,
  ...languageFamilies.flatMap(({ manifests }) => manifests?.filename ?? []),
]

/** Checks by its path whether `readImportConfig` reads a file. */
function isImportManifest(path: string): boolean {
  const filename = filenameOf(path)
  return manifestNames.some((name) => name.test(filename)) && !/(^|\/)node_modules\//.test(path)
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
  let config: ImportConfig = {
    ...emptyImportConfig,
    closed: await listNonFiles(snapshot),
    ignored: select(ignoreFile).map(({ folder, text }) => ({
      folder,
      globs: readIgnoreGlobs(text),
    })),
  }
  for (const { manifests: kind } of languageFamilies) {
    const own = kind === undefined ? [] : select(kind.filename)
    // The parsers of the formats take time to load.
    if (kind === undefined || own.length === 0) continue
    const reader = await kind.loadReader()
    config = { ...config, ...reader.read(own, await readExtended(snapshot, reader, own, files)) }
  }
  return config
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
  { extending }: ManifestReader,
  manifests: readonly ManifestFile[],
  files: ReadonlySet<string>,
): Promise<ManifestFile[]> {
  if (extending === undefined) return []
  const configs = manifests.filter(({ path }) => extending.filename.test(filenameOf(path)))
  const seen = new Set(configs.map(({ path }) => path))
  const extended: ManifestFile[] = []
  let level: readonly ManifestFile[] = configs
  for (let depth = 0; depth < maxExtendsDepth && level.length > 0; depth++) {
    const paths = new Set(
      level.flatMap(extending.list).filter((path) => files.has(path) && !seen.has(path)),
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
