// Resolves imports of TypeScript and JavaScript: relative ones, aliases of tsconfig files, packages of the workspace.

import type { ImportConfig, ScriptConfig } from '../import-config.ts'
import { enclosingFolders, folderOf, isWithin, joinFolder, joinPath } from '../paths.ts'
import type { FileTree } from './file-tree.ts'
import { createPatternTable, type PatternTable } from './path-patterns.ts'
import {
  externalImport,
  missingImport,
  type ResolvedImport,
  type ResolveImport,
  resolvedTo,
} from './resolved-import.ts'
import { createScriptPackages, type ScriptPackages } from './script-packages.ts'

interface KnownConfig {
  readonly folder: string
  readonly baseUrl: string | null
  readonly paths: PatternTable
}

/** What isn't code may be made, or be handed on, by tools that we don't know. */
const assetPath =
  /\.(css|s[ac]ss|less|styl|pcss|json5?|jsonc|svg|png|jpe?g|gif|webp|avif|ico|woff2?|ttf|otf|eot|mp[34]|webm|wav|ogg|wasm|node|txt|md|mdx|html?|ya?ml|toml|xml|csv|glsl|vert|frag|wgsl|graphql|gql|sql|pdf|worker|hbs|ejs|pug|po|snap|bin|proto|py|zip)$/i
const urlScheme = /^[a-z][a-z0-9+.-]*:/i

export function createScriptImports(tree: FileTree, resolution: ImportConfig): ResolveImport {
  const packages = createScriptPackages(tree, resolution.scriptPackages)
  const configsFor = createConfigFinder(resolution.scriptConfigs)
  return (path, { from, kind }) => {
    if (urlScheme.test(from) || from.includes('!')) return externalImport
    const specifier = withoutQuery(from)
    const mayMiss = specifier === from && kind !== 'dynamic' && !assetPath.test(specifier)
    const found = /^\.\.?(\/|$)/.test(specifier)
      ? resolveRelative(tree, packages, path, specifier)
      : resolveBare(tree, packages, configsFor(path), path, specifier)
    return found.kind === 'missing' && !mayMiss ? externalImport : found
  }
}

/** `./icon.svg?raw` is a way to read `./icon.svg`; `#part` at the beginning is a name. */
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
  // A folder that is there, but without an index, may be what a bundler makes one for.
  return mayHideModule(tree, base, path) || tree.hasFolder(base) || path.endsWith('.d.ts')
    ? externalImport
    : missingImport
}

function resolveBare(
  tree: FileTree,
  packages: ScriptPackages,
  configs: readonly KnownConfig[],
  path: string,
  specifier: string,
): ResolvedImport {
  let fault: ResolvedImport | undefined
  for (const config of configs) {
    const found = resolveAlias(tree, packages, config, path, specifier)
    if (found?.kind === 'inside') return found
    if (config.folder === configs[0]!.folder) fault ??= found
  }
  if (specifier.startsWith('#')) {
    const found = packages.resolveSubpathImport(path, specifier)
    if (found.kind === 'inside') return found
  }
  return (
    packages.resolveName(path, specifier) ??
    resolveByConvention(packages, configs, path, specifier) ??
    fault ??
    externalImport
  )
}

/** By `paths`, then by `baseUrl`. Undefined where neither says anything about it. */
function resolveAlias(
  tree: FileTree,
  packages: ScriptPackages,
  { paths, baseUrl }: KnownConfig,
  path: string,
  specifier: string,
): ResolvedImport | undefined {
  const alias = paths.find(specifier)
  for (const target of alias?.targets ?? []) {
    const found = packages.probe(target)
    if (found !== undefined) return resolvedTo(found, 0.98)
  }
  const based = baseUrl === null ? undefined : packages.probe(joinFolder(baseUrl, specifier))
  if (based !== undefined) return resolvedTo(based, 0.95)
  if (alias === undefined || !isOwnAlias(alias.pattern)) return undefined
  const leadsHere = alias.targets.every((target) => {
    const root = target.slice(0, target.length - alias.part.length).replace(/\/$/, '')
    return tree.hasFolder(root) && !tree.hasFolder(target) && !mayHideModule(tree, target, path)
  })
  return leadsHere && alias.targets.length > 0 ? missingImport : undefined
}

function mayHideModule(tree: FileTree, base: string, path: string): boolean {
  // What is compiled from TypeScript is often ignored beside it.
  const endings = /\.[mc]?tsx?$/.test(path)
    ? ['', '.ts', '.tsx', '/index.ts']
    : ['', '.js', '.ts', '/index.js']
  return endings.some((ending) => tree.mayBeHidden(base + ending, path))
}

/** `*` fits everything, and `@scope/name` may be a package that is only sometimes here. */
function isOwnAlias(pattern: string): boolean {
  return /^[@~#$]?[\w-]*(\/[\w-]+)*\/\*$/.test(pattern)
}

/** Names that frameworks give to a project's own folders, without saying so in a file that can be read. */
function resolveByConvention(
  packages: ScriptPackages,
  configs: readonly KnownConfig[],
  path: string,
  specifier: string,
): ResolvedImport | undefined {
  const found = /^([@~]|\$lib|src)(?:\/(.*))?$/.exec(specifier)
  if (!found) return undefined
  const [, name = '', rest = ''] = found
  const roots = name === '$lib' ? ['src/lib'] : name === 'src' ? ['src'] : ['src', '', 'app']
  const folders = new Set([packages.packageFolderOf(path), ...configs.map(({ folder }) => folder)])
  for (const folder of folders) {
    for (const root of roots) {
      const target = packages.probe(joinFolder(folder, joinFolder(root, rest)))
      if (target !== undefined && isWithin(target, folder)) return resolvedTo(target, 0.8)
    }
  }
  return undefined
}

/** The configurations that may count for a file, the nearest first. */
function createConfigFinder(
  configs: readonly ScriptConfig[],
): (path: string) => readonly KnownConfig[] {
  const byFolder = new Map<string, KnownConfig[]>()
  for (const { folder, baseUrl, paths } of configs) {
    const known = { folder, baseUrl, paths: createPatternTable(paths) }
    byFolder.set(folder, [...(byFolder.get(folder) ?? []), known])
  }
  const found = new Map<string, readonly KnownConfig[]>()
  return (path) => {
    const folder = folderOf(path)
    const known = found.get(folder)
    if (known !== undefined) return known
    const list = enclosingFolders(folder).flatMap((one) => byFolder.get(one) ?? [])
    found.set(folder, list)
    return list
  }
}
