// Follows an exported name through re-exporting files to its definition.

import { familyOfPath } from '../../languages/index.ts'
import { enclosingSymbolOf } from './code-file.ts'
import type {
  CodeFile,
  CodeView,
  ImportedName,
  ResolvedName,
  SymbolLocation,
} from './code-model.ts'
import { externalName, resolvedToSymbols } from './resolved-name.ts'

/** A chain of re-exports is followed up to this length. */
const maxSteps = 8
/** A search ends after this number of files. */
const maxFiles = 200
const moduleConfidence = 0.95
const definitionConfidence = 0.95
/** A file without an index entry may define the name without exporting it. */
const unreadFileConfidence = 0.9

/** Bounds the search where files re-export each other in a circle or by the hundred. */
interface Search {
  readonly seen: Set<string>
  readonly stepsLeft: number
}

/**
 * Resolves a name that is imported from these files. The name `*` refers to the files as a module.
 *
 * @returns undefined if none of them is known to export the name
 */
export function followExport(
  view: CodeView,
  paths: readonly string[],
  name: string,
): ResolvedName | undefined {
  return followName(view, paths, name, { seen: new Set(), stepsLeft: maxSteps })
}

/** Returns the definitions of an exported name; none if it can't be resolved to symbols. */
export function resolveExport(
  view: CodeView,
  path: string,
  name: string,
): readonly SymbolLocation[] {
  const resolved = followExport(view, [path], name)
  return resolved?.kind === 'symbols' ? resolved.locations : []
}

function followName(
  view: CodeView,
  paths: readonly string[],
  name: string,
  search: Search,
): ResolvedName | undefined {
  if (name === '*') return resolvedToModules(paths)
  for (const [index, path] of paths.entries()) {
    // An import of Python resolves to the package first, followed by the imported submodules.
    if (index > 0 && isSubmodule(path, name)) return resolvedToModules([path])
    const key = `${name} ${path}`
    if (search.seen.has(key) || search.seen.size >= maxFiles) continue
    search.seen.add(key)
    const file = view.file(path)
    const found =
      file === undefined ? findInUnreadFile(view, path, name) : searchFile(view, file, name, search)
    if (found !== undefined) return found
    if (isSubmodule(path, name)) return resolvedToModules([path])
  }
  return undefined
}

function resolvedToModules(paths: readonly string[]): ResolvedName {
  return { kind: 'modules', paths, confidence: moduleConfidence }
}

function isSubmodule(path: string, name: string): boolean {
  return familyOfPath(path)?.submodules?.isModule(path, name) === true
}

/** Searches the definitions of a file whose index entry isn't loaded. */
function findInUnreadFile(view: CodeView, path: string, name: string): ResolvedName | undefined {
  const definitions = view.definitionsOf(name).filter((location) => location.path === path)
  return resolvedToSymbols(definitions, unreadFileConfidence)
}

function searchFile(
  view: CodeView,
  file: CodeFile,
  name: string,
  search: Search,
): ResolvedName | undefined {
  const symbols = listExportedSymbols(file, name)
  if (symbols.length > 0) {
    return (
      followDefaultExport(view, file, symbols, search) ??
      resolvedToSymbols(symbols, definitionConfidence)
    )
  }
  const isDefault = name === 'default'
  if (isDefault && file.family.hasExports) {
    const found = findNamedDefaultExport(file)
    if (found !== undefined) return found
  }
  if (search.stepsLeft === 0) return undefined
  const nextSearch = { ...search, stepsLeft: search.stepsLeft - 1 }
  const reexported = findReexportedName(file, name)
  if (reexported !== undefined) {
    const { kind, paths } = file.resolveImport(reexported.importIndex)
    return kind === 'inside' ? followName(view, paths, reexported.name, nextSearch) : externalName
  }
  if (isDefault) return undefined
  return searchWildcardImports(view, file, name, nextSearch) ?? findSubmodule(view, file, name)
}

/** Finds `export default function cart() {}`, whose symbol has a name of its own. */
function findNamedDefaultExport(file: CodeFile): ResolvedName | undefined {
  const ordinal = file.fileIndex.symbols.findIndex(
    ({ signature, exported }) => exported && signature.startsWith('export default'),
  )
  return ordinal === -1
    ? undefined
    : resolvedToSymbols([{ path: file.path, ordinal }], definitionConfidence)
}

/** Outside of scripts, other files can import every name that a file imports. */
function findReexportedName(file: CodeFile, name: string): ImportedName | undefined {
  const reexported = file.reexportedName(name)
  if (reexported !== undefined || file.family.hasExports) return reexported
  return file.importedName(name)
}

function searchWildcardImports(
  view: CodeView,
  file: CodeFile,
  name: string,
  search: Search,
): ResolvedName | undefined {
  for (const index of file.wildcardImports) {
    const found = followName(view, file.resolveImport(index).paths, name, search)
    if (found !== undefined) return found
  }
  return undefined
}

/** Returns the exported top-level symbols with this name; if there are none, all top-level ones. */
function listExportedSymbols(file: CodeFile, name: string): SymbolLocation[] {
  const { fileIndex, path } = file
  const topLevel = file.symbolsNamed(name).filter((ordinal) => {
    const outer = enclosingSymbolOf(fileIndex, ordinal)
    return (
      (outer === -1 || fileIndex.symbols[outer]!.kind === 'module') &&
      fileIndex.symbols[ordinal]!.owner === null
    )
  })
  const exported = topLevel.filter((ordinal) => fileIndex.symbols[ordinal]!.exported)
  return (exported.length > 0 ? exported : topLevel).map((ordinal) => ({ path, ordinal }))
}

/** Follows `export default name` to the symbol that it names, defined in the file or imported. */
function followDefaultExport(
  view: CodeView,
  file: CodeFile,
  symbols: readonly SymbolLocation[],
  search: Search,
): ResolvedName | undefined {
  const ordinal = symbols[0]!.ordinal
  const { name, kind, startLine, endLine } = file.fileIndex.symbols[ordinal]!
  if (name !== 'default' || kind !== 'value' || startLine !== endLine) return undefined
  const references = file.fileIndex.references.filter(({ within }) => within === ordinal)
  const [reference] = references
  if (reference === undefined || references.length !== 1) return undefined
  if (reference.kind !== 'value' || reference.qualifier !== null) return undefined
  const named = listExportedSymbols(file, reference.name).filter(
    (location) => location.ordinal !== ordinal,
  )
  if (named.length > 0) return resolvedToSymbols(named, definitionConfidence)
  const imported = file.importedName(reference.name)
  if (imported === undefined || search.stepsLeft === 0) return undefined
  const target = file.resolveImport(imported.importIndex)
  if (target.kind !== 'inside') return undefined
  const nextSearch = { ...search, stepsLeft: search.stepsLeft - 1 }
  return followName(view, target.paths, imported.name, nextSearch)
}

/** Finds the submodule of a package with this name. */
function findSubmodule(view: CodeView, file: CodeFile, name: string): ResolvedName | undefined {
  const item = file.family.submodules?.importOf(file.path, name)
  if (item === undefined) return undefined
  const found = view.imports.resolve(file.path, { ...item, line: 0, kind: 'static' })
  const paths = found.paths.filter(
    (path) => path !== file.path && familyOfPath(path) === file.family,
  )
  return paths.length === 0 ? undefined : resolvedToModules(paths)
}
