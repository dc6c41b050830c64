// Finds what a package of the repository shows to others: by its package.json, also where that names built files.
import { isTestPath } from '../../../code/languages.ts'
import type { ScriptPackage } from '../import-config.ts'
import { enclosingFolders, folderOf, isWithin, joinFolder, joinPath } from '../paths.ts'
import type { FileTree } from './file-tree.ts'
import { createPatternTable, type PatternTable } from './path-patterns.ts'
import { createScriptProbe, type ProbeScript } from './probe-script.ts'
import { externalImport, type ResolvedImport, resolvedTo } from './resolved-import.ts'

export interface ScriptPackages {
  readonly probe: ProbeScript
  /** `name` or `@scope/name`, with or without a path behind it; undefined where no package of the repository is meant. */
  resolveName(importer: string, specifier: string): ResolvedImport | undefined
  /** `#part`: what the package around the importer calls so. */
  resolveSubpathImport(importer: string, specifier: string): ResolvedImport
  /** The folder of the package around a file; the root without one. */
  packageFolderOf(importer: string): string
}

interface KnownPackage {
  readonly data: ScriptPackage
  readonly exports: PatternTable
  readonly imports: PatternTable
}

export function createScriptPackages(
  tree: FileTree,
  packages: readonly ScriptPackage[],
): ScriptPackages {
  const byFolder = new Map<string, KnownPackage>()
  const byName = new Map<string, KnownPackage[]>()
  for (const data of packages) {
    const known = {
      data,
      exports: createPatternTable(data.exports),
      imports: createPatternTable(data.imports),
    }
    byFolder.set(data.folder, known)
    if (data.name !== '') byName.set(data.name, [...(byName.get(data.name) ?? []), known])
  }
  const probe = createScriptProbe(tree, (folder) => byFolder.get(folder)?.data)
  const aroundFolder = new Map<string, KnownPackage | undefined>()
  const around = (importer: string): KnownPackage | undefined => {
    const folder = folderOf(importer)
    if (!aroundFolder.has(folder)) {
      const found = enclosingFolders(folder).find((one) => byFolder.has(one))
      aroundFolder.set(folder, found === undefined ? undefined : byFolder.get(found))
    }
    return aroundFolder.get(folder)
  }
  return {
    probe,
    packageFolderOf: (importer) => around(importer)?.data.folder ?? '',
    resolveName(importer, specifier) {
      const name = packageName(specifier)
      const known = choosePackage(byName.get(name), importer)
      return known && resolveExport(probe, known, specifier.slice(name.length + 1))
    },
    resolveSubpathImport(importer, specifier) {
      const known = around(importer)
      const targets = known?.imports.find(specifier)?.targets ?? []
      return probeTargets(probe, known?.data.folder ?? '', targets) ?? externalImport
    },
  }
}

function packageName(specifier: string): string {
  const slash = specifier.indexOf('/')
  if (slash === -1) return specifier
  if (!specifier.startsWith('@')) return specifier.slice(0, slash)
  const next = specifier.indexOf('/', slash + 1)
  return next === -1 ? specifier : specifier.slice(0, next)
}

/** Of several packages of one name the one around the importer, else the workspace's; never one that only tests have. */
function choosePackage(
  candidates: readonly KnownPackage[] | undefined,
  importer: string,
): KnownPackage | undefined {
  if (candidates === undefined) return undefined
  return (
    candidates.find(({ data }) => data.folder !== '' && isWithin(importer, data.folder)) ??
    candidates.find(({ data }) => data.isMember) ??
    (candidates.length === 1 && !isTestPath(`${candidates[0]!.data.folder}/`)
      ? candidates[0]
      : undefined)
  )
}

function resolveExport(
  probe: ProbeScript,
  { data, exports }: KnownPackage,
  subpath: string,
): ResolvedImport | undefined {
  const exported = exports.find(subpath === '' ? '.' : `./${subpath}`)
  const confidence = data.isMember ? 0.95 : 0.8
  const byExports = exported && probeTargets(probe, data.folder, exported.targets, confidence)
  if (byExports !== undefined) return byExports
  const direct = probe(joinFolder(data.folder, subpath))
  if (direct !== undefined) return resolvedTo(direct, confidence)
  const entries = subpath === '' ? data.entries : [subpath]
  const guessed =
    probeTargets(
      probe,
      data.folder,
      entries.flatMap((entry) => joinPath(data.folder, entry) ?? []),
    ) ??
    probeTargets(
      probe,
      data.folder,
      [joinFolder(data.folder, joinFolder('src', subpath === '' ? 'index' : subpath))],
      0.85,
    )
  return guessed ?? externalImport
}

/** The first target that exists, or the source that a built one must come from. Targets are from the root. */
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
    for (const source of sourcesOf(folder, target)) {
      const found = probe(source)
      if (found !== undefined) return resolvedTo(found, 0.85)
    }
  }
  return undefined
}

const builtFolder = /^(dist|build|built|lib|libs|out|output|es|esm|cjs|umd|types|typings|dts)\//
const builtEnding = /(\.d\.[mc]?ts|\.[mc]?js|\.min\.js)$/

/** Where the source of a built file may lie: `dist/esm/cart.js` comes from `src/cart`. */
function sourcesOf(folder: string, target: string): string[] {
  if (!isWithin(target, folder)) return []
  let rest = target.slice(folder === '' ? 0 : folder.length + 1).replace(builtEnding, '')
  const sources: string[] = []
  for (let step = 0; step < 3 && builtFolder.test(rest); step++) {
    rest = rest.slice(rest.indexOf('/') + 1)
    for (const root of ['src', 'source', ''])
      sources.push(joinFolder(folder, joinFolder(root, rest.replace(/^src\//, ''))))
  }
  return sources
}
