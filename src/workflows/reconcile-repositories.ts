// Compares the pull requests of connected repositories with the reviews that ran, in case
// deliveries were lost, and requests the missing reviews.
import { isKnowledgeEnabled } from '../config/config.ts'
import type { AppContext, ServiceContext } from '../context.ts'
import { transactionWithRetry } from '../db/transaction.ts'
import { PlatformError, UmpireError } from '../domain/errors.ts'
import { ownerOf, type PullRequest } from '../domain/pull-request.ts'
import { insertEvents, savePullRequests } from '../events/events.ts'
import { savePullRequestStates } from '../events/pull-request-states.ts'
import {
  claimReconciliations,
  connectionTime,
  type DueReconciliation,
  type KnownPullRequest,
  readKnownPullRequests,
  reconciledDeliveryId,
  saveReconciliation,
} from '../events/reconciliations.ts'
import type { ListedPullRequest } from '../platforms/platform.ts'
import { seenOf } from '../work/run-outcome.ts'
import { findScannedRepositories, requestScan } from '../work/scans.ts'
import { enqueue } from '../work/work-items.ts'
import { standInFor } from './adopt-pull-request.ts'
import { type ChosenAccess, chooseAccess } from './choose-access.ts'
import { followComments } from './follow-comments.ts'
import { redeliverToWebhook } from './redeliver-failed.ts'

/** Limits one round, because each repository costs several API calls. */
const maxRepositories = 50
/** Limits the reviews that one comparison requests; the next one requests the others. */
const maxReviews = 100
/** Lists of the host may lag behind, and its clock may differ from ours. */
const overlapMs = 5 * 60_000
/** How long one pull request that can't be read is in each list, as are all that changed later. */
const maxHoldMs = 24 * 3600_000

