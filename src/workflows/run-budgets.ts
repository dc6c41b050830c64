// Opens the budgets of reviews and answers in progress, each of which includes what the others
// spend meanwhile.
import { spentByRunUsd, spentTodayUsd } from '../analytics/model-spend.ts'
import type { Db } from '../db/database.ts'
import { ownerOf, type PullRequestRef, type RepositoryName } from '../domain/pull-request.ts'
import { spentOnAnswersUsd } from '../events/answers.ts'
import { type Budget, createBudget } from '../models/index.ts'
import type { ModelsConfig } from '../models/models-config.ts'

export interface RunBudgets {
  /** Opens the budget of one attempt: the configured limits, less the cost of earlier attempts. */
  open(run: { readonly id: number; readonly repo: RepositoryName }): Promise<Budget>
  /** Opens the budget of one answer: a share of what all answers on the pull request may cost. */
  openAnswer(ref: PullRequestRef): Budget
  /** Closes a budget after its spend was saved in the database or was lost. */
  close(budget: Budget): void
}

interface OpenBudget {
  readonly owner: string
  /** The budget itself, or the one of which it is a share. */
  readonly total: Budget
  /** The pull request whose answers share the total; null for a review. */
  readonly answersOn: PullRequestRef | null
}

export function createRunBudgets(db: Db, limits: ModelsConfig['budget']): RunBudgets {
  const opened = new Map<Budget, OpenBudget>()

  /** Leaves out `total`, which counts its own cost, and counts what its closed shares saved. */
  function sumUnsavedUsd(total: Budget, isCounted: (open: OpenBudget) => boolean): number {
    const costs = [...opened].map(([budget, open]) => (isCounted(open) ? budget.knownCostUsd : 0))
    return costs.reduce((sum, cost) => sum + cost, 0) - total.knownCostUsd
  }

  // What is unsaved is summed first: what is saved meanwhile counts twice, and not never.
  function createTotal(owner: string, spentBeforeUsd: (total: Budget) => Promise<number>): Budget {
    const total: Budget = createBudget({
      ...limits,
      spentBeforeUsd: () => spentBeforeUsd(total),
      spentTodayUsd: async () => sumUnsavedUsd(total, () => true) + (await spentTodayUsd(db)),
      ownerSpentTodayUsd: async () =>
        sumUnsavedUsd(total, (open) => open.owner === owner) + (await spentTodayUsd(db, owner)),
    })
    return total
  }

  return {
    async open(run) {
      const owner = ownerOf(run.repo)
      const earlierUsd = await spentByRunUsd(db, run.id)
      const budget = createTotal(owner, async () => earlierUsd)
      opened.set(budget, { owner, total: budget, answersOn: null })
      return budget
    },
    openAnswer(ref) {
      const owner = ownerOf(ref.repo)
      const shared = [...opened.values()].find(
        ({ answersOn }) => answersOn?.repo === ref.repo && answersOn.number === ref.number,
      )
      const total =
        shared?.total ??
        createTotal(
          owner,
          async (all) =>
            sumUnsavedUsd(all, (open) => open.total === all) + (await spentOnAnswersUsd(db, ref)),
        )
      const budget = total.createShare()
      opened.set(budget, { owner, total, answersOn: ref })
      return budget
    },
    close: (budget) => {
      opened.delete(budget)
    },
  }
}
