// Loads the code around a change: from the stored graph, and from the head where it differs.

import type { FileDiff } from '../../domain/diff.ts'
import type { Snapshot, TreeEntry } from '../../domain/snapshot.ts'
import { familyOfPath } from '../../languages/index.ts'
import { isTestPath } from '../../languages/test-paths.ts'
import { constructorNames } from '../resolution/resolve-references.ts'
import { type ChangedFile, listRemovedPaths } from './changed-file.ts'
import type { CodeContext } from './code-context.ts'
import type { SymbolChange } from './compare-symbols.ts'
import { listLostNames } from './find-broken-imports.ts'
import type { ChangeViews } from './find-change-callers.ts'
import { createHeadIndex, type HeadIndex, listDifferingFiles } from './head-index.ts'
import { type Definitions, listUsedNames, loadDefinitions } from './load-definitions.ts'
import { openChangeViews } from './open-change-views.ts'
import type { ChangeImports } from './open-imports.ts'
import { findFilesMentioning } from './read-head-texts.ts'
import { type FoundUses, searchUsingFiles } from './search-using-files.ts'
import { type DefinitionsByName, maxUsingFiles, type StoredCode } from './stored-code.ts'

/** The text of at most this number of files that differ from the graph is searched for names. */
export const maxDifferingFiles = 500
const maxSearchTerms = 100
/** The files around the change that aren't read after this time are left out. */
const loadTimeoutMs = 2_500
const maxNames = 300
const maxNewTests = 50

export interface CodeImpactInput {
  readonly head: Snapshot
  /** Contains all files of the diff. */
  readonly diffs: readonly FileDiff[]
  readonly files: readonly ChangedFile[]
  /** Contains the changed definitions of `files`, possibly not all of them. */
  readonly symbols: readonly SymbolChange[]
  /** Is null if the repository has no graph. */
  readonly stored: StoredCode | null
  /** Contains all files at the head. */
  readonly headEntries: Promise<readonly TreeEntry[]>
  readonly imports: Promise<ChangeImports>
}

/** The loaded code around a change. */
export interface ChangeCode {
  readonly input: CodeImpactInput
  readonly headIndex: HeadIndex
  readonly views: ChangeViews
  /** Contains files outside of the change that may use it. */
  readonly usingPaths: readonly string[]
  /** The changed definitions of which all uses were searched. */
  readonly searchedSymbols: ReadonlySet<SymbolChange>
  /** Contains all files at the head, by path. */
  readonly entries: ReadonlyMap<string, TreeEntry>
}

/** Loads the code around a change; what isn't loaded in time is missing from the result. */
export async function loadChangeCode(
  context: CodeContext,
  input: CodeImpactInput,
  signal: AbortSignal,
): Promise<ChangeCode> {
  const { files, symbols, head, stored } = input
  const { syntax, codeCache } = context
  const changedNames = listNames(symbols)
  const usedNames = listUsedNames(files)
  const allNames = new Set([
    ...changedNames,
    ...[...usedNames.values()].flatMap((names) => [...names]),
  ])
  // The query runs while git lists the files at the head.
  const definitionsPromise = findStoredDefinitions(
    context,
    stored,
    [...allNames].slice(0, maxNames),
  )
  const loadSignal = AbortSignal.any([signal, AbortSignal.timeout(loadTimeoutMs)])
  const searched = stored === null ? searchUses(context, input, loadSignal) : null
  const headEntries = await input.headEntries
  const entries = new Map(headEntries.map((entry) => [entry.path, entry]))
  const headIndex = createHeadIndex({
    cache: codeCache,
    stored,
    reader: { syntax, cache: codeCache, signal: loadSignal },
    head,
    entries,
    differingFiles: chooseDifferingFiles(input, entries),
    changedFiles: new Map(
      files.flatMap(({ diff, after }) =>
        after === null ? [] : [[diff.path, after.fileIndex] as const],
      ),
    ),
  })
  const imports = await input.imports
  const { paths: usingPaths, names: searchedNames } =
    stored === null
      ? (await searched)!
      : await chooseUsingPaths(input, stored, headIndex, loadSignal)
  await headIndex.load(usingPaths)
  const definitions = await definitionsPromise
  // Files that re-export the changed names can be in between a using file and the change.
  const startPaths = [
    ...usingPaths.filter((path) => familyOfPath(path)?.reexportsOften),
    ...files.map(({ diff }) => diff.path),
  ]
  const changedNamesByPath = new Map(startPaths.map((path) => [path, changedNames]))
  const allDefinitions = addChangedDefinitions(definitions, symbols)
  await loadDefinitions(headIndex, imports.after, changedNamesByPath, allDefinitions)
  await loadDefinitions(headIndex, imports.after, usedNames, definitions)
  const views = openChangeViews({
    files,
    fileIndexes: headIndex.fileIndexes,
    completePaths: headIndex.differingFiles,
    names: changedNames,
    definitions,
    imports,
  })
  const searchedSymbols = new Set(symbols.filter((symbol) => searchedNames.has(usedNameOf(symbol))))
  return { input, headIndex, views, usingPaths, searchedSymbols, entries }
}

