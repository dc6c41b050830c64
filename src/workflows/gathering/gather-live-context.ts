// Gathers what trackers and chats say about a change.
import type { AppContext } from '../../context.ts'
import type { ChangedSymbol } from '../../domain/change-graph.ts'
import type { LiveContext } from '../../domain/live-context.ts'
import type { PullRequest } from '../../domain/pull-request.ts'
import type { Access } from '../../platforms/platform.ts'
import { type Change, noOutsideContext } from '../../reviewers/reviewer.ts'
import type { SourceQuery } from '../../tools/sources/call-tool.ts'
import type { RequestingRepository } from '../../tools/sources/context-sources.ts'
import { deriveErrorQueries, deriveSourceQueries } from './derive-source-queries.ts'

/**
 * Never fails a review: a source that doesn't answer is named as missing. Throws the reason of an aborted signal.
 *
 * @param symbols what the change touched: the others are asked meanwhile
 */
export async function gatherLiveContext(
  ctx: Pick<AppContext, 'sources' | 'platform' | 'log'>,
  access: Access,
  change: Pick<Change, 'pullRequest' | 'commits' | 'files'>,
  symbols: Promise<readonly ChangedSymbol[]>,
  signal: AbortSignal,
): Promise<Pick<Change, 'liveContext' | 'remoteTools'>> {
  if (ctx.sources.names.length === 0) return noOutsideContext
  const asking = await findRequestingRepository(ctx, access, change.pullRequest, signal)
  const ask = (questions: readonly SourceQuery[]) => ctx.sources.query(asking, questions, signal)
  const answers = await Promise.all([
    ask(deriveSourceQueries(change)),
    symbols.then((known) => ask(deriveErrorQueries(change.files, known))),
  ])
  return {
    liveContext: joinAnswers(answers, ctx.sources.names),
    remoteTools: ctx.sources.tools(asking),
  }
}

/** For whom sources are asked about a pull request. */
export async function findRequestingRepository(
  ctx: Pick<AppContext, 'platform' | 'log'>,
  access: Access,
  { head, repo }: Pick<PullRequest, 'head' | 'repo'>,
  signal: AbortSignal,
): Promise<RequestingRepository> {
  const isFork = head.repo?.toLowerCase() !== repo.toLowerCase()
  return { repo: access.repo, isPublic: await isPublic(ctx, access, signal), isFork }
}

/** In the order of the sources. */
function joinAnswers(answers: readonly LiveContext[], names: readonly string[]): LiveContext {
  const order = (one: { source: string }, other: { source: string }) =>
    names.indexOf(one.source) - names.indexOf(other.source)
  return {
    records: answers.flatMap(({ records }) => records).sort(order),
    missing: answers.flatMap(({ missing }) => missing).sort(order),
  }
}

/** Where that can't be told, everybody may be reading along. */
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
      'Whether a repository is public could not be told: taken for one',
    )
    return true
  }
}
