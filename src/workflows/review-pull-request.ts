// Reviews a pull request: earlier reviews, change, examination, publication and record.
import type { ReviewParser } from '../code/syntax-parser.ts'
import type { AppContext } from '../context.ts'
import type { Change, EarlierReviews } from '../domain/change.ts'
import { UmpireError } from '../domain/errors.ts'
import type { LiveContextSummary } from '../domain/live-context.ts'
import { ownerOf, type PullRequest } from '../domain/pull-request.ts'
import type { ReviewBasis, ReviewWarning } from '../domain/review.ts'
import { confirmPullRequests } from '../events/pull-request-states.ts'
import {
  fullReviewEvent,
  isReviewRequested,
  listClaimedEventTypes,
} from '../events/review-requests.ts'
import { redactKnownSecrets } from '../lib/redact-known-secrets.ts'
import { type Stopwatch, startStopwatch } from '../lib/stopwatch.ts'
import { promptVersions } from '../reviewers/prompts/prompt-versions.ts'
import { expectInspections } from '../reviewers/static-reviewer.ts'
import { findBlockingReview } from '../work/blocking-review.ts'
import { type AnswerStore, createAnswerStore } from '../work/model-answers.ts'
import { readPostedDecision } from '../work/posted-decisions.ts'
import { type RedoTrigger, seenOf } from '../work/run-outcome.ts'
import { assertCanWrite, type ClaimedRun, claimEvents } from '../work/runs.ts'
import { markSharedHead } from '../work/shared-heads.ts'
import { chooseDecision } from './choose-decision.ts'
import { decideAgain, hashReviewBasis } from './decide-again.ts'
import { formatSummary } from './decide-verdict.ts'
import { composeReview, type Examination, examineChange } from './examine-change.ts'
import { type GatheredChange, gatherChange } from './gather-change.ts'
import { createDefinitionFinder, gatherGraph } from './gathering/gather-graph.ts'
import { gatherLiveContext } from './gathering/gather-live-context.ts'
import { type GatheredToolLogs, gatherToolLogs } from './gathering/gather-tool-logs.ts'
import { reserveChangeMemory } from './gathering/reserve-change-memory.ts'
import { collectSeenLines } from './judging/seen-lines.ts'
import { learnFromReview } from './learn-from-review.ts'
import { collectFileActivity } from './learning/collect-file-activity.ts'
import { loadEarlierReviews } from './load-earlier-reviews.ts'
import { chooseMemories } from './posting/render-memories.ts'
import { compareWithEarlier } from './posting/review-history.ts'
import { summarizeImpact } from './posting/summarize-impact.ts'
import { publishReview } from './publish-review.ts'
import { mapCommentUrls, recordFindings, recordReview } from './record-review.ts'
import type { ReviewTask } from './review-task.ts'
import { showStart, showSuperseded } from './show-progress.ts'
import { describeClosed, findSkip, skipReview } from './skip-review.ts'
import { approvals, describeOutdated, withdrawPosted } from './withdraw-decision.ts'

/**
 * A push or another base branch during the review restarts it; after this many times the run is
 * requeued.
 */
const maxHeads = 5

/**
 * Runs one claimed review to its end. Throws what stopped it; LeaseLostError means that another
 * worker goes on.
 */
export async function reviewPullRequest(ctx: AppContext, task: ReviewTask): Promise<void> {
  for (let heads = 1; heads <= maxHeads; heads++) {
    const { run, pullRequest } = await refreshHead(ctx, task)
    await withdrawOutdated(ctx, { ...task, run }, pullRequest)
    if (pullRequest.state !== 'open') {
      const isShown = heads > 1 || !run.isNew
      return skipReview(ctx, { ...task, run }, pullRequest, {
        ...describeClosed(pullRequest),
        isShown,
      })
    }
    if (await reviewHead(ctx, { ...task, run }, pullRequest)) return
  }
  const message = `Its head or base branch changed ${maxHeads} times during the review.`
  throw new UmpireError('head_keeps_moving', message, { retryable: true })
}

/** No approval of another head or base branch holds while this one is not reviewed. */
async function withdrawOutdated(
  ctx: AppContext,
  { run, access, signal }: ReviewTask,
  pullRequest: PullRequest,
): Promise<void> {
  if (pullRequest.state === 'merged') return
  const posted = await readPostedDecision(ctx.db, run)
  const reason = posted && describeOutdated(posted, pullRequest)
  if (posted === null || reason === null) return
  await withdrawPosted(ctx, posted, {
    access,
    ref: { repo: run.repo, number: run.number },
    decisions: approvals,
    reason,
    beforeWrite: () => assertCanWrite(ctx.db, run, access),
    signal,
  })
}

/**
 * Reviews one head, or only decides its verdict again. Resolves to false, with nothing posted, if
 * the head or the base branch changed meanwhile, or if it became a draft or ready.
 */
