// When the platform was last asked how pull requests stand, and what it said.
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import type { PullRequestRef, PullRequestState } from '../domain/pull-request.ts'

/** For so long nobody asks the platform again. */
const cachedSeconds = 30

/** A pull request whose state is to be asked for. */
export interface StateCheck extends PullRequestRef {
  /** The platform's clock when the known state was so. */
  readonly stateAsOf: Date | null
}

/** How the platform says a pull request stands. */
export interface SeenState extends PullRequestRef {
  readonly state: PullRequestState
  readonly mergedAt: string | null
  /** The platform's clock. */
  readonly updatedAt: string
}

/**
 * Of some pull requests, those that it is time to ask about: the final ones never, the others so that of all who look at
 * the same time, also in other processes, one asks. Waits for nobody.
 */
export async function claimStateChecks(db: Db, refs: readonly PullRequestRef[]): Promise<StateCheck[]> {
  if (refs.length === 0) return []
  const { rows } = await sql<StateCheck>`
    with due as (
      select p.repo, p.number from pull_requests p
      join unnest(${refs.map(({ repo }) => repo)}::text[], ${refs.map(({ number }) => number)}::int[])
        as asked (repo, number) using (repo, number)
      where p.state <> 'merged'
        and (state_checked_at is null or state_checked_at < now() - make_interval(secs => ${cachedSeconds}))
      for no key update of p skip locked
    )
    update pull_requests p set state_checked_at = now() from due
    where p.repo = due.repo and p.number = due.number
    returning p.repo, p.number, p.state_as_of as "stateAsOf"`.execute(db)
  return rows
}

/** Writes down what was seen where it is newer than what is known. Waits for nobody: the next look comes soon. */
export async function saveSeenStates(db: Db, seen: readonly SeenState[]): Promise<void> {
  if (seen.length === 0) return
  const column = <Value>(read: (state: SeenState) => Value) => seen.map(read)
  await sql`
    with newer as (
      select p.repo, p.number, seen.state, seen.merged_at, seen.updated_at from pull_requests p
      join unnest(
        ${column(({ repo }) => repo)}::text[],
        ${column(({ number }) => number)}::int[],
        ${column(({ state }) => state)}::text[],
        ${column(({ mergedAt }) => mergedAt)}::timestamptz[],
        ${column(({ updatedAt }) => updatedAt)}::timestamptz[]
      ) as seen (repo, number, state, merged_at, updated_at) using (repo, number)
      where p.state_as_of is null or p.state_as_of < seen.updated_at
        or (p.state_as_of = seen.updated_at and p.state <> seen.state)
      for no key update of p skip locked
    )
    update pull_requests p
    set state = newer.state, merged_at = coalesce(newer.merged_at, p.merged_at), state_as_of = newer.updated_at
    from newer
    where p.repo = newer.repo and p.number = newer.number`.execute(db)
}
