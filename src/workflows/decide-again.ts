// Decides the verdict on a head again from the stored review, without a model.
import { createHash } from 'node:crypto'
import type { AppContext, ReviewContext } from '../context.ts'
import type { Db } from '../db/database.ts'
import { compareBySeverity, type Finding } from '../domain/finding.ts'
import { emptyLiveContext } from '../domain/live-context.ts'
import type { PullRequest } from '../domain/pull-request.ts'
import type { RepositorySettings } from '../domain/repository-settings.ts'
import { type Decision, noUsage, type Review } from '../domain/review.ts'
import {
  dismissalEvent,
  isReviewRequested,
  listClaimedEventTypes,
  toolLogsEvent,
} from '../events/review-requests.ts'
import { hasFindingsSince } from '../events/stored-findings.ts'
import { startStopwatch } from '../lib/stopwatch.ts'
import type { PublishedReview } from '../platforms/platform.ts'
import { type BlockingReview, findBlockingReview } from '../work/blocking-review.ts'
import { type PostedDecision, readPostedDecision } from '../work/posted-decisions.ts'
import { hasRunBetween, readLatestReview, type StoredReview, seenOf } from '../work/run-outcome.ts'
import type { ClaimedRun } from '../work/runs.ts'
import { isHeadShared } from '../work/shared-heads.ts'
import { chooseDecision } from './choose-decision.ts'
import { countFindings, decideVerdict, formatSummary, type VerdictInput } from './decide-verdict.ts'
import { createPlatformSnapshot } from './gathering/platform-snapshot.ts'
import { loadSettings, readSettings } from './gathering/read-settings.ts'
import { learnFromReview } from './learn-from-review.ts'
import type { LoadedEarlierReviews } from './load-earlier-reviews.ts'
import { compareWithEarlier } from './posting/review-history.ts'
import { summarizeReview } from './posting/summarize-review.ts'
import { publishReview } from './publish-review.ts'
import { mapCommentUrls, recordReview } from './record-review.ts'
import type { ReviewStep } from './review-task.ts'
import { describeOutdated } from './withdraw-decision.ts'

/**
 * Completes the run with the latest review of this head if it is still valid, and with the findings
 * that people dismissed since. The post is only edited if the outcome differs. No model is used.
 *
 * @returns `decided`, `moved` if the pull request was closed or has another head, so that nothing
 *   was posted, or `to be reviewed`
 */
export async function decideAgain(
  ctx: AppContext,
  task: ReviewStep,
  pullRequest: PullRequest,
  earlier: LoadedEarlierReviews,
): Promise<'decided' | 'moved' | 'to be reviewed'> {
  const before = await findReview(ctx.db, task.run, pullRequest)
  if (before === undefined) return 'to be reviewed'
  const settings = await loadIfValid(ctx, task, pullRequest, before)
  if (settings === null) return 'to be reviewed'
  const stopwatch = startStopwatch()
  const decided = decide(ctx, pullRequest, before, earlier)
  let published: PublishedReview | null = null
  let { other = null } = before.decision as { other?: unknown }
  const decision = await chooseDecision(ctx, task, {
    ...{ pullRequest, ends: decided.review.ends, gate: decided.verdictInput.gate },
    permitted: settings.decisions,
  })
  const isDifferent =
    earlier.haveDismissalsChanged ||
    decided.review.verdict !== before.verdict ||
    !isPosted(decision, await readPostedDecision(ctx.db, task.run), pullRequest)
  if (isDifferent || (await mayCheckBeReplaced(ctx.db, task.run, before))) {
    const now = await ctx.platform.getPullRequest(task.access, pullRequest.number, task.signal)
    if (now.state !== 'open' || !isOf(seenOf(pullRequest), now)) return 'moved'
    const otherBlockingReview = decided.review.blocks
      ? null
      : await findBlockingReview(ctx.db, task.run, pullRequest.head.sha)
    const shown = { ...decided, decision, otherBlockingReview }
    published = await publish(ctx, task, before, shown)
    other = otherBlockingReview
    stopwatch.lap('publish')
  }
  const timings = stopwatch.laps
  await record(ctx, task.run, before, { ...decided, published, other, timings })
  return 'decided'
}

/**
 * Hashes what a review of a head also depends on: the merge base, the repository's settings, and
 * the models.
 */
export function hashReviewBasis(
  ctx: Pick<ReviewContext, 'models' | 'config'>,
  { mergeBaseSha, settingsDigest }: { mergeBaseSha: string; settingsDigest: string },
): string {
  const { main, fast } = ctx.models
  const reviewers = [main?.name ?? null, fast?.name ?? null, ctx.config.review.mode]
  const parts = JSON.stringify([mergeBaseSha, settingsDigest, reviewers])
  return createHash('sha256').update(parts).digest('hex')
}

/**
 * Returns the latest review with a verdict if it is of this head and no finding was saved since.
 */
async function findReview(
  db: Db,
  run: ClaimedRun,
  { head }: PullRequest,
): Promise<StoredReview | undefined> {
  const latest = await readLatestReview(db, run)
  if (latest?.headSha !== head.sha) return undefined
  // A failed review may have saved findings of another head.
  return (await hasFindingsSince(db, run, latest.runId)) ? undefined : latest
}

function isOf(
  { headSha, baseBranch }: Pick<StoredReview, 'headSha' | 'baseBranch'>,
  pullRequest: PullRequest,
): boolean {
  const now = seenOf(pullRequest)
  return headSha === now.headSha && (baseBranch === null || baseBranch === now.baseBranch)
}

