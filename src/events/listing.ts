// Which event stands for a pull request in the reviews list: the one of the highest status, then the newest.
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../db/database.ts'
import type { PullRequestRef } from '../domain/pull-request.ts'

/** The channel on which changes are announced to all processes; see `ListingChange`, `ConnectionChange`, `ScanChange`. */
export const changesChannel = 'umpire_changes'

/** One announcement on `changesChannel`, as JSON. */
export interface ListingChange {
  readonly repo: string
  readonly number: number
  /** The event that stands for the pull request now. */
  readonly event: number
  readonly status: 'pending' | 'processing' | 'completed' | 'failed'
}

/** Likewise: a repository was connected to somebody's account, or disconnected from it. */
export interface ConnectionChange {
  readonly repo: string
  /** Id of the user. */
  readonly user: number
  readonly connected: boolean
}

/** Likewise: how the scan of a repository stands. */
export interface ScanChange {
  readonly repo: string
  /** Its status. */
  readonly scan: 'pending' | 'processing' | 'completed' | 'failed'
  /** What it is doing, and how much of that is done. */
  readonly step: string
  readonly done: number
  readonly total: number
}

/**
 * Chooses anew after events of a pull request changed their status, and announces what changed when the transaction
 * commits. Call it under the pull request's lock, as the last step.
 */
export async function refreshListing(tx: Db, { repo, number }: PullRequestRef): Promise<void> {
  await sql`
    with changed as (
      update pull_requests p
      set listed_event_id = chosen.id, listed_status = chosen.status
      from (
        select id, status from events
        where repo = ${repo} and pr_number = ${number}
        order by case status when 'completed' then 4 when 'failed' then 3 when 'processing' then 2 else 1 end desc,
          id desc
        limit 1) as chosen
      where p.repo = ${repo} and p.number = ${number}
        and (p.listed_event_id, p.listed_status) is distinct from (chosen.id, chosen.status)
      returning p.repo, p.number, p.listed_event_id as event, p.listed_status as status)
    select ${announce(sql`changed`)} from changed`.execute(tx)
}

/** An expression that announces each row of `rows`, which has the fields of one of those changes, at the commit. */
export function announce(rows: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`pg_notify(${changesChannel}, row_to_json(${rows})::text)`
}

/** Announces that a repository was connected or disconnected, when the transaction commits. */
export async function announceConnection(tx: Db, change: ConnectionChange): Promise<void> {
  await sql`select pg_notify(${changesChannel}, ${JSON.stringify(change)})`.execute(tx)
}
