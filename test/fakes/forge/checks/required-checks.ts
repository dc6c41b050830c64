// Checks that a branch requires: which of them pass, and whether they let a merge happen.
import type { Repository } from '../entities.ts'
import { passing } from './check-state.ts'

/** `expected` where nothing was reported for the commit. */
export type CheckVerdict = 'passing' | 'failing' | 'pending' | 'expected'

/**
 * Returns how each required check of a branch stands at a commit. Where a status and a check run
 * have the same name, both must pass, as at GitHub.
 */
export function requiredChecksAt(
  repository: Repository,
  branch: string,
  sha: string,
): ReadonlyMap<string, CheckVerdict> {
  const names = repository.requiredChecks.get(branch) ?? []
  return new Map(names.map((name) => [name, verdictOf(repository, name, sha)]))
}

function verdictOf(repository: Repository, name: string, sha: string): CheckVerdict {
  const status = repository.statuses.findLast((one) => one.sha === sha && one.context === name)
  const runs = repository.checkRuns.filter((one) => one.headSha === sha && one.name === name)
  const apps = [...new Set(runs.map((run) => run.app))]
  const newest = apps.map((app) => runs.findLast((run) => run.app === app)!)
  const verdicts: CheckVerdict[] = newest.map(({ conclusion }) =>
    conclusion === null ? 'pending' : passing.includes(conclusion) ? 'passing' : 'failing',
  )
  if (status !== undefined) {
    const { state } = status
    verdicts.push(state === 'success' ? 'passing' : state === 'pending' ? 'pending' : 'failing')
  }
  if (verdicts.length === 0) return 'expected'
  const order: readonly CheckVerdict[] = ['failing', 'pending']
  return order.find((verdict) => verdicts.includes(verdict)) ?? 'passing'
}

/** Returns GitHub's reason why a commit can't be merged into a branch; null where it can. */
export function mergeProblem(repository: Repository, branch: string, sha: string): string | null {
  for (const [name, verdict] of requiredChecksAt(repository, branch, sha))
    if (verdict !== 'passing') return `Required status check "${name}" is ${verdict}.`
  return null
}