function findStoredDefinitions(
  { withFallback }: CodeContext,
  stored: StoredCode | null,
  names: readonly string[],
): DefinitionsByName | Promise<DefinitionsByName> {
  if (stored === null) return new Map()
  return withFallback<DefinitionsByName>('Definitions that the change uses', new Map(), () =>
    stored.findDefinitions(names),
  )
}

/** Adds the changed files, also for what they no longer define. */
function addChangedDefinitions(
  definitions: Definitions,
  symbols: readonly SymbolChange[],
): Definitions {
  const all: Map<string, readonly { readonly path: string }[]> = new Map(definitions)
  for (const symbol of symbols) {
    for (const name of listNames([symbol])) {
      const paths = all.get(name) ?? []
      if (!paths.some(({ path }) => path === symbol.path)) all.set(name, [...paths, symbol])
    }
  }
  return all
}

/** Collects the names of definitions and of their owners: a constructor is called by its class. */
function listNames(symbols: readonly SymbolChange[]): Set<string> {
  return new Set(symbols.flatMap(({ name }) => name.split('.').slice(-2)))
}

/** The name that uses of a definition contain. Rust's constructors are called `Type::new`. */
function usedNameOf({ name }: SymbolChange): string {
  const [last = '', owner = last] = name.split('.').reverse()
  return last === 'new' || constructorNames.includes(last) ? owner : last
}

/** Searches the head for what can break its users: the other changes aren't worth the time. */
async function searchUses(
  { withFallback }: CodeContext,
  { diffs, files, head, symbols }: CodeImpactInput,
  signal: AbortSignal,
): Promise<FoundUses> {
  const changedPaths = new Set(diffs.flatMap(({ path, oldPath }) => [path, oldPath]))
  const lostNames = listLostNames(files)
  // A lost re-export is found by the imports of its file.
  const lostPaths = lostNames.has('*') ? files.map(({ diff }) => diff.path) : []
  const stems = [...listRemovedPaths(diffs), ...lostPaths].map(importStemOf)
  const breaking = symbols.filter(({ change }) => change === 'removed' || change === 'signature')
  const names = [...stems, ...lostNames, ...breaking.map(usedNameOf)]
  const nothing: FoundUses = { paths: [], names: new Set() }
  const found = await withFallback('Files that may use the change', nothing, () =>
    searchUsingFiles(head, [...changedPaths], names, signal),
  )
  return { ...found, paths: found.paths.filter((path) => !changedPaths.has(path)) }
}

/** Finds the files outside of the change that differ from the graph. */
function chooseDifferingFiles(
  { diffs, stored }: CodeImpactInput,
  entries: ReadonlyMap<string, TreeEntry>,
): Set<string> {
  if (stored?.blobs === null) return new Set()
  const differing = listDifferingFiles(entries.values(), stored?.blobs ?? new Map())
  for (const { path } of diffs) differing.delete(path)
  return differing
}

/** Finds files outside of the change that may use it, including new tests. */
async function chooseUsingPaths(
  { diffs, files, symbols, head }: CodeImpactInput,
  stored: StoredCode,
  headIndex: HeadIndex,
  signal: AbortSignal,
): Promise<FoundUses> {
  const changedPaths = new Set(diffs.map(({ path }) => path))
  const stems = [...files.map(({ diff }) => diff.path), ...listRemovedPaths(diffs)].map(
    importStemOf,
  )
  const searchTerms = [...new Set([...listNames(symbols), ...stems])]
    .filter((term) => term.length > 2)
    .slice(0, maxSearchTerms)
  // A file that differs from the graph can use the change without an edge in the graph.
  const differing = [...headIndex.differingFiles].slice(0, maxDifferingFiles)
  const mentioning = await findFilesMentioning(head, differing, searchTerms, signal)
  const newTests = differing
    .filter((path) => isTestPath(path) && stored.blobs?.has(path) === false)
    .slice(0, maxNewTests)
  const candidates = new Set([
    ...stored.usingPaths.slice(0, maxUsingFiles),
    ...mentioning,
    ...newTests,
  ])
  const paths = [...candidates].filter((path) => !changedPaths.has(path))
  return { paths, names: new Set(symbols.map(usedNameOf)) }
}

/** Finds the name by which imports refer to a file: `cart` for `cart.ts` and `cart/index.ts`. */
function importStemOf(path: string): string {
  const [folder = '', filename = ''] = path.split('/').slice(-2)
  const stem = (filename === '' ? folder : filename).split('.', 1)[0] ?? ''
  return /^(index|mod|lib|main|__init__)$/.test(stem) ? folder : stem
}
