// Learns from a recorded review: what is remembered of its author, of the directories it touched, of dismissed findings.
import type { AppContext } from '../context.ts'
import { transactionWithRetry } from '../db/transaction.ts'
import type { PullRequestRef } from '../domain/pull-request.ts'
import { findUnlearnedPullRequests, markLearned } from '../jobs/runs.ts'
import { ensureScanRequested } from '../jobs/scans.ts'
import { lockMemories } from '../knowledge/memory/save-memories.ts'
import { learnAuthor } from './learning/learn-author.ts'
import { learnDismissals } from './learning/learn-dismissals.ts'
import { learnRisks } from './learning/learn-risks.ts'
import { embedNewMemories } from './remembering/embed-memories.ts'

/**
 * Brings the memory up to date after a review was recorded, and has the repository scanned if it never was. All of it is
 * computed from what is stored: doing it twice is doing it once, and where it fails the next review of the same author or
 * directory makes up for it. Never throws.
 */
export async function learnFromReview(ctx: AppContext, ref: PullRequestRef): Promise<void> {
  try {
    await learn(ctx, ref)
  } catch (error) {
    ctx.log.warn({ err: error }, 'Nothing was learned from a review; the next one makes up for it')
  }
  const onFault = (error: unknown) =>
    ctx.log.warn({ err: error }, 'A review will be learned from once more')
  await markLearned(ctx.db, ref).catch(onFault)
}

/** Learns from reviews whose worker died between recording them and learning from them. */
export async function learnFromMissedReviews(ctx: AppContext, signal: AbortSignal): Promise<void> {
  for (const ref of await findUnlearnedPullRequests(ctx.db, ctx.config.review.leaseSeconds)) {
    signal.throwIfAborted()
    await learnFromReview(ctx, ref)
    ctx.log.info(ref, 'A review was learned from whose worker was lost')
  }
}

async function learn(ctx: AppContext, ref: PullRequestRef): Promise<void> {
  const { memory, graph } = ctx.config
  if (memory) {
    await transactionWithRetry(ctx.db, async (tx) => {
      // Two reviews that end at the same time: the later one sees what the other stored.
      await lockMemories(tx, ref.repo)
      await learnAuthor(tx, ref)
      await learnRisks(tx, ref)
      await learnDismissals(tx, ref)
    })
    await embedNewMemories(ctx, ref.repo)
  }
  if (memory || graph.enabled) {
    await transactionWithRetry(ctx.db, (tx) => ensureScanRequested(tx, ctx.notifications, ref.repo))
  }
}
