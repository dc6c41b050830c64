// Describes and stores pull requests whose deliveries didn't arrive, as the host shows them now.
import type { AppContext } from '../context.ts'
import { toStorableText } from '../contract/storable-text.ts'
import type { Db } from '../db/database.ts'
import type { PullRequest, PullRequestRef, RepositoryName } from '../domain/pull-request.ts'
import { insertEvents, type NewEvent, savePullRequests } from '../events/events.ts'
import type { DeliveredPullRequest } from '../platforms/platform.ts'

/** What stands for a delivery that didn't arrive. */
type StandIn = Pick<NewEvent, 'deliveryId' | 'wantsReview' | 'isDeduplicated'> & {
  readonly action: string
}

/** Builds the event of the delivery that didn't arrive. */
export function standInFor(
  { platform }: Pick<AppContext, 'platform'>,
  repo: RepositoryName,
  pullRequest: PullRequest,
  { action, ...flags }: StandIn,
): NewEvent {
  const delivered = describe(pullRequest)
  return {
    source: platform.id,
    eventType: `pull_request.${action}`,
    repo,
    pullRequest: delivered,
    isChecked: true,
    payload: JSON.stringify({ action, repository: { full_name: repo }, pull_request: delivered }),
    error: null,
    repeats: 0,
    ...flags,
  }
}

/** Stores a pull request that is unknown here, as if its opening requested no review. */
export async function adoptPullRequest(
  tx: Db,
  ctx: Pick<AppContext, 'platform'>,
  { ref, pullRequest }: { ref: PullRequestRef; pullRequest: PullRequest },
): Promise<void> {
  const flags = { deliveryId: null, wantsReview: false, isDeduplicated: false }
  const event = standInFor(ctx, ref.repo, pullRequest, { action: 'opened', ...flags })
  await savePullRequests(tx, [event])
  await insertEvents(tx, [event])
}

function describe({ head, base, ...pullRequest }: PullRequest): DeliveredPullRequest {
  return {
    number: pullRequest.number,
    title: toStorableText(pullRequest.title),
    author: toStorableText(pullRequest.author),
    branch: toStorableText(head.branch),
    baseBranch: toStorableText(base.branch),
    headSha: head.sha,
    url: pullRequest.url,
    state: pullRequest.state,
    draft: pullRequest.draft,
    additions: pullRequest.additions,
    deletions: pullRequest.deletions,
    createdAt: pullRequest.createdAt,
    updatedAt: pullRequest.updatedAt,
    mergedAt: pullRequest.mergedAt,
  }
}
