// Reads path aliases from tsconfig and jsconfig files and the files that they extend.

import { filenameOf, joinFolder, joinPath } from '../../lib/tree-paths.ts'
import type { PathPattern, ScriptConfig } from '../common/import-config.ts'
import type { ManifestFile } from '../common/manifest-file.ts'
import { entriesOf, fieldOf, parseJsonc, stringsOf } from '../common/parse-jsonc.ts'

/** Matches `@scope/name/path` and captures the name of the package and the path in it. */
const packageSpecifier = /^((?:@[^/]+\/)?[^/]+)\/?(.*)$/
const maxExtendsDepth = 8
const maxExtended = 10
const maxPaths = 300
const maxTargets = 20

/** The `compilerOptions` that define aliases. */
interface AliasOptions {
  readonly baseUrl: ConfigValue | null
  readonly paths: ConfigValue | null
}

interface ConfigValue {
  /** The folder of the file that contains the value, which relative paths start from. */
  readonly folder: string
  readonly value: unknown
}

/** Finds the configuration that `extends` names in a file of the folder. */
type FindConfig = (folder: string, name: string) => ManifestFile | undefined

const noOptions: AliasOptions = { baseUrl: null, paths: null }
/** TypeScript replaces this variable with the folder of the extending configuration. */
const configFolderVariable = '$' + '{configDir}'

/** Collects the paths that relative `extends` of a configuration can mean. */
export function listExtended({ folder, text }: ManifestFile): string[] {
  return stringsOf(fieldOf(parseJsonc(text), 'extends'))
    .filter((name) => name.startsWith('.'))
    .slice(0, maxExtended)
    .flatMap((name) => joinPath(folder, name) ?? [])
    .flatMap((path) => [path, `${path}.json`])
}

/**
 * Returns the configurations that define aliases; in each folder `tsconfig.json` comes first.
 *
 * @param extended configurations that are only used by `extends`
 * @param packages the package.json files of packages that `extends` can name
 */
export function readScriptConfigs(
  manifests: readonly ManifestFile[],
  extended: readonly ManifestFile[],
  packages: readonly ManifestFile[],
): ScriptConfig[] {
  const readOptions = createOptionsReader(createConfigFinder([...manifests, ...extended], packages))
  return manifests
    .toSorted((a, b) => rankConfig(a) - rankConfig(b))
    .flatMap((manifest) => {
      const { folder } = manifest
      const options = readOptions(manifest, maxExtendsDepth)
      const baseUrl = readBaseUrl(folder, options.baseUrl)
      const paths = readPaths(folder, options.paths, baseUrl)
      return baseUrl === null && paths.length === 0 ? [] : [{ folder, baseUrl, paths }]
    })
}

function rankConfig({ path }: ManifestFile): number {
  const rank = ['tsconfig.json', 'jsconfig.json'].indexOf(filenameOf(path))
  return rank === -1 ? 2 : rank
}

/** A file's own options take precedence over those that it extends, and later ones over earlier. */
function createOptionsReader(
  findConfig: FindConfig,
): (manifest: ManifestFile, depthLeft: number) => AliasOptions {
  const cache = new Map<string, AliasOptions>()
  const read = (manifest: ManifestFile, depthLeft: number): AliasOptions => {
    const cached = cache.get(manifest.path)
    if (cached !== undefined) return cached
    if (depthLeft === 0) return noOptions
    // A file that extends itself, directly or over others, inherits nothing from itself.
    cache.set(manifest.path, noOptions)
    const json = parseJsonc(manifest.text)
    let inherited = noOptions
    for (const name of stringsOf(fieldOf(json, 'extends')).slice(0, maxExtended)) {
      const extended = findConfig(manifest.folder, name)
      if (extended !== undefined) inherited = mergeOptions(inherited, read(extended, depthLeft - 1))
    }
    const options = mergeOptions(inherited, readOwnOptions(manifest.folder, json))
    cache.set(manifest.path, options)
    return options
  }
  return read
}

function readOwnOptions(folder: string, json: unknown): AliasOptions {
  const compilerOptions = fieldOf(json, 'compilerOptions')
  const readOption = (key: string): ConfigValue | null => {
    const value = fieldOf(compilerOptions, key)
    return value === undefined ? null : { folder, value }
  }
  return { baseUrl: readOption('baseUrl'), paths: readOption('paths') }
}

function mergeOptions(inherited: AliasOptions, own: AliasOptions): AliasOptions {
  return { baseUrl: own.baseUrl ?? inherited.baseUrl, paths: own.paths ?? inherited.paths }
}

function readBaseUrl(configFolder: string, baseUrl: ConfigValue | null): string | null {
  if (baseUrl === null) return null
  return resolveTarget(configFolder, baseUrl.folder, baseUrl.value) ?? null
}

function readPaths(
  configFolder: string,
  paths: ConfigValue | null,
  baseUrl: string | null,
): PathPattern[] {
  if (paths === null) return []
  const folder = baseUrl ?? paths.folder
  return entriesOf(paths.value)
    .slice(0, maxPaths)
    .map(([pattern, targets]) => [
      pattern,
      stringsOf(targets)
        .slice(0, maxTargets)
        .flatMap((target) => resolveTarget(configFolder, folder, target) ?? []),
    ])
}

/**
 * Resolves a path of a configuration; undefined if it leads out of the tree.
 *
 * @param configFolder the folder of the extending configuration
 * @param folder the folder that relative paths start from
 */
function resolveTarget(configFolder: string, folder: string, path: unknown): string | undefined {
  if (typeof path !== 'string') return undefined
  return path.startsWith(configFolderVariable)
    ? joinPath(configFolder, path.slice(configFolderVariable.length))
    : joinPath(folder, path)
}

function createConfigFinder(
  manifests: readonly ManifestFile[],
  packages: readonly ManifestFile[],
): FindConfig {
  const manifestsByPath = new Map(manifests.map((manifest) => [manifest.path, manifest]))
  const packageFolders = new Map<string, string>()
  for (const { folder, text } of packages) {
    const name = fieldOf(parseJsonc(text), 'name')
    if (typeof name === 'string') packageFolders.set(name, folder)
  }
  const findAt = (base: string | undefined) => {
    if (base === undefined) return undefined
    return (
      manifestsByPath.get(base) ??
      manifestsByPath.get(`${base}.json`) ??
      manifestsByPath.get(joinFolder(base, 'tsconfig.json'))
    )
  }
  return (folder, name) => {
    if (name.startsWith('.')) return findAt(joinPath(folder, name))
    const [, packageName = '', subpath = ''] = packageSpecifier.exec(name) ?? []
    const packageFolder = packageFolders.get(packageName)
    return packageFolder === undefined ? undefined : findAt(joinPath(packageFolder, subpath))
  }
}
