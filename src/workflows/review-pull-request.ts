// Reviews a pull request: recall → gather → examine → head moved? → publish → record.
import type { AppContext } from '../context.ts'
import { UmpireError } from '../domain/errors.ts'
import type { LiveContextSummary } from '../domain/live-context.ts'
import { ownerOf, type PullRequest } from '../domain/pull-request.ts'
import type { ReviewBasis, ReviewWarning } from '../domain/review.ts'
import { confirmPullRequests } from '../events/pull-request-states.ts'
import { findBlockingReview } from '../jobs/find-blocking-review.ts'
import { assertCanWrite, type ClaimedRun, claimEvents } from '../jobs/runs.ts'
import { redactKnownSecrets } from '../lib/redact-known-secrets.ts'
import { type Stopwatch, startStopwatch } from '../lib/stopwatch.ts'
import type { Budget } from '../models/index.ts'
import type { ReviewProgress } from '../platforms/platform.ts'
import { promptVersions } from '../reviewers/prompts/prompt-versions.ts'
import type { Change, EarlierReviews } from '../reviewers/reviewer.ts'
import type { ChosenAccess } from './choose-access.ts'
import { decideAgain, hashReviewBasis } from './decide-again.ts'
import { formatSummary } from './decide-verdict.ts'
import { composeReview, type Examination, examineChange } from './examine-change.ts'
import { type GatheredChange, gatherChange } from './gather-change.ts'
import { gatherGraph } from './gathering/gather-graph.ts'
import { gatherLiveContext } from './gathering/gather-live-context.ts'
import { reserveChangeMemory } from './gathering/reserve-change-memory.ts'
import { collectSeenLines, encodeLines } from './judging/seen-lines.ts'
import { learnFromReview } from './learn-from-review.ts'
import { collectTouches } from './learning/collect-touches.ts'
import { loadEarlierReviews } from './load-earlier-reviews.ts'
import { findingMarker } from './posting/markers.ts'
import { chooseMemories } from './posting/render-memories.ts'
import { compareWithEarlier } from './posting/review-history.ts'
import { summarizeImpact } from './posting/summarize-impact.ts'
import { ensureStatusIfAllowed, publishReview, statusContext } from './publish-review.ts'
import { recordFindings, recordReview } from './record-review.ts'

/** A push during the review starts it anew; after so many the run gives the pull request back. */
const maxHeads = 5

/** One claimed review, and what it may use. */
export interface ReviewTask {
  readonly run: ClaimedRun
  /** The repository, and the token to read and write it with. */
  readonly access: ChosenAccess
  /** Of this run's models. */
  readonly budget: Budget
  /** Fires when the run is to be broken off; its reason says why. */
  readonly signal: AbortSignal
}

/** Runs one claimed review to its end. Throws what stopped it; LeaseLostError means that another worker goes on. */
export async function reviewPullRequest(shared: AppContext, task: ReviewTask): Promise<void> {
  const ctx = { ...shared, syntax: shared.syntax.forOwner(ownerOf(task.run.repo)) }
  for (let heads = 1; heads <= maxHeads; heads++) {
    const { run, pullRequest } = await refreshHead(ctx, task)
    if (pullRequest.state !== 'open') {
      const isShown = heads > 1 || run.fence > 1
      return recordClosed(ctx, { ...task, run }, pullRequest, isShown)
    }
    if (await reviewHead(ctx, { ...task, run }, pullRequest)) return
  }
  const message = `The pull request was pushed to ${maxHeads} times during its review.`
  throw new UmpireError('head_keeps_moving', message, { retryable: true })
}

/** Reviews one head, or decides again on one that was. Resolves to false, with nothing posted, when it moved meanwhile. */
async function reviewHead(
  ctx: AppContext,
  task: ReviewTask,
  pullRequest: PullRequest,
): Promise<boolean> {
  const { access, signal } = task
  const stopwatch = startStopwatch()
  const earlier = await loadEarlierReviews(ctx, access, task.run, signal)
  const again = await decideAgain(ctx, task, pullRequest, earlier)
  if (again !== 'to be reviewed') return again === 'decided'
  await showStatus(ctx, task, pullRequest, { state: 'pending', description: 'Review in progress' })
  using room = await reserveChangeMemory(ctx, pullRequest, signal)
  await using change = await gatherWithContext(ctx, task, { pullRequest, earlier })
  room.fit(change.diff)
  stopwatch.lap('gather')
  const isLastTry = task.run.attempt >= ctx.config.review.maxAttempts
  const examination = await examineChange(
    ctx,
    { change, budget: task.budget, isLastAttempt: isLastTry, stopwatch },
    signal,
  )

  const { run, pullRequest: now } = await refreshHead(ctx, task)
  if (now.state === 'open' && now.head.sha !== change.headSha) {
    const description = `Superseded by ${now.head.sha.slice(0, 7)}`
    await showStatus(ctx, { ...task, run }, pullRequest, { state: skipped, description })
    return false
  }
  const { settingsDigest } = change
  if (now.state === 'open')
    await concludeReview(ctx, { ...task, run }, now, { ...examination, settingsDigest }, stopwatch)
  else await recordClosed(ctx, { ...task, run }, now, true)
  return true
}

