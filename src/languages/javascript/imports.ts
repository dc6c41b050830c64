// Resolves TypeScript and JavaScript imports: relative paths, tsconfig aliases, workspace packages.

import { enclosingFolders, folderOf, isWithin, joinFolder, joinPath } from '../../lib/tree-paths.ts'
import type { FileTree } from '../common/file-tree.ts'
import type { ImportConfig, ScriptConfig } from '../common/import-config.ts'
import {
  externalImport,
  missingImport,
  type ResolvedImport,
  type ResolveImport,
  resolvedTo,
} from '../common/resolved-import.ts'
import { createScriptPackages, type ScriptPackages } from './packages.ts'
import { createPatternTable, type PatternTable } from './path-patterns.ts'

interface PreparedConfig {
  readonly folder: string
  readonly baseUrl: string | null
  readonly paths: PatternTable
}

const assetExtensions = `css sass scss less styl pcss json json5 jsonc svg png jpg jpeg gif
  webp avif ico woff woff2 ttf otf eot mp3 mp4 webm wav ogg wasm node
  txt md mdx htm html yml yaml toml xml csv glsl vert frag wgsl graphql
  gql sql pdf worker hbs ejs pug po snap bin proto py zip`.split(/\s+/)
/** Build tools can generate or serve files that aren't code, so that these are never missing. */
const assetPath = new RegExp(`\\.(${assetExtensions.join('|')})$`, 'i')
const urlScheme = /^[a-z][a-z0-9+.-]*:/i

export function createScriptImports(tree: FileTree, resolution: ImportConfig): ResolveImport {
  const packages = createScriptPackages(tree, resolution.scriptPackages)
  const configsFor = createConfigFinder(resolution.scriptConfigs)
  return (path, { from, kind }) => {
    if (urlScheme.test(from) || from.includes('!')) return externalImport
    const specifier = withoutQuery(from)
    const canBeMissing = specifier === from && kind !== 'dynamic' && !assetPath.test(specifier)
    const resolved = /^\.\.?(\/|$)/.test(specifier)
      ? resolveRelative(tree, packages, path, specifier)
      : resolveBare(tree, packages, configsFor(path), { path, specifier })
    return resolved.kind === 'missing' && !canBeMissing ? externalImport : resolved
  }
}

/** Removes the loader suffix of `./icon.svg?raw`; a `#` at the beginning is part of the name. */
function withoutQuery(from: string): string {
  const end = from.slice(1).search(/[?#]/)
  return end === -1 ? from : from.slice(0, end + 1)
}

function resolveRelative(
  tree: FileTree,
  packages: ScriptPackages,
  path: string,
  specifier: string,
): ResolvedImport {
  const base = joinPath(folderOf(path), specifier)
  if (base === undefined) return externalImport
  const found = packages.probe(base)
  if (found !== undefined) return resolvedTo(found, 1)
  // A bundler can generate the index file of an existing folder.
  const mayBeGenerated =
    mayHideModule(tree, base, path) || tree.hasFolder(base) || path.endsWith('.d.ts')
  return mayBeGenerated ? externalImport : missingImport
}

interface BareImport {
  readonly path: string
  readonly specifier: string
}

function resolveBare(
  tree: FileTree,
  packages: ScriptPackages,
  configs: readonly PreparedConfig[],
  item: BareImport,
): ResolvedImport {
  const { path, specifier } = item
  let missing: ResolvedImport | undefined
  for (const config of configs) {
    const found = resolveAlias(tree, packages, config, item)
    if (found?.kind === 'inside') return found
    // Only an alias of the nearest configuration is sure to apply to the file.
    if (config.folder === configs[0]!.folder) missing ??= found
  }
  if (specifier.startsWith('#')) {
    const found = packages.resolveSubpathImport(path, specifier)
    if (found.kind === 'inside') return found
  }
  return (
    packages.resolveName(path, specifier) ??
    resolveByConvention(packages, configs, item) ??
    missing ??
    externalImport
  )
}

/**
 * Resolves an import by the `paths` of a configuration, or else by its `baseUrl`.
 *
 * @returns undefined if neither of them applies
 */
function resolveAlias(
  tree: FileTree,
  packages: ScriptPackages,
  { paths, baseUrl }: PreparedConfig,
  { path, specifier }: BareImport,
): ResolvedImport | undefined {
  const alias = paths.find(specifier)
  for (const target of alias?.targets ?? []) {
    const found = packages.probe(target)
    if (found !== undefined) return resolvedTo(found, 0.98)
  }
  const inBase = baseUrl === null ? undefined : packages.probe(joinFolder(baseUrl, specifier))
  if (inBase !== undefined) return resolvedTo(inBase, 0.95)
  if (alias === undefined || !isOwnAlias(alias.pattern)) return undefined
  const mustExist = alias.targets.every((target) => {
    const root = target.slice(0, target.length - alias.part.length).replace(/\/$/, '')
    return tree.hasFolder(root) && !tree.hasFolder(target) && !mayHideModule(tree, target, path)
  })
  return mustExist && alias.targets.length > 0 ? missingImport : undefined
}

function mayHideModule(tree: FileTree, base: string, path: string): boolean {
  // A .gitignore often lists the JavaScript files that TypeScript is compiled to.
  const endings = /\.[mc]?tsx?$/.test(path)
    ? ['', '.ts', '.tsx', '/index.ts']
    : ['', '.js', '.ts', '/index.js']
  return endings.some((ending) => tree.mayBeHidden(base + ending, path))
}

/** Excludes `*`, which matches all names, and `@scope/name`, which can be an installed package. */
function isOwnAlias(pattern: string): boolean {
  return /^[@~#$]?[\w-]*(\/[\w-]+)*\/\*$/.test(pattern)
}

/** Aliases that frameworks define for folders of a project, outside of tsconfig files. */
const rootsByAlias: Readonly<Record<string, readonly string[]>> = {
  $lib: ['src/lib'],
  src: ['src'],
  '@': ['src', '', 'app'],
  '~': ['src', '', 'app'],
}

function resolveByConvention(
  packages: ScriptPackages,
  configs: readonly PreparedConfig[],
  { path, specifier }: BareImport,
): ResolvedImport | undefined {
  const found = /^([@~]|\$lib|src)(?:\/(.*))?$/.exec(specifier)
  if (!found) return undefined
  const [, alias = '', rest = ''] = found
  const folders = new Set([packages.packageFolderOf(path), ...configs.map(({ folder }) => folder)])
  for (const folder of folders) {
    for (const root of rootsByAlias[alias] ?? []) {
      const target = packages.probe(joinFolder(folder, joinFolder(root, rest)))
      if (target !== undefined && isWithin(target, folder)) return resolvedTo(target, 0.8)
    }
  }
  return undefined
}

/** Finds the configurations that can apply to a file, the nearest first. */
function createConfigFinder(
  configs: readonly ScriptConfig[],
): (path: string) => readonly PreparedConfig[] {
  const prepared = configs.map(({ folder, baseUrl, paths }) => ({
    folder,
    baseUrl,
    paths: createPatternTable(paths),
  }))
  const configsByFolder = Map.groupBy(prepared, ({ folder }) => folder)
  const cache = new Map<string, readonly PreparedConfig[]>()
  return (path) => {
    const folder = folderOf(path)
    const cached = cache.get(folder)
    if (cached !== undefined) return cached
    const enclosing = enclosingFolders(folder).flatMap((each) => configsByFolder.get(each) ?? [])
    cache.set(folder, enclosing)
    return enclosing
  }
}
