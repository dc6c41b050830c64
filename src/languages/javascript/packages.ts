// Resolves imports of packages of the repository to their source files by package.json.

import { enclosingFolders, folderOf, isWithin, joinFolder, joinPath } from '../../lib/tree-paths.ts'
import type { FileTree } from '../common/file-tree.ts'
import type { ScriptPackage } from '../common/import-config.ts'
import { externalImport, type ResolvedImport, resolvedTo } from '../common/resolved-import.ts'
import { isInTestFolder } from '../common/test-folders.ts'
import { createPatternTable, type PatternTable } from './path-patterns.ts'
import { createScriptProbe, type ProbeScript } from './probe.ts'

export interface ScriptPackages {
  readonly probe: ProbeScript
  /**
   * Resolves `name` or `@scope/name`, with or without a subpath.
   *
   * @returns undefined if no package of the repository has that name
   */
  resolveName(importer: string, specifier: string): ResolvedImport | undefined
  /** Finds the target of `#part` in the `imports` of the importer's package. */
  resolveSubpathImport(importer: string, specifier: string): ResolvedImport
  /** Finds the folder of the enclosing package; the root if there is none. */
  packageFolderOf(importer: string): string
}

interface PreparedPackage {
  readonly data: ScriptPackage
  readonly exports: PatternTable
  readonly imports: PatternTable
}

export function createScriptPackages(
  tree: FileTree,
  packages: readonly ScriptPackage[],
): ScriptPackages {
  const prepared = packages.map((data) => ({
    data,
    exports: createPatternTable(data.exports),
    imports: createPatternTable(data.imports),
  }))
  const packagesByFolder = new Map(prepared.map((each) => [each.data.folder, each]))
  const packagesByName = Map.groupBy(prepared, ({ data }) => data.name)
  const probe = createScriptProbe(tree, (folder) => packagesByFolder.get(folder)?.data)
  const enclosingPackages = new Map<string, PreparedPackage | undefined>()
  const packageOf = (importer: string): PreparedPackage | undefined => {
    const folder = folderOf(importer)
    if (!enclosingPackages.has(folder)) {
      const root = enclosingFolders(folder).find((candidate) => packagesByFolder.has(candidate))
      enclosingPackages.set(folder, root === undefined ? undefined : packagesByFolder.get(root))
    }
    return enclosingPackages.get(folder)
  }
  return {
    probe,
    packageFolderOf: (importer) => packageOf(importer)?.data.folder ?? '',
    resolveName(importer, specifier) {
      const name = parsePackageName(specifier)
      const candidates = name === '' ? undefined : packagesByName.get(name)
      const chosen = choosePackage(candidates, importer)
      return chosen && resolveExport(probe, chosen, specifier.slice(name.length + 1))
    },
    resolveSubpathImport(importer, specifier) {
      const enclosing = packageOf(importer)
      const targets = enclosing?.imports.find(specifier)?.targets ?? []
      return probeTargets(probe, enclosing?.data.folder ?? '', targets) ?? externalImport
    },
  }
}

/** Extracts `name` from `name/path`, and `@scope/name` from `@scope/name/path`. */
function parsePackageName(specifier: string): string {
  const slash = specifier.indexOf('/')
  if (slash === -1) return specifier
  if (!specifier.startsWith('@')) return specifier.slice(0, slash)
  const next = specifier.indexOf('/', slash + 1)
  return next === -1 ? specifier : specifier.slice(0, next)
}

/** Prefers the enclosing package, then a workspace package, then the only one outside of tests. */
function choosePackage(
  candidates: readonly PreparedPackage[] | undefined,
  importer: string,
): PreparedPackage | undefined {
  if (candidates === undefined) return undefined
  const preferred =
    candidates.find(({ data }) => data.folder !== '' && isWithin(importer, data.folder)) ??
    candidates.find(({ data }) => data.isMember)
  if (preferred !== undefined) return preferred
  const [only] = candidates
  if (only === undefined || candidates.length > 1) return undefined
  return isInTestFolder(`${only.data.folder}/`) ? undefined : only
}

function resolveExport(
  probe: ProbeScript,
  { data, exports }: PreparedPackage,
  subpath: string,
): ResolvedImport {
  const { folder, isMember } = data
  const confidence = isMember ? 0.95 : 0.8
  const exported = exports.find(subpath === '' ? '.' : `./${subpath}`)
  const byExports = exported && probeTargets(probe, folder, exported.targets, confidence)
  if (byExports !== undefined) return byExports
  const direct = probe(joinFolder(folder, subpath))
  if (direct !== undefined) return resolvedTo(direct, confidence)
  const entries = subpath === '' ? data.entries : [subpath]
  const entryPaths = entries.flatMap((entry) => joinPath(folder, entry) ?? [])
  const inSource = joinFolder(folder, joinFolder('src', subpath === '' ? 'index' : subpath))
  return (
    probeTargets(probe, folder, entryPaths) ??
    probeTargets(probe, folder, [inSource], 0.85) ??
    externalImport
  )
}

/** Finds the first existing target, or else the first existing source of a built target. */
function probeTargets(
  probe: ProbeScript,
  folder: string,
  targets: readonly string[],
  confidence = 0.95,
): ResolvedImport | undefined {
  for (const target of targets) {
    const found = probe(target)
    if (found !== undefined) return resolvedTo(found, confidence)
  }
  for (const target of targets) {
    for (const source of listSources(folder, target)) {
      const found = probe(source)
      if (found !== undefined) return resolvedTo(found, 0.85)
    }
  }
  return undefined
}

const builtFolder = /^(dist|build|built|lib|libs|out|output|es|esm|cjs|umd|types|typings|dts)\//
const builtEnding = /(\.d\.[mc]?ts|\.[mc]?js|\.min\.js)$/
const maxBuiltFolders = 3

/** Collects possible sources of a built file: `src/cart` for `dist/esm/cart.js`. */
function listSources(folder: string, target: string): string[] {
  if (!isWithin(target, folder)) return []
  let rest = target.slice(folder === '' ? 0 : folder.length + 1).replace(builtEnding, '')
  const sources: string[] = []
  for (let depth = 0; depth < maxBuiltFolders && builtFolder.test(rest); depth++) {
    rest = rest.slice(rest.indexOf('/') + 1)
    const inRoot = rest.replace(/^src\//, '')
    for (const root of ['src', 'source', ''])
      sources.push(joinFolder(folder, joinFolder(root, inRoot)))
  }
  return sources
}
