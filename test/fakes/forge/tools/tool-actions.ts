// What tests do with code scanning and workflow runs on the forge directly, as methods of Forge.
import { git } from '../git.ts'
import { makeMergeCommit } from '../pushes.ts'
import {
  announceChange,
  type ForgeState,
  nextId,
  now,
  pullNumbered,
  repositoryNamed,
} from '../state.ts'
import { startStorage } from './storage.ts'
import type { ToolControls } from './tool-interface.ts'
import type { Artifact, WorkflowRun } from './tool-state.ts'

export function toolActions(state: ForgeState): ToolControls {
  const toolsOf = (repo: string) => repositoryNamed(state, repo).tools
  const findRun = (repo: string, id: number): WorkflowRun => {
    const run = toolsOf(repo).workflowRuns.find((one) => one.id === id)
    if (run === undefined) throw new Error(`${repo} has no workflow run ${id}.`)
    return run
  }
  return {
    uploadAnalysis: (repo, { category = '', ...input }) => {
      const tools = toolsOf(repo)
      const analysis = { id: nextId(state), category, createdAt: now(state), ...input }
      tools.analyses = [...(tools.analyses ?? []), analysis]
      announceChange(state)
      return analysis.id
    },
    makeTrialMerge: async (repo, number) => {
      const pull = pullNumbered(state, repo, number)
      const { commit } = await makeMergeCommit(state, pull, pull.author)
      const { directory } = pull.repository
      await git(directory, ['update-ref', `refs/pull/${number}/merge`, commit])
      return commit
    },
    startWorkflow: (repo, { sha, event = 'pull_request' }) => {
      const created = { id: nextId(state), createdAt: now(state), artifacts: [] }
      const run: WorkflowRun = { ...created, event, headSha: sha, status: 'in_progress' }
      toolsOf(repo).workflowRuns.push(run)
      return run.id
    },
    endWorkflow: async (repo, id, archives = {}) => {
      await startStorage(state)
      const run = findRun(repo, id)
      for (const [name, archive] of Object.entries(archives)) {
        const common = { id: nextId(state), name, expired: false, createdAt: now(state) }
        run.artifacts.push({ ...common, archive: Buffer.from(archive) })
      }
      run.status = 'completed'
      announceChange(state)
      return run.artifacts.map((artifact) => artifact.id)
    },
    expireArtifact: (repo, id) => {
      const all = toolsOf(repo).workflowRuns.flatMap(({ artifacts }): Artifact[] => artifacts)
      const artifact = all.find((one) => one.id === id)
      if (artifact === undefined) throw new Error(`${repo} has no artifact ${id}.`)
      artifact.expired = true
    },
  }
}
