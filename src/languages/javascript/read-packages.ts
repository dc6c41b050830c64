// Reads names, exports, subpath imports and workspace membership from package.json files.
import { readYaml } from '../../config/read-yaml.ts'
import { createGlobMatcher } from '../../lib/glob.ts'
import { filenameOf, isWithin, joinPath } from '../../lib/tree-paths.ts'
import type { PathPattern, ScriptPackage } from '../common/import-config.ts'
import type { ManifestFile } from '../common/manifest-file.ts'
import {
  entriesOf,
  fieldOf,
  maxManifestDepth,
  parseJsonc,
  stringsOf,
} from '../common/parse-jsonc.ts'

const entryKeys = ['source', 'svelte', 'types', 'typings', 'module', 'main', 'browser']
/** Conditions that most likely name source files come first. */
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
/** The maximum length of package names, see the documentation of npm's package.json. */
const maxNameLength = 214
const maxExports = 300
const maxTargets = 12
const maxConditions = 50
const maxWorkspaceGlobs = 200

export function readScriptPackages(
  manifests: readonly ManifestFile[],
  workspaces: readonly ManifestFile[],
): ScriptPackage[] {
  const parsed = manifests.map((manifest) => ({ manifest, json: parseJsonc(manifest.text) }))
  const packageWorkspaces = parsed.map(({ manifest: { folder }, json }) => ({
    folder,
    globs: readWorkspaceGlobs(json),
  }))
  const fileWorkspaces = workspaces.map((manifest) => ({
    folder: manifest.folder,
    globs: readWorkspaceFile(manifest),
  }))
  const isMember = createMemberTest([...packageWorkspaces, ...fileWorkspaces])
  return parsed.map(({ manifest: { folder }, json }) => {
    const name = fieldOf(json, 'name')
    return {
      folder,
      name: typeof name === 'string' ? name.slice(0, maxNameLength) : '',
      isMember: folder === '' || isMember(folder),
      entries: entryKeys.flatMap((key) => stringsOf(fieldOf(json, key))).slice(0, maxTargets),
      exports: readExports(folder, fieldOf(json, 'exports')),
      imports: readImports(folder, fieldOf(json, 'imports')),
    }
  })
}

function readWorkspaceGlobs(json: unknown): readonly string[] {
  const workspaces = fieldOf(json, 'workspaces')
  return Array.isArray(workspaces)
    ? stringsOf(workspaces)
    : stringsOf(fieldOf(workspaces, 'packages'))
}

function readWorkspaceFile({ path, text }: ManifestFile): readonly string[] {
  if (filenameOf(path) === 'lerna.json') return stringsOf(fieldOf(parseJsonc(text), 'packages'))
  const yaml = readYaml(text)
  return 'value' in yaml ? stringsOf(fieldOf(yaml.value, 'packages')) : []
}

function createMemberTest(
  workspaces: readonly { readonly folder: string; readonly globs: readonly string[] }[],
): (folder: string) => boolean {
  const matchers = workspaces
    .filter(({ globs }) => globs.length > 0)
    .map(({ folder, globs }) => ({
      folder,
      matches: createGlobMatcher(globs.slice(0, maxWorkspaceGlobs).map(anchorGlob)),
    }))
  return (path) =>
    matchers.some(({ folder, matches }) => {
      if (path === folder || !isWithin(path, folder)) return false
      const relativePath = folder === '' ? path : path.slice(folder.length + 1)
      return matches(relativePath) === true
    })
}

/** Normalizes `./packages/cart/` to `/packages/cart`. */
function anchorGlob(glob: string): string {
  return `/${glob.replace(/^\.\//, '').replace(/\/+$/, '')}`
}

/** Reads `exports`: a target, an object of conditions, or an object of subpaths. */
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

/** Collects the targets of all conditions within the package folder, as paths from the root. */
function readTargets(folder: string, value: unknown): string[] {
  const targets = new Set<string>()
  collectTargets(value, targets, maxManifestDepth)
  return [...targets].slice(0, maxTargets).flatMap((target) => {
    const path = target.startsWith('./') ? joinPath(folder, target) : undefined
    return path !== undefined && isWithin(path, folder) ? [path] : []
  })
}

function collectTargets(value: unknown, targets: Set<string>, depthLeft: number): void {
  if (depthLeft === 0 || targets.size >= maxTargets) return
  if (typeof value === 'string') {
    targets.add(value)
    return
  }
  const items = Array.isArray(value) ? value.slice(0, maxTargets) : listConditionValues(value)
  for (const item of items) collectTargets(item, targets, depthLeft - 1)
}

function listConditionValues(value: unknown): unknown[] {
  const entries = entriesOf(value).slice(0, maxConditions)
  const known = conditions.flatMap((condition) => entries.filter(([key]) => key === condition))
  const others = entries.filter(([key]) => !conditions.includes(key))
  return [...known, ...others].map(([, item]) => item)
}