/** Compares the repositories that are due; those of one owner one after the other. */
export async function reconcileRepositories(
  ctx: ServiceContext,
  signal: AbortSignal,
): Promise<void> {
  const everySeconds = ctx.config.reconcileSeconds
  const due = await claimReconciliations(ctx.db, { limit: maxRepositories, everySeconds })
  const owners = Map.groupBy(due, ({ repo }) => ownerOf(repo))
  const ends = await Promise.allSettled(
    [...owners.values()].map(async (repositories) => {
      for (const one of repositories) await reconcileRepository(ctx.hosts.of(one.repo), one, signal)
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
    const canRedeliver = ctx.platform.limits.redeliveries === true
    if (canRedeliver && due.webhookId !== null && access.appSlug === undefined)
      await redeliverToWebhook(ctx, { access, webhookId: due.webhookId, due }, signal)
    await comparePullRequests(ctx, { access, due, signal })
    if (access.appSlug === undefined) await followComments(ctx, { access, due, signal })
  } catch (error) {
    signal.throwIfAborted()
    // A later round compares it again. It must not hold up the other repositories.
    const level = error instanceof UmpireError ? 'debug' : 'error'
    ctx.log[level]({ err: error, repo: due.repo }, 'A repository could not be compared')
  }
}

interface Comparison {
  readonly access: ChosenAccess
  readonly due: DueReconciliation
  readonly signal: AbortSignal
}

async function comparePullRequests(ctx: AppContext, comparison: Comparison): Promise<void> {
  const { access, due, signal } = comparison
  const { connectedAt, comparedUntil, repo } = due
  const since = Math.max(connectedAt.getTime(), comparedUntil?.getTime() ?? 0) - overlapMs
  const listed = await ctx.platform.listPullRequests(access, new Date(since), signal)
  const changes = listed.map((one) => ({ number: one.number, ...seenOf(one) }))
  const known = await readKnownPullRequests(ctx.db, repo, changes)
  await savePullRequestStates(ctx.db, listed)
  await requestScanOfMerged(ctx, repo, listed, known)
  let requested = 0
  const failedAt: number[] = []
  for (const [index, pullRequest] of listed.entries()) {
    if (requested === maxReviews) return
    const result = await tryToMakeUpFor(ctx, comparison, pullRequest, known[index]!)
    if (result === 'requested') requested += 1
    if (result === 'failed') failedAt.push(Date.parse(pullRequest.updatedAt))
  }
  if (listed.length === 0) return
  const newest = Math.max(...listed.map(({ updatedAt }) => Date.parse(updatedAt)))
  const until = Math.max(Math.min(newest, ...failedAt), newest - maxHoldMs)
  await saveReconciliation(ctx.db, repo, { comparedUntil: new Date(until) })
}

/** These concern each call with the token, and not one pull request alone. */
const generalFailures: readonly string[] = ['platform_rate_limited', 'platform_unauthorized']

/** Like `makeUpFor`. One pull request that can't be read must not hold up the others. */
async function tryToMakeUpFor(
  ctx: AppContext,
  comparison: Comparison,
  listed: ListedPullRequest,
  known: KnownPullRequest,
): Promise<'requested' | 'nothing' | 'failed'> {
  try {
    return (await makeUpFor(ctx, comparison, listed, known)) ? 'requested' : 'nothing'
  } catch (error) {
    comparison.signal.throwIfAborted()
    if (!(error instanceof PlatformError) || generalFailures.includes(error.code)) throw error
    const { repo, number } = listed
    ctx.log.debug({ err: error, repo, number }, 'A pull request could not be compared')
    return error.code === 'platform_not_found' ? 'nothing' : 'failed'
  }
}

/**
 * Requests the review of a listed pull request whose delivery was lost.
 *
 * @returns whether it was lost
 */
async function makeUpFor(
  ctx: AppContext,
  comparison: Comparison,
  listed: ListedPullRequest,
  known: KnownPullRequest,
): Promise<boolean> {
  const { access, signal } = comparison
  const isApp = access.appSlug !== undefined
  if (findMissedAction(listed, known, isApp) === null) return false
  if (!(await isSinceConnection(ctx, comparison, listed, known))) return false
  // The list may lag behind what the latest run saw.
  const pullRequest = await ctx.platform.getPullRequest(access, listed.number, signal)
  const action = findMissedAction(pullRequest, known, isApp)
  if (action !== null) await requestMissedReview(ctx, comparison, pullRequest, action)
  return action !== null
}

type MissedAction = 'opened' | 'synchronize' | 'ready_for_review' | 'edited'

/** Returns which delivery was lost; null if none was, or none that requests a review. */
function findMissedAction(
  pullRequest: ListedPullRequest,
  known: KnownPullRequest,
  isApp: boolean,
): MissedAction | null {
  const { head, state, updatedAt } = pullRequest
  const isOutdated = known.updatedAt !== null && Date.parse(updatedAt) < known.updatedAt.getTime()
  if (state !== 'open' || known.isWaiting || isOutdated) return null
  if (known.seen.headSha === head.sha) return findMissedEdit(pullRequest, known, isApp)
  if (known.isReconciled) return null
  return known.state === null ? 'opened' : 'synchronize'
}

/** The App's deliveries report these changes, see `DeliveryReader.startsReview`. */
function findMissedEdit(
  pullRequest: ListedPullRequest,
  { isReconciled, seen }: KnownPullRequest,
  isApp: boolean,
): MissedAction | null {
  const now = seenOf(pullRequest)
  const isChanged = (key: keyof typeof now) => seen[key] !== null && seen[key] !== now[key]
  // The reviewed change depends on it, so it is compared without the App too.
  if (isChanged('baseBranch')) return isReconciled ? null : 'edited'
  if (!isApp) return null
  if (isChanged('draft') && !now.draft) return 'ready_for_review'
  return isChanged('title') ? 'edited' : null
}

/**
 * Whether the pull request was opened or pushed to while the repository was connected. People don't
 * expect reviews of what was open before.
 */
async function isSinceConnection(
  { platform }: AppContext,
  { access, due, signal }: Comparison,
  { createdAt, number, head }: ListedPullRequest,
  { wasRequested, headSha }: KnownPullRequest,
): Promise<boolean> {
  const since = connectionTime(due)
  if (Date.parse(createdAt) >= since || wasRequested) return true
  if (headSha !== null && headSha !== head.sha) return true
  const commits = await platform.listPullRequestCommits(access, number, signal)
  return Date.parse(commits.at(-1)?.committedAt ?? '') >= since
}

/** Stores the event of the lost delivery, with what the host shows now, and requests its review. */
async function requestMissedReview(
  ctx: AppContext,
  { access, due: { repo } }: Comparison,
  pullRequest: PullRequest,
  action: MissedAction,
): Promise<void> {
  const { number } = pullRequest
  const event = standInFor(ctx, repo, pullRequest, {
    action,
    deliveryId: reconciledDeliveryId(seenOf(pullRequest)),
    wantsReview: true,
    isDeduplicated: action === 'opened' || action === 'synchronize',
  })
  await transactionWithRetry(ctx.db, async (tx) => {
    await savePullRequests(tx, [event])
    await insertEvents(tx, [event])
    await enqueue(tx, [{ kind: 'review', repo, number }])
  })
  // Deliveries to webhooks of repositories request no review of another base branch.
  const isLost = action !== 'edited' || access.appSlug !== undefined
  if (isLost) ctx.metrics.lostDeliveries.inc({ recovery: 'reconciliation' })
  const text = isLost ? 'A delivery was lost' : 'The base branch changed'
  ctx.log.info({ repo, number, action }, `${text}: the pull request is reviewed now`)
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
