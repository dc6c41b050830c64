// Chooses what a review decides at the code host: it approves, requests changes, or only comments.
import type { AppContext } from '../context.ts'
import { PlatformError } from '../domain/errors.ts'
import type { PullRequest } from '../domain/pull-request.ts'
import type { RepositorySettings } from '../domain/repository-settings.ts'
import type { Decision, ReviewEnd } from '../domain/review.ts'
import { readPausedBy } from '../events/review-pauses.ts'
import type { ReviewStep } from './review-task.ts'

interface DecisionInput {
  readonly pullRequest: Pick<PullRequest, 'repo' | 'head' | 'base'>
  readonly ends: readonly ReviewEnd[]
  /** The ends that block merging. */
  readonly gate: readonly ReviewEnd[]
  /** The decisions that the settings of the base branch permit. */
  readonly permitted: RepositorySettings['decisions']
}

/** Null for a review that only comments. Changes from forks are never approved. */
export async function chooseDecision(
  ctx: Pick<AppContext, 'db' | 'platform' | 'log'>,
  task: ReviewStep,
  { pullRequest, ends, gate, permitted }: DecisionInput,
): Promise<Decision | null> {
  if (ctx.platform.limits.decisions !== true) return null
  const { branch } = pullRequest.base
  if ((await readPausedBy(ctx.db, task.run, branch)) !== null) return null
  const isRefused = ends.includes('changes_requested') && gate.includes('changes_requested')
  if (isRefused && permitted.includes('request_changes')) return 'request_changes'
  const isFork = pullRequest.head.repo !== pullRequest.repo
  const isPassed = ends.length === 1 && ends[0] === 'passed'
  if (!isPassed || isFork || !permitted.includes('approve')) return null
  return (await isBaseTrusted(ctx, task, branch)) ? 'approve' : null
}

/**
 * Whether the settings of a base branch may permit an approval. On a branch that anybody with write
 * access can create, an author would permit their own. False if the platform doesn't answer.
 */
async function isBaseTrusted(
  { platform, log }: Pick<AppContext, 'platform' | 'log'>,
  { access, signal }: ReviewStep,
  branch: string,
): Promise<boolean> {
  try {
    const { defaultBranch } = await platform.getRepository(access, signal)
    return branch === defaultBranch
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof PlatformError)) throw error
    const fields = { err: error, repo: access.repo, branch }
    log.warn(fields, 'The base branch could not be checked, so that nothing is approved')
    return false
  }
}
