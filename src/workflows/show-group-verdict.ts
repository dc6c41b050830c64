// Shows the verdict on a pull request at the commit that the merge queue made of it.
import type { AppContext } from '../context.ts'
import type { PlatformRequest } from '../domain/platform-request.ts'
import type { ReviewEnd } from '../domain/review.ts'
import { reviewEnds } from '../domain/review.ts'
import type { Check } from '../platforms/platform.ts'
import { findBlockingReview } from '../work/find-blocking-review.ts'
import { readLatestReview, type StoredReview } from '../work/run-outcome.ts'
import { assertCanWrite } from '../work/runs.ts'
import type { Claim } from '../work/work-items.ts'
import type { ChosenAccess } from './choose-access.ts'
import { checkName } from './posting/render-check.ts'
import { reviewEndNames } from './review-end-names.ts'

type GroupRequest = Extract<PlatformRequest, { kind: 'merge_group' }>

interface Verdict {
  readonly state: { readonly end: ReviewEnd; readonly blocks: boolean }
  readonly title: string
  readonly url: string
}

/**
 * The queue merges what was reviewed, so that its commit isn't reviewed again. Without a review of
 * the pull request's head the check is incomplete.
 */
export async function showGroupVerdict(
  ctx: AppContext,
  { claim, access, signal }: { claim: Claim; access: ChosenAccess; signal: AbortSignal },
  { headSha: sha, number }: GroupRequest,
): Promise<void> {
  const { state, title, url } =
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
}

async function readVerdict(
  { db, platform }: AppContext,
  access: ChosenAccess,
  number: number,
  signal: AbortSignal,
): Promise<Verdict> {
  const ref = { repo: access.repo, number }
  const { head, url } = await platform.getPullRequest(access, number, signal)
  const review = await readLatestReview(db, ref)
  const name = `#${number} at ${head.sha.slice(0, 7)}`
  if (review?.headSha !== head.sha) return noReview(name, url)
  const stored = readState(review)
  const other = stored.blocks ? null : await findBlockingReview(db, ref, head.sha)
  const state = other === null ? stored : { end: other.end, blocks: true }
  const where = other === null ? name : `#${other.number}, which has the same head`
  const title = `${reviewEndNames[state.end]}: the review of ${where}`
  return { state, title, url: review.publishedUrl ?? url }
}

function noReview(name: string, url: string): Verdict {
  const state = { end: 'incomplete', blocks: true } as const
  return { state, title: `${reviewEndNames.incomplete}: no review of ${name}`, url }
}

function readState({ decision }: StoredReview): Verdict['state'] {
  const ends = Array.isArray(decision.ends) ? decision.ends : []
  const end = reviewEnds.find((one) => ends.includes(one)) ?? 'incomplete'
  return { end, blocks: decision.blocks !== false }
}
