// Resolves Rust imports: paths through the modules of a crate and of other crates of the workspace.

import { enclosingFolders, filenameOf, folderOf, joinFolder } from '../../lib/tree-paths.ts'
import type { CodeImport } from '../code-index.ts'
import type { FileTree } from '../common/file-tree.ts'
import type { ImportConfig, RustCrate } from '../common/import-config.ts'
import {
  externalImport,
  missingImport,
  type ResolvedImport,
  type ResolveImport,
  resolvedTo,
} from '../common/resolved-import.ts'

const rootNames = new Set(['lib.rs', 'main.rs', 'mod.rs'])
/** Folders of which each file is the root of its own target. */
const targetFolder = /^(src\/bin|tests|examples|benches)$/
const targetFile = /(^|\/)(src\/bin|tests|examples|benches)\/[^/]+\.rs$/

export function createRustImports(tree: FileTree, { rustCrates }: ImportConfig): ResolveImport {
  const cratesByFolder = new Map(rustCrates.map((crate) => [crate.folder, crate]))
  const cratesByName = new Map(rustCrates.map((crate) => [crate.name, crate]))
  const enclosingCrates = new Map<string, RustCrate | undefined>()
  const crateOf = (path: string) => {
    const folder = folderOf(path)
    if (!enclosingCrates.has(folder)) {
      const root = enclosingFolders(folder).find((candidate) => cratesByFolder.has(candidate))
      enclosingCrates.set(folder, root === undefined ? undefined : cratesByFolder.get(root))
    }
    return enclosingCrates.get(folder)
  }
  return (path, item) => {
    const [first = '', ...rest] = item.from.replace(/^::/, '').split('::')
    if (isDeclaration(item)) return resolveDeclaration(tree, path, rest[0]!)
    const crate = crateOf(path)
    const start = findStartFile(tree, crate, path, first)
    if (start !== undefined) return walkModules(tree, start, rest, path)
    const crateName = crate?.aliases.find(([alias]) => alias === first)?.[1] ?? first
    const library = libraryOf(tree, cratesByName.get(crateName))
    if (library !== undefined) return walkModules(tree, library, rest, undefined)
    const module = childOf(tree, path, first)
    return module === undefined ? externalImport : walkModules(tree, module, rest, undefined)
  }
}

/** Checks for `mod cart;`, which the index contains as a static import of `*` from `self::cart`. */
function isDeclaration({ from, names, kind }: CodeImport): boolean {
  return kind === 'static' && /^(::)?self::[^:]*$/.test(from) && names[0]?.name === '*'
}

/** Resolves `mod cart;`, whose file must exist unless the build generates it. */
function resolveDeclaration(tree: FileTree, path: string, name: string): ResolvedImport {
  const child = childOf(tree, path, name)
  if (child !== undefined) return resolvedTo(child, 0.98)
  const base = joinFolder(childFolder(path), name)
  const mayExistElsewhere =
    tree.mayBeHidden(base, path) || tree.mayBeHidden(`${base}.rs`, path) || !hasModules(tree, path)
  return mayExistElsewhere ? externalImport : missingImport
}

/** A file that has another module in the default folder most likely uses no `#[path]`. */
function hasModules(tree: FileTree, path: string): boolean {
  return tree.filesIn(childFolder(path)).some((file) => file !== path && file.endsWith('.rs'))
}

/** Finds the file that `crate`, `self` or `super` refers to. */
function findStartFile(
  tree: FileTree,
  crate: RustCrate | undefined,
  path: string,
  first: string,
): string | undefined {
  if (first === 'crate') return rootOf(tree, crate, path)
  if (first === 'self') return path
  if (first === 'super') return parentOf(tree, path)
  return undefined
}

/** Follows names as long as they are modules; the remaining names are items of the last module. */
function walkModules(
  tree: FileTree,
  start: string,
  names: readonly string[],
  importer: string | undefined,
): ResolvedImport {
  let current = start
  let rest = names
  while (rest[0] === 'self' || rest[0] === 'super') {
    if (rest[0] === 'super') current = parentOf(tree, current) ?? current
    rest = rest.slice(1)
  }
  for (const name of rest) {
    const child = childOf(tree, current, name)
    if (child === undefined) break
    current = child
  }
  return resolvedTo(current, current === importer ? 0.9 : 0.95)
}

/** Finds the root file of the file's own target, or else of the crate's library or program. */
function rootOf(tree: FileTree, crate: RustCrate | undefined, path: string): string | undefined {
  if (crate === undefined) {
    return enclosingFolders(folderOf(path))
      .flatMap((folder) => ['lib.rs', 'main.rs'].map((name) => joinFolder(folder, name)))
      .find(tree.has)
  }
  const folderInCrate = folderOf(path).slice(crate.folder === '' ? 0 : crate.folder.length + 1)
  if (targetFolder.test(folderInCrate) || filenameOf(path) === 'build.rs') return path
  if (/^(tests|examples|benches)\//.test(folderInCrate)) {
    const target = folderInCrate.split('/').slice(0, 2).join('/')
    const main = joinFolder(crate.folder, joinFolder(target, 'main.rs'))
    if (tree.has(main)) return main
  }
  return libraryOf(tree, crate)
}

/** Finds the root file of a crate's library, or of its program if it has no library. */
function libraryOf(tree: FileTree, crate: RustCrate | undefined): string | undefined {
  if (crate === undefined) return undefined
  const defaults = ['src/lib.rs', 'src/main.rs'].map((name) => joinFolder(crate.folder, name))
  return findFirst(tree, crate.library === null ? defaults : [crate.library, ...defaults])
}

/** Determines the folder that contains a module's children. */
function childFolder(path: string): string {
  return rootNames.has(filenameOf(path)) ? folderOf(path) : path.slice(0, -'.rs'.length)
}

function childOf(tree: FileTree, path: string, name: string): string | undefined {
  // An uppercase name is a type or an enum variant.
  if (!/^[a-z_]/.test(name)) return undefined
  const child = findModuleFile(tree, childFolder(path), name)
  if (child !== undefined) return child
  // The root of a target, such as `tests/cart.rs`, has its children in its own folder.
  const isTargetRoot = !rootNames.has(filenameOf(path)) && targetFile.test(path)
  return isTargetRoot ? findModuleFile(tree, folderOf(path), name) : undefined
}

function findModuleFile(tree: FileTree, folder: string, name: string): string | undefined {
  return findFirst(tree, [joinFolder(folder, `${name}.rs`), joinFolder(folder, `${name}/mod.rs`)])
}

function parentOf(tree: FileTree, path: string): string | undefined {
  const folder = filenameOf(path) === 'mod.rs' ? folderOf(folderOf(path)) : folderOf(path)
  const found = findFirst(tree, [
    joinFolder(folder, 'mod.rs'),
    joinFolder(folder, 'lib.rs'),
    joinFolder(folder, 'main.rs'),
    `${folder}.rs`,
  ])
  return found === path ? undefined : found
}

function findFirst(tree: FileTree, paths: readonly string[]): string | undefined {
  return paths.find((path) => tree.has(path))
}
