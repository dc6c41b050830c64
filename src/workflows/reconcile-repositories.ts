// Compares the pull requests of connected repositories with the reviews that ran, in case
// deliveries were lost, and requests the missing reviews.
import { isKnowledgeEnabled } from '../config/config.ts'
import type { AppContext } from '../context.ts'
import { toStorableText } from '../contract/storable-text.ts'
import { transactionWithRetry } from '../db/transaction.ts'
import { UmpireError } from '../domain/errors.ts'
import { ownerOf } from '../domain/pull-request.ts'
import { insertEvents, savePullRequests } from '../events/events.ts'
import { savePullRequestStates } from '../events/pull-request-states.ts'
import {
  claimReconciliations,
  type DueReconciliation,
  type KnownPullRequest,
  readKnownPullRequests,
  reconciledDeliveryId,
  saveReconciliation,
} from '../events/reconciliations.ts'
import type { ListedPullRequest } from '../platforms/platform.ts'
import { findScannedRepositories, requestScan } from '../work/scans.ts'
import { enqueue } from '../work/work-items.ts'
import { standInFor } from './adopt-pull-request.ts'
import { type ChosenAccess, chooseAccess } from './choose-access.ts'
import { redeliverToWebhook } from './redeliver-failed.ts'

/** Limits one round, because each repository costs several API calls. */
const maxRepositories = 50
/** Limits the reviews that one comparison requests; the next one requests the others. */
const maxReviews = 100
/** Lists of the host may lag behind, and its clock may differ from ours. */
const overlapMs = 5 * 60_000
/** Times of hosts have whole seconds. */
const platformClockMs = 1000

/** Compares the repositories that are due; those of one owner one after the other. */
export async function reconcileRepositories(ctx: AppContext, signal: AbortSignal): Promise<void> {
  const everySeconds = ctx.config.reconcileSeconds
  const due = await claimReconciliations(ctx.db, { limit: maxRepositories, everySeconds })
  const owners = Map.groupBy(due, ({ repo }) => ownerOf(repo))
  const ends = await Promise.allSettled(
    [...owners.values()].map(async (repositories) => {
      for (const one of repositories) await reconcileRepository(ctx, one, signal)
    }),
  )
  for (const end of ends) if (end.status === 'rejected') throw end.reason
}

async function reconcileRepository(
  ctx: AppContext,
  due: DueReconciliation,
  signal: AbortSignal,
): Promise<void> {
  signal.throwIfAborted()
  try {
    const access = await chooseAccess(ctx, due.repo, signal)
    if (due.webhookId !== null && access.appSlug === undefined)
      await redeliverToWebhook(ctx, { access, webhookId: due.webhookId, due }, signal)
    await comparePullRequests(ctx, { access, due, signal })
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof UmpireError)) throw error
    // A later round compares it again.
    ctx.log.debug({ err: error, repo: due.repo }, 'A repository could not be compared')
  }
}

interface Comparison {
  readonly access: ChosenAccess
  readonly due: DueReconciliation
  readonly signal: AbortSignal
}

/** A listed pull request that a review was not requested of, and why it should be. */
interface MissingReview {
  readonly number: number
  readonly action: 'opened' | 'synchronize' | 'ready_for_review' | 'edited'
}

async function comparePullRequests(ctx: AppContext, comparison: Comparison): Promise<void> {
  const { access, due, signal } = comparison
  const { connectedAt, comparedUntil, repo } = due
  const since = Math.max(connectedAt.getTime(), comparedUntil?.getTime() ?? 0) - overlapMs
  const listed = await ctx.platform.listPullRequests(access, new Date(since), signal)
  const heads = listed.map(({ number, head }) => ({ number, sha: head.sha }))
  const known = await readKnownPullRequests(ctx.db, repo, heads)
  await savePullRequestStates(ctx.db, listed)
  await requestScanOfMerged(ctx, repo, listed, known)
  const missing: MissingReview[] = []
  for (const [index, pullRequest] of listed.entries()) {
    if (missing.length === maxReviews) break
    const action = await findMissingAction(ctx, comparison, pullRequest, known[index]!)
    if (action !== null) missing.push({ number: pullRequest.number, action })
  }
  for (const one of missing) await requestMissingReview(ctx, comparison, one)
  const newest = Math.max(...listed.map(({ updatedAt }) => Date.parse(updatedAt)))
  if (listed.length > 0 && missing.length < maxReviews)
    await saveReconciliation(ctx.db, repo, { comparedUntil: new Date(newest) })
}

