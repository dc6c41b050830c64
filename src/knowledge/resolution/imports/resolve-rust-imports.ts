// Resolves imports of Rust: paths through the modules of a crate, and through other crates of the workspace.

import type { ImportConfig, RustCrate } from '../import-config.ts'
import { enclosingFolders, filenameOf, folderOf, joinFolder } from '../paths.ts'
import type { FileTree } from './file-tree.ts'
import {
  externalImport,
  missingImport,
  type ResolvedImport,
  type ResolveImport,
  resolvedTo,
} from './resolved-import.ts'

const rootNames = new Set(['lib.rs', 'main.rs', 'mod.rs'])
const targetFolder = /^(src\/bin|tests|examples|benches)$/

export function createRustImports(tree: FileTree, { rustCrates }: ImportConfig): ResolveImport {
  const byFolder = new Map(rustCrates.map((crate) => [crate.folder, crate]))
  const byName = new Map(rustCrates.map((crate) => [crate.name, crate]))
  const around = new Map<string, RustCrate | undefined>()
  const crateAround = (path: string) => {
    const folder = folderOf(path)
    if (!around.has(folder)) {
      const found = enclosingFolders(folder).find((one) => byFolder.has(one))
      around.set(folder, found === undefined ? undefined : byFolder.get(found))
    }
    return around.get(folder)
  }
  return (path, { from, names, kind }) => {
    const [first = '', ...rest] = from.replace(/^::/, '').split('::')
    const own = crateAround(path)
    const start = findStartFile(tree, own, path, first)
    const isDeclared =
      kind === 'static' && first === 'self' && rest.length === 1 && names[0]?.name === '*'
    if (isDeclared) return resolveDeclared(tree, path, rest[0]!)
    if (start !== undefined)
      return walkModules(
        tree,
        start,
        start === path && first !== 'crate' ? [first, ...rest] : rest,
        path,
      )
    const name = own?.aliases.find(([alias]) => alias === first)?.[1] ?? first
    const library = libraryOf(tree, byName.get(name))
    if (library !== undefined) return walkModules(tree, library, rest, undefined)
    const module = childOf(tree, path, first)
    return module === undefined ? externalImport : walkModules(tree, module, rest, undefined)
  }
}

/** `mod cart;`: the module's file must be there, unless the build makes it. */
function resolveDeclared(tree: FileTree, path: string, name: string): ResolvedImport {
  const child = childOf(tree, path, name)
  if (child !== undefined) return resolvedTo(child, 0.98)
  const base = joinFolder(childFolder(path), name)
  return tree.mayBeHidden(base, path) ||
    tree.mayBeHidden(`${base}.rs`, path) ||
    !hasModules(tree, path)
    ? externalImport
    : missingImport
}

/** Another module of the file is where it must be: its modules aren't told to lie elsewhere. */
function hasModules(tree: FileTree, path: string): boolean {
  return tree.filesIn(childFolder(path)).some((file) => file !== path && file.endsWith('.rs'))
}

/** The file from which a path through modules starts; undefined where its first name is that of a crate or a child. */
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

/** Goes down from module to module as far as there are files; what is left names something in the last one. */
function walkModules(
  tree: FileTree,
  start: string,
  names: readonly string[],
  importer: string | undefined,
): ResolvedImport {
  let at = start
  let rest = names
  while (rest[0] === 'self' || rest[0] === 'super') {
    if (rest[0] === 'super') at = parentOf(tree, at) ?? at
    rest = rest.slice(1)
  }
  for (const name of rest) {
    const child = childOf(tree, at, name)
    if (child === undefined) break
    at = child
  }
  return at === importer ? resolvedTo(at, 0.9) : resolvedTo(at, 0.95)
}

/** The root of the crate that the file is in: its own target, else the library, else the program. */
function rootOf(tree: FileTree, crate: RustCrate | undefined, path: string): string | undefined {
  if (crate === undefined)
    return enclosingFolders(folderOf(path))
      .flatMap((one) => ['lib.rs', 'main.rs'].map((name) => joinFolder(one, name)))
      .find(tree.has)
  const inCrate = folderOf(path).slice(crate.folder === '' ? 0 : crate.folder.length + 1)
  if (targetFolder.test(inCrate) || filenameOf(path) === 'build.rs') return path
  if (/^(tests|examples|benches)\//.test(inCrate)) {
    const main = joinFolder(
      crate.folder,
      joinFolder(inCrate.split('/').slice(0, 2).join('/'), 'main.rs'),
    )
    if (tree.has(main)) return main
  }
  return libraryOf(tree, crate) ?? findFirst(tree, [joinFolder(crate.folder, 'src/main.rs')])
}

function libraryOf(tree: FileTree, crate: RustCrate | undefined): string | undefined {
  if (crate === undefined) return undefined
  const named = crate.library === null ? [] : [crate.library]
  return findFirst(tree, [
    ...named,
    joinFolder(crate.folder, 'src/lib.rs'),
    joinFolder(crate.folder, 'src/main.rs'),
  ])
}

/** The folder in which a module's children lie. */
function childFolder(path: string): string {
  return rootNames.has(filenameOf(path)) ? folderOf(path) : path.slice(0, -'.rs'.length)
}

function childOf(tree: FileTree, path: string, name: string): string | undefined {
  // Types and variants are no modules.
  if (!/^[a-z_]/.test(name)) return undefined
  const folders = [childFolder(path)]
  // Roots of other names (`tests/cart.rs`, `[lib] path`) have their children beside them.
  if (!rootNames.has(filenameOf(path))) folders.push(folderOf(path))
  const [own, beside] = folders.map((folder) =>
    findFirst(tree, [joinFolder(folder, `${name}.rs`), joinFolder(folder, `${name}/mod.rs`)]),
  )
  return own ?? (isTargetRoot(path) ? beside : undefined)
}

function isTargetRoot(path: string): boolean {
  return /(^|\/)(src\/bin|tests|examples|benches)\/[^/]+\.rs$/.test(path)
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
