// What tests do with checks on the forge directly, as methods of Forge.
import { accountPermission, permits } from '../access.ts'
import type { User } from '../entities.ts'
import { type ForgeState, pullNumbered, repositoryNamed, userNamed } from '../state.ts'
import type { CheckControls, CheckRunView } from './check-interface.ts'
import { type CheckRun, deliverRun, rerequestRun, rerequestSuite } from './check-state.ts'
import { enqueue, settleGroup } from './merge-queue.ts'
import { requiredChecksAt } from './required-checks.ts'

export function checkActions(state: ForgeState): CheckControls {
  const findRun = (repo: string, id: number): CheckRun => {
    const run = repositoryNamed(state, repo).checkRuns.find((one) => one.id === id)
    if (run === undefined) throw new Error(`${repo} has no check run ${id}.`)
    return run
  }
  const writer = (repo: string, login: string): User => {
    const user = userNamed(state, login)
    if (permits(accountPermission(user, repositoryNamed(state, repo)), 'write')) return user
    throw new Error(`${login} can't write to ${repo}: GitHub shows no such button.`)
  }
  return {
    checkRuns: (repo, sha) =>
      repositoryNamed(state, repo)
        .checkRuns.filter((run) => run.headSha === sha)
        .map(viewRun),
    rerunCheck: (repo, id, by) => {
      const run = findRun(repo, id)
      if (run.status !== 'completed') throw new Error(`Check run ${id} isn't completed yet.`)
      rerequestRun(state, repositoryNamed(state, repo), run, writer(repo, by))
    },
    rerunAllChecks: async (repo, sha, app, by) => {
      const repository = repositoryNamed(state, repo)
      const suite = repository.checkSuites.find(
        (one) => one.headSha === sha && one.app.slug === app,
      )
      if (suite === undefined) throw new Error(`${repo} has no checks of ${app} at ${sha}.`)
      await rerequestSuite(state, repository, suite, writer(repo, by))
    },
    pressCheckButton: (repo, id, identifier, by) => {
      const run = findRun(repo, id)
      if (!run.actions.some((action) => action.identifier === identifier))
        throw new Error(`Check run ${id} has no button ${identifier}.`)
      const more = { requested_action: { identifier } }
      const repository = repositoryNamed(state, repo)
      deliverRun(state, repository, run, 'requested_action', writer(repo, by), more)
    },
    requireChecks: (repo, branch, names) => {
      repositoryNamed(state, repo).requiredChecks.set(branch, names)
    },
    requiredChecks: (repo, branch, sha) =>
      requiredChecksAt(repositoryNamed(state, repo), branch, sha),
    enqueue: async (repo, number, by) =>
      (await enqueue(state, pullNumbered(state, repo, number), writer(repo, by))).headSha,
    settleMergeGroup: (repo, headSha, by) =>
      settleGroup(state, repositoryNamed(state, repo), headSha, writer(repo, by)),
  }
}

function viewRun({ app, suite: _, ...run }: CheckRun): CheckRunView {
  return { ...run, app: app.slug, annotations: [...run.annotations] }
}
