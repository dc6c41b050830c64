// Learns from a recorded review: what is remembered of its author, of the directories it touched, of dismissed findings.
import type { AppContext } from '../context.ts'
import { transactionWithRetry } from '../db/transaction.ts'
import type { PullRequestRef } from '../domain/pull-request.ts'
import { ensureScanned } from '../jobs/scans.ts'
import { lockMemories } from '../knowledge/memory/save-memories.ts'
import { learnAuthor } from './learning/learn-author.ts'
import { learnDismissals } from './learning/learn-dismissals.ts'
import { learnRisks } from './learning/learn-risks.ts'
import { embedNewMemories } from './remembering/embed-memories.ts'

/**
 * Brings the memory up to date after a review was recorded, and has the repository scanned if it never was. All of it is
 * computed from what is stored, so that nothing is lost where this is: the next review of the same author or directory
 * makes up for it. Never throws.
 */
export async function learnFromReview(ctx: AppContext, ref: PullRequestRef): Promise<void> {
  const { memory, graph } = ctx.config
  try {
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
      await transactionWithRetry(ctx.db, (tx) => ensureScanned(tx, ctx.wakeUps, ref.repo))
    }
  } catch (error) {
    ctx.log.warn({ err: error }, 'Nothing was learned from a review; the next one makes up for it')
  }
}
