// Gathers a pull request's commits and the issues that it mentions.
import type { AppContext } from '../../context.ts'
import type {
  CommitSummary,
  IssueReference,
  LinkedIssue,
  PullRequest,
  PullRequestRef,
} from '../../domain/pull-request.ts'
import type { Access } from '../../platforms/platform.ts'

/** The value for a review without background, or one that fails to load it. */
export const noBackground: Background = { commits: [], issues: [] }

/** All texts in it are untrusted. */
interface Background {
  /** The oldest commit comes first. */
  readonly commits: readonly CommitSummary[]
  /** Issues that the pull request closes come first. */
  readonly issues: readonly LinkedIssue[]
}

/** The review goes on without what isn't loaded by then. */
const deadlineMs = 10_000
const maxIssues = 5
/** Only this much of each text is searched for issues. */
const maxTextLength = 20_000

type BackgroundContext = Pick<AppContext, 'platform' | 'log'>

/**
 * Makes one call for the commits and one for each issue. Leaves out what can't be loaded: errors
 * and missing permissions must not fail a review. Never throws; the result is empty if the signal
 * is aborted.
 */
export async function gatherBackground(
  ctx: BackgroundContext,
  access: Access,
  pullRequest: PullRequest,
  signal: AbortSignal,
): Promise<Background> {
  const bounded = AbortSignal.any([signal, AbortSignal.timeout(deadlineMs)])
  const loadOrLog = async <T>(what: string, work: Promise<T>): Promise<T | undefined> => {
    try {
      return await work
    } catch (error) {
      ctx.log.info(
        { err: error, repo: access.repo, number: pullRequest.number },
        `${what} could not be read`,
      )
      return undefined
    }
  }
  const listing = ctx.platform.listPullRequestCommits(access, pullRequest.number, bounded)
  const commits = (await loadOrLog('The commits of a pull request', listing)) ?? []
  const mentioned = findNamedIssues(ctx, pullRequest, commits)
  const chosen = mentioned.slice(0, maxIssues)
  const issues = await Promise.all(
    chosen.map((ref) => loadOrLog('An issue', readIssue(ctx, access, ref, bounded))),
  )
  return { commits, issues: issues.filter((issue) => issue !== undefined) }
}

/** Lists the issues that a pull request mentions; those of its branch and commits come last. */
export function findNamedIssues(
  { platform }: Pick<BackgroundContext, 'platform'>,
  { repo, number, title, body, head }: PullRequest,
  commits: readonly CommitSummary[],
): IssueReference[] {
  const messages = commits.map(({ message }) => message).toReversed()
  const texts = [title, body, messages.join('\n\n')].map((text) => text.slice(0, maxTextLength))
  return platform
    .findIssues(repo, { texts, branch: head.branch })
    .filter((ref) => ref.number !== number || ref.repo.toLowerCase() !== repo.toLowerCase())
}

/**
 * Our token may see more than the readers of the review. So issues of other repositories are read
 * only if those are public, also after an issue moved.
 */
async function readIssue(
  { platform }: Pick<BackgroundContext, 'platform'>,
  access: Access,
  { repo, number }: PullRequestRef,
  signal: AbortSignal,
): Promise<LinkedIssue | undefined> {
  const isAllowed = async (name: string) =>
    name.toLowerCase() === access.repo.toLowerCase() ||
    (await platform.isPublic({ ...access, repo: name }, signal))
  if (!(await isAllowed(repo))) return undefined
  const issue = await platform.getIssue({ ...access, repo }, number, signal)
  return issue.repo === repo || (await isAllowed(issue.repo)) ? issue : undefined
}
