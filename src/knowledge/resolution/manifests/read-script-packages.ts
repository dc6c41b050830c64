// Reads package.json files: what a package is called, what it shows to others, and whether it is part of a workspace.
import { readYaml } from '../../../config/read-yaml.ts'
import { createGlobMatcher } from '../../../lib/glob.ts'
import type { PathPattern, ScriptPackage } from '../import-config.ts'
import { filenameOf, isWithin, joinPath } from '../paths.ts'
import type { ManifestFile } from './manifest-file.ts'
import { entriesOf, fieldOf, maxManifestDepth, parseJsonc, stringsOf } from './parse-jsonc.ts'

const entryKeys = ['source', 'svelte', 'types', 'typings', 'module', 'main', 'browser']
/** Which of several conditions names the source most likely. */
const conditions = [
  'source',
  'development',
  'svelte',
  'types',
  'import',
  'module',
  'default',
  'node',
  'browser',
  'require',
]
const maxExports = 300
const maxTargets = 12

export function readScriptPackages(
  manifests: readonly ManifestFile[],
  workspaces: readonly ManifestFile[],
): ScriptPackage[] {
  const parsed = manifests.map((manifest) => ({ manifest, json: parseJsonc(manifest.text) }))
  const isMember = createMemberTest([
    ...parsed.map(({ manifest, json }) => ({
      folder: manifest.folder,
      globs: workspaceGlobs(json),
    })),
    ...workspaces.map((manifest) => ({
      folder: manifest.folder,
      globs: readWorkspaceFile(manifest),
    })),
  ])
  return parsed.map(({ manifest: { folder }, json }) => {
    const name = fieldOf(json, 'name')
    return {
      folder,
      name: typeof name === 'string' ? name.slice(0, 214) : '',
      isMember: folder === '' || isMember(folder),
      entries: entryKeys.flatMap((key) => stringsOf(fieldOf(json, key))).slice(0, maxTargets),
      exports: readExports(folder, fieldOf(json, 'exports')),
      imports: readImports(folder, fieldOf(json, 'imports')),
    }
  })
}

function workspaceGlobs(json: unknown): readonly string[] {
  const workspaces = fieldOf(json, 'workspaces')
  return Array.isArray(workspaces)
    ? stringsOf(workspaces)
    : stringsOf(fieldOf(workspaces, 'packages'))
}

function readWorkspaceFile({ path, text }: ManifestFile): readonly string[] {
  if (filenameOf(path) === 'lerna.json') return stringsOf(fieldOf(parseJsonc(text), 'packages'))
  const yaml = readYaml(text)
  return 'value' in yaml && yaml.value instanceof Map ? stringsOf(yaml.value.get('packages')) : []
}

function createMemberTest(
  workspaces: readonly { readonly folder: string; readonly globs: readonly string[] }[],
): (folder: string) => boolean {
  const tests = workspaces
    .filter(({ globs }) => globs.length > 0)
    .map(({ folder, globs }) => {
      const plain = globs.slice(0, 200).map((glob) => glob.replace(/^\.\//, '').replace(/\/+$/, ''))
      return { folder, fits: createGlobMatcher(plain.map((glob) => `/${glob}`)) }
    })
  return (path) =>
    tests.some(
      ({ folder, fits }) =>
        path !== folder &&
        isWithin(path, folder) &&
        fits(folder === '' ? path : path.slice(folder.length + 1)) === true,
    )
}

/** `exports` is a target, an object of conditions, or one of subpaths. */
function readExports(folder: string, exports: unknown): PathPattern[] {
  if (exports === undefined || exports === null) return []
  const subpaths = entriesOf(exports).filter(([key]) => key.startsWith('.'))
  if (subpaths.length === 0) return [['.', readTargets(folder, exports)]]
  return subpaths.slice(0, maxExports).map(([key, value]) => [key, readTargets(folder, value)])
}

function readImports(folder: string, imports: unknown): PathPattern[] {
  return entriesOf(imports)
    .filter(([key]) => key.startsWith('#'))
    .slice(0, maxExports)
    .map(([key, value]) => [key, readTargets(folder, value)])
}

/** All targets of all conditions that lie in the package's own folder, from the root of the tree. */
function readTargets(folder: string, value: unknown): string[] {
  const targets = new Set<string>()
  collectTargets(value, targets, maxManifestDepth)
  return [...targets].slice(0, maxTargets).flatMap((target) => {
    const path = target.startsWith('./') ? joinPath(folder, target) : undefined
    return path !== undefined && isWithin(path, folder) ? [path] : []
  })
}

function collectTargets(value: unknown, targets: Set<string>, left: number): void {
  if (left === 0 || targets.size >= maxTargets) return
  if (typeof value === 'string') targets.add(value)
  else if (Array.isArray(value))
    for (const item of value.slice(0, maxTargets)) collectTargets(item, targets, left - 1)
  else {
    const entries = entriesOf(value).slice(0, 50)
    const known = conditions.flatMap((condition) => entries.filter(([key]) => key === condition))
    const others = entries.filter(([key]) => !conditions.includes(key))
    for (const [, item] of [...known, ...others]) collectTargets(item, targets, left - 1)
  }
}
