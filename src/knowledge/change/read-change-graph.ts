// Reads the knowledge about a change under review: its code graph, earlier reviews and memories.
import { setTimeout } from 'node:timers/promises'
import type { ChangedSymbol, ChangeGraph } from '../../domain/change-graph.ts'
import type { FileDiff } from '../../domain/diff.ts'
import type { AppliedMemory, Provenance } from '../../domain/memory.ts'
import type { PullRequestRef } from '../../domain/pull-request.ts'
import type { Snapshot } from '../../domain/snapshot.ts'
import { readInOneSnapshot } from '../graph/read-graph.ts'
import { searchMemories } from '../memory/search-memories.ts'
import type { ChangeGraphContext, KnowledgeContext } from './change-graph-context.ts'
import type { SymbolChange } from './compare-symbols.ts'
import { createFallbacks } from './fallbacks.ts'
import { type CodeReader, readChangedFiles } from './read-changed-files.ts'
import { type CodeImpact, noCodeImpact, readCodeImpact } from './read-code-impact.ts'
import { readFileHistory, readRelatedPullRequests } from './read-file-history.ts'
import { readStoredCode } from './read-stored-code.ts'

/** After this time, the review continues without the parts that aren't ready. */
const deadlineMs = 7_000
/** The changed files that aren't read after this time are left out. */
const readTimeoutMs = 3_000
/** After this time, changed files are parsed even if the graph may contain their index entries. */
const graphTimeoutMs = 200
const maxSymbols = 300
const maxMemories = 12
const maxPaths = 300
const maxDiffs = 1000
/** Limits for the text by which memories are searched. */
const maxSections = 100
const maxQueryLength = 4_000

interface ReviewedChange extends PullRequestRef {
  readonly title: string
  /** Contains the files of the diff that are reviewed. */
  readonly files: readonly FileDiff[]
  /** Contains all files of the diff. */
  readonly diffs: readonly FileDiff[]
  readonly head: Snapshot
  readonly base: Snapshot
}

/**
 * Reads the knowledge about a change within a few seconds. Parts that fail or take too long are
 * left out, with a note.
 *
 * @returns null if both layers are off
 * @throws the reason of the signal if it is aborted, and nothing else
 */
export async function readChangeGraph(
  context: KnowledgeContext,
  change: ReviewedChange,
  signal: AbortSignal,
): Promise<ChangeGraph | null> {
  const { layers, db } = context
  if (!layers.graph && !layers.memory) return null
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(deadlineMs)])
  const changeContext: ChangeGraphContext = {
    ...context,
    ...createFallbacks(context.log, deadline),
  }
  const { withFallback, notes } = changeContext
  const allPaths = new Set(change.files.flatMap(({ path, oldPath }) => [path, oldPath]))
  const paths = [...allPaths].slice(0, 2 * maxPaths)
  const [code, history, memories] = await Promise.all([
    layers.graph
      ? readSymbolsAndCode(changeContext, change, deadline)
      : { ...noCodeImpact, symbols: [], changed: [] },
    layers.graph
      ? withFallback('Results of earlier reviews', [], () =>
          readFileHistory(db, change, change.files.slice(0, maxPaths)),
        )
      : [],
    layers.memory
      ? withFallback('Memories', [], () => readMemories(context, change, paths, deadline))
      : [],
  ])
  const related = layers.graph
    ? await withFallback('Other pull requests that change the same files', [], () =>
        readRelatedPullRequests(db, change, paths, code.symbols),
      )
    : []
  signal.throwIfAborted()
  return { ...code, history, related, memories, notes: [...code.notes, ...notes] }
}

async function readSymbolsAndCode(
  context: ChangeGraphContext,
  { repo, files: reviewedFiles, diffs, head, base }: ReviewedChange,
  signal: AbortSignal,
): Promise<CodeImpact & Pick<ChangeGraph, 'symbols'>> {
  const { db, syntax, codeCache, queryTimeoutMs, withFallback } = context
  // The database query, git's listing of files and the parsing of files run at the same time.
  const query = { repo, base: base.sha, paths: listPaths(diffs) }
  const storedPromise = withFallback('The code graph', null, () =>
    readInOneSnapshot(db, queryTimeoutMs, (tx) => readStoredCode(tx, codeCache, query)),
  )
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
  const { files, notes } = await withFallback(
    'Definitions in the changed files',
    { files: [], notes: [] },
    () => readChangedFiles(reader, { files: reviewedFiles, head, base }),
  )
  const allSymbols = files.flatMap(({ symbols }) => symbols).sort(comparePriority)
  const symbols = allSymbols.slice(0, maxSymbols)
  const omittedCount = allSymbols.length - symbols.length
  if (omittedCount > 0)
    context.notes.push(`Of the changed definitions, ${omittedCount} were left out.`)
  context.notes.push(...notes)
  const stored = await storedPromise
  const code = await withFallback('Callers and tests of the change', noCodeImpact, () =>
    readCodeImpact(context, { head, diffs, files, symbols, stored, headEntries }, signal),
  )
  return { ...code, symbols: symbols.map(toChangedSymbol) }
}

/** Includes files without code, because other files can import them. */
function listPaths(diffs: readonly FileDiff[]): string[] {
  const paths = diffs.slice(0, maxDiffs).flatMap(({ path, oldPath }) => [path, oldPath])
  return [...new Set(paths)]
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

async function readMemories(
  { db, recall }: Pick<KnowledgeContext, 'db' | 'recall'>,
  { repo, title, diffs }: ReviewedChange,
  paths: readonly string[],
  signal: AbortSignal,
) {
  const sections = diffs.flatMap(({ hunks }) => hunks.map(({ section }) => section))
  const lines = [title, ...sections.slice(0, maxSections), ...paths]
  const query = {
    text: lines.join('\n').slice(0, maxQueryLength),
    paths,
    limit: maxMemories,
  }
  const found = await (recall ? recall(repo, query, signal) : searchMemories(db, repo, query))
  return found.map(({ id, type, text, path, trust, provenance }) => ({
    id,
    type,
    text,
    path,
    trust,
    source: toMemorySource(provenance),
  }))
}

function toMemorySource({ commit, file, line, user }: Provenance): AppliedMemory['source'] {
  if (commit !== undefined && file !== undefined) return { commit, path: file, line: line ?? null }
  return user === undefined ? null : { user }
}
