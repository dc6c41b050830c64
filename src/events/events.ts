// Stores accepted deliveries as events, and the last known state of their pull requests.
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../db/database.ts'
import type { PullRequestRef, RepositoryName } from '../domain/pull-request.ts'
import type { DeliveredPullRequest } from '../platforms/platform.ts'
import { announce } from './listing.ts'
import { compressPayload } from './payload.ts'
import { composeSearchText } from './search-text.ts'

/** A delivery to store. */
export interface NewEvent {
  readonly source: string
  readonly deliveryId: string | null
  readonly eventType: string
  readonly repo: RepositoryName | null
  readonly pullRequest: DeliveredPullRequest | null
  /**
   * Whether the signature was verified. Of an unverified payload only the pull request's id is
   * used.
   */
  readonly isChecked: boolean
  /** It is a JSON text. */
  readonly payload: string
  /** Whether it leads to a review, if the settings don't skip it. */
  readonly wantsReview: boolean
  /**
   * Whether it opens or pushes to a pull request, and thus is skipped while a review for such an
   * event is unfinished: the review looks at the head again before it ends. It doesn't look at
   * the title or the base branch again.
   */
  readonly isDeduplicated: boolean
  /** Why the requested review is impossible; the event is stored as failed. */
  readonly error: string | null
  /** How many duplicates of it the same batch had. */
  readonly repeats: number
}

/** The pull request that an event is about; null if it is about none. */
export function pullRequestOf({ repo, pullRequest }: NewEvent): PullRequestRef | null {
  return repo !== null && pullRequest !== null ? { repo, number: pullRequest.number } : null
}

/**
 * Updates the last known state of the pull requests; payloads older than it are ignored. Locks
 * their rows until the transaction ends, always in the same order to avoid deadlocks.
 */
export async function savePullRequests(tx: Db, events: readonly NewEvent[]): Promise<void> {
  const newest = new Map<string, { repo: string; pullRequest: DeliveredPullRequest }>()
  for (const { repo, pullRequest, isChecked } of events) {
    if (!isChecked || repo === null || pullRequest === null) continue
    const key = `${repo}#${pullRequest.number}`
    const known = newest.get(key)
    if (!known || timeOf(known.pullRequest) <= timeOf(pullRequest))
      newest.set(key, { repo, pullRequest })
  }
  if (newest.size === 0) return
  const rows = [...newest]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, entry]) => pullRequestRow(entry))
  await sql`
    with saved as (${upsertPullRequests(tx, rows)})
    insert into pull_request_search (repo, number, text)
    select repo, number, search_text from saved
    -- With a limit, the planner reads the index once per row.
    left join lateral (
      select text from pull_request_search s where s.repo = saved.repo and s.number = saved.number
      limit 1) as known on true
    -- Few payloads have a new title, and an unchanged text needs no write.
    where known.text is distinct from saved.search_text
    on conflict (repo, number) do update set text = excluded.text`.execute(tx)
}

/** Returns the pull requests whose state the payload changed. */
function upsertPullRequests(tx: Db, rows: ReturnType<typeof pullRequestRow>[]) {
  return tx
    .insertInto('pullRequests')
    .values(rows)
    .onConflict((conflict) =>
      conflict
        .columns(['repo', 'number'])
        .doUpdateSet((eb) => ({
          title: eb.ref('excluded.title'),
          searchText: eb.ref('excluded.searchText'),
          author: eb.ref('excluded.author'),
          branch: eb.ref('excluded.branch'),
          baseBranch: eb.ref('excluded.baseBranch'),
          url: eb.ref('excluded.url'),
          draft: eb.ref('excluded.draft'),
          headSha: eb.ref('excluded.headSha'),
          additions: eb.ref('excluded.additions'),
          deletions: eb.ref('excluded.deletions'),
          openedAt: sql`coalesce(excluded.opened_at, pull_requests.opened_at)`,
          mergedAt: sql`coalesce(excluded.merged_at, pull_requests.merged_at)`,
          updatedAt: eb.ref('excluded.updatedAt'),
          state: sql`case when ${isNewState} then excluded.state else pull_requests.state end`,
          stateAsOf: sql`
            greatest(${clampToNow(sql`pull_requests.state_as_of`)}, excluded.updated_at)`,
          isConfirmed: true,
        }))
        .where(sql<boolean>`${clampToNow(sql`pull_requests.updated_at`)} <= excluded.updated_at`),
    )
    .returning(['repo', 'number', 'searchText'])
}

/** False if the state was read from the platform at a later time than that of the payload. */
const isNewState = sql`(pull_requests.state_as_of is null
  or ${clampToNow(sql`pull_requests.state_as_of`)} <= excluded.updated_at)`

/**
 * Inserts rows for the pull requests of unverified events and marks them as unconfirmed, until the
 * platform confirms them (see pull-request-states.ts). The claimed head is stored but never shown;
 * it makes a running review check the head again before it ends. Locks rows as `savePullRequests`
 * does.
 */
export async function saveUnconfirmedPullRequests(
  tx: Db,
  events: readonly NewEvent[],
): Promise<void> {
  const headsByKey = new Map<string, PullRequestRef & { headSha: string }>()
  for (const event of events) {
    const ref = event.isChecked ? null : pullRequestOf(event)
    if (ref === null) continue
    const headSha = event.pullRequest?.headSha ?? ''
    headsByKey.set(`${ref.repo}#${ref.number}`, { ...ref, headSha })
  }
  if (headsByKey.size === 0) return
  const rows = [...headsByKey]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, head]) => unconfirmedRow(head))
  await sql`
    with saved as (${insertUnconfirmed(tx, rows)})
    insert into pull_request_search (repo, number, text) select repo, number, search_text from saved
    on conflict (repo, number) do nothing`.execute(tx)
}

