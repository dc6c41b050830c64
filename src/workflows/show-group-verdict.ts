// Shows the verdict on a pull request at the commit that the merge queue made of it.
import type { AppContext } from '../context.ts'
import { transactionWithRetry } from '../db/transaction.ts'
import type { PlatformRequest } from '../domain/platform-request.ts'
import type { ReviewEnd } from '../domain/review.ts'
import { reviewEnds } from '../domain/review.ts'
import type { Check, ReviewProgress } from '../platforms/platform.ts'
import { type BlockingReview, findBlockingReview } from '../work/blocking-review.ts'
import { type LatestEnd, readLatestEnd } from '../work/run-outcome.ts'
import { assertCanWrite, hasWaitingEvents, lockPullRequest } from '../work/runs.ts'
import { type Claim, finish } from '../work/work-items.ts'
import type { ChosenAccess } from './choose-access.ts'
import { checkName } from './posting/render-check.ts'
import { reviewEndNames } from './review-end-names.ts'

type GroupRequest = Extract<PlatformRequest, { kind: 'merge_group' }>

interface Verdict {
  readonly state: ReviewProgress
  readonly title: string
  readonly url: string
  /** The run whose end it is; null for none. */
  readonly runId: number | null
}

/**
 * Shows how the review of the pull request's head ended, and finishes the work. The queue merges
 * what was reviewed, so that its commit isn't reviewed again. Without a review of that head the
 * check is incomplete. Each end of a review requests this again.
 */
export async function showGroupVerdict(
  ctx: AppContext,
  { claim, access, signal }: { claim: Claim; access: ChosenAccess; signal: AbortSignal },
  { headSha: sha, number }: GroupRequest,
): Promise<void> {
  const { state, title, url, runId } =
    number === null
      ? noReview('the merge group', ctx.config.http.publicUrl)
      : await readVerdict(ctx, access, number, signal)
  const check: Check = {
    sha,
    name: checkName,
    state,
    title,
    url,
    summary: `${title}.\n\nSee [the review](${url}) for what was found and read.`,
    annotations: [],
    buttons: [],
    beforeWrite: () => assertCanWrite(ctx.db, claim, access),
  }
  await ctx.platform.ensureCheck(access, check, signal)
  await transactionWithRetry(ctx.db, async (tx) => {
    if (number === null) return finish(tx, claim)
    // A review that ended meanwhile found this work in the queue, and added none.
    const ref = { repo: access.repo, number }
    await lockPullRequest(tx, ref)
    const latest = await readLatestEnd(tx, ref)
    await finish(tx, claim, { again: (latest?.runId ?? null) !== runId })
  })
}

async function readVerdict(
  { db, platform }: AppContext,
  access: ChosenAccess,
  number: number,
  signal: AbortSignal,
): Promise<Verdict> {
  const ref = { repo: access.repo, number }
  const { head, url } = await platform.getPullRequest(access, number, signal)
  const latest = await readLatestEnd(db, ref)
  const runId = latest?.runId ?? null
  const name = `#${number} at ${head.sha.slice(0, 7)}`
  // Its base branch may have changed, or a finding may have been dismissed.
  if (await hasWaitingEvents(db, ref)) return { ...reviewInProgress(name, url), runId }
  if (latest === undefined || latest.hasFailed || latest.headSha !== head.sha)
    return { ...noReview(name, url), runId }
  const own = readState(latest)
  const other = own.blocks ? null : await findBlockingReview(db, ref, head.sha)
  const shown = other === null ? describeEnd(own, name) : describeOther(other, url)
  return { url: latest.publishedUrl ?? url, ...shown, runId }
}

type Shown = Pick<Verdict, 'state' | 'title'> & Partial<Pick<Verdict, 'url'>>

function describeOther({ number, end }: BlockingReview, url: string): Shown {
  const name = `#${number}, which has the same head`
  return end === 'pending' ? reviewInProgress(name, url) : describeEnd({ end, blocks: true }, name)
}

function describeEnd(state: { end: ReviewEnd; blocks: boolean }, name: string): Shown {
  return { state, title: `${reviewEndNames[state.end]}: the review of ${name}` }
}

function reviewInProgress(name: string, url: string): Omit<Verdict, 'runId'> {
  return { state: 'pending', title: `The review of ${name} is in progress`, url }
}

function noReview(name: string, url: string): Verdict {
  const state = { end: 'incomplete', blocks: true } as const
  const title = `${reviewEndNames.incomplete}: no review of ${name}`
  return { state, title, url, runId: null }
}

function readState({ decision }: LatestEnd): { end: ReviewEnd; blocks: boolean } {
  const ends = Array.isArray(decision.ends) ? decision.ends : []
  const end = reviewEnds.find((one) => ends.includes(one)) ?? 'incomplete'
  return { end, blocks: decision.blocks !== false }
}
