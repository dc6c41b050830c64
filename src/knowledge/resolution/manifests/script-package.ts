// Reads package.json files: what a package is called, what it shows to others, and whether it is part of a workspace.
import { readYaml } from '../../../config/read-yaml.ts'
import { createGlobTest } from '../../../lib/glob.ts'
import { filenameOf, isWithin, joinPath } from '../paths.ts'
import type { PathPattern, ScriptPackage } from '../resolution.ts'
import { deepestManifest, entriesOf, fieldOf, parseLooseJson, textsOf } from './loose-json.ts'
import type { Manifest } from './manifest.ts'

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
const mostExports = 300
const mostTargets = 12

export function readScriptPackages(
  manifests: readonly Manifest[],
  workspaces: readonly Manifest[],
): ScriptPackage[] {
  const parsed = manifests.map((manifest) => ({ manifest, json: parseLooseJson(manifest.text) }))
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
      entries: entryKeys.flatMap((key) => textsOf(fieldOf(json, key))).slice(0, mostTargets),
      exports: readExports(folder, fieldOf(json, 'exports')),
      imports: readImports(folder, fieldOf(json, 'imports')),
    }
  })
}

function workspaceGlobs(json: unknown): readonly string[] {
  const workspaces = fieldOf(json, 'workspaces')
  return Array.isArray(workspaces) ? textsOf(workspaces) : textsOf(fieldOf(workspaces, 'packages'))
}

function readWorkspaceFile({ path, text }: Manifest): readonly string[] {
  if (filenameOf(path) === 'lerna.json') return textsOf(fieldOf(parseLooseJson(text), 'packages'))
  const yaml = readYaml(text)
  return 'value' in yaml && yaml.value instanceof Map ? textsOf(yaml.value.get('packages')) : []
}

function createMemberTest(
  workspaces: readonly { readonly folder: string; readonly globs: readonly string[] }[],
): (folder: string) => boolean {
  const tests = workspaces
    .filter(({ globs }) => globs.length > 0)
    .map(({ folder, globs }) => {
      const plain = globs.slice(0, 200).map((glob) => glob.replace(/^\.\//, '').replace(/\/+$/, ''))
      return { folder, fits: createGlobTest(plain.map((glob) => `/${glob}`)) }
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
  return subpaths.slice(0, mostExports).map(([key, value]) => [key, readTargets(folder, value)])
}

function readImports(folder: string, imports: unknown): PathPattern[] {
  return entriesOf(imports)
    .filter(([key]) => key.startsWith('#'))
    .slice(0, mostExports)
    .map(([key, value]) => [key, readTargets(folder, value)])
}

/** All targets of all conditions that lie in the package's own folder, from the root of the tree. */
function readTargets(folder: string, value: unknown): string[] {
  const targets = new Set<string>()
  collectTargets(value, targets, deepestManifest)
  return [...targets].slice(0, mostTargets).flatMap((target) => {
    const path = target.startsWith('./') ? joinPath(folder, target) : undefined
    return path !== undefined && isWithin(path, folder) ? [path] : []
  })
}

function collectTargets(value: unknown, targets: Set<string>, left: number): void {
  if (left === 0 || targets.size >= mostTargets) return
  if (typeof value === 'string') targets.add(value)
  else if (Array.isArray(value))
    for (const item of value.slice(0, mostTargets)) collectTargets(item, targets, left - 1)
  else {
    const entries = entriesOf(value).slice(0, 50)
    const known = conditions.flatMap((condition) => entries.filter(([key]) => key === condition))
    const others = entries.filter(([key]) => !conditions.includes(key))
    for (const [, item] of [...known, ...others]) collectTargets(item, targets, left - 1)
  }
}
