// Publishes a review on the pull request: summary, inline comments, resolved threads and check.
import type { AppContext } from '../context.ts'
import type { Diff } from '../domain/diff.ts'
import { isRefusal, PlatformError } from '../domain/errors.ts'
import type { Finding } from '../domain/finding.ts'
import type { Impact } from '../domain/impact.ts'
import type { LiveContextSummary } from '../domain/live-context.ts'
import type { AppliedMemory } from '../domain/memory.ts'
import type { Decision, Review } from '../domain/review.ts'
import { type PostedUrls, readPostedUrls } from '../events/posted-urls.ts'
import type { Access, Check, PublishedReview } from '../platforms/platform.ts'
import type { BlockingReview } from '../work/blocking-review.ts'
import { replacePostedDecision } from '../work/posted-decisions.ts'
import { assertCanWrite, type ClaimedRun, readEventId } from '../work/runs.ts'
import type { ChosenAccess } from './choose-access.ts'
import { findingMarker, findMarker, summaryMarker } from './posting/markers.ts'
import { checkName, renderCheck } from './posting/render-check.ts'
import { renderInlineComments, renderSettled } from './posting/render-finding.ts'
import { renderSummary } from './posting/render-summary.ts'
import type { ReviewHistory } from './posting/review-history.ts'
import { prepareDecision } from './withdraw-decision.ts'

interface Publication {
  readonly access: ChosenAccess
  readonly review: Review
  /** Null if it was not read again. */
  readonly diff: Diff | null
  readonly run: ClaimedRun
  readonly history: ReviewHistory
  /** Null where nothing is known. */
  readonly impact: Impact | null
  /** Memories that are listed in the summary. */
  readonly memories: readonly AppliedMemory[]
  readonly liveContext: LiveContextSummary
  readonly durationMs: number
  /** Overrides a passing check, because a commit has one check for all of its pull requests. */
  readonly otherBlockingReview: BlockingReview | null
  /** What it decides at the platform; null if it only comments. */
  readonly decision: Decision | null
  /** Names of the models that took part. */
  readonly models: readonly string[]
}

interface PublicationInProgress extends Publication {
  /** URLs of the comments that earlier reviews posted. */
  readonly postedUrls: PostedUrls
  /** Throws when writing is no longer allowed. */
  readonly beforeWrite: () => Promise<void>
}

/**
 * Publishes the review and returns its findings. One whose line the platform refused is moved to
 * the summary. Safe to repeat.
 */
export async function publishReview(
  ctx: Pick<AppContext, 'db' | 'platform' | 'config' | 'secrets' | 'log'>,
  input: Publication,
  signal: AbortSignal,
): Promise<{ published: PublishedReview; findings: readonly Finding[] }> {
  const { access, run, review, decision, otherBlockingReview } = input
  const beforeWrite = () => assertCanWrite(ctx.db, run, access)
  const publication = { ...input, postedUrls: await readPostedUrls(ctx.db, run), beforeWrite }
  const { headSha } = review
  const prepared = await prepareDecision(ctx, run, decision, {
    access,
    pullRequest: review.pullRequest,
    beforeWrite,
    signal,
  })
  let findings = review.findings
  let published = await ensureReview(ctx, publication, findings, signal)
  if (published.refusedMarkers.length > 0) {
    const refused = new Set(published.refusedMarkers)
    findings = findings.map((finding) =>
      refused.has(findingMarker(finding)) ? { ...finding, placement: 'summary' as const } : finding,
    )
    const { summary, body } = await ensureReview(ctx, publication, findings, signal, published)
    published = { ...published, summary, body }
  }
  if (prepared !== null) await replacePostedDecision(ctx.db, run, prepared, published.decision)
  await resolveThreads(ctx, publication, signal)
  const { body } = published
  const check: Check = {
    ...renderCheck({ ...review, findings }, { otherBlockingReview, body, secrets: ctx.secrets }),
    sha: headSha,
    name: checkName,
    url: published.summary.url,
    beforeWrite,
  }
  await ensureCheckIfAllowed(ctx, access, check, signal)
  return { published, findings }
}

/**
 * Shows a check on a commit. A platform that refuses it, for example because the token lacks the
 * scope, is only logged.
 */
export async function ensureCheckIfAllowed(
  ctx: Pick<AppContext, 'platform' | 'log'>,
  access: Access,
  check: Check,
  signal: AbortSignal,
): Promise<void> {
  try {
    await ctx.platform.ensureCheck(access, check, signal)
  } catch (error) {
    if (!isRefusal(error)) throw error
    ctx.log.warn({ err: error }, 'The check could not be shown on the commit')
  }
}

