// Puts a review on the pull request: summary, inline comments, resolved threads, status. Safe to repeat.
import type { AppContext } from '../context.ts'
import type { AppliedMemory } from '../domain/change-graph.ts'
import { PlatformError, type PlatformErrorCode } from '../domain/errors.ts'
import type { Finding } from '../domain/finding.ts'
import type { Impact } from '../domain/impact.ts'
import type { LiveContextSummary } from '../domain/live-context.ts'
import type { Review } from '../domain/review.ts'
import type { BlockingReview } from '../jobs/find-blocking-review.ts'
import type { Access, CommitStatus, PublishedReview } from '../platforms/platform.ts'
import { findingMarker, summaryMarker } from './posting/markers.ts'
import { renderInlineComments } from './posting/render-finding.ts'
import { renderStatus, renderSummary } from './posting/render-summary.ts'
import type { ReviewHistory } from './posting/review-history.ts'

/** Name of the commit status, and of what it stands for. */
export const statusContext = 'umpire/review'

/** What is to be published. */
export interface Publication {
  readonly access: Access
  readonly review: Review
  readonly runId: number
  readonly history: ReviewHistory
  /** Whom the change reaches; null where nothing is known. */
  readonly impact: Impact | null
  /** The memories that are told with it. */
  readonly memories: readonly AppliedMemory[]
  /** What trackers and chats said. */
  readonly liveContext: LiveContextSummary
  readonly durationMs: number
  /** A commit has one status for all of its pull requests: one that blocks is shown before one that passes. */
  readonly otherBlockingReview: BlockingReview | null
  /** Names of the models that answered. */
  readonly models: readonly string[]
  /** Throws when writing is no longer allowed. */
  readonly beforeWrite: () => Promise<void>
}

/**
 * Publishes, and returns the findings as they stand there now: one whose line the platform refused is told in the
 * summary instead.
 */
export async function publishReview(
  ctx: Pick<AppContext, 'platform' | 'config' | 'secrets' | 'log'>,
  publication: Publication,
  signal: AbortSignal,
): Promise<{ published: PublishedReview; findings: readonly Finding[] }> {
  let findings = publication.review.findings
  let published = await ensure(ctx, publication, findings, signal)
  if (published.refusedMarkers.length > 0) {
    const refused = new Set(published.refusedMarkers)
    findings = findings.map((finding) =>
      refused.has(findingMarker(finding)) ? { ...finding, placement: 'summary' as const } : finding,
    )
    const { summary } = await ensure(ctx, publication, findings, signal, published)
    published = { ...published, summary }
  }
  await resolveThreads(ctx, publication, signal)
  const { access, review, otherBlockingReview: otherBlock } = publication
  await publication.beforeWrite()
  await ensureStatusIfAllowed(
    ctx,
    access,
    {
      sha: review.headSha,
      context: statusContext,
      state:
        otherBlock === null || review.blocks
          ? { end: review.ends[0]!, blocks: review.blocks }
          : { end: otherBlock.end, blocks: true },
      description: renderStatus(review, otherBlock),
      url: published.summary.url,
    },
    signal,
  )
  return { published, findings }
}

/**
 * Shows a status on the commit. A token that may write comments and no statuses, or a commit that takes no more of them,
 * costs the status and not the review.
 */
export async function ensureStatusIfAllowed(
  ctx: Pick<AppContext, 'platform' | 'log'>,
  access: Access,
  status: CommitStatus,
  signal: AbortSignal,
): Promise<void> {
  try {
    await ctx.platform.ensureStatus(access, status, signal)
  } catch (error) {
    const isRefusal = error instanceof PlatformError && refusals.includes(error.code)
    if (!isRefusal) throw error
    ctx.log.warn({ err: error }, 'The status could not be shown on the commit')
  }
}

const refusals: readonly PlatformErrorCode[] = [
  'platform_forbidden',
  'platform_not_found',
  'platform_refused',
]

/** @param posted what the same review came to a moment ago: only the summary says more now */
function ensure(
  ctx: Pick<AppContext, 'platform' | 'config' | 'secrets'>,
  publication: Publication,
  findings: readonly Finding[],
  signal: AbortSignal,
  posted: PublishedReview | null = null,
): Promise<PublishedReview> {
  const { limits } = ctx.platform
  const { access, review, history, beforeWrite } = publication
  const body = renderSummary({
    ...publication,
    review: { ...review, findings },
    serviceName: ctx.config.serviceName,
    limits,
    linkTo: (place) => ctx.platform.fileUrl(access.repo, place),
    secrets: ctx.secrets,
  })
  const { comments, kept } = renderInlineComments(findings, limits, ctx.secrets)
  return ctx.platform.ensureReview(
    access,
    {
      number: review.pullRequest.number,
      headSha: review.headSha,
      summary: { marker: summaryMarker, body, id: posted?.summary.id ?? null },
      // What was just posted may not show in lists yet.
      ...(posted === null
        ? { comments, updateOnly: kept }
        : { comments: [], updateOnly: [...comments, ...kept] }),
      formerMarkers: [...history.resolved, ...history.resolvedBefore, ...history.dismissed].map(
        findingMarker,
      ),
      event: 'comment',
      beforeWrite,
    },
    signal,
  )
}

/** Resolves our own threads of findings that are gone. A fault here costs the review nothing. */
async function resolveThreads(
  ctx: Pick<AppContext, 'platform' | 'log'>,
  { access, review, history: { resolved }, beforeWrite }: Publication,
  signal: AbortSignal,
): Promise<void> {
  if (resolved.length === 0 || !ctx.platform.limits.resolvableThreads) return
  const { number } = review.pullRequest
  const markers = resolved.map(findingMarker)
  try {
    const threads = await ctx.platform.listThreads(access, number, signal)
    for (const thread of threads) {
      const first = thread.comments[0]
      const isOurs =
        first?.own === true && markers.some((marker) => first.body.trimEnd().endsWith(marker))
      if (thread.resolved || !isOurs) continue
      await beforeWrite()
      await ctx.platform.resolveThread(access, number, thread.id, signal)
    }
  } catch (error) {
    signal.throwIfAborted()
    ctx.log.warn(
      { err: error, repo: access.repo, pull_request: number },
      'Threads could not be resolved',
    )
  }
}
