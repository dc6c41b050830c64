// The money of the runs under way: what one spends counts for the others before it is written down.
import { spentByRunUsd, spentTodayUsd } from '../analytics/spend.ts'
import type { AppContext } from '../context.ts'
import { type Budget, createBudget } from '../models/index.ts'

/** Opens budgets and knows those that are open in this process. */
export interface RunBudgets {
  /** The budget of one try of a run: the configured limits, less what its earlier tries cost. */
  open(runId: number): Promise<Budget>
  /** What was used through it stands in the database now, or never will. */
  close(budget: Budget): void
}

export function createRunBudgets(ctx: Pick<AppContext, 'config' | 'db'>): RunBudgets {
  const open = new Set<Budget>()
  return {
    async open(runId) {
      const budget: Budget = createBudget({
        ...ctx.config.models.budget,
        spentBeforeUsd: await spentByRunUsd(ctx.db, runId),
        spentTodayUsd: async () => {
          const underWay = [...open].reduce((sum, other) => sum + (other === budget ? 0 : other.knownCostUsd), 0)
          return underWay + (await spentTodayUsd(ctx.db))
        },
      })
      open.add(budget)
      return budget
    },
    close: (budget) => {
      open.delete(budget)
    },
  }
}
