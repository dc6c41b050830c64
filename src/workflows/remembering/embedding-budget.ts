// What vectors may cost: the same limits hold as for reviews.
import { spentTodayUsd } from '../../analytics/spend.ts'
import type { AppContext } from '../../context.ts'
import { type Budget, createBudget } from '../../models/index.ts'

/** Made anew for each scan, review and query. */
export function createEmbeddingBudget({ config, db }: Pick<AppContext, 'config' | 'db'>): Budget {
  return createBudget({ ...config.models.budget, spentTodayUsd: () => spentTodayUsd(db) })
}
