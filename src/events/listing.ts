// Chooses the event that represents a pull request in the reviews list: highest status, then
// newest.
import { type RawBuilder, sql } from 'kysely'
import type { EventStatus } from '../contract/enums.ts'
import type { Db } from '../db/database.ts'
import type { PullRequestRef } from '../domain/pull-request.ts'

/** Changes that all processes must notice are announced on this PostgreSQL channel, as JSON. */
export const changesChannel = 'umpire_changes'

/** A pull request is represented by another event or status. */
export interface ListingChange {
  readonly repo: string
  readonly number: number
  /** The event that represents the pull request now. */
  readonly event: number
  readonly status: EventStatus
}

/** A repository was connected to a person's account, or disconnected from it. */
export interface ConnectionChange {
  readonly repo: string
  /** Identifies the user. */
  readonly user: number
  readonly connected: boolean
}

/** The scan of a repository has progressed. */
export interface ScanChange {
  readonly repo: string
  readonly scan: EventStatus
  /** The current step, of which `done` out of `total` parts are finished. */
  readonly step: string
  readonly done: number
  readonly total: number
}

/**
 * Chooses the listed event again after events of a pull request changed their status, and announces
 * a change when the transaction commits. Call it under the pull request's lock, as the last step.
 */
export async function refreshListing(tx: Db, { repo, number }: PullRequestRef): Promise<void> {
  await sql`
    with changed as (
      update pull_requests p
      set listed_event_id = chosen.id, listed_status = chosen.status
      from (
        select id, status from events
        where repo = ${repo} and pr_number = ${number}
        order by
          case status when 'completed' then 4 when 'failed' then 3 when 'processing' then 2 else 1
          end desc,
          id desc
        limit 1) as chosen
      where p.repo = ${repo} and p.number = ${number}
        and (p.listed_event_id, p.listed_status) is distinct from (chosen.id, chosen.status)
      returning p.repo, p.number, p.listed_event_id as event, p.listed_status as status)
    select ${announce(sql`changed`)} from changed`.execute(tx)
}

/** Finds the event that represents a pull request in the reviews list. */
export async function findListedEvent(
  db: Db,
  { repo, number }: PullRequestRef,
): Promise<number | undefined> {
  const row = await db
    .selectFrom('pullRequests')
    .select('listedEventId')
    .where('repo', '=', repo)
    .where('number', '=', number)
    .executeTakeFirst()
  return row?.listedEventId ?? undefined
}

/**
 * Builds an expression that announces each of `rows` on commit; they need the fields of a change.
 */
export function announce(rows: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`pg_notify(${changesChannel}, row_to_json(${rows})::text)`
}

/** Announces that a repository was connected or disconnected, when the transaction commits. */
export async function announceConnection(tx: Db, change: ConnectionChange): Promise<void> {
  await sql`select pg_notify(${changesChannel}, ${JSON.stringify(change)})`.execute(tx)
}
