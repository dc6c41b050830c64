// The merge queue: groups of commits that are checked before they reach the branch.
import type { PullRequest, Repository, User } from '../entities.ts'
import { git } from '../git.ts'
import { deliverNamed } from '../github/deliveries.ts'
import { readCommitIdentity } from '../objects.ts'
import { finishMerge } from '../pull-requests.ts'
import { changeRefs, makeMergeCommit } from '../pushes.ts'
import { announceChange, type ForgeState } from '../state.ts'
import { mergeProblem } from './required-checks.ts'

/** The merge of one pull request, on a branch of its own until its checks have passed. */
export interface MergeGroup {
  readonly pull: PullRequest
  readonly headSha: string
  readonly headRef: string
  readonly baseSha: string
  readonly baseRef: string
}

/** Adds a pull request to the queue, and asks for the checks of the merge. */
export async function enqueue(state: ForgeState, pull: PullRequest, by: User): Promise<MergeGroup> {
  const { repository } = pull
  const group = await changeRefs(state, repository, by, async () => {
    const { base, commit } = await makeMergeCommit(state, pull, by)
    const headRef = `refs/heads/gh-readonly-queue/${pull.baseRef}/pr-${pull.number}-${base}`
    await git(repository.directory, ['update-ref', headRef, commit])
    const baseRef = `refs/heads/${pull.baseRef}`
    return { pull, headSha: commit, headRef, baseSha: base, baseRef }
  })
  repository.mergeGroups.push(group)
  await deliverGroup(state, repository, group, by, { action: 'checks_requested' })
  announceChange(state)
  return group
}

async function deliverGroup(
  state: ForgeState,
  repository: Repository,
  group: MergeGroup,
  by: User,
  content: Record<string, unknown>,
): Promise<void> {
  const { baseRef, baseSha, headRef, headSha } = group
  const shape = {
    head_sha: headSha,
    head_ref: headRef,
    base_sha: baseSha,
    base_ref: baseRef,
    head_commit: await readCommitIdentity(repository, headSha),
  }
  deliverNamed(state, repository, 'merge_group', by, { ...content, merge_group: shape })
}

/**
 * Ends a group: merges it where its required checks have passed, and takes it out of the queue where
 * not. Returns whether it was merged.
 */
export async function settleGroup(
  state: ForgeState,
  repository: Repository,
  headSha: string,
  by: User,
): Promise<boolean> {
  const group = repository.mergeGroups.find((one) => one.headSha === headSha)
  if (group === undefined) throw new Error(`The queue has no group ${headSha}.`)
  const merges = mergeProblem(repository, group.pull.baseRef, headSha) === null
  repository.mergeGroups.splice(repository.mergeGroups.indexOf(group), 1)
  await changeRefs(state, repository, by, async () => {
    await git(repository.directory, ['update-ref', '-d', group.headRef])
    if (!merges) return
    await git(repository.directory, ['update-ref', group.baseRef, headSha, group.baseSha])
    finishMerge(state, group.pull, headSha, by)
  })
  const reason = merges ? 'merged' : 'dequeued'
  await deliverGroup(state, repository, group, by, { action: 'destroyed', reason })
  announceChange(state)
  return merges
}