/** Returns which delivery was lost; null if none was, or none that requests a review. */
async function findMissingAction(
  ctx: AppContext,
  comparison: Comparison,
  pullRequest: ListedPullRequest,
  known: KnownPullRequest,
): Promise<MissingReview['action'] | null> {
  if (pullRequest.state !== 'open' || known.isWaiting) return null
  const isApp = comparison.access.appSlug !== undefined
  if (known.isReviewed) return isApp ? findMissedChange(pullRequest, known) : null
  if (known.isReconciled) return null
  if (!(await isSinceConnection(ctx, comparison, pullRequest, known))) return null
  return known.state === null ? 'opened' : 'synchronize'
}

/** The App's deliveries report these changes, see `PlatformApps.startsReview`. */
function findMissedChange(
  { draft, base, title, updatedAt }: ListedPullRequest,
  known: KnownPullRequest,
): MissingReview['action'] | null {
  const isNewer = known.updatedAt !== null && Date.parse(updatedAt) >= known.updatedAt.getTime()
  if (!isNewer) return null
  if (known.draft && !draft) return 'ready_for_review'
  const isEdited = known.baseBranch !== base.branch || known.title !== toStorableText(title)
  return isEdited ? 'edited' : null
}

/**
 * Whether the pull request was opened or pushed to while the repository was connected. People don't
 * expect reviews of what was open before.
 */
async function isSinceConnection(
  { platform }: AppContext,
  { access, due: { connectedAt }, signal }: Comparison,
  { createdAt, number, head }: ListedPullRequest,
  { wasRequested, headSha }: KnownPullRequest,
): Promise<boolean> {
  const since = Math.floor(connectedAt.getTime() / platformClockMs) * platformClockMs
  if (Date.parse(createdAt) >= since || wasRequested) return true
  if (headSha !== null && headSha !== head.sha) return true
  const commits = await platform.listPullRequestCommits(access, number, signal)
  return Date.parse(commits.at(-1)?.committedAt ?? '') >= since
}

/** Stores the event of the lost delivery, with what the host shows now, and requests its review. */
async function requestMissingReview(
  ctx: AppContext,
  { access, due: { repo }, signal }: Comparison,
  { number, action }: MissingReview,
): Promise<void> {
  const pullRequest = await ctx.platform.getPullRequest(access, number, signal)
  if (pullRequest.state !== 'open') return
  const event = standInFor(ctx, repo, pullRequest, {
    action,
    deliveryId: reconciledDeliveryId(pullRequest.head.sha),
    wantsReview: true,
    isDeduplicated: action === 'opened' || action === 'synchronize',
  })
  await transactionWithRetry(ctx.db, async (tx) => {
    await savePullRequests(tx, [event])
    await insertEvents(tx, [event])
    await enqueue(tx, [{ kind: 'review', repo, number }])
  })
  ctx.metrics.lostDeliveries.inc({ recovery: 'reconciliation' })
  ctx.log.info({ repo, number, action }, 'A delivery was lost: the pull request is reviewed now')
}

async function requestScanOfMerged(
  { config, db }: AppContext,
  repo: string,
  listed: readonly ListedPullRequest[],
  known: readonly KnownPullRequest[],
): Promise<void> {
  const isMissed = listed.some(
    ({ state }, index) => state === 'merged' && known[index]!.state === 'open',
  )
  if (!isMissed || !isKnowledgeEnabled(config)) return
  await transactionWithRetry(db, async (tx) => {
    const scanned = await findScannedRepositories(tx, [repo])
    for (const one of scanned) await requestScan(tx, one, { evenIfRunning: true })
  })
}