/** A later run without a verdict, or another pull request, may have replaced the check. */
async function mayCheckBeReplaced(
  db: Db,
  run: ClaimedRun,
  { runId, headSha }: StoredReview,
): Promise<boolean> {
  if (run.attempt > 1 || headSha === null || (await isHeadShared(db, run, headSha))) return true
  return hasRunBetween(db, run, { after: runId, before: run.id })
}

/** Whether the decision is what was posted last. */
function isPosted(
  decision: Decision | null,
  posted: PostedDecision | null,
  pullRequest: PullRequest,
): boolean {
  if (posted === null || decision === null) return posted === decision
  const isUpToDate = decision !== 'approve' || describeOutdated(posted, pullRequest) === null
  return posted.decision === decision && isUpToDate
}

/**
 * Returns the settings if the review is still valid, else null. A retry leads to another review,
 * and a dismissal never does. A delivery, or another base branch, leads to one if settings or
 * models changed, or if a model failed.
 */
async function loadIfValid(
  ctx: AppContext,
  { run, access, signal }: ReviewStep,
  pullRequest: PullRequest,
  before: StoredReview,
): Promise<RepositorySettings | null> {
  const { basis } = before
  const eventTypes = await listClaimedEventTypes(ctx.db, run.id)
  if (isReviewRequested(eventTypes) || eventTypes.includes(toolLogsEvent)) return null
  const { base, head, draft } = pullRequest
  const tip = createPlatformSnapshot(ctx.platform, access, base.sha, signal)
  const organization = await ctx.organizationSettings.read(access)
  const isDismissal = eventTypes.every((type) => type === dismissalEvent)
  if (isDismissal && isOf(before, pullRequest)) return readSettings(tip, organization)
  if (basis.modelFailed) return null
  const [mergeBaseSha, loaded] = await Promise.all([
    ctx.platform.getMergeBase(access, base.sha, head.sha, signal),
    // The digest doesn't depend on which files changed.
    loadSettings(tip, { organization, draft, changed: [] }),
  ])
  const key = hashReviewBasis(ctx, { mergeBaseSha, settingsDigest: loaded.digest })
  return basis.key === key ? loaded.settings : null
}

/** The stored review with its findings as they are now. */
interface Decided {
  readonly review: Review
  readonly verdictInput: VerdictInput
  readonly earlier: LoadedEarlierReviews
  readonly dismissed: readonly Finding[]
}

function decide(
  ctx: Pick<ReviewContext, 'secrets'>,
  pullRequest: PullRequest,
  { basis, coverage, ...before }: StoredReview,
  earlier: LoadedEarlierReviews,
): Decided {
  const findings = earlier.findings
    .filter(({ state }) => state === 'open')
    .toSorted(compareBySeverity)
  // The part that doesn't depend on the findings is taken from the stored review.
  const stored = before.decision as unknown as VerdictInput
  const verdictInput = { ...stored, ...countFindings(findings) }
  const reports = basis.words.map((summary) => ({ summary }))
  const review: Review = {
    pullRequest,
    headSha: pullRequest.head.sha,
    ...decideVerdict(verdictInput),
    ...summarizeReview(findings, reports, coverage, ctx.secrets),
    findings,
    coverage,
    warnings: before.warnings,
    usage: noUsage,
    reviewers: basis.reviewers,
  }
  const dismissed = earlier.findings.filter(({ state }) => state === 'dismissed')
  return { review, verdictInput, earlier, dismissed }
}

async function publish(
  ctx: AppContext,
  { run, access, signal }: ReviewStep,
  { basis, impact, sources }: StoredReview,
  {
    review,
    earlier,
    dismissed,
    decision,
    otherBlockingReview,
  }: Decided & { decision: Decision | null; otherBlockingReview: BlockingReview | null },
): Promise<PublishedReview> {
  const { findings } = review
  const { published } = await publishReview(
    ctx,
    {
      access,
      review,
      diff: null,
      run,
      history: compareWithEarlier(earlier.findings, { findings, resolved: [], dismissed }),
      impact,
      memories: basis.memories,
      liveContext: sources ?? emptyLiveContext,
      models: basis.models,
      durationMs: basis.durationMs,
      decision,
      otherBlockingReview,
    },
    signal,
  )
  return published
}

async function record(
  ctx: AppContext,
  run: ClaimedRun,
  before: StoredReview,
  decided: Decided & {
    published: PublishedReview | null
    /** It is the other pull request that the check shows. */
    other: unknown
    timings: Readonly<Record<string, number>>
  },
): Promise<void> {
  const { review, verdictInput, dismissed, published, other } = decided
  const { findings } = review
  await recordReview(ctx, run, {
    outcome: {
      ...before,
      kind: 'reviewed',
      seen: seenOf(review.pullRequest),
      verdict: review.verdict,
      confidence: review.confidence,
      summary: formatSummary(review, review.summary, findings),
      usage: noUsage,
      decision: {
        ...before.decision,
        ...verdictInput,
        ends: review.ends,
        blocks: review.blocks,
        other,
        confidenceReason: review.confidenceReason,
        // The run that examined the head, however often the verdict was computed since.
        decidedAgain: before.decision.decidedAgain ?? before.runId,
      },
      timings: decided.timings,
      publishedUrl: published?.summary.url ?? before.publishedUrl,
      seenLines: null,
    },
    findings: [...findings, ...dismissed],
    commentUrls: mapCommentUrls(findings, published),
    touches: null,
    spend: null,
    end: review.ends[0]!,
  })
  await learnFromReview(ctx, run)
}