async function reviewHead(
  shared: AppContext,
  task: ReviewTask,
  pullRequest: PullRequest,
): Promise<boolean> {
  const { access, signal } = task
  const ctx = { ...shared, syntax: shared.syntax.forReview(ownerOf(task.run.repo)) }
  const stopwatch = startStopwatch()
  const eventTypes = await listClaimedEventTypes(ctx.db, task.run.id)
  const isFull = eventTypes.includes(fullReviewEvent)
  const loaded = await loadEarlierReviews(ctx, access, task.run, signal)
  const earlier = isFull
    ? { ...loaded, seenLines: new Set<string>(), isVerifiedAgain: true }
    : loaded
  const again = await decideAgain(ctx, task, pullRequest, earlier)
  if (again !== 'to be reviewed') return again === 'decided'
  const skip = await findSkip(ctx, task, pullRequest)
  if (skip !== null) {
    await skipReview(ctx, task, pullRequest, skip)
    return true
  }
  await showStart(ctx, task, pullRequest)
  using memory = await reserveChangeMemory(ctx, pullRequest, signal)
  await using change = await gatherWithContext(ctx, task, { pullRequest, earlier })
  memory.fit(change.diff)
  stopwatch.lap('gather')
  const store = createAnswerStore(ctx.db, task.run)
  // A person who requests another review wants the models to be asked again.
  const answers = isReviewRequested(eventTypes) ? { ...store, find: findNone } : store
  const isLastTry = task.run.attempt >= ctx.config.review.maxAttempts
  const { settingsDigest, toolLogs } = change
  const createReviewers: typeof ctx.createReviewers = (...input) => [
    ...ctx.createReviewers(...input),
    ...toolLogs.reviewers,
  ]
  const examination = await examineChange(
    { ...ctx, createReviewers },
    { change, budget: task.budget, isLastAttempt: isLastTry, stopwatch, answers },
    signal,
  )

  const { run, pullRequest: current } = await refreshHead(ctx, task)
  if (current.state === 'open' && isAnotherChange(pullRequest, current)) return false
  if (current.state === 'open') {
    const examined = { ...examination, settingsDigest, toolLogs }
    await concludeReview(ctx, { ...task, run }, current, examined, stopwatch)
  } else {
    await skipReview(ctx, { ...task, run }, current, { ...describeClosed(current), isShown: true })
  }
  return true
}

const findNone: AnswerStore['find'] = async () => new Map()

/** Whether the review of what was read before doesn't hold for what is there now. */
function isAnotherChange(before: PullRequest, now: PullRequest): boolean {
  return (
    before.head.sha !== now.head.sha ||
    before.base.branch !== now.base.branch ||
    before.draft !== now.draft
  )
}

interface HeadContext extends AppContext {
  /** It remembers what it read for the review of this head. */
  readonly syntax: ReviewParser
}

type GatheredHead = GatheredChange & { readonly toolLogs: GatheredToolLogs }

/** Gathers the change with its code graph, the answers of context sources and logs of tools. */
async function gatherWithContext(
  ctx: HeadContext,
  task: ReviewTask,
  known: { pullRequest: PullRequest; earlier: EarlierReviews },
): Promise<GatheredHead> {
  await using stack = new AsyncDisposableStack()
  const { change, graph, context, tools } = await readChange(ctx, task, known, stack)
  // Waiting for slow sources happens outside of the semaphore, so that other reviews can read.
  const [outside, toolLogs] = await Promise.all([context, tools])
  const held = stack.move()
  const findDefinitions = createDefinitionFinder(ctx, task.run.repo)
  return {
    ...change,
    notes: [...change.notes, ...toolLogs.notes],
    graph,
    findDefinitions,
    ...outside,
    toolLogs,
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  }
}

/**
 * Reads the change and its graph under the semaphore; `context` resolves to the sources' answers.
 */
async function readChange(
  ctx: HeadContext,
  { run, access, signal }: ReviewTask,
  known: { pullRequest: PullRequest; earlier: EarlierReviews },
  stack: AsyncDisposableStack,
) {
  const release = await ctx.gatherSemaphore.acquire(ownerOf(run.repo), signal)
  try {
    const change = stack.use(await gatherChange(ctx, access, known, signal))
    expectInspections(ctx.syntax, change)
    const graph = gatherGraph(ctx, change, signal)
    const symbols = graph.then((known) => known?.symbols ?? [])
    const context = gatherLiveContext(ctx, access, change, symbols, signal)
    const tools = gatherToolLogs(ctx, access, change, signal)
    // Their errors are thrown where they are awaited.
    for (const each of [symbols, context, tools]) each.catch(() => {})
    return { change, context, graph: await graph, tools }
  } finally {
    release()
  }
}

/** Claims new events before reading the pull request: their pushes are visible by then. */
async function refreshHead(
  ctx: AppContext,
  { run, access, signal }: ReviewTask,
): Promise<{ run: ClaimedRun; pullRequest: PullRequest }> {
  const upToDate = await claimEvents(ctx.db, run)
  const pullRequest = await ctx.platform.getPullRequest(access, run.number, signal)
  await confirmPullRequests(ctx.db, [{ ...pullRequest, repo: run.repo }])
  await markSharedHead(ctx.db, run, pullRequest.head.sha)
  await showSuperseded(ctx, { run: upToDate, access, signal }, pullRequest)
  return { run: upToDate, pullRequest }
}

