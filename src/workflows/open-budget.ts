// Opens the budgets of reviews, answers and other calls of models, which all workers share.
import { spentByRunUsd } from '../analytics/model-spend.ts'
import {
  createSpendLedger,
  loseReservations,
  type SpendSubject,
} from '../analytics/spend-ledger.ts'
import type { ServiceContext } from '../context.ts'
import { ownerOf, type PullRequestRef, type RepositoryName } from '../domain/pull-request.ts'
import { spentOnAnswersUsd } from '../events/answers.ts'
import { type Budget, createBudget } from '../models/index.ts'

type Context = Pick<ServiceContext, 'config' | 'db'>

/**
 * Opens the budget of one attempt: the configured limits, less the cost of earlier attempts. What
 * those left unsettled counts as spent.
 */
export async function openRunBudget(
  ctx: Context,
  { id, repo }: { readonly id: number; readonly repo: RepositoryName },
): Promise<Budget> {
  const name = `run ${id}`
  await loseReservations(ctx.db, name)
  const readRecordedUsd: SpendSubject['readRecordedUsd'] = (db) => spentByRunUsd(db, id)
  return open(ctx, { owner: ownerOf(repo), name, readRecordedUsd })
}

/** Opens the budget of one answer. All answers on a pull request may cost what one review may. */
export function openAnswerBudget(ctx: Context, ref: PullRequestRef): Budget {
  const readRecordedUsd: SpendSubject['readRecordedUsd'] = (db) => spentOnAnswersUsd(db, ref)
  const name = `answers ${ref.repo}#${ref.number}`
  return open(ctx, { owner: ownerOf(ref.repo), name, readRecordedUsd })
}

/** Opens the budget of other calls, such as for vectors: one for each scan, review and query. */
export function openBackgroundBudget(ctx: Context, repo: RepositoryName): Budget {
  return open(ctx, { owner: ownerOf(repo), name: null, readRecordedUsd: async () => 0 })
}

function open({ config, db }: Context, subject: SpendSubject): Budget {
  return createBudget(createSpendLedger(db, config.models.budget, subject))
}
