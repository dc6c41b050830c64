// Reads the code around a change: its definitions, their uses, tests and broken imports.
import { setTimeout } from 'node:timers/promises'
import type { ChangedSymbol, ChangeGraph } from '../../domain/change-graph.ts'
import type { FileDiff } from '../../domain/diff.ts'
import type { Snapshot } from '../../domain/snapshot.ts'
import { listRemovedPaths } from './changed-file.ts'
import type { CodeContext } from './code-context.ts'
import type { SymbolChange } from './compare-symbols.ts'
import { openImports } from './open-imports.ts'
import { type CodeReader, listSources, readChangedFiles } from './read-changed-files.ts'
import { type CodeImpact, noCodeImpact, readCodeImpact } from './read-code-impact.ts'
import type { StoredCode } from './stored-code.ts'

/** The changed files that aren't read after this time are left out. */
const readTimeoutMs = 3_000
/** After this time, changed files are parsed even if the graph may contain their index entries. */
const graphTimeoutMs = 200
const maxSymbols = 300

/** The code of a change. */
export interface ChangedCode {
  /** Contains the files of the diff that are reviewed. */
  readonly files: readonly FileDiff[]
  /** Contains all files of the diff. */
  readonly diffs: readonly FileDiff[]
  readonly head: Snapshot
  readonly base: Snapshot
}

/**
 * Reads the code around a change, as far as it is read in time.
 *
 * @param storedPromise null if there is no stored graph: uses are then searched at the head
 */
export async function readCodeOfChange(
  context: CodeContext,
  change: ChangedCode,
  storedPromise: Promise<StoredCode | null>,
  signal: AbortSignal,
): Promise<CodeImpact & Pick<ChangeGraph, 'symbols'>> {
  const { syntax, codeCache, withFallback } = context
  const { diffs, head } = change
  if (listSources(change.files).length === 0 && listRemovedPaths(diffs).size === 0) {
    const commit = (await storedPromise)?.commit ?? null
    return { ...noCodeImpact, commit, isSearched: commit === null, symbols: [] }
  }
  // The database query, git's listing of files and the parsing of files run at the same time.
  const headEntries = head.listFiles({ signal })
  headEntries.catch(() => {})
  const storedInTime = Promise.race([
    storedPromise,
    setTimeout(graphTimeoutMs, null, { ref: false }),
  ])
  const reader: CodeReader = {
    syntax,
    cache: codeCache,
    signal: AbortSignal.any([signal, AbortSignal.timeout(readTimeoutMs)]),
    storedIndexes: storedInTime.then((stored) => stored?.fileIndexes ?? new Map()),
  }
  // Manifests are read while the changed files are parsed.
  const imports = Promise.all([storedPromise, headEntries]).then(([stored, entries]) =>
    openImports(context, change, stored, entries),
  )
  imports.catch(() => {})
  const { files, notes } = await withFallback(
    'Definitions in the changed files',
    { files: [], notes: [] },
    () => readChangedFiles(reader, change),
  )
  const allSymbols = files.flatMap(({ symbols }) => symbols).sort(comparePriority)
  const symbols = allSymbols.slice(0, maxSymbols)
  const omittedCount = allSymbols.length - symbols.length
  if (omittedCount > 0)
    context.notes.push(`Of the changed definitions, ${omittedCount} were left out.`)
  context.notes.push(...notes)
  const stored = await storedPromise
  const code = await withFallback('Callers and tests of the change', noCodeImpact, () =>
    readCodeImpact(context, { head, diffs, files, symbols, stored, headEntries, imports }, signal),
  )
  return { ...code, symbols: symbols.map(toChangedSymbol) }
}

/** Changes that affect callers come first. */
const changePriorities: Readonly<Record<ChangedSymbol['change'], number>> = {
  removed: 0,
  signature: 1,
  body: 2,
  added: 3,
}

function comparePriority(a: SymbolChange, b: SymbolChange): number {
  return (
    changePriorities[a.change] - changePriorities[b.change] ||
    Number(b.exported) - Number(a.exported)
  )
}

function toChangedSymbol({
  beforeOrdinal: _,
  afterOrdinal: __,
  ...symbol
}: SymbolChange): ChangedSymbol {
  return symbol
}
