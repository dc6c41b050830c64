// Reads tsconfig and jsconfig files with what they extend: where aliases of modules lead.

import type { PathPattern, ScriptConfig } from '../import-config.ts'
import { filenameOf, joinFolder, joinPath } from '../paths.ts'
import type { ManifestFile } from './manifest-file.ts'
import { entriesOf, fieldOf, parseJsonc, stringsOf } from './parse-jsonc.ts'

const maxExtendsDepth = 8
const maxExtended = 10
const maxPaths = 300
const maxTargets = 20

/** Where each came from counts: paths are relative to the file that says them. */
interface Options {
  readonly baseUrl: ConfigValue | null
  readonly paths: ConfigValue | null
}

interface ConfigValue {
  readonly folder: string
  readonly value: unknown
}

/** Finds a configuration that another one names. */
type FindConfig = (folder: string, name: string) => ManifestFile | undefined

const noOptions: Options = { baseUrl: null, paths: null }
/** Stands for the folder of the configuration that is asked, not of the one that is extended. */
const ownFolder = '$' + '{configDir}'

/** The paths that a configuration may extend, by their names: files that may be there. Packages are found by name. */
export function listExtended({ folder, text }: ManifestFile): string[] {
  return stringsOf(fieldOf(parseJsonc(text), 'extends'))
    .filter((name) => name.startsWith('.'))
    .slice(0, maxExtended)
    .flatMap((name) => joinPath(folder, name) ?? [])
    .flatMap((path) => [path, `${path}.json`])
}

/**
 * Only those that say where modules are; in each folder `tsconfig.json` comes first.
 *
 * @param extended files that are only there to be extended
 * @param packages by whose names configurations may be named
 */
export function readScriptConfigs(
  manifests: readonly ManifestFile[],
  extended: readonly ManifestFile[],
  packages: readonly ManifestFile[],
): ScriptConfig[] {
  const readOptions = createOptionsReader(createConfigFinder([...manifests, ...extended], packages))
  const rank = ({ path }: ManifestFile) =>
    ['tsconfig.json', 'jsconfig.json'].indexOf(filenameOf(path)) >>> 0
  return manifests
    .toSorted((one, other) => rank(one) - rank(other))
    .flatMap((manifest) => {
      const options = readOptions(manifest, maxExtendsDepth)
      const { folder } = manifest
      const baseUrl =
        options.baseUrl &&
        (resolveTarget(folder, options.baseUrl.folder, options.baseUrl.value) ?? null)
      const paths = readPaths(folder, options.paths, baseUrl)
      return baseUrl === null && paths.length === 0 ? [] : [{ folder, baseUrl, paths }]
    })
}

/** Reads what a file says, and what it extends says where it is silent; of several extended files the last one counts. */
function createOptionsReader(find: FindConfig): (manifest: ManifestFile, left: number) => Options {
  // Each file once, however many extend it. One that extends itself finds nothing there.
  const known = new Map<string, Options>()
  const read = (manifest: ManifestFile, left: number): Options => {
    const before = known.get(manifest.path)
    if (before !== undefined || left === 0) return before ?? noOptions
    known.set(manifest.path, noOptions)
    const json = parseJsonc(manifest.text)
    let options = noOptions
    for (const name of stringsOf(fieldOf(json, 'extends')).slice(0, maxExtended)) {
      const other = find(manifest.folder, name)
      if (other === undefined) continue
      const { baseUrl, paths } = read(other, left - 1)
      options = { baseUrl: baseUrl ?? options.baseUrl, paths: paths ?? options.paths }
    }
    const own = fieldOf(json, 'compilerOptions')
    const written = (key: string, inherited: ConfigValue | null) => {
      const value = fieldOf(own, key)
      return value === undefined ? inherited : { folder: manifest.folder, value }
    }
    options = {
      baseUrl: written('baseUrl', options.baseUrl),
      paths: written('paths', options.paths),
    }
    known.set(manifest.path, options)
    return options
  }
  return read
}

/** A path within the tree; undefined where it leads out of it. */
function resolveTarget(leaf: string, folder: string, path: unknown): string | undefined {
  if (typeof path !== 'string') return undefined
  return path.startsWith(ownFolder)
    ? joinPath(leaf, path.slice(ownFolder.length))
    : joinPath(folder, path)
}

function readPaths(leaf: string, paths: ConfigValue | null, baseUrl: string | null): PathPattern[] {
  if (paths === null) return []
  return entriesOf(paths.value)
    .slice(0, maxPaths)
    .map(([pattern, targets]) => [
      pattern,
      stringsOf(targets)
        .slice(0, maxTargets)
        .flatMap((target) => resolveTarget(leaf, baseUrl ?? paths.folder, target) ?? []),
    ])
}

function createConfigFinder(
  manifests: readonly ManifestFile[],
  packages: readonly ManifestFile[],
): FindConfig {
  const byPath = new Map(manifests.map((manifest) => [manifest.path, manifest]))
  const folders = new Map<string, string>()
  for (const { folder, text } of packages) {
    const name = fieldOf(parseJsonc(text), 'name')
    if (typeof name === 'string') folders.set(name, folder)
  }
  const at = (base: string | undefined) =>
    base === undefined
      ? undefined
      : (byPath.get(base) ??
        byPath.get(`${base}.json`) ??
        byPath.get(joinFolder(base, 'tsconfig.json')))
  return (folder, name) => {
    if (name.startsWith('.')) return at(joinPath(folder, name))
    const [, owner = '', rest = ''] = /^((?:@[^/]+\/)?[^/]+)\/?(.*)$/.exec(name) ?? []
    const home = folders.get(owner)
    return home === undefined ? undefined : at(joinPath(home, rest))
  }
}
