// Stores how far connected repositories were compared with the code host, and finds what its list
// of pull requests has and no run reviewed.
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import { limitRows } from '../db/limit-rows.ts'
import type { PullRequestState, RepositoryName } from '../domain/pull-request.ts'
import type { SeenPullRequest } from '../work/run-outcome.ts'

/**
 * The minimum interval between the comparisons of an owner's repositories, because they share the
 * limits of the host.
 */
const minOwnerIntervalSeconds = 10

/**
 * A later time than the pause permits means that the clock was set back. Where it is hardly later,
 * another process has claimed the work after this statement's transaction began.
 */
export const clockSlack = sql`interval '1 minute'`

/** A connected repository that is compared now. */
export interface DueReconciliation {
  readonly repo: RepositoryName
  /** Since when it is connected without a gap. */
  readonly connectedAt: Date
  /** Null if no webhook of its own delivers. */
  readonly webhookId: number | null
  /** Changes from before this time of the host were compared; null if none were. */
  readonly comparedUntil: Date | null
  /** Failed deliveries from before this time were asked for again; null if none were. */
  readonly redeliveredUntil: Date | null
  /** Comments from before this time of the host were answered; null if none were listed. */
  readonly commentsUntil: Date | null
}

/** Times of hosts have whole seconds. */
const platformClockMs = 1000

/** Returns since when the repository is connected, in milliseconds, as its host would show it. */
export function connectionTime({ connectedAt }: Pick<DueReconciliation, 'connectedAt'>): number {
  return Math.floor(connectedAt.getTime() / platformClockMs) * platformClockMs
}

/**
 * Claims connected repositories whose comparison is due, so that only one of all processes compares
 * them. The longest waiting ones come first.
 *
 * @param input `everySeconds` is the interval, which is longer for owners with many repositories
 */
export async function claimReconciliations(
  db: Db,
  { limit, everySeconds }: { limit: number; everySeconds: number },
): Promise<DueReconciliation[]> {
  const { rows } = await sql<DueReconciliation>`
    with connected as (
      select lower(repo_full_name) as key, max(repo_full_name) as repo,
        min(created_at) as connected_at, nullif(max(webhook_id), 0) as webhook_id,
        make_interval(secs => greatest(${everySeconds}, ${sql.lit(minOwnerIntervalSeconds)}
          * (count(*) over (partition by owner_of(lower(repo_full_name))) - 1))) as pause
      from installations where is_active group by lower(repo_full_name)
    ), due as (
      select c.* from connected c left join reconciliations r on r.repo = c.key
      where r.repo is null or r.due_at <= now() or r.due_at > now() + c.pause + ${clockSlack}
      order by r.due_at nulls first ${limitRows(limit)}
    ), claimed as (
      insert into reconciliations as r (repo, due_at) select key, now() + pause from due
      on conflict (repo) do update set due_at = excluded.due_at
      where r.due_at <= now() or r.due_at > excluded.due_at + ${clockSlack}
      returning r.repo as key, compared_until, redelivered_until, comments_until
    )
    select due.repo, connected_at, webhook_id, compared_until, redelivered_until, comments_until
    from claimed join due using (key)`.execute(db)
  return rows
}

/** Stores until when a repository was compared, its deliveries were repeated or comments read. */
export async function saveReconciliation(
  db: Db,
  repo: RepositoryName,
  progress: { comparedUntil: Date } | { redeliveredUntil: Date } | { commentsUntil: Date },
): Promise<void> {
  await db
    .updateTable('reconciliations')
    .set(progress)
    .where('repo', '=', repo.toLowerCase())
    .execute()
}

/** What is stored of a pull request that the host lists. */
export interface KnownPullRequest {
  readonly number: number
  /** Null if it is unknown here, as are the head and the time. */
  readonly state: PullRequestState | null
  /** It is as of the newest delivery. */
  readonly headSha: string | null
  readonly updatedAt: Date | null
  /** Whether any delivery requested its review. */
  readonly wasRequested: boolean
  /** Whether a review is waiting or running: it looks at the newest head. */
  readonly isWaiting: boolean
  /**
   * What the latest run saw. Unlike what is stored, deliveries that request nothing don't change
   * it. Null if it is unknown, or if no run has ended.
   */
  readonly seen: { readonly [Key in keyof SeenPullRequest]: SeenPullRequest[Key] | null }
  /** Whether this comparison requested the listed change, and no other run has ended since. */
  readonly isReconciled: boolean
}

/** A head that the host lists, and the branch into which it is to be merged. */
interface ListedChange {
  readonly number: number
  readonly headSha: string
  readonly baseBranch: string
}

/** Reads what is stored of pull requests, in the order of `changes`. */
export async function readKnownPullRequests(
  db: Db,
  repo: RepositoryName,
  changes: readonly ListedChange[],
): Promise<KnownPullRequest[]> {
  if (changes.length === 0) return []
  const events = sql`select from events e where e.repo = ${repo} and e.pr_number = listed.number`
  const { rows } = await sql<KnownPullRequest>`
    select listed.number, p.state, p.head_sha, p.updated_at,
      exists (${events} and e.wants_review) as was_requested,
      exists (${events} and e.wants_review and e.status in ('pending', 'processing')) as is_waiting,
      exists (
        ${events} and e.delivery_id = listed.delivery_id and coalesce(e.run_id >= ended.id, true)
      ) as is_reconciled,
      jsonb_build_object(
        'headSha', ended.head_sha, 'baseBranch', ended.base_branch,
        'draft', ended.seen->'draft', 'title', ended.seen->'title'
      ) as seen
    from unnest(
      ${changes.map(({ number }) => number)}::int[],
      ${changes.map(reconciledDeliveryId)}::text[]
    ) with ordinality as listed (number, delivery_id, position)
    left join pull_requests p on p.repo = ${repo} and p.number = listed.number
    left join lateral (
      -- Failed runs store no head. If they began no check, they saw that of the newest delivery.
      select id, coalesce(head_sha, shown_head_sha, p.head_sha) as head_sha, base_branch,
        decision->'seen' as seen
      from workflow_runs r
      where r.repo = ${repo} and r.pr_number = listed.number and r.status in ('completed', 'failed')
      order by id desc limit 1
    ) as ended on true
    order by listed.position`.execute(db)
  return rows
}

/** Delivery ids of events begin with it that stand for lost deliveries. */
export const reconciledPrefix = 'reconciled:'

/** The id of the event that stands for the lost delivery of a change. */
export function reconciledDeliveryId({
  headSha,
  baseBranch,
}: Pick<ListedChange, 'headSha' | 'baseBranch'>): string {
  return `${reconciledPrefix}${headSha}:${baseBranch}`
}
