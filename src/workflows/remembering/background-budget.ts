// What is paid for models outside of reviews, for vectors and for words of the map: the same limits hold.
import { spentTodayUsd } from '../../analytics/model-spend.ts'
import type { AppContext } from '../../context.ts'
import { ownerOf, type RepositoryName } from '../../domain/pull-request.ts'
import { type Budget, createBudget } from '../../models/index.ts'

/** Made anew for each scan, review and query. */
export function createBackgroundBudget(
  { config, db }: Pick<AppContext, 'config' | 'db'>,
  repo: RepositoryName,
): Budget {
  return createBudget({
    ...config.models.budget,
    spentTodayUsd: () => spentTodayUsd(db),
    ownerSpentTodayUsd: () => spentTodayUsd(db, ownerOf(repo)),
  })
}