/** Decides the verdict, posts the review and records it. */
async function concludeReview(
  ctx: AppContext,
  task: ReviewTask,
  pullRequest: PullRequest,
  examination: Examination & Pick<GatheredHead, 'settingsDigest' | 'toolLogs'>,
  stopwatch: Stopwatch,
): Promise<void> {
  const { run, access, signal } = task
  const { judgment, coverage, change } = examination
  const { review, verdictInput } = composeReview(ctx, pullRequest, examination)
  await recordFindings(ctx.db, run, [...judgment.findings, ...judgment.resolved])
  const impact =
    change.graph &&
    summarizeImpact(change.graph, { author: pullRequest.author, secrets: ctx.secrets })
  const basis = describeReviewBasis(ctx, task, examination, stopwatch.total())
  const decision = await chooseDecision(ctx, task, {
    ...{ pullRequest, ends: review.ends, gate: verdictInput.gate },
    permitted: change.settings.decisions,
  })
  const other = review.blocks ? null : await findBlockingReview(ctx.db, run, review.headSha)
  const { published, findings } = await publishReview(
    ctx,
    {
      access,
      review,
      diff: change.diff,
      run,
      history: compareWithEarlier(change.earlier.findings, judgment),
      impact,
      memories: basis.memories,
      liveContext: change.liveContext,
      models: basis.models,
      durationMs: basis.durationMs,
      decision,
      otherBlockingReview: other,
    },
    signal,
  )
  stopwatch.lap('publish')
  await recordReview(ctx, run, {
    end: review.ends[0]!,
    outcome: {
      kind: 'reviewed',
      seen: seenOf(change.pullRequest),
      verdict: review.verdict,
      confidence: review.confidence,
      summary: formatSummary(review, review.summary, findings),
      coverage,
      usage: review.usage,
      sources: describeSources(change),
      impact,
      decision: {
        ...verdictInput,
        ends: review.ends,
        blocks: review.blocks,
        other,
        confidenceReason: review.confidenceReason,
        dropped: judgment.dropped,
        reviewers: review.reviewers,
        promptVersions,
      },
      timings: stopwatch.laps,
      basis,
      publishedUrl: published.summary.url,
      warnings: review.warnings,
      redoWhen: chooseRedo(review.warnings, examination.toolLogs),
      seenLines: collectSeenLines(change, examination.outcome, coverage),
    },
    findings: [...findings, ...judgment.resolved, ...judgment.dismissed],
    commentUrls: mapCommentUrls(findings, published),
    touches: collectFileActivity(ctx, change),
    spend: task.budget,
  })
  await learnFromReview(ctx, run)
}

const modelAwayCodes = [
  'model_unauthorized',
  'model_misconfigured',
  'model_unavailable',
  'model_rate_limited',
]

/** Whether a model failed for a reason that may go away, so that the review is worth repeating. */
function isModelAway(warnings: readonly ReviewWarning[]): boolean {
  return warnings.some(({ code }) => modelAwayCodes.includes(code))
}

/** The logs of tools are read by the review that is repeated once the model answers, too. */
function chooseRedo(
  warnings: readonly ReviewWarning[],
  { mayGrow }: GatheredToolLogs,
): RedoTrigger | null {
  if (isModelAway(warnings)) return 'model'
  return mayGrow ? 'tools' : null
}

/** Null if no source was queried. Texts aren't stored: they belong to the source and may change. */
function describeSources({ liveContext: live }: Change): LiveContextSummary | null {
  if (live.records.length + live.missing.length === 0) return null
  return { records: live.records.map(({ text, ...record }) => record), missing: live.missing }
}

/** Collects what is needed to decide the verdict again without another review. */
function describeReviewBasis(
  ctx: AppContext,
  { budget }: ReviewTask,
  {
    change,
    outcome,
    settingsDigest,
    toolLogs,
  }: Examination & Pick<GatheredHead, 'settingsDigest' | 'toolLogs'>,
  durationMs: number,
): ReviewBasis {
  const { reports, failures } = outcome
  const isIncomplete = (report: (typeof reports)[number]) =>
    report.usage.calls > 0 && !report.complete
  const { mergeBaseSha, graph, diff } = change
  const used = budget.uses.map(({ model }) => model)
  const models = [...new Set([...used, ...reports.flatMap(({ keptFrom = [] }) => keptFrom)])]
  return {
    key: hashReviewBasis(ctx, { mergeBaseSha, settingsDigest }),
    modelFailed: failures.length > 0 || reports.some(isIncomplete),
    words: reports.map(({ summary }) => redactKnownSecrets(summary, ctx.secrets)),
    reviewers: reports.map(({ reviewer }) => reviewer),
    models,
    durationMs,
    // Models see the memories themselves and cite them in findings.
    toolLogs: toolLogs.found,
    memories: models.length > 0 ? [] : chooseMemories(graph?.memories ?? [], diff.files),
  }
}