/**
 * Returns the text of the summary too.
 *
 * @param posted result of posting this review before, whose summary is updated
 */
async function ensureReview(
  ctx: Pick<AppContext, 'db' | 'platform' | 'config' | 'secrets'>,
  publication: PublicationInProgress,
  findings: readonly Finding[],
  signal: AbortSignal,
  posted: PublishedReview | null = null,
): Promise<PublishedReview & { readonly body: string }> {
  const { limits, terms } = ctx.platform
  const { access, run, review, history, beforeWrite } = publication
  const pageUrl = `${ctx.config.http.publicUrl}/reviews/${await readEventId(ctx.db, run)}`
  const render = (comments: PublishedReview['comments']) =>
    renderSummary({
      ...publication,
      runId: run.id,
      review: { ...review, findings },
      serviceName: ctx.config.serviceName,
      pageUrl,
      mention: chooseMention(ctx, access),
      limits,
      terms,
      linkTo: (location) => ctx.platform.fileUrl(access.repo, location),
      commentUrls: findCommentUrls(findings, comments, publication.postedUrls),
      secrets: ctx.secrets,
    })
  const options = { platform: ctx.platform, diff: publication.diff, secrets: ctx.secrets }
  const { comments, kept } = renderInlineComments(findings, options)
  const settled = limits.resolvableThreads === true ? [] : history.resolved.map(renderSettled)
  const former = [...history.resolved, ...history.resolvedBefore, ...history.dismissed]
  const published = await ctx.platform.ensureReview(
    access,
    {
      number: review.pullRequest.number,
      headSha: review.headSha,
      summary: {
        marker: summaryMarker,
        body: render(posted?.comments ?? []),
        linkTo: render,
        url: posted?.summary.url ?? publication.postedUrls.summary,
      },
      // Comments that were just posted may be missing from lists, and would be posted twice.
      ...(posted === null
        ? { comments, updateOnly: [...kept, ...settled] }
        : { comments: [], updateOnly: [...comments, ...kept, ...settled] }),
      formerMarkers: former.map(findingMarker),
      postedUrls: publication.postedUrls.all,
      decision: posted === null ? publication.decision : null,
      mayBePosted: posted === null && run.mayBePosted,
      beforeWrite,
    },
    signal,
  )
  return { ...published, body: render(published.comments) }
}

/** Comments that were just posted are known sooner than those that are stored. */
function findCommentUrls(
  findings: readonly Finding[],
  comments: PublishedReview['comments'],
  { byFingerprint }: PostedUrls,
): Map<string, string> {
  const posted = findings.flatMap((finding): [string, string][] => {
    const marker = findingMarker(finding)
    const comment = comments.find((one) => one.marker === marker)
    return comment === undefined ? [] : [[finding.fingerprint, comment.url]]
  })
  return new Map([...byFingerprint, ...posted])
}

/**
 * Comments are read where the repository is connected. Where there are Apps, the service's name may
 * be a stranger's account.
 */
function chooseMention(
  { platform, config }: Pick<AppContext, 'platform' | 'config'>,
  { appSlug, installationId }: ChosenAccess,
): string | null {
  if (appSlug !== undefined) return `@${appSlug}`
  return platform.apps === null && installationId !== null ? `@${config.serviceName}` : null
}

/**
 * Resolves our threads of resolved findings. What the platform refuses is only logged, and so is
 * each failure of the last attempt: the review is posted.
 */
async function resolveThreads(
  ctx: Pick<AppContext, 'platform' | 'config' | 'log'>,
  { access, run, review, history: { resolved }, postedUrls, beforeWrite }: PublicationInProgress,
  signal: AbortSignal,
): Promise<void> {
  if (resolved.length === 0 || ctx.platform.limits.resolvableThreads !== true) return
  const { number } = review.pullRequest
  const markers = resolved.map(findingMarker)
  try {
    const threads = await ctx.platform.listThreads(access, number, postedUrls.all, signal)
    for (const thread of threads) {
      if (thread.resolved || findMarker(thread, markers) === undefined) continue
      await beforeWrite()
      await ctx.platform.resolveThread(access, number, thread.id, signal)
    }
  } catch (error) {
    signal.throwIfAborted()
    const isLastTry = run.attempt >= ctx.config.review.maxAttempts
    if (!(error instanceof PlatformError) || (error.retryable && !isLastTry)) throw error
    ctx.log.warn(
      { err: error, repo: access.repo, pull_request: number },
      'Threads could not be resolved',
    )
  }
}
