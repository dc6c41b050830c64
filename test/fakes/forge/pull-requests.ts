// The life of pull requests: opening, pushes, closing, merging, and their deliveries.
import { requestSuites } from './checks/check-state.ts'
import { type Comparison, compareCommits, mergeBaseOf } from './comparison.ts'
import type { ForgeEvent, FormerValues, RefChange } from './dialect.ts'
import type { PullRequest, Repository, User } from './entities.ts'
import { git, tryGit } from './git.ts'
import { moveInlineComments } from './inline-comments.ts'
import { commitsBetween, resolveCommit, runExclusive } from './objects.ts'
import { announceChange, type ForgeState, nextId, now } from './state.ts'

/** Thrown when a pull request can't be opened; `message` is GitHub's. */
export class PullRequestProblem extends Error {
  readonly field: string | null
  constructor(message: string, field: string | null = null) {
    super(message)
    this.field = field
  }
}

export interface NewPullRequest {
  readonly title: string
  readonly body: string | null
  readonly author: User
  readonly draft: boolean
  readonly base: string
  readonly head: string
  readonly headRepository: Repository
}

/** Opens a pull request and delivers `opened`. */
export async function openPull(
  state: ForgeState,
  repository: Repository,
  input: NewPullRequest,
): Promise<PullRequest> {
  // No push may come between reading the branch and adding the pull request to the list.
  return await runExclusive(input.headRepository, () => openPullNow(state, repository, input))
}

async function openPullNow(
  state: ForgeState,
  repository: Repository,
  input: NewPullRequest,
): Promise<PullRequest> {
  const headSha = await resolveCommit(input.headRepository, `refs/heads/${input.head}`)
  if (headSha === null) throw new PullRequestProblem('', 'head')
  const baseSha = await resolveCommit(repository, `refs/heads/${input.base}`)
  if (baseSha === null) throw new PullRequestProblem('', 'base')
  const { draftTitles } = state.dialect
  const title = input.draft ? (draftTitles?.change(input.title, true) ?? input.title) : input.title
  const pull: PullRequest = {
    id: nextId(state),
    number: Math.max(0, ...repository.issues.keys()) + 1,
    repository,
    author: input.author,
    title,
    body: input.body,
    state: 'open',
    createdAt: now(state),
    updatedAt: now(state),
    closedAt: null,
    comments: [],
    labels: [],
    draft: draftTitles?.isDraft(title) ?? input.draft,
    headRepository: input.headRepository,
    headOwner: input.headRepository.owner,
    headRef: input.head,
    headSha,
    baseRef: input.base,
    baseSha,
    mergeBase: baseSha,
    mergedAt: null,
    mergedBy: null,
    mergeCommitSha: null,
    additions: 0,
    deletions: 0,
    changedFiles: 0,
    commits: 0,
    reviews: [],
    dismissals: [],
    requestedReviewers: [],
    inlineComments: [],
    pendingReviews: [],
  }
  refuseDuplicate(repository, pull)
  // The number is taken before the first await, so that two at once don't get the same.
  repository.issues.set(pull.number, pull)
  try {
    await updateHeadRef(state, pull)
    if ((await mergeBaseOf(repository, baseSha, headSha)) === null) {
      throw new PullRequestProblem(
        `The ${input.head} branch has no history in common with ${input.base}`,
      )
    }
    await updateDiffStats(pull)
    if (pull.commits === 0)
      throw new PullRequestProblem(`No commits between ${input.base} and ${input.head}`)
  } catch (error) {
    repository.issues.delete(pull.number)
    throw error
  }
  repository.pulls.set(pull.number, pull)
  deliverPull(state, pull, 'opened', input.author)
  announceChange(state)
  return pull
}

function refuseDuplicate(repository: Repository, wanted: PullRequest): void {
  const exists = [...repository.pulls.values()].some(
    (pull) =>
      pull.state === 'open' &&
      pull.headRepository === wanted.headRepository &&
      pull.headRef === wanted.headRef &&
      pull.baseRef === wanted.baseRef,
  )
  if (exists) {
    throw new PullRequestProblem(
      `A pull request already exists for ${wanted.headOwner.login}:${wanted.headRef}.`,
    )
  }
}

/** Delivers what happened to a pull request. */
export function deliverPull(
  state: ForgeState,
  pull: PullRequest,
  action: string,
  sender: User,
  more: Partial<Extract<ForgeEvent, { kind: 'pull_request' }>> = {},
): void {
  const event = { ...more, kind: 'pull_request', action, pull } as const
  state.dialect.deliver(state, pull.repository, event, sender)
}

/** Points the ref of a pull request at its head, with the objects of a fork. */
async function updateHeadRef(state: ForgeState, pull: PullRequest): Promise<void> {
  const { repository, headRepository, headSha, number } = pull
  if (headRepository !== repository && headRepository !== null) {
    await git(repository.directory, [
      'fetch',
      '--quiet',
      '--no-tags',
      headRepository.directory,
      headSha,
    ])
  }
  await git(repository.directory, [
    'update-ref',
    `${state.dialect.pullRefs}/${number}/head`,
    headSha,
  ])
}

/** Counts commits, files and lines. Returns the change. */
async function updateDiffStats(pull: PullRequest): Promise<Comparison> {
  const comparison = await compareCommits(pull.repository, pull.baseSha, pull.headSha)
  pull.commits = (await commitsBetween(pull.repository, pull.baseSha, pull.headSha)).length
  pull.changedFiles = comparison.files.length
  pull.mergeBase = comparison.mergeBase
  pull.additions = comparison.files.reduce((sum, file) => sum + file.additions, 0)
  pull.deletions = comparison.files.reduce((sum, file) => sum + file.deletions, 0)
  return comparison
}

