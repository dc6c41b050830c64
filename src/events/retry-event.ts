// Events that people make: a review that is to be done once more.
import { sql } from 'kysely'
import { isInScope, type Scope } from '../accounts/scope.ts'
import type { Db } from '../db/database.ts'
import type { PullRequestRef } from '../domain/pull-request.ts'
import { refreshListing } from './listing.ts'

/** The pull request of an event; undefined where there is no such event in the scope, or it is about none. */
export async function findEventPullRequest(db: Db, scope: Scope, id: number): Promise<PullRequestRef | undefined> {
  const { rows } = await sql<PullRequestRef>`
    select repo, pr_number as number from events
    where id = ${id} and repo is not null and pr_number is not null
      and ${isInScope(scope)}`.execute(db)
  return rows[0]
}

/** Stores an event that asks for a review as event `id` of the same pull request did. Call it under that one's lock. */
export async function insertRetry(tx: Db, ref: PullRequestRef, id: number): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    insert into events (event_type, source, repo, pr_number, wants_review, payload)
    select 'pull_request.retry', source, repo, pr_number, true, payload from events where id = ${id}
    returning id`.execute(tx)
  await tx
    .updateTable('pull_requests')
    .set({ last_event_at: sql`greatest(last_event_at, now())` })
    .where('repo', '=', ref.repo)
    .where('number', '=', ref.number)
    .execute()
  await refreshListing(tx, ref)
  return (rows[0] as { id: number }).id
}
