// Builds lookup tables over one file's index entry: names, imports, bindings and enclosing types.
import type { CodeBinding, CodeImport, CodeSymbol, FileIndex } from '../../languages/code-index.ts'
import type { ResolvedImport } from '../../languages/common/resolved-import.ts'
import type { LanguageFamily } from '../../languages/language.ts'
import { isTestPath } from '../../languages/test-paths.ts'
import { folderOf } from '../../lib/tree-paths.ts'
import type { CodeFile, CodeView, ImportedName } from './code-model.ts'
import { resolveImport } from './resolve-import.ts'

/** The maximum number of directly and indirectly included files. */
const maxIncludes = 400
const noOrdinals: readonly number[] = []
const noBindings: readonly CodeBinding[] = []
const typeKinds: ReadonlySet<CodeSymbol['kind']> = new Set([
  'class',
  'interface',
  'enum',
  'type',
  'module',
])

/** Checks whether a symbol can have members. */
export function isTypeSymbol({ kind }: CodeSymbol): boolean {
  return typeKinds.has(kind)
}

export function createCodeFile(
  view: CodeView,
  path: string,
  family: LanguageFamily,
  fileIndex: FileIndex,
): CodeFile {
  const ordinalsByName = indexByName(fileIndex.symbols)
  const { importedNames, reexportedNames, wildcardImports } = indexImports(
    fileIndex.imports,
    family,
  )
  let bindings: Map<string, CodeBinding[]> | undefined
  let calls: ReadonlySet<string> | undefined
  let qualifiers: ReadonlyMap<string, string | null> | undefined
  const resolvedImports: ResolvedImport[] = []
  let includedFiles: ReadonlySet<string> | undefined
  const file: CodeFile = {
    path,
    folder: folderOf(path),
    family,
    isTest: isTestPath(path),
    fileIndex,
    symbolsNamed: (name) => ordinalsByName.get(name) ?? noOrdinals,
    importedName: (name) => importedNames.get(name),
    reexportedName: (name) => reexportedNames.get(name),
    wildcardImports,
    resolveImport(index) {
      resolvedImports[index] ??= resolveImport(view, path, fileIndex.imports[index]!)
      return resolvedImports[index]
    },
    includedFiles() {
      includedFiles ??= listIncludedFiles(view, file)
      return includedFiles
    },
    bindings(name) {
      bindings ??= Map.groupBy(fileIndex.bindings, (binding) => binding.name)
      return bindings.get(name) ?? noBindings
    },
    isCallOf({ type, within }) {
      calls ??= indexCalls(fileIndex)
      return calls.has(`${within} ${type}`)
    },
    typeQualifier(name, within) {
      qualifiers ??= indexQualifiers(fileIndex)
      return qualifiers.get(`${within} ${name}`) ?? null
    },
    enclosingType(ordinal) {
      let current = ordinal
      while (current >= 0 && !isTypeSymbol(fileIndex.symbols[current]!))
        current = enclosingSymbolOf(fileIndex, current)
      return current
    },
    resolvedMembers: new Map(),
    resolvedTypes: new Map(),
    resolvedNames: new Map(),
  }
  return file
}

function listIncludedFiles(view: CodeView, file: CodeFile): Set<string> {
  const included = new Set<string>()
  const pending = [file]
  while (pending.length > 0 && included.size < maxIncludes) {
    const includer = pending.pop()!
    for (const index of includer.wildcardImports) {
      for (const path of includer.resolveImport(index).paths) {
        if (included.has(path) || path === file.path) continue
        included.add(path)
        const target = view.file(path)
        if (target !== undefined) pending.push(target)
      }
    }
  }
  return included
}

/**
 * Returns the ordinal of the symbol that contains a symbol; -1 for none.
 * Only a smaller ordinal is valid, so that a damaged index entry can't cause an endless loop.
 */
export function enclosingSymbolOf({ symbols }: FileIndex, ordinal: number): number {
  const outer = symbols[ordinal]?.within ?? -1
  return outer < ordinal ? outer : -1
}

function indexByName(symbols: readonly CodeSymbol[]): Map<string, number[]> {
  const ordinals = new Map<string, number[]>()
  for (let ordinal = 0; ordinal < symbols.length; ordinal++) {
    const { name } = symbols[ordinal]!
    const list = ordinals.get(name)
    if (list === undefined) ordinals.set(name, [ordinal])
    else list.push(ordinal)
  }
  return ordinals
}

/**
 * Lists calls in the form that bindings have (`<within> shop.createCart()`). A call is also added
 * for the enclosing symbol: a constructor's call can set a field of its class.
 */
function indexCalls(fileIndex: FileIndex): Set<string> {
  const calls = new Set<string>()
  for (const { kind, name, qualifier, within } of fileIndex.references) {
    if (kind !== 'call') continue
    const call = qualifier === null ? `${name}()` : `${qualifier}.${name}()`
    calls.add(`${within} ${call}`)
    calls.add(`${enclosingSymbolOf(fileIndex, within)} ${call}`)
  }
  return calls
}

function indexQualifiers({ references }: FileIndex): Map<string, string | null> {
  const qualifiers = new Map<string, string | null>()
  for (const { name, qualifier, kind, within } of references) {
    if (kind === 'value' || (kind === 'call' && qualifier === null)) continue
    const key = `${within} ${name}`
    const earlier = qualifiers.get(key)
    const isUnambiguous = earlier === undefined || earlier === qualifier
    qualifiers.set(key, isUnambiguous ? qualifier : null)
  }
  return qualifiers
}

interface ImportIndex {
  readonly importedNames: ReadonlyMap<string, ImportedName>
  readonly reexportedNames: ReadonlyMap<string, ImportedName>
  readonly wildcardImports: readonly number[]
}

function indexImports(imports: readonly CodeImport[], family: LanguageFamily): ImportIndex {
  const importedNames = new Map<string, ImportedName>()
  const reexportedNames = new Map<string, ImportedName>()
  const wildcardImports: number[] = []
  for (const [importIndex, item] of imports.entries()) {
    const { kind, names, from } = item
    if (importsAllNames(item, family)) wildcardImports.push(importIndex)
    for (const { name, local } of names) {
      if (local === '*' || local === '_' || local === '.') continue
      if (kind === 'reexport') reexportedNames.set(local, { importIndex, name })
      // In scripts, `export … from` binds no local name; in other languages a re-export does.
      if (kind !== 'reexport' || !family.hasExports) importedNames.set(local, { importIndex, name })
    }
    if (names.length === 0 && kind === 'static')
      bindLastPart(importedNames, from, importIndex, family)
  }
  return { importedNames, reexportedNames, wildcardImports }
}

function importsAllNames({ kind, names }: CodeImport, family: LanguageFamily): boolean {
  if (kind === 'all' || kind === 'include' || kind === 'system') return true
  if (names.some(({ local }) => local === '*' || local === '.')) return true
  return family.importsEverything === true
}

/** Binds an import without names to a part of its path: `import "shop/cart/v2"` to `cart`. */
function bindLastPart(
  importedNames: Map<string, ImportedName>,
  from: string,
  importIndex: number,
  family: LanguageFamily,
): void {
  if (family.hasExports) return
  const local = /([A-Za-z_]\w*)(?:\/v\d+)?$/.exec(from)?.[1]
  if (local === undefined || importedNames.has(local)) return
  importedNames.set(local, { importIndex, name: family.importsModules ? '*' : local })
}
