// The money of the runs under way: what one spends counts for the others before it is written down.
import { spentByRunUsd, spentTodayUsd } from '../analytics/model-spend.ts'
import type { AppContext } from '../context.ts'
import { ownerOf, type RepositoryName } from '../domain/pull-request.ts'
import { type Budget, createBudget } from '../models/index.ts'

/** Opens budgets and knows those that are open in this process. */
export interface RunBudgets {
  /** The budget of one try of a run: the configured limits, less what its earlier tries cost. */
  open(run: { readonly id: number; readonly repo: RepositoryName }): Promise<Budget>
  /** What was used through it stands in the database now, or never will. */
  close(budget: Budget): void
}

export function createRunBudgets(ctx: Pick<AppContext, 'config' | 'db'>): RunBudgets {
  /** Each with the owner whose money it is. */
  const open = new Map<Budget, string>()
  return {
    async open(run) {
      const owner = ownerOf(run.repo)
      const underWayUsd = (isCounted: (owner: string) => boolean) =>
        [...open].reduce(
          (sum, [other, its]) =>
            sum + (other !== budget && isCounted(its) ? other.knownCostUsd : 0),
          0,
        )
      const budget: Budget = createBudget({
        ...ctx.config.models.budget,
        spentBeforeUsd: await spentByRunUsd(ctx.db, run.id),
        spentTodayUsd: async () => underWayUsd(() => true) + (await spentTodayUsd(ctx.db)),
        ownerSpentTodayUsd: async () =>
          underWayUsd((its) => its === owner) + (await spentTodayUsd(ctx.db, owner)),
      })
      open.set(budget, owner)
      return budget
    },
    close: (budget) => {
      open.delete(budget)
    },
  }
}
