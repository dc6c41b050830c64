// One file's facts with indices over them: what its names are bound to, what lies inside of what.
import type { CodeBinding, CodeImport, CodeSymbol, FileIndex } from '../../code/code-index.ts'
import { isTestPath } from '../../code/languages.ts'
import type { CodeFile, CodeView, ImportedName } from './code-model.ts'
import type { ResolvedImport } from './imports/resolved-import.ts'
import type { LanguageFamily } from './language-families.ts'
import { folderOf } from './paths.ts'
import { resolveImport } from './resolve-import.ts'

/** Files that include one another are followed so far. */
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

/** Whether a symbol is one that has members. */
export function isTypeSymbol({ kind }: CodeSymbol): boolean {
  return typeKinds.has(kind)
}

export function createCodeFile(
  view: CodeView,
  path: string,
  family: LanguageFamily,
  facts: FileIndex,
): CodeFile {
  const names = indexByName(facts.symbols)
  const { locals, passed, wholes } = indexImports(facts.imports, family)
  let bindings: Map<string, CodeBinding[]> | undefined
  let called: ReadonlySet<string> | undefined
  let qualifiers: ReadonlyMap<string, string | null> | undefined
  const imported: ResolvedImport[] = []
  let included: ReadonlySet<string> | undefined
  const file: CodeFile = {
    path,
    folder: folderOf(path),
    family,
    isTest: isTestPath(path),
    fileIndex: facts,
    symbolsNamed: (name) => names.get(name) ?? noOrdinals,
    importedName: (name) => locals.get(name),
    reexportedName: (name) => passed.get(name),
    wildcardImports: wholes,
    resolveImport: (index) =>
      (imported[index] ??= resolveImport(view, path, facts.imports[index]!)),
    includedFiles: () => (included ??= listIncluded(view, file)),
    bindings(name) {
      bindings ??= Map.groupBy(facts.bindings, (binding) => binding.name)
      return bindings.get(name) ?? noBindings
    },
    isCallOf({ type, within }) {
      called ??= indexCalls(facts)
      return called.has(`${within} ${type}`)
    },
    typeQualifier(name, within) {
      qualifiers ??= indexQualifiers(facts)
      return qualifiers.get(`${within} ${name}`) ?? null
    },
    enclosingType(ordinal) {
      let at = ordinal
      while (at >= 0 && !typeKinds.has(facts.symbols[at]!.kind)) at = enclosingSymbolOf(facts, at)
      return at
    },
    resolvedMembers: new Map(),
    resolvedTypes: new Map(),
    resolvedNames: new Map(),
  }
  return file
}

function listIncluded(view: CodeView, file: CodeFile): Set<string> {
  const found = new Set<string>()
  const open = [file]
  for (let next = open.pop(); next !== undefined && found.size < maxIncludes; next = open.pop()) {
    for (const index of next.wildcardImports) {
      for (const path of next.resolveImport(index).paths) {
        if (found.has(path) || path === file.path) continue
        found.add(path)
        const target = view.file(path)
        if (target !== undefined) open.push(target)
      }
    }
  }
  return found
}

/** The symbol that a symbol is defined in. Facts that lead back to themselves lead nowhere. */
export function enclosingSymbolOf({ symbols }: FileIndex, ordinal: number): number {
  const outer = symbols[ordinal]?.within ?? -1
  return outer < ordinal ? outer : -1
}

function indexByName(symbols: readonly CodeSymbol[]): Map<string, number[]> {
  const names = new Map<string, number[]>()
  for (let ordinal = 0; ordinal < symbols.length; ordinal++) {
    const { name } = symbols[ordinal]!
    const list = names.get(name)
    if (list === undefined) names.set(name, [ordinal])
    else list.push(ordinal)
  }
  return names
}

/** As bindings write them, in the symbol that they stand in, and in that around it: a variable's, or a constructor's for fields. */
function indexCalls(facts: FileIndex): Set<string> {
  const calls = new Set<string>()
  for (const { kind, name, qualifier, within } of facts.references) {
    if (kind !== 'call') continue
    const call = qualifier === null ? `${name}()` : `${qualifier}.${name}()`
    calls.add(`${within} ${call}`).add(`${enclosingSymbolOf(facts, within)} ${call}`)
  }
  return calls
}

function indexQualifiers({ references }: FileIndex): Map<string, string | null> {
  const qualifiers = new Map<string, string | null>()
  for (const { name, qualifier, kind, within } of references) {
    if (kind === 'value' || (kind === 'call' && qualifier === null)) continue
    const key = `${within} ${name}`
    const known = qualifiers.get(key)
    qualifiers.set(key, known === undefined || known === qualifier ? qualifier : null)
  }
  return qualifiers
}

interface ImportIndex {
  readonly locals: ReadonlyMap<string, ImportedName>
  readonly passed: ReadonlyMap<string, ImportedName>
  readonly wholes: readonly number[]
}

function indexImports(imports: readonly CodeImport[], family: LanguageFamily): ImportIndex {
  const locals = new Map<string, ImportedName>()
  const passed = new Map<string, ImportedName>()
  const wholes: number[] = []
  for (let index = 0; index < imports.length; index++) {
    const { kind, names, from } = imports[index]!
    if (importsAllNames(imports[index]!, family)) wholes.push(index)
    for (const { name, local } of names) {
      if (local === '*' || local === '_' || local === '.') continue
      // A name that is passed on isn't bound in scripts; in other languages it is both.
      if (kind === 'reexport') passed.set(local, { importIndex: index, name })
      if (kind !== 'reexport' || family !== 'script')
        locals.set(local, { importIndex: index, name })
    }
    if (names.length === 0 && kind === 'static') bindLastPart(locals, from, index, family)
  }
  return { locals, passed, wholes }
}

function importsAllNames({ kind, names }: CodeImport, family: LanguageFamily): boolean {
  if (kind === 'all' || kind === 'include' || kind === 'system') return true
  if (names.some(({ local }) => local === '*' || local === '.')) return true
  // What is required there shows all that it defines to everybody.
  return family === 'ruby'
}

/** An import without names is known by the last part of what it imports. */
function bindLastPart(
  locals: Map<string, ImportedName>,
  from: string,
  index: number,
  family: LanguageFamily,
): void {
  if (family === 'script') return
  const name = /([A-Za-z_]\w*)(?:\/v\d+)?$/.exec(from)?.[1]
  if (name !== undefined && !locals.has(name))
    locals.set(name, {
      importIndex: index,
      name: family === 'go' || family === 'python' ? '*' : name,
    })
}
