// Updates the memory after a review: its author, risky directories and dismissed rules.
import type { AppContext, ServiceContext } from '../context.ts'
import { transactionWithRetry } from '../db/transaction.ts'
import type { PullRequestRef } from '../domain/pull-request.ts'
import { lockMemories } from '../knowledge/memory/save-memories.ts'
import { findUnlearnedPullRequests, markLearned } from '../work/runs.ts'
import { ensureScanRequested } from '../work/scans.ts'
import { learnAuthor } from './learning/learn-author.ts'
import { learnDismissals } from './learning/learn-dismissals.ts'
import { learnRisks } from './learning/learn-risks.ts'
import { embedNewMemories } from './remembering/embed-memories.ts'

/**
 * Updates the memory after a review was recorded, and requests a scan if the repository never had
 * one. All of it is computed from stored data, so repeating it is harmless, and the next review
 * makes up for a failure. Never throws.
 */
export async function learnFromReview(ctx: AppContext, ref: PullRequestRef): Promise<void> {
  try {
    await updateMemory(ctx, ref)
  } catch (error) {
    ctx.log.warn(
      { err: error },
      'The memory was not updated after a review; the next one makes up for it',
    )
  }
  const onError = (error: unknown) =>
    ctx.log.warn({ err: error }, 'The memory will be updated again for a review')
  await markLearned(ctx.db, ref).catch(onError)
}

/** Updates the memory for reviews whose worker died between recording them and this step. */
export async function learnFromMissedReviews(
  ctx: ServiceContext,
  signal: AbortSignal,
): Promise<void> {
  for (const ref of await findUnlearnedPullRequests(ctx.db, ctx.config.review.leaseSeconds)) {
    signal.throwIfAborted()
    await learnFromReview(ctx.hosts.of(ref.repo), ref)
    ctx.log.info(ref, 'The memory was updated for a review whose worker was lost')
  }
}

async function updateMemory(ctx: AppContext, ref: PullRequestRef): Promise<void> {
  const { memory, graph } = ctx.config
  if (memory) {
    await transactionWithRetry(ctx.db, async (tx) => {
      // The lock lets a later review see what a concurrent one stored.
      await lockMemories(tx, ref.repo)
      await learnAuthor(tx, ref)
      await learnRisks(tx, ref)
      await learnDismissals(tx, ref)
    })
    await embedNewMemories(ctx, ref.repo)
  }
  if (memory || graph.enabled) {
    await transactionWithRetry(ctx.db, (tx) => ensureScanRequested(tx, ref.repo))
  }
}
