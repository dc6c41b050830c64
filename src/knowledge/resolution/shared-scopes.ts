// Names that a file sees without importing them one by one: of its package, its namespace, of all that it includes.
import type { CodeFile, CodeView, ResolvedName, SymbolLocation } from './code-model.ts'
import { followExport } from './follow-exports.ts'
import { folderOf } from './paths.ts'
import { resolvedToSymbols } from './resolved-name.ts'

/** What a name means by what the file shares with others. */
export function findInScope(
  view: CodeView,
  file: CodeFile,
  name: string,
  around: number,
): ResolvedName | undefined {
  switch (file.family) {
    case 'go':
      return findInPackage(view, file, name) ?? findInWildcardImports(view, file, name)
    case 'jvm':
      return (
        findInNamespace(view, file, name, [file.fileIndex.namespace ?? '']) ??
        findInWildcardImports(view, file, name)
      )
    case 'c-sharp':
      return (
        findInNamespace(view, file, name, listNamespaces(file)) ??
        findUnique(view, file, name, 0.6, true)
      )
    case 'php':
      return (
        findInNamespace(view, file, name, [file.fileIndex.namespace ?? '']) ??
        findInWildcardImports(view, file, name) ??
        findUnique(view, file, name, 0.7, false)
      )
    case 'ruby':
      return findInWildcardImports(view, file, name) ?? findConstant(view, file, name, around)
    case 'c':
      return findIncluded(view, file, name) ?? findUnique(view, file, name, 0.7, false)
    case 'script':
      return undefined
    default:
      return findInWildcardImports(view, file, name)
  }
}

/** Symbols that others can name by their name alone. */
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
  const isTest = file.path.endsWith('_test.go')
  const places = listTopLevelSymbols(view, file, name).filter(
    ({ path }) =>
      folderOf(path) === file.folder &&
      view.fileIndex(path)!.namespace === file.fileIndex.namespace &&
      (isTest || !path.endsWith('_test.go')),
  )
  return resolvedToSymbols(places.slice(0, 4), 0.9)
}

function findInNamespace(
  view: CodeView,
  file: CodeFile,
  name: string,
  namespaces: readonly string[],
): ResolvedName | undefined {
  const places = listTopLevelSymbols(view, file, name)
  if (places.length === 0) return undefined
  for (const namespace of namespaces) {
    const found = places.filter(({ path }) => (view.fileIndex(path)!.namespace ?? '') === namespace)
    if (found.length > 0) return resolvedToSymbols(found.slice(0, 4), namespace === '' ? 0.7 : 0.9)
  }
  return undefined
}

/** Its own namespace, those around it, those that it uses. */
function listNamespaces({ fileIndex: facts }: CodeFile): string[] {
  const parts = (facts.namespace ?? '').split('.')
  const around = parts.map((_, index) => parts.slice(0, parts.length - index).join('.'))
  const used = facts.imports.map(({ from }) => from)
  return [...around, ...used].filter((namespace) => namespace !== '')
}

/** What comes with all names of something: `import *`, `using`, files that are included or required. */
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

/** A header that the file includes declares it: what implements it is meant, beside the declaration. */
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
  const both =
    implemented.length <= 2 ? [...declared.slice(0, 2), ...implemented] : declared.slice(0, 2)
  return resolvedToSymbols(both, 0.8)
}

export function isHeader(path: string): boolean {
  return /\.(h|hh|hpp|hxx|inl|ipp|cuh)$/i.test(path)
}

/** A name that one file alone defines (in C beside its header). */
function findUnique(
  view: CodeView,
  file: CodeFile,
  name: string,
  confidence: number,
  onlyTypes: boolean,
): ResolvedName | undefined {
  const places = listTopLevelSymbols(view, file, name).filter(({ path, ordinal }) => {
    const { exported, kind } = view.fileIndex(path)!.symbols[ordinal]!
    return (
      (exported || path === file.path) && (!onlyTypes || (kind !== 'function' && kind !== 'value'))
    )
  })
  const files = new Set(places.map(({ path }) => path).filter((path) => !isHeader(path)))
  const isOne =
    files.size === 1 || (files.size === 0 && new Set(places.map(({ path }) => path)).size === 1)
  return isOne ? resolvedToSymbols(places.slice(0, 4), confidence) : undefined
}

/** Ruby's constants are loaded by their names: `Shop::Cart` lies in `shop/cart.rb`. */
function findConstant(
  view: CodeView,
  file: CodeFile,
  name: string,
  around: number,
): ResolvedName | undefined {
  if (!/^[A-Z]/.test(name)) return undefined
  const places = listTopLevelSymbols(view, file, name)
  const snake = name.replaceAll(/([a-z\d])([A-Z])|([A-Z]+)([A-Z][a-z])/g, '$1$3_$2$4').toLowerCase()
  const byPath = places.filter(({ path }) => path.endsWith(`/${snake}.rb`))
  if (byPath.length === 1) return resolvedToSymbols(byPath, 0.85)
  // Of several the one in the same module.
  const outer = around === -1 ? undefined : file.fileIndex.symbols[around]!.name.toLowerCase()
  const near = byPath.filter(({ path }) => path.split('/').at(-2) === outer)
  if (near.length === 1) return resolvedToSymbols(near, 0.8)
  return findUnique(view, file, name, 0.7, false)
}
