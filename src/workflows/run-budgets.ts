// Opens the budgets of runs in progress, each of which includes what the others spend meanwhile.
import { spentByRunUsd, spentTodayUsd } from '../analytics/model-spend.ts'
import type { AppContext } from '../context.ts'
import { ownerOf, type RepositoryName } from '../domain/pull-request.ts'
import { type Budget, createBudget } from '../models/index.ts'

export interface RunBudgets {
  /** Opens the budget of one attempt: the configured limits, less the cost of earlier attempts. */
  open(run: { readonly id: number; readonly repo: RepositoryName }): Promise<Budget>
  /** Closes a budget after its spend was saved in the database or was lost. */
  close(budget: Budget): void
}

export function createRunBudgets(ctx: Pick<AppContext, 'config' | 'db'>): RunBudgets {
  const ownerOfOpen = new Map<Budget, string>()
  return {
    async open(run) {
      const owner = ownerOf(run.repo)
      const sumUnsavedUsd = (isCounted: (otherOwner: string) => boolean) =>
        [...ownerOfOpen]
          .filter(([other, otherOwner]) => other !== budget && isCounted(otherOwner))
          .reduce((sum, [other]) => sum + other.knownCostUsd, 0)
      const budget: Budget = createBudget({
        ...ctx.config.models.budget,
        spentBeforeUsd: await spentByRunUsd(ctx.db, run.id),
        spentTodayUsd: async () => sumUnsavedUsd(() => true) + (await spentTodayUsd(ctx.db)),
        ownerSpentTodayUsd: async () =>
          sumUnsavedUsd((otherOwner) => otherOwner === owner) +
          (await spentTodayUsd(ctx.db, owner)),
      })
      ownerOfOpen.set(budget, owner)
      return budget
    },
    close: (budget) => {
      ownerOfOpen.delete(budget)
    },
  }
}
