// Answers a comment: does its command, or answers a reply to a finding.
import type { AppContext } from '../context.ts'
import { transactionWithRetry } from '../db/transaction.ts'
import type { PlatformRequest } from '../domain/platform-request.ts'
import { type Claim, finish } from '../work/work-items.ts'

export interface CommentTask {
  readonly claim: Claim
  readonly request: Extract<PlatformRequest, { kind: 'comment' }>
  readonly signal: AbortSignal
}

/** Answers the claimed comment and finishes its work. Throws what stopped it. */
export async function answerComment(ctx: AppContext, { claim }: CommentTask): Promise<void> {
  await transactionWithRetry(ctx.db, (tx) => finish(tx, claim))
}
