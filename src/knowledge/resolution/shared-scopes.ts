// Resolves names that are in scope without a named import: of packages, namespaces and includes.

import { isHeader } from '../../languages/index.ts'
import type { ScopeName } from '../../languages/language.ts'
import { folderOf } from '../../lib/tree-paths.ts'
import type { CodeFile, CodeView, ResolvedName, SymbolLocation } from './code-model.ts'
import { followExport } from './follow-exports.ts'
import { resolvedToSymbols } from './resolved-name.ts'

type FindName = (
  view: CodeView,
  file: CodeFile,
  name: string,
  enclosingType: number,
) => ResolvedName | undefined

const scopes: Readonly<Record<ScopeName, FindName>> = {
  constants: findConstant,
  includes: findIncluded,
  'own namespace': findInOwnNamespace,
  package: findInPackage,
  'unique symbols': findUniqueSymbol,
  'unique types': findUniqueType,
  'used namespaces': findInUsedNamespaces,
  'wildcard imports': findInWildcardImports,
}

/** A name resolves to at most this number of definitions. */
const maxLocations = 4

/** @param enclosingType the ordinal of the type or module that contains the use; -1 for none */
export function findInScope(
  view: CodeView,
  file: CodeFile,
  name: string,
  enclosingType: number,
): ResolvedName | undefined {
  for (const scope of file.family.scopes) {
    const found = scopes[scope](view, file, name, enclosingType)
    if (found !== undefined) return found
  }
  return undefined
}

/** Lists symbols that other files can use without a qualifier. */
function listTopLevelSymbols(
  view: CodeView,
  file: CodeFile,
  name: string,
): readonly SymbolLocation[] {
  return view
    .definitionsIn(file.family, name)
    .filter(({ path, ordinal }) => isTopLevel(view, path, ordinal))
}

function isTopLevel(view: CodeView, path: string, ordinal: number): boolean {
  const { symbols } = view.fileIndex(path)!
  const { within, owner } = symbols[ordinal]!
  return owner === null && (within === -1 || symbols[within]?.kind === 'module')
}

function findInPackage(view: CodeView, file: CodeFile, name: string): ResolvedName | undefined {
  const { testEnding = '' } = file.family.folderPackages ?? {}
  const isTest = file.path.endsWith(testEnding)
  const locations = listTopLevelSymbols(view, file, name).filter(
    ({ path }) =>
      folderOf(path) === file.folder &&
      view.fileIndex(path)!.namespace === file.fileIndex.namespace &&
      (isTest || !path.endsWith(testEnding)),
  )
  return resolvedToSymbols(locations.slice(0, maxLocations), 0.9)
}

function findInOwnNamespace(
  view: CodeView,
  file: CodeFile,
  name: string,
): ResolvedName | undefined {
  return findInNamespaces(view, file, name, [file.fileIndex.namespace ?? ''])
}

function findInUsedNamespaces(
  view: CodeView,
  file: CodeFile,
  name: string,
): ResolvedName | undefined {
  return findInNamespaces(view, file, name, listNamespaces(file))
}

function findInNamespaces(
  view: CodeView,
  file: CodeFile,
  name: string,
  namespaces: readonly string[],
): ResolvedName | undefined {
  const locations = listTopLevelSymbols(view, file, name)
  if (locations.length === 0) return undefined
  for (const namespace of namespaces) {
    const found = locations.filter(
      ({ path }) => (view.fileIndex(path)!.namespace ?? '') === namespace,
    )
    if (found.length === 0) continue
    return resolvedToSymbols(found.slice(0, maxLocations), namespace === '' ? 0.7 : 0.9)
  }
  return undefined
}

/** Collects the file's own namespace, the enclosing ones and the imported ones. */
function listNamespaces({ fileIndex }: CodeFile): string[] {
  const parts = (fileIndex.namespace ?? '').split('.')
  const enclosing = parts.map((_, index) => parts.slice(0, parts.length - index).join('.'))
  const imported = fileIndex.imports.map(({ from }) => from)
  return [...enclosing, ...imported].filter((namespace) => namespace !== '')
}

/** Searches imports of all names: `import *`, `using`, and required files. */
function findInWildcardImports(
  view: CodeView,
  file: CodeFile,
  name: string,
): ResolvedName | undefined {
  for (const index of file.wildcardImports) {
    const { kind, paths, confidence } = file.resolveImport(index)
    if (kind !== 'inside') continue
    const found = followExport(view, paths, name)
    if (found?.kind === 'symbols') return { ...found, confidence: Math.min(0.9, confidence) }
  }
  return undefined
}

/** Finds a declaration in an included header, and its implementations outside of headers. */
function findIncluded(view: CodeView, file: CodeFile, name: string): ResolvedName | undefined {
  const candidates = listTopLevelSymbols(view, file, name)
  if (candidates.length === 0) return undefined
  const included = file.includedFiles()
  const declared = candidates.filter(({ path }) => included.has(path))
  if (declared.length === 0) return undefined
  const implemented = candidates.filter(
    ({ path, ordinal }) =>
      !isHeader(path) && !included.has(path) && view.fileIndex(path)!.symbols[ordinal]!.exported,
  )
  const declarations = declared.slice(0, 2)
  const isClear = implemented.length <= 2
  return resolvedToSymbols(isClear ? [...declarations, ...implemented] : declarations, 0.8)
}

function findUniqueSymbol(view: CodeView, file: CodeFile, name: string): ResolvedName | undefined {
  return resolveUnique(listAccessibleSymbols(view, file, name), 0.7)
}

function findUniqueType(view: CodeView, file: CodeFile, name: string): ResolvedName | undefined {
  const types = listAccessibleSymbols(view, file, name).filter(({ path, ordinal }) => {
    const { kind } = view.fileIndex(path)!.symbols[ordinal]!
    return kind !== 'function' && kind !== 'value'
  })
  return resolveUnique(types, 0.6)
}

function listAccessibleSymbols(view: CodeView, file: CodeFile, name: string): SymbolLocation[] {
  return listTopLevelSymbols(view, file, name).filter(
    ({ path, ordinal }) => path === file.path || view.fileIndex(path)!.symbols[ordinal]!.exported,
  )
}

/** Resolves to symbols if one file defines them all; a C header next to that file is allowed. */
function resolveUnique(
  locations: readonly SymbolLocation[],
  confidence: number,
): ResolvedName | undefined {
  const files = new Set(locations.map(({ path }) => path))
  const sources = [...files].filter((path) => !isHeader(path))
  const isUnique = sources.length === 1 || (sources.length === 0 && files.size === 1)
  return isUnique ? resolvedToSymbols(locations.slice(0, maxLocations), confidence) : undefined
}

/** Finds a constant by its autoload path: Ruby's `Shop::Cart` is defined in `shop/cart.rb`. */
function findConstant(
  view: CodeView,
  file: CodeFile,
  name: string,
  enclosingType: number,
): ResolvedName | undefined {
  if (!/^[A-Z]/.test(name)) return undefined
  const ending = `/${file.family.fileOfConstant?.(name)}`
  const autoloaded = listTopLevelSymbols(view, file, name).filter(({ path }) =>
    path.endsWith(ending),
  )
  if (autoloaded.length === 1) return resolvedToSymbols(autoloaded, 0.85)
  const moduleFolder = file.fileIndex.symbols[enclosingType]?.name.toLowerCase()
  const inModule = autoloaded.filter(({ path }) => path.split('/').at(-2) === moduleFolder)
  if (inModule.length === 1) return resolvedToSymbols(inModule, 0.8)
  return findUniqueSymbol(view, file, name)
}
