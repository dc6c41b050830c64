// Reviews a pull request: gather → pack → reviewers → judge → head moved? → verdict → publish → record.
import { type ModelUse, spentTodayUsd } from '../analytics/spend.ts'
import type { AppContext } from '../context.ts'
import { ModelError, UmpireError } from '../domain/errors.ts'
import type { PullRequest } from '../domain/pull-request.ts'
import { type Coverage, noUsage, type Review } from '../domain/review.ts'
import { assertLease, type ClaimedRun, takeUpEvents } from '../jobs/runs.ts'
import { addUsage, type Budget, createBudget } from '../models/index.ts'
import type { Access } from '../platforms/platform.ts'
import type { Change, PackedContext, Reviewer, ReviewerReport } from '../reviewers/reviewer.ts'
import { decideVerdict, formatSummary, summarizeForVerdict } from './decide-verdict.ts'
import { gatherChange } from './gather-change.ts'
import { type Judgement, judgeFindings } from './judge-findings.ts'
import { loadTokenCounter, noContext, packContext } from './pack-context.ts'
import { publishReview, statusContext } from './publish-review.ts'
import { listFindings, recordFindings, recordReview } from './record-review.ts'
import { findingMarker } from './render-review.ts'
import { summarizeReview } from './summarize-review.ts'

/** A push during the review starts it anew; after so many the run gives the pull request back. */
const maxHeads = 5

/**
 * Runs one claimed review to its end. Throws what stopped it; LeaseLostError means that another worker goes on.
 *
 * @param access the repository, and the token to read and write it with
 * @param budget of this run's models
 */
export async function reviewPullRequest(
  ctx: AppContext,
  claimed: ClaimedRun,
  access: Access,
  budget: Budget,
  signal: AbortSignal,
): Promise<void> {
  for (let heads = 1; ; heads++) {
    const run = await takeUpEvents(ctx.db, claimed)
    const pullRequest = await ctx.platform.getPullRequest(access, run.number, signal)
    if (pullRequest.state !== 'open') {
      if (heads > 1 || run.attempt > 1) await endProgress(ctx, run, access, pullRequest, signal)
      return recordSkipped(ctx, run, budget, pullRequest)
    }
    const isDone = await reviewHead(ctx, run, access, budget, pullRequest, signal)
    if (isDone) return
    if (heads === maxHeads) {
      throw new UmpireError(
        'head_keeps_moving',
        `The pull request was pushed to ${maxHeads} times during its review.`,
        {
          retryable: true,
        },
      )
    }
  }
}

/** Reviews one head. Resolves to false, with nothing posted, when the head moved meanwhile. */
async function reviewHead(
  ctx: AppContext,
  claimed: ClaimedRun,
  access: Access,
  budget: Budget,
  pullRequest: PullRequest,
  signal: AbortSignal,
): Promise<boolean> {
  const clock = startClock()
  await showProgress(ctx, claimed, access, pullRequest, signal)
  await using change = await gatherChange(ctx, access, pullRequest, signal)
  clock.lap('gather')
  const reviewers = ctx.createReviewers(budget)
  const context = await packForModels(ctx, change)
  clock.lap('pack')
  const { reports, failures } = await runReviewers(
    reviewers,
    change,
    context,
    claimed.attempt >= ctx.config.review.maxAttempts,
    signal,
  )
  clock.lap('review')
  const earlier = await listFindings(ctx.db, claimed)
  const judgement = await judgeFindings({
    change,
    proposals: reports.flatMap((report) => report.findings),
    earlier,
    maxInline: ctx.config.review.maxInlineComments,
  })
  clock.lap('judge')

  const run = await takeUpEvents(ctx.db, claimed)
  const now = await ctx.platform.getPullRequest(access, run.number, signal)
  if (now.state !== 'open') {
    await endProgress(ctx, run, access, now, signal)
    await recordSkipped(ctx, run, budget, now)
    return true
  }
  if (now.head.sha !== pullRequest.head.sha) return false

  const coverage = measureCoverage(change, context, reports, failures, judgement)
  const modelTookPart = reports.some((report) => report.usage.calls > 0)
  const input = summarizeForVerdict({ findings: judgement.findings, coverage, modelTookPart })
  const decision = decideVerdict(input)
  const usage = reports.map((report) => report.usage).reduce(addUsage, noUsage)
  const review: Review = {
    pullRequest: now,
    headSha: change.headSha,
    ...decision,
    summary: summarizeReview(judgement.findings, reports, coverage),
    findings: judgement.findings,
    coverage,
    usage,
    reviewers: reports.map((report) => report.reviewer),
  }
  await recordFindings(ctx.db, run, judgement.findings)
  const beforeWrite = () => assertLease(ctx.db, run)
  const durationMs = clock.total()
  const { published, findings } = await publishReview(
    ctx,
    { access, review, runId: run.id, resolved: judgement.resolved, durationMs, beforeWrite },
    signal,
  )
  clock.lap('publish')
  const urlOf = new Map(published.comments.map((comment) => [comment.marker, comment.url]))
  await recordReview(ctx, run, {
    outcome: {
      head_sha: change.headSha,
      verdict: decision.verdict,
      confidence: decision.confidence,
      summary: formatSummary(decision, review.summary),
      files_analyzed: coverage.filesReviewed,
      coverage: JSON.stringify(coverage),
      usage: JSON.stringify(usage),
      decision: JSON.stringify({ ...input, dropped: judgement.dropped, reviewers: review.reviewers }),
      timings: JSON.stringify(clock.laps),
      published_url: published.summary.url,
      error: null,
      error_code: null,
    },
    findings: [...findings, ...judgement.resolved],
    commentUrls: new Map(
      findings.flatMap((finding) => {
        const url = urlOf.get(findingMarker(finding))
        return url === undefined ? [] : [[finding.fingerprint, url] as const]
      }),
    ),
    spend: describeSpend(ctx, budget),
  })
  return true
}

