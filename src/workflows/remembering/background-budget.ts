// The budget of model calls outside of reviews (vectors, map descriptions, answers), with the same
// limits.
import { spentTodayUsd } from '../../analytics/model-spend.ts'
import type { AppContext } from '../../context.ts'
import { ownerOf, type RepositoryName } from '../../domain/pull-request.ts'
import { type Budget, createBudget } from '../../models/index.ts'

/**
 * Call it for each scan, review, query and answer.
 *
 * @param spentBeforeUsd the cost of what has the limit of one review together with this
 */
export function createBackgroundBudget(
  { config, db }: Pick<AppContext, 'config' | 'db'>,
  repo: RepositoryName,
  spentBeforeUsd = 0,
): Budget {
  return createBudget({
    ...config.models.budget,
    spentBeforeUsd,
    spentTodayUsd: () => spentTodayUsd(db),
    ownerSpentTodayUsd: () => spentTodayUsd(db, ownerOf(repo)),
  })
}
