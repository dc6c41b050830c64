// Withdraws an approval or a request for changes that does not hold any longer, also before another
// one is posted.
import type { AppContext } from '../context.ts'
import { toStorableText } from '../contract/storable-text.ts'
import { transactionWithRetry } from '../db/transaction.ts'
import type { PullRequest, PullRequestRef } from '../domain/pull-request.ts'
import type { Decision } from '../domain/review.ts'
import type { Access } from '../platforms/platform.ts'
import {
  type PostedDecision,
  readPostedDecision,
  replacePostedDecision,
  savePostedDecision,
} from '../work/posted-decisions.ts'
import type { ClaimedRun } from '../work/runs.ts'

type WithdrawalContext = Pick<AppContext, 'db' | 'platform' | 'log'>

interface Withdrawal {
  readonly access: Access
  readonly ref: PullRequestRef
  readonly decisions: readonly Decision[]
  /** One sentence for people, who see it on the pull request. */
  readonly reason: string
  /** Throws when writing is no longer allowed. */
  readonly beforeWrite: () => Promise<void>
  readonly signal: AbortSignal
}

type ReviewedChange = Pick<PullRequest, 'head' | 'base'>

interface Preparation extends Pick<Withdrawal, 'access' | 'beforeWrite' | 'signal'> {
  /** What the review is of. */
  readonly pullRequest: ReviewedChange
}

/** Withdraws the decision that may hold. Without one, the platform isn't asked. Safe to repeat. */
export async function withdrawDecision(
  ctx: WithdrawalContext,
  withdrawal: Withdrawal,
): Promise<void> {
  const posted = await readPostedDecision(ctx.db, withdrawal.ref)
  if (posted !== null) await withdrawPosted(ctx, posted, withdrawal)
}

/** @param posted what was read; if something else was stored since, its record stays as it is */
export async function withdrawPosted(
  ctx: WithdrawalContext,
  posted: PostedDecision,
  { access, ref, signal, ...rest }: Withdrawal,
): Promise<void> {
  const { decisions, reason } = rest
  if (!decisions.includes(posted.decision)) return
  const input = { ...rest, number: ref.number }
  const holding = await ctx.platform.withdrawDecisions(access, input, signal)
  await replacePostedDecision(ctx.db, ref, posted, holding)
  const fields = { ...ref, decision: posted.decision, holding, reason }
  if (holding === null) ctx.log.info(fields, 'A decision on a pull request was withdrawn')
  else ctx.log.warn(fields, 'A decision on a pull request could not be withdrawn')
}

/**
 * Withdraws what contradicts a decision, and stores the decision before it is posted.
 *
 * @param decision null if the review only comments
 * @returns what was stored; null if the review only comments
 */
export async function prepareDecision(
  ctx: WithdrawalContext,
  run: ClaimedRun,
  decision: Decision | null,
  { pullRequest, ...rest }: Preparation,
): Promise<PostedDecision | null> {
  const posted = await readPostedDecision(ctx.db, run)
  if (posted !== null) {
    const ref = { repo: run.repo, number: run.number }
    const isRepeated = posted.decision === decision
    const decisions = isRepeated ? approvals : allDecisions
    const reason = isRepeated
      ? describeOutdated(posted, pullRequest)
      : 'The latest review decided otherwise.'
    if (reason !== null) await withdrawPosted(ctx, posted, { ...rest, ref, decisions, reason })
  }
  if (decision === null) return null
  const { head, base } = pullRequest
  const prepared = { decision, headSha: head.sha, baseBranch: toStorableText(base.branch) }
  return transactionWithRetry(ctx.db, (tx) => savePostedDecision(tx, run, prepared))
}

/**
 * Describes why a decision is not about this head and base branch; null if it is. The settings of
 * another base branch may have permitted it.
 */
export function describeOutdated(
  { headSha, baseBranch }: PostedDecision,
  { head, base }: ReviewedChange,
): string | null {
  if (headSha !== head.sha) return 'New commits were pushed since.'
  return baseBranch === toStorableText(base.branch) ? null : 'The base branch was changed since.'
}

/** What withdraws approvals only: a pull request that is blocked anyway stays refused. */
export const approvals: readonly Decision[] = ['approve']
export const allDecisions: readonly Decision[] = ['approve', 'request_changes']
