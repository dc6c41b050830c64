// Reads all that is known around a change under review: the code graph at its head, earlier reviews, memories.
import { setTimeout } from 'node:timers/promises'
import type { AppliedMemory, ChangedSymbol, ChangeGraph } from '../../domain/change-graph.ts'
import type { FileDiff } from '../../domain/diff.ts'
import type { Provenance } from '../../domain/memory.ts'
import type { PullRequestRef } from '../../domain/pull-request.ts'
import type { Snapshot } from '../../git/snapshot.ts'
import { readInOneSnapshot } from '../graph/read-graph.ts'
import { searchMemories } from '../memory/search-memories.ts'
import type { ChangeGraphContext, KnowledgeContext } from './change-graph-context.ts'
import type { SymbolChange } from './compare-symbols.ts'
import { createFallbacks } from './fallbacks.ts'
import { readChangedFiles } from './read-changed-files.ts'
import { type CodeImpact, noCodeImpact, readCodeImpact } from './read-code-impact.ts'
import { readFileHistory, readRelatedPullRequests } from './read-file-history.ts'
import { readStoredCode } from './read-stored-code.ts'

/** What is known late is no help: the review goes on without it. */
const deadlineMs = 7_000
/** For the changed files themselves: what was read by then is told. */
const readTimeoutMs = 3_000
/** After that the files are parsed, whose facts the graph may have. */
const graphTimeoutMs = 200
const maxSymbols = 300
const maxMemories = 12
const maxPaths = 300

/** A change at hand. */
export interface ReviewedChange extends PullRequestRef {
  readonly title: string
  /** Those of the diff that are to be reviewed. */
  readonly files: readonly FileDiff[]
  /** All of it. */
  readonly diffs: readonly FileDiff[]
  readonly head: Snapshot
  readonly base: Snapshot
}

/**
 * Reads what is known around a change, within a few seconds. What fails or takes too long is left out and noted.
 *
 * @returns null with nothing known: both layers are off
 * @throws nothing but the reason of an aborted signal
 */
export async function readChangeGraph(
  context: KnowledgeContext,
  change: ReviewedChange,
  signal: AbortSignal,
): Promise<ChangeGraph | null> {
  const { layers, db } = context
  if (!layers.graph && !layers.memory) return null
  const within = AbortSignal.any([signal, AbortSignal.timeout(deadlineMs)])
  const reading: ChangeGraphContext = { ...context, ...createFallbacks(context.log, within) }
  const { withFallback: attempt, notes } = reading
  const paths = [...new Set(change.files.flatMap(({ path, oldPath }) => [path, oldPath]))].slice(
    0,
    2 * maxPaths,
  )
  const [code, history, memories] = await Promise.all([
    layers.graph
      ? readSymbolsAndCode(reading, change, within)
      : { ...noCodeImpact, symbols: [], changed: [] },
    layers.graph
      ? attempt('What earlier reviews came to', [], () =>
          readFileHistory(db, change, change.files.slice(0, maxPaths)),
        )
      : [],
    layers.memory
      ? attempt('What is remembered', [], () => readMemories(context, change, paths, within))
      : [],
  ])
  const related = layers.graph
    ? await attempt('Which other pull requests touch the same', [], () =>
        readRelatedPullRequests(db, change, paths, code.symbols),
      )
    : []
  signal.throwIfAborted()
  return { ...code, history, related, memories, notes: [...code.notes, ...notes] }
}

async function readSymbolsAndCode(
  reading: ChangeGraphContext,
  { repo, files: reviewed, diffs, head, base }: ReviewedChange,
  signal: AbortSignal,
): Promise<CodeImpact & Pick<ChangeGraph, 'symbols'>> {
  const { db, syntax, codeCache: cache, queryTimeoutMs, withFallback: attempt } = reading
  // All at once: git lists and reads, the database answers, threads parse.
  const around = { repo, base: base.sha, paths: listPaths(diffs) }
  const storing = attempt('What the code graph knows', null, () =>
    readInOneSnapshot(db, queryTimeoutMs, (tx) => readStoredCode(tx, cache, around)),
  )
  const listed = head.listFiles({ signal })
  listed.catch(() => {})
  const within = AbortSignal.any([signal, AbortSignal.timeout(readTimeoutMs)])
  const known = Promise.race([storing, setTimeout(graphTimeoutMs, null, { ref: false })])
  const reader = {
    syntax,
    cache,
    signal: within,
    known: known.then((stored) => stored?.fileIndexes ?? new Map()),
  }
  const { files, notes } = await attempt(
    'What the changed files define',
    { files: [], notes: [] },
    () => readChangedFiles(reader, { files: reviewed, head, base }),
  )
  const all = files.flatMap(({ symbols }) => symbols).sort(comparePriority)
  const symbols = all.slice(0, maxSymbols)
  const left = all.length - symbols.length
  if (left > 0) reading.notes.push(`Of the changed definitions, ${left} were left out.`)
  reading.notes.push(...notes)
  const stored = await storing
  const code = await attempt('Whom the change reaches', noCodeImpact, () =>
    readCodeImpact(reading, { head, diffs, files, symbols, stored, headEntries: listed }, signal),
  )
  return { ...code, symbols: symbols.map(describeSymbol) }
}

/** Of the changed files, before and after; also of those that hold no code, for what imports them. */
function listPaths(diffs: readonly FileDiff[]): string[] {
  return [...new Set(diffs.slice(0, 1000).flatMap(({ path, oldPath }) => [path, oldPath]))]
}

/** What concerns others comes first. */
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

function describeSymbol({
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
  const text = [title, ...sections.slice(0, 100), ...paths].join('\n').slice(0, 4_000)
  const query = { text, paths, limit: maxMemories }
  const found = await (recall ? recall(repo, query, signal) : searchMemories(db, repo, query))
  return found.map(({ id, type, text, path, trust, provenance }) => ({
    ...{ id, type, text, path, trust },
    source: sourceOf(provenance),
  }))
}

function sourceOf({ commit, file, line, user }: Provenance): AppliedMemory['source'] {
  if (commit !== undefined && file !== undefined) return { commit, path: file, line: line ?? null }
  return user === undefined ? null : { user }
}
