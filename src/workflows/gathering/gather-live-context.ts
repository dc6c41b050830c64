// Queries trackers, error trackers and chats about a change.
import type { AppContext } from '../../context.ts'
import { type Change, noOutsideContext } from '../../domain/change.ts'
import type { ChangedSymbol } from '../../domain/change-graph.ts'
import type { LiveContext } from '../../domain/live-context.ts'
import type { PullRequest } from '../../domain/pull-request.ts'
import type { Access } from '../../platforms/platform.ts'
import type { SourceQuery } from '../../tools/sources/call-tool.ts'
import type { RequestingRepository } from '../../tools/sources/context-sources.ts'
import { deriveErrorQueries, deriveSourceQueries } from './derive-source-queries.ts'

/**
 * Never fails a review: a source that doesn't answer is listed as missing. Throws the reason of an
 * aborted signal.
 *
 * @param symbols the changed symbols; queries without them start at once
 */
export async function gatherLiveContext(
  ctx: Pick<AppContext, 'sources' | 'platform' | 'log'>,
  access: Access,
  change: Pick<Change, 'pullRequest' | 'commits' | 'files'>,
  symbols: Promise<readonly ChangedSymbol[]>,
  signal: AbortSignal,
): Promise<Pick<Change, 'liveContext' | 'remoteTools'>> {
  if (ctx.sources.names.length === 0) return noOutsideContext
  const requester = await findRequestingRepository(ctx, access, change.pullRequest, signal)
  const query = (queries: readonly SourceQuery[]) => ctx.sources.query(requester, queries, signal)
  const answers = await Promise.all([
    query(deriveSourceQueries(change)),
    symbols.then((known) => query(deriveErrorQueries(change.files, known))),
  ])
  return {
    liveContext: joinAnswers(answers, ctx.sources.names),
    remoteTools: ctx.sources.tools(requester),
  }
}

/** Describes the repository in whose name sources are queried. */
export async function findRequestingRepository(
  ctx: Pick<AppContext, 'platform' | 'log'>,
  access: Access,
  { head, repo }: Pick<PullRequest, 'head' | 'repo'>,
  signal: AbortSignal,
): Promise<RequestingRepository> {
  const isFork = head.repo?.toLowerCase() !== repo.toLowerCase()
  return { repo: access.repo, isPublic: await isPublic(ctx, access, signal), isFork }
}

/** Sorts records and missing sources in the configured order of the sources. */
function joinAnswers(answers: readonly LiveContext[], names: readonly string[]): LiveContext {
  const order = (one: { source: string }, other: { source: string }) =>
    names.indexOf(one.source) - names.indexOf(other.source)
  return {
    records: answers.flatMap(({ records }) => records).sort(order),
    missing: answers.flatMap(({ missing }) => missing).sort(order),
  }
}

/** If the answer is unknown, anyone may be reading the review. */
async function isPublic(
  { platform, log }: Pick<AppContext, 'platform' | 'log'>,
  access: Access,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    return await platform.isPublic(access, signal)
  } catch (error) {
    signal.throwIfAborted()
    log.warn(
      { err: error, repo: access.repo },
      'Whether a repository is public could not be checked: treated as public',
    )
    return true
  }
}