/** See `gatherChange`; with what is known around the change. */
async function gatherWithContext(
  ctx: AppContext,
  task: ReviewTask,
  known: { pullRequest: PullRequest; earlier: EarlierReviews },
): Promise<GatheredChange> {
  await using stack = new AsyncDisposableStack()
  const { change, graph, context } = await readChange(ctx, task, known, stack)
  // A source that takes its time keeps nobody else from reading.
  const outside = await context
  const held = stack.move()
  return { ...change, graph, ...outside, [Symbol.asyncDispose]: () => held.disposeAsync() }
}

/** The part that keeps the machine busy, for which reviews wait in line; `context` is what trackers and chats come to say. */
async function readChange(
  ctx: AppContext,
  { run, access, signal }: ReviewTask,
  known: { pullRequest: PullRequest; earlier: EarlierReviews },
  stack: AsyncDisposableStack,
) {
  const release = await ctx.gatherSemaphore.acquire(ownerOf(run.repo), signal)
  try {
    const change = stack.use(await gatherChange(ctx, access, known, signal))
    const graph = gatherGraph(ctx, change, signal)
    const symbols = graph.then((known) => known?.symbols ?? [])
    const context = gatherLiveContext(ctx, access, change, symbols, signal)
    // Their faults count where they are waited for.
    for (const each of [symbols, context]) each.catch(() => {})
    return { change, context, graph: await graph }
  } finally {
    release()
  }
}

/** Takes up the events that came in, then looks at the pull request: their pushes are visible by then. */
async function refreshHead(
  ctx: AppContext,
  { run, access, signal }: ReviewTask,
): Promise<{ run: ClaimedRun; pullRequest: PullRequest }> {
  const upToDate = await claimEvents(ctx.db, run)
  const pullRequest = await ctx.platform.getPullRequest(access, run.number, signal)
  await confirmPullRequests(ctx.db, [{ ...pullRequest, repo: run.repo }])
  return { run: upToDate, pullRequest }
}

/** Verdict, publication, record. */
async function concludeReview(
  ctx: AppContext,
  task: ReviewTask,
  pullRequest: PullRequest,
  examination: Examination & Pick<GatheredChange, 'settingsDigest'>,
  stopwatch: Stopwatch,
): Promise<void> {
  const { run, access, signal } = task
  const { judgement, coverage, change } = examination
  const { review, verdictInput } = composeReview(ctx, pullRequest, examination)
  await recordFindings(ctx.db, run, [...judgement.findings, ...judgement.resolved])
  const reach =
    change.graph &&
    summarizeImpact(change.graph, { author: pullRequest.author, secrets: ctx.secrets })
  const basis = describeReviewBasis(ctx, task, examination, stopwatch.total())
  const { published, findings } = await publishReview(
    ctx,
    {
      access,
      review,
      runId: run.id,
      history: compareWithEarlier(change.earlier.findings, judgement),
      impact: reach,
      memories: basis.memories,
      liveContext: change.liveContext,
      models: basis.models,
      durationMs: basis.durationMs,
      otherBlockingReview: await findBlockingReview(ctx.db, run, review.headSha),
      beforeWrite: () => assertCanWrite(ctx.db, run, access.installationId),
    },
    signal,
  )
  stopwatch.lap('publish')
  const urlOf = new Map(published.comments.map((comment) => [comment.marker, comment.url]))
  await recordReview(ctx, run, {
    end: review.ends[0]!,
    outcome: {
      head_sha: review.headSha,
      verdict: review.verdict,
      confidence: review.confidence,
      summary: formatSummary(review, review.summary, findings),
      files_analyzed: coverage.filesReviewed,
      coverage: JSON.stringify(coverage),
      usage: JSON.stringify(review.usage),
      sources: describeSources(change),
      reach: reach && JSON.stringify(reach),
      decision: JSON.stringify({
        ...verdictInput,
        ends: review.ends,
        blocks: review.blocks,
        confidenceReason: review.confidenceReason,
        dropped: judgement.dropped,
        reviewers: review.reviewers,
        promptVersions,
      }),
      timings: JSON.stringify(stopwatch.laps),
      basis: JSON.stringify(basis),
      published_url: published.summary.url,
      warnings: JSON.stringify(review.warnings),
      redo_when: isModelAway(review.warnings) ? 'model' : null,
      seen_lines: encodeLines(collectSeenLines(change, examination.outcome, coverage)),
      error: null,
      error_code: null,
    },
    findings: [...findings, ...judgement.resolved, ...judgement.dismissed],
    commentUrls: new Map(
      findings.map((finding) => [finding.fingerprint, urlOf.get(findingMarker(finding)) ?? null]),
    ),
    touches: collectFileActivity(ctx, change),
    spend: task.budget.uses,
  })
  await learnFromReview(ctx, run)
}

