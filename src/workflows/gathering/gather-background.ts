// Gathers what is known about a pull request beside its code: its commits, and the issues that it names.
import type { AppContext } from '../../context.ts'
import type {
  CommitSummary,
  IssueReference,
  LinkedIssue,
  PullRequest,
  PullRequestRef,
} from '../../domain/pull-request.ts'
import type { Access } from '../../platforms/platform.ts'

/** Of a change that is reviewed without a background, or whose background can't be had. */
export const noBackground: Background = { commits: [], issues: [] }

/** All of it is untrusted text. */
export interface Background {
  /** Oldest first. */
  readonly commits: readonly CommitSummary[]
  /** Those that the pull request is to close come first. */
  readonly issues: readonly LinkedIssue[]
}

/** What is known late is no help: the review goes on without it. */
const deadlineMs = 10_000
const maxIssues = 5
/** Of the text in which issues are looked for. */
const maxTextLength = 20_000

type BackgroundContext = Pick<AppContext, 'platform' | 'log'>

/**
 * One call for the commits, and one more for each issue. Whatever of it can't be had is left out: no fault and no missing
 * permission fails a review. Never throws; empty when the signal is aborted.
 */
export async function gatherBackground(
  ctx: BackgroundContext,
  access: Access,
  pullRequest: PullRequest,
  signal: AbortSignal,
): Promise<Background> {
  const within = AbortSignal.any([signal, AbortSignal.timeout(deadlineMs)])
  const tried = async <T>(what: string, work: Promise<T>): Promise<T | undefined> => {
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
  const listed = ctx.platform.listPullRequestCommits(access, pullRequest.number, within)
  const commits = (await tried('The commits of a pull request', listed)) ?? []
  const named = findNamedIssues(ctx, pullRequest, commits)
  const read = named.slice(0, maxIssues)
  const issues = await Promise.all(
    read.map((ref) => tried('An issue', readIssue(ctx, access, ref, within))),
  )
  return { commits, issues: issues.filter((issue) => issue !== undefined) }
}

/** The issues that a pull request names, in the order of what they say about it: those of its branch and commits last. */
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
 * Our token may see repositories that those who read the review must not: of another repository only what everybody can
 * see is read, also where an issue moved there.
 */
async function readIssue(
  { platform }: Pick<BackgroundContext, 'platform'>,
  access: Access,
  { repo, number }: PullRequestRef,
  signal: AbortSignal,
): Promise<LinkedIssue | undefined> {
  const mayBeRead = async (name: string) =>
    name.toLowerCase() === access.repo.toLowerCase() ||
    (await platform.isPublic({ ...access, repo: name }, signal))
  if (!(await mayBeRead(repo))) return undefined
  const issue = await platform.getIssue({ ...access, repo }, number, signal)
  return issue.repo === repo || (await mayBeRead(issue.repo)) ? issue : undefined
}