function insertUnconfirmed(tx: Db, rows: ReturnType<typeof unconfirmedRow>[]) {
  return tx
    .insertInto('pullRequests')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(['repo', 'number']).doUpdateSet({
        isConfirmed: false,
        headSha: sql`coalesce(nullif(excluded.head_sha, ''), pull_requests.head_sha)`,
      }),
    )
    .returning(['repo', 'number', 'searchText'])
}

/**
 * Stores events as `pending`, or as `failed` if they have an error. Skips duplicates: events with
 * an unfinished event of the same type and pull request from the last hour. `events` must not
 * contain duplicates of each other. Call it after `savePullRequests`, whose lock keeps the result
 * true.
 *
 * @returns the ids in the order of `events`; undefined for duplicates
 */
export async function insertEvents(
  tx: Db,
  events: readonly NewEvent[],
): Promise<(number | undefined)[]> {
  if (events.length === 0) return []
  const column = <Value>(read: (event: NewEvent) => Value) => events.map(read)
  const { rows } = await sql<{ position: number; id: number }>`
    with new as (
      select * from unnest(
        ${column((event) => event.eventType)}::text[],
        ${column((event) => event.source)}::text[],
        ${column((event) => event.deliveryId)}::text[],
        ${column((event) => event.repo)}::text[],
        ${column((event) => event.pullRequest?.number ?? null)}::int[],
        ${column((event) => event.wantsReview)}::bool[],
        ${column((event) => event.isDeduplicated)}::bool[],
        ${column((event) => event.error)}::text[],
        ${column((event) => event.repeats)}::int[],
        ${column((event) => compressPayload(event.payload).toString('base64'))}::text[]
      ) with ordinality as new (
        event_type, source, delivery_id, repo, pr_number, wants_review, is_deduplicated, error,
        repeats, payload, position
      )
    ), checked as materialized (
      select new.*, earlier.id as earlier_id
      from new
      -- With a limit, the planner reads the index once per row instead of all unfinished events.
      left join lateral (
        select events.id from events
        where new.is_deduplicated and repo = new.repo and pr_number = new.pr_number
          and event_type = new.event_type and wants_review
          and status in ('pending', 'processing') and created_at > now() - interval '1 hour'
        limit 1) as earlier on true
    ), skipped as (
      update events set duplicates = duplicates + 1 + checked.repeats
      from checked where events.id = checked.earlier_id
    ), fresh as materialized (
      select *, nextval('events_id_seq') as id from checked where earlier_id is null
    ), stored as (
      insert into events (
        id, event_type, source, delivery_id, repo, pr_number, wants_review, duplicates, payload,
        error, status, processed_at
      )
      overriding system value
      select id, event_type, source, delivery_id, repo, pr_number, wants_review, repeats,
        decode(payload, 'base64'), error,
        case when error is null then 'pending' else 'failed' end,
        case when error is not null then now() end
      from fresh
      order by position
    ), listed as (
      -- Same result as refreshListing has when the new event is the newest and pending.
      update pull_requests p
      set last_event_at = greatest(p.last_event_at, now()),
        listed_status = coalesce(p.listed_status, 'pending'),
        listed_event_id = case when coalesce(p.listed_status, 'pending') = 'pending' then added.id
          else p.listed_event_id end
      from (
        select repo, pr_number, max(id) as id from fresh where pr_number is not null group by 1, 2
      ) as added
      where p.repo = added.repo and p.number = added.pr_number
      returning p.repo, p.number, p.listed_event_id as event, p.listed_status as status
    )
    select position, id,
      (select count(${announce(sql`listed`)}) from listed) as announced
    from fresh`.execute(tx)
  const ids = new Map(rows.map((row) => [row.position, row.id]))
  return events.map((_, index) => ids.get(index + 1))
}

/** Events with the same key are duplicates of each other. */
export function duplicateKey({ eventType, repo, pullRequest }: NewEvent): string {
  return `${eventType} ${repo}#${pullRequest?.number}`
}

/**
 * Limits a time from a payload to 5 minutes after the database's clock; null stays null. A time in
 * the future, forged or stored before the clock was set back, would take precedence over all
 * updates.
 */
function clampToNow(time: RawBuilder<unknown>): RawBuilder<Date> {
  const latest = sql`now() + interval '5 minutes'`
  return sql<Date>`case when ${time} > ${latest} then ${latest} else ${time} end`
}

/** This process's clock may be wrong by hours, so the database applies the exact limit. */
const maxAheadMs = 24 * 3600_000

function timeOf(pullRequest: DeliveredPullRequest): number {
  const time = Date.parse(pullRequest.updatedAt ?? pullRequest.createdAt ?? '') || 0
  return Math.min(time, Date.now() + maxAheadMs)
}

function pullRequestRow({
  repo,
  pullRequest: pr,
}: {
  repo: string
  pullRequest: DeliveredPullRequest
}) {
  const { createdAt: openedAt, ...columns } = pr
  const updatedAt = clampToNow(sql`${new Date(timeOf(pr))}::timestamptz`)
  return {
    ...columns,
    repo,
    openedAt,
    updatedAt,
    stateAsOf: updatedAt,
    searchText: composeSearchText({ title: pr.title, repo, number: pr.number }),
  }
}

function unconfirmedRow({ repo, number, headSha }: PullRequestRef & { headSha: string }) {
  const title = `Pull request #${number}`
  return {
    repo,
    number,
    title,
    searchText: composeSearchText({ title, repo, number }),
    author: '',
    branch: '',
    baseBranch: '',
    url: '',
    state: 'open' as const,
    draft: false,
    headSha: headSha,
    additions: 0,
    deletions: 0,
    // Older than any time that the platform reports.
    updatedAt: new Date(0),
    isConfirmed: false,
  }
}
