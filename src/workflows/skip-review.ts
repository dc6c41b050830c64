// Ends a review that isn't made: the pull request was closed, or its settings or a pause skip it.
import type { AppContext } from '../context.ts'
import type { PullRequest } from '../domain/pull-request.ts'
import { readPausedBy } from '../events/review-pauses.ts'
import { isReviewRequested, listClaimedEventTypes } from '../events/review-requests.ts'
import { findBlockingReview } from '../work/blocking-review.ts'
import { type RedoTrigger, readLatestReview, seenOf } from '../work/run-outcome.ts'
import { assertCanWrite } from '../work/runs.ts'
import type { ChosenAccess } from './choose-access.ts'
import { decideSkip, type Skip } from './decide-skip.ts'
import { formatSummary } from './decide-verdict.ts'
import { createPlatformSnapshot } from './gathering/platform-snapshot.ts'
import { readSettings } from './gathering/read-settings.ts'
import { stateOfOther } from './posting/render-check.ts'
import { renderOther } from './posting/render-summary.ts'
import { recordReview } from './record-review.ts'
import type { ReviewTask } from './review-task.ts'
import { passCheckOn } from './share-checks.ts'
import { showProgress } from './show-progress.ts'
import { allDecisions, approvals, withdrawDecision } from './withdraw-decision.ts'

/** A reason to end a review, and what follows from it. */
interface ReviewToSkip extends Skip {
  readonly redoWhen: RedoTrigger | null
  /** Whether its check changes. If not, it shows nothing of this review yet. */
  readonly isShown: boolean
}

/**
 * Returns why the head isn't reviewed; null if it is. It is if a person requested it, or if an
 * earlier review of the same head has to be repeated.
 */
export async function findSkip(
  ctx: AppContext,
  { run, access, signal }: ReviewTask,
  pullRequest: PullRequest,
): Promise<ReviewToSkip | null> {
  if (isReviewRequested(await listClaimedEventTypes(ctx.db, run.id))) return null
  const before = await readLatestReview(ctx.db, run)
  if (before?.headSha === pullRequest.head.sha) return null
  const base = createPlatformSnapshot(ctx.platform, access, pullRequest.base.sha, signal)
  const settings = await readSettings(base, await ctx.organizationSettings.read(access))
  const pausedBy = await readPausedBy(ctx.db, run, pullRequest.base.branch)
  const listPaths = () => listChangedPaths(ctx, access, run.number, signal)
  const skip = await decideSkip({ pullRequest, settings, pausedBy, listPaths })
  return skip && { ...skip, redoWhen: null, isShown: true }
}

/** Returns null if the platform may have left files out. */
async function listChangedPaths(
  { platform }: AppContext,
  access: ChosenAccess,
  number: number,
  signal: AbortSignal,
): Promise<string[] | null> {
  const files = await platform.listFiles(access, number, signal)
  if (files.length >= platform.limits.maxListedFiles) return null
  return files.flatMap(({ path, oldPath }) => [path, oldPath])
}

/** An author must not satisfy a required check by closing the pull request, so this blocks. */
export function describeClosed({ state }: PullRequest): Omit<ReviewToSkip, 'isShown'> {
  const text = `${state} before its review was posted`
  return { reason: state, text, blocks: true, redoWhen: 'reopened' }
}

/** Ends the review without posting it. */
export async function skipReview(
  ctx: AppContext,
  task: ReviewTask,
  pullRequest: PullRequest,
  { reason, text, blocks, redoWhen, isShown }: ReviewToSkip,
): Promise<void> {
  const { run, budget } = task
  const headSha = pullRequest.head.sha
  const sentence = `Skipped: ${text}.`
  await withdrawUnreviewed(ctx, task, pullRequest, { blocks, sentence })
  // The commit has one check for all of its pull requests.
  const other = blocks ? null : await findBlockingReview(ctx.db, run, headSha)
  const isLeftToOther = pullRequest.state !== 'open' && (await passCheckOn(ctx, run, headSha))
  if (isShown && !isLeftToOther) {
    const shown =
      other === null
        ? { state: { end: 'skipped', blocks } as const, text: sentence }
        : { state: stateOfOther(other), text: renderOther(other) }
    await showProgress(ctx, task, pullRequest, shown)
  }
  await recordReview(ctx, run, {
    end: 'skipped',
    outcome: {
      kind: 'skipped',
      seen: seenOf(pullRequest),
      summary: formatSummary({ verdict: 'UNKNOWN', confidence: 1 }, sentence),
      decision: { ends: ['skipped'], blocks, skipped: reason, other },
      redoWhen,
    },
    findings: [],
    commentUrls: new Map(),
    touches: null,
    spend: budget,
  })
}

/**
 * An approval does not hold without a review. A request for changes holds if the skip blocks, so
 * that an author can't end it by being skipped.
 */
async function withdrawUnreviewed(
  ctx: AppContext,
  { run, access, signal }: ReviewTask,
  { state }: PullRequest,
  { blocks, sentence }: { blocks: boolean; sentence: string },
): Promise<void> {
  if (state === 'merged') return
  await withdrawDecision(ctx, {
    access,
    ref: { repo: run.repo, number: run.number },
    decisions: blocks ? approvals : allDecisions,
    reason: sentence,
    beforeWrite: () => assertCanWrite(ctx.db, run, access),
    signal,
  })
}