/** Updates all pull requests from branches that moved, and delivers that. */
export async function applyRefChanges(
  state: ForgeState,
  repository: Repository,
  changes: readonly RefChange[],
  pusher: User,
): Promise<void> {
  for (const change of changes) {
    for (const pull of openPulls(state)) {
      if (pull.headRepository === repository && pull.headRef === change.branch)
        await moveHead(state, pull, change, pusher)
    }
    for (const pull of openPulls(state)) {
      if (pull.repository !== repository || pull.baseRef !== change.branch || change.after === null)
        continue
      const contained = ['merge-base', '--is-ancestor', pull.headSha, change.after]
      if ((await tryGit(repository.directory, contained)).code !== 0) continue
      finishMerge(state, pull, change.after, pusher)
    }
    await state.dialect.deliverPush(state, repository, change, pusher)
    const { after, before, branch } = change
    if (after !== null) await requestSuites(state, repository, { branch, before, after }, pusher)
  }
}

function openPulls(state: ForgeState): PullRequest[] {
  const all = [...state.repositories.values()].flatMap((repository) => [
    ...repository.pulls.values(),
  ])
  return all.filter((pull) => pull.state === 'open')
}

async function moveHead(
  state: ForgeState,
  pull: PullRequest,
  change: RefChange,
  pusher: User,
): Promise<void> {
  if (change.after === null) {
    if (state.dialect.closesWithoutBranch) closePull(state, pull, pusher)
    return
  }
  const before = pull.headSha
  pull.headSha = change.after
  pull.baseSha =
    (await resolveCommit(pull.repository, `refs/heads/${pull.baseRef}`)) ?? pull.baseSha
  pull.updatedAt = now(state)
  await updateHeadRef(state, pull)
  // A head without common history keeps its old counts.
  if ((await mergeBaseOf(pull.repository, pull.baseSha, pull.headSha)) !== null) {
    await updateDiffStats(pull)
    await moveInlineComments(pull)
  }
  deliverPull(state, pull, 'synchronize', pusher, { moved: { before, after: pull.headSha } })
}

/** Closes without merging and delivers `closed`. */
export function closePull(state: ForgeState, pull: PullRequest, by: User): void {
  if (pull.state === 'closed') return
  pull.state = 'closed'
  pull.closedAt = now(state)
  pull.updatedAt = pull.closedAt
  deliverPull(state, pull, 'closed', by)
  announceChange(state)
}

/** Reopens a closed pull request at the branch's current commit, and delivers `reopened`. */
export async function reopenPull(state: ForgeState, pull: PullRequest, by: User): Promise<void> {
  if (pull.state === 'open' || pull.mergedAt !== null)
    throw new Error(`#${pull.number} can't be opened again.`)
  const head =
    pull.headRepository && (await resolveCommit(pull.headRepository, `refs/heads/${pull.headRef}`))
  if (head === null) throw new Error(`The branch of #${pull.number} is gone.`)
  pull.state = 'open'
  pull.closedAt = null
  pull.updatedAt = now(state)
  if (head !== pull.headSha) {
    pull.headSha = head
    await updateHeadRef(state, pull)
    await updateDiffStats(pull)
    await moveInlineComments(pull)
  }
  deliverPull(state, pull, 'reopened', by)
  announceChange(state)
}

/** Turns a pull request into a draft or back, and delivers it. */
export function setDraft(state: ForgeState, pull: PullRequest, draft: boolean, by: User): void {
  if (pull.draft === draft) return
  const { draftTitles } = state.dialect
  if (draftTitles !== null) {
    void editPull(state, pull, { title: draftTitles.change(pull.title, draft) }, by)
    return
  }
  pull.draft = draft
  pull.updatedAt = now(state)
  deliverPull(state, pull, draft ? 'converted_to_draft' : 'ready_for_review', by)
  announceChange(state)
}

/** Changes title, body or target branch, and delivers `edited` with the old values. */
export async function editPull(
  state: ForgeState,
  pull: PullRequest,
  change: { title?: string; body?: string | null; base?: string },
  by: User,
): Promise<void> {
  const former: { -readonly [Key in keyof FormerValues]: FormerValues[Key] } = {}
  if (change.title !== undefined && change.title !== pull.title) {
    former.title = pull.title
    pull.title = change.title
    pull.draft = state.dialect.draftTitles?.isDraft(pull.title) ?? pull.draft
  }
  if (change.body !== undefined && change.body !== pull.body) {
    former.body = pull.body
    pull.body = change.body
  }
  if (change.base !== undefined && change.base !== pull.baseRef) {
    const baseSha = await resolveCommit(pull.repository, `refs/heads/${change.base}`)
    if (baseSha === null) throw new PullRequestProblem('', 'base')
    former.base = { ref: pull.baseRef, sha: pull.baseSha }
    pull.baseRef = change.base
    pull.baseSha = baseSha
    await updateDiffStats(pull)
    await moveInlineComments(pull)
  }
  if (Object.keys(former).length === 0) return
  pull.updatedAt = now(state)
  deliverPull(state, pull, 'edited', by, { former })
  announceChange(state)
}

/** Marks as merged by a commit, and closes. */
export function finishMerge(state: ForgeState, pull: PullRequest, commit: string, by: User): void {
  pull.mergedAt = now(state)
  pull.mergedBy = by
  pull.mergeCommitSha = commit
  closePull(state, pull, by)
}