/** Makes the budget of one run: the configured limits, and what the day has cost so far. */
export function createRunBudget(ctx: AppContext): Budget {
  return createBudget({ ...ctx.config.models.budget, spentTodayUsd: () => spentTodayUsd(ctx.db) })
}

/** What a run has used so far. */
export function describeSpend(ctx: AppContext, budget: Budget): ModelUse {
  return { model: ctx.models.main?.name ?? '', usage: budget.usage }
}

function showProgress(
  ctx: AppContext,
  run: ClaimedRun,
  access: Access,
  pullRequest: PullRequest,
  signal: AbortSignal,
): Promise<void> {
  return showStatus(ctx, run, access, pullRequest, { state: 'pending', description: 'Review in progress' }, signal)
}

/** A pull request that was closed meanwhile doesn't go on showing a review in progress. Only an approval is green. */
function endProgress(
  ctx: AppContext,
  run: ClaimedRun,
  access: Access,
  pullRequest: PullRequest,
  signal: AbortSignal,
): Promise<void> {
  const description = `Not reviewed: the pull request was ${pullRequest.state} before`
  return showStatus(ctx, run, access, pullRequest, { state: 'error', description }, signal)
}

async function showStatus(
  ctx: AppContext,
  run: ClaimedRun,
  access: Access,
  { head, url }: PullRequest,
  shown: { state: 'pending' | 'error'; description: string },
  signal: AbortSignal,
): Promise<void> {
  // A worker that slept must not hide what another one has shown since.
  await assertLease(ctx.db, run)
  await ctx.platform.ensureStatus(access, { sha: head.sha, context: statusContext, ...shown, url }, signal)
}

async function packForModels(ctx: AppContext, change: Change): Promise<PackedContext> {
  if (ctx.models.main === null) return noContext
  const budget = { tokensPerRound: ctx.config.review.contextTokens, maxRounds: 4 }
  return packContext(change, budget, await loadTokenCounter())
}

/** A report with the name of who made it. */
type NamedReport = ReviewerReport & { readonly reviewer: string }

/**
 * Runs the reviewers side by side. One that could do nothing is told in the coverage; a fault that goes away by
 * itself is thrown, so that the run is tried again rather than posted in part: but not on the last try.
 */
async function runReviewers(
  reviewers: readonly Reviewer[],
  change: Change,
  context: PackedContext,
  isLastTry: boolean,
  signal: AbortSignal,
): Promise<{ reports: NamedReport[]; failures: string[] }> {
  const settled = await Promise.allSettled(
    reviewers.map(async (reviewer) => ({
      ...(await reviewer.review(change, context, signal)),
      reviewer: reviewer.name,
    })),
  )
  signal.throwIfAborted()
  const failures: string[] = []
  const reports: NamedReport[] = []
  for (const result of settled) {
    if (result.status === 'fulfilled') reports.push(result.value)
    else if (result.reason instanceof ModelError && (isLastTry || !result.reason.retryable))
      failures.push(result.reason.message)
    else throw result.reason
  }
  return { reports, failures }
}

function measureCoverage(
  change: Change,
  context: PackedContext,
  reports: readonly NamedReport[],
  failures: readonly string[],
  judgement: Judgement,
): Coverage {
  const skipped = [...change.skipped, ...context.omitted]
  const dropped = Object.entries(judgement.dropped).filter(
    ([reason]) => reason !== 'said twice' && reason !== 'answered before',
  )
  const unreviewed = new Set(context.omitted.map((file) => file.path))
  return {
    filesTotal: change.diff.files.length,
    filesReviewed: change.files.filter((file) => !unreviewed.has(file.path)).length,
    skipped,
    notes: [
      ...change.notes,
      ...change.diff.problems,
      ...reports.flatMap((report) => report.notes),
      ...failures.map((failure) => `The model took no part: ${failure}`),
      ...dropped.map(([reason, count]) => `${count} proposed finding(s) dropped: ${reason}.`),
    ],
    complete:
      failures.length === 0 &&
      reports.every((report) => report.complete) &&
      change.diff.problems.length === 0 &&
      !skipped.some((file) => file.matters),
  }
}

/** A pull request that was closed meanwhile: nothing is posted, the run ends cleanly. */
async function recordSkipped(
  ctx: AppContext,
  run: ClaimedRun,
  budget: Budget,
  pullRequest: PullRequest,
): Promise<void> {
  const text = `Not reviewed: the pull request was ${pullRequest.state} before its review was posted.`
  await recordReview(ctx, run, {
    outcome: {
      head_sha: pullRequest.head.sha,
      verdict: null,
      summary: formatSummary({ verdict: 'NEEDS_DISCUSSION', confidence: 1, confidenceReason: '' }, text),
      decision: JSON.stringify({ skipped: pullRequest.state }),
      error: null,
      error_code: null,
    },
    findings: [],
    commentUrls: new Map(),
    spend: describeSpend(ctx, budget),
  })
}

interface Clock {
  readonly laps: Record<string, number>
  lap(step: string): void
  total(): number
}

/** Measures the steps, in whole milliseconds. */
function startClock(): Clock {
  const start = performance.now()
  let last = start
  const laps: Record<string, number> = {}
  return {
    laps,
    lap(step) {
      const now = performance.now()
      laps[step] = Math.round(now - last)
      last = now
    },
    total: () => Math.round(performance.now() - start),
  }
}
