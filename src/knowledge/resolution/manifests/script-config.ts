// Reads tsconfig and jsconfig files with what they extend: where aliases of modules lead.
import { below, filenameOf, joinPath } from '../paths.ts'
import type { PathPattern, ScriptConfig } from '../resolution.ts'
import { entriesOf, fieldOf, parseLooseJson, textsOf } from './loose-json.ts'
import type { Manifest } from './manifest.ts'

const longestChain = 8
const mostExtended = 10
const mostPaths = 300
const mostTargets = 20

/** Where each came from counts: paths are relative to the file that says them. */
interface Options {
  readonly baseUrl: Written | null
  readonly paths: Written | null
}

interface Written {
  readonly folder: string
  readonly value: unknown
}

/** Finds a configuration that another one names. */
type FindConfig = (folder: string, name: string) => Manifest | undefined

const noOptions: Options = { baseUrl: null, paths: null }
/** Stands for the folder of the configuration that is asked, not of the one that is extended. */
const ownFolder = '$' + '{configDir}'

/** The paths that a configuration may extend, by their names: files that may be there. Packages are found by name. */
export function listExtended({ folder, text }: Manifest): string[] {
  return textsOf(fieldOf(parseLooseJson(text), 'extends'))
    .filter((name) => name.startsWith('.'))
    .slice(0, mostExtended)
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
  manifests: readonly Manifest[],
  extended: readonly Manifest[],
  packages: readonly Manifest[],
): ScriptConfig[] {
  const readOptions = createOptionsReader(createConfigFinder([...manifests, ...extended], packages))
  const rank = ({ path }: Manifest) =>
    ['tsconfig.json', 'jsconfig.json'].indexOf(filenameOf(path)) >>> 0
  return manifests
    .toSorted((one, other) => rank(one) - rank(other))
    .flatMap((manifest) => {
      const options = readOptions(manifest, longestChain)
      const { folder } = manifest
      const baseUrl =
        options.baseUrl && (leadFrom(folder, options.baseUrl.folder, options.baseUrl.value) ?? null)
      const paths = readPaths(folder, options.paths, baseUrl)
      return baseUrl === null && paths.length === 0 ? [] : [{ folder, baseUrl, paths }]
    })
}

/** Reads what a file says, and what it extends says where it is silent; of several extended files the last one counts. */
function createOptionsReader(find: FindConfig): (manifest: Manifest, left: number) => Options {
  // Each file once, however many extend it. One that extends itself finds nothing there.
  const known = new Map<string, Options>()
  const read = (manifest: Manifest, left: number): Options => {
    const before = known.get(manifest.path)
    if (before !== undefined || left === 0) return before ?? noOptions
    known.set(manifest.path, noOptions)
    const json = parseLooseJson(manifest.text)
    let options = noOptions
    for (const name of textsOf(fieldOf(json, 'extends')).slice(0, mostExtended)) {
      const other = find(manifest.folder, name)
      if (other === undefined) continue
      const { baseUrl, paths } = read(other, left - 1)
      options = { baseUrl: baseUrl ?? options.baseUrl, paths: paths ?? options.paths }
    }
    const own = fieldOf(json, 'compilerOptions')
    const written = (key: string, inherited: Written | null) => {
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
function leadFrom(leaf: string, folder: string, path: unknown): string | undefined {
  if (typeof path !== 'string') return undefined
  return path.startsWith(ownFolder)
    ? joinPath(leaf, path.slice(ownFolder.length))
    : joinPath(folder, path)
}

function readPaths(leaf: string, paths: Written | null, baseUrl: string | null): PathPattern[] {
  if (paths === null) return []
  return entriesOf(paths.value)
    .slice(0, mostPaths)
    .map(([pattern, targets]) => [
      pattern,
      textsOf(targets)
        .slice(0, mostTargets)
        .flatMap((target) => leadFrom(leaf, baseUrl ?? paths.folder, target) ?? []),
    ])
}

function createConfigFinder(
  manifests: readonly Manifest[],
  packages: readonly Manifest[],
): FindConfig {
  const byPath = new Map(manifests.map((manifest) => [manifest.path, manifest]))
  const folders = new Map<string, string>()
  for (const { folder, text } of packages) {
    const name = fieldOf(parseLooseJson(text), 'name')
    if (typeof name === 'string') folders.set(name, folder)
  }
  const at = (base: string | undefined) =>
    base === undefined
      ? undefined
      : (byPath.get(base) ?? byPath.get(`${base}.json`) ?? byPath.get(below(base, 'tsconfig.json')))
  return (folder, name) => {
    if (name.startsWith('.')) return at(joinPath(folder, name))
    const [, owner = '', rest = ''] = /^((?:@[^/]+\/)?[^/]+)\/?(.*)$/.exec(name) ?? []
    const home = folders.get(owner)
    return home === undefined ? undefined : at(joinPath(home, rest))
  }
}