const modelAwayCodes = [
  'model_unauthorized',
  'model_misconfigured',
  'model_unavailable',
  'model_rate_limited',
]

/** Whether a model would do more of the review once it is there again. */
function isModelAway(warnings: readonly ReviewWarning[]): boolean {
  return warnings.some(({ code }) => modelAwayCodes.includes(code))
}

/** Null where nobody was asked. What they said isn't kept: it is theirs, and may change. */
function describeSources({ liveContext: live }: Change): string | null {
  if (live.records.length + live.missing.length === 0) return null
  const told: LiveContextSummary = {
    records: live.records.map(({ text, ...record }) => record),
    missing: live.missing,
  }
  return JSON.stringify(told)
}

/** What the verdict can be decided again from. */
function describeReviewBasis(
  ctx: AppContext,
  { budget }: ReviewTask,
  { change, outcome, settingsDigest }: Examination & Pick<GatheredChange, 'settingsDigest'>,
  durationMs: number,
): ReviewBasis {
  const { reports, failures } = outcome
  const isIncomplete = (report: (typeof reports)[number]) =>
    report.usage.calls > 0 && !report.complete
  const { mergeBaseSha, graph, diff } = change
  const models = budget.uses.map(({ model }) => model)
  return {
    key: hashReviewBasis(ctx, { mergeBaseSha, settingsDigest }),
    modelFailed: failures.length > 0 || reports.some(isIncomplete),
    words: reports.map(({ summary }) => redactKnownSecrets(summary, ctx.secrets)),
    reviewers: reports.map(({ reviewer }) => reviewer),
    models,
    durationMs,
    // Models are shown what is remembered, and say where a finding rests on it.
    memories: models.length > 0 ? [] : chooseMemories(graph?.memories ?? [], diff.files),
  }
}

/** Nobody reviewed: that never satisfies a required check by what the author did. */
const skipped: ReviewProgress = { end: 'skipped', blocks: true }

/**
 * Ends the review of a pull request that was closed or merged: nothing is posted.
 *
 * @param isShown whether its commit shows a review in progress, which it must not go on doing
 */
async function recordClosed(
  ctx: AppContext,
  task: ReviewTask,
  pullRequest: PullRequest,
  isShown: boolean,
): Promise<void> {
  const text = `Skipped: the pull request was ${pullRequest.state} before its review was posted.`
  if (isShown) await showStatus(ctx, task, pullRequest, { state: skipped, description: text })
  await recordReview(ctx, task.run, {
    end: 'skipped',
    outcome: {
      head_sha: pullRequest.head.sha,
      verdict: null,
      summary: formatSummary({ verdict: 'UNKNOWN', confidence: 1 }, text),
      decision: JSON.stringify({ ends: ['skipped'], skipped: pullRequest.state }),
      redo_when: 'reopened',
      error: null,
      error_code: null,
    },
    findings: [],
    commentUrls: new Map(),
    touches: null,
    spend: task.budget.uses,
  })
}

async function showStatus(
  ctx: AppContext,
  { run, access, signal }: ReviewTask,
  { head, url }: PullRequest,
  shown: { state: ReviewProgress; description: string },
): Promise<void> {
  // A worker that slept must not hide what another one has shown since.
  await assertCanWrite(ctx.db, run, access.installationId)
  await ensureStatusIfAllowed(
    ctx,
    access,
    { sha: head.sha, context: statusContext, ...shown, url },
    signal,
  )
}
