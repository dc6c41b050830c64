// Reads the knowledge about a change under review: its code graph, earlier reviews and memories.
import type { ChangeGraph } from '../../domain/change-graph.ts'
import type { FileDiff } from '../../domain/diff.ts'
import type { AppliedMemory, Provenance } from '../../domain/memory.ts'
import type { PullRequestRef } from '../../domain/pull-request.ts'
import { searchMemories } from '../memory/search-memories.ts'
import type { ChangeGraphContext, KnowledgeContext } from './change-graph-context.ts'
import { createFallbacks } from './fallbacks.ts'
import { noCodeImpact } from './read-code-impact.ts'
import { type ChangedCode, readCodeOfChange } from './read-code-of-change.ts'
import { readFileHistory, readRelatedPullRequests } from './read-file-history.ts'
import { readStoredCode } from './read-stored-code.ts'
import type { StoredCode } from './stored-code.ts'

/** After this time, the review continues without the parts that aren't ready. */
const deadlineMs = 7_000
const maxMemories = 12
const maxPaths = 300
const maxDiffs = 1000
/** Limits for the text by which memories are searched. */
const maxSections = 100
const maxQueryLength = 4_000

interface ReviewedChange extends PullRequestRef, ChangedCode {
  readonly title: string
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
      ? readCodeOfChange(changeContext, change, readStored(changeContext, change), deadline)
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

function readStored(
  { db, codeCache, queryTimeoutMs, withFallback }: ChangeGraphContext,
  { repo, base, diffs }: ReviewedChange,
): Promise<StoredCode | null> {
  const query = { repo, base: base.sha, paths: listPaths(diffs) }
  return withFallback('The code graph', null, () =>
    readStoredCode(db, codeCache, query, queryTimeoutMs),
  )
}

/** Includes files without code, because other files can import them. */
function listPaths(diffs: readonly FileDiff[]): string[] {
  const paths = diffs.slice(0, maxDiffs).flatMap(({ path, oldPath }) => [path, oldPath])
  return [...new Set(paths)]
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
