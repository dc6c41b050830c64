// The budget of model calls outside of reviews and answers (vectors, map descriptions), with the
// same limits.
import { spentTodayUsd } from '../../analytics/model-spend.ts'
import type { ServiceContext } from '../../context.ts'
import { ownerOf, type RepositoryName } from '../../domain/pull-request.ts'
import { type Budget, createBudget } from '../../models/index.ts'

/** Call it for each scan, review and query. */
export function createBackgroundBudget(
  { config, db }: Pick<ServiceContext, 'config' | 'db'>,
  repo: RepositoryName,
): Budget {
  return createBudget({
    ...config.models.budget,
    spentTodayUsd: () => spentTodayUsd(db),
    ownerSpentTodayUsd: () => spentTodayUsd(db, ownerOf(repo)),
  })
}
