// Stores the states of pull requests that the platform's API reports, and when it was last called.
import { sql } from 'kysely'
import { toStorableText } from '../contract/storable-text.ts'
import type { Db } from '../db/database.ts'
import type { PullRequest, PullRequestRef } from '../domain/pull-request.ts'
import { composeSearchText } from './search-text.ts'

/** A state that was read less than this ago isn't read again. */
const cacheSeconds = 30

/** A pull request whose state must be read from the platform. */
export interface StateCheck extends PullRequestRef {
  /** The platform's time of the stored state. */
  readonly stateAsOf: Date | null
}

/**
 * Claims the pull requests whose state must be read again, so that only one of all processes reads
 * it. Merged ones are final and never claimed. Skips locked rows instead of waiting.
 */
export async function claimStateChecks(
  db: Db,
  refs: readonly PullRequestRef[],
): Promise<StateCheck[]> {
  if (refs.length === 0) return []
  const { rows } = await sql<StateCheck>`
    with due as (
      select p.repo, p.number from pull_requests p
      join unnest(
        ${refs.map(({ repo }) => repo)}::text[], ${refs.map(({ number }) => number)}::int[]
      ) as asked (repo, number) using (repo, number)
      where p.state <> 'merged' and (
        state_checked_at is null
          or state_checked_at < now() - make_interval(secs => ${cacheSeconds})
          -- The clock was set back.
          or state_checked_at > now()
      )
      for no key update of p skip locked
    )
    update pull_requests p set state_checked_at = now() from due
    where p.repo = due.repo and p.number = due.number
    returning p.repo, p.number, p.state_as_of`.execute(db)
  return rows
}

type SeenState = Pick<PullRequest, 'repo' | 'number' | 'state' | 'mergedAt' | 'updatedAt'>

/**
 * Stores states that are newer than the stored ones. Skips locked rows: the next read comes soon.
 */
export async function savePullRequestStates(db: Db, seen: readonly SeenState[]): Promise<void> {
  if (seen.length === 0) return
  const column = <Value>(read: (pullRequest: SeenState) => Value) => seen.map(read)
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
    set state = newer.state, merged_at = coalesce(newer.merged_at, p.merged_at),
      state_as_of = newer.updated_at
    from newer
    where p.repo = newer.repo and p.number = newer.number`.execute(db)
}

/**
 * Stores pull requests as the platform reports them, if so far only unverified deliveries described
 * them. Skips locked rows. Their heads stay as delivered: see `ClaimedRun`.
 *
 * @param seen pull requests with the repository names of their rows
 */
export async function confirmPullRequests(db: Db, seen: readonly PullRequest[]): Promise<void> {
  if (seen.length === 0) return
  await sql`
    with seen as (
      select * from jsonb_to_recordset(${JSON.stringify(seen.map(confirmedFields))}::jsonb) as seen (
        repo text, number int, title text, search_text text, author text, branch text,
        base_branch text, url text, state text, draft bool, additions int, deletions int,
        opened_at timestamptz, merged_at timestamptz, updated_at timestamptz)
    ), unconfirmed as (
      select p.repo, p.number from pull_requests p join seen using (repo, number)
      where not p.is_confirmed and p.updated_at <= seen.updated_at
      for no key update of p skip locked
    ), confirmed as (
      update pull_requests p
      set title = seen.title, search_text = seen.search_text, author = seen.author,
        branch = seen.branch, base_branch = seen.base_branch, url = seen.url, state = seen.state,
        draft = seen.draft, additions = seen.additions, deletions = seen.deletions,
        opened_at = seen.opened_at, merged_at = seen.merged_at, updated_at = seen.updated_at,
        state_as_of = seen.updated_at, is_confirmed = true
      from unconfirmed join seen using (repo, number)
      where p.repo = seen.repo and p.number = seen.number
      returning p.repo, p.number, p.search_text
    )
    insert into pull_request_search (repo, number, text)
    select repo, number, search_text from confirmed
    on conflict (repo, number) do update set text = excluded.text`.execute(db)
}

function confirmedFields(pullRequest: PullRequest) {
  const { repo, number, head, base } = pullRequest
  const [title, author, branch, baseBranch, url] = [
    pullRequest.title,
    pullRequest.author,
    head.branch,
    base.branch,
    pullRequest.url,
  ].map(toStorableText)
  return {
    repo,
    number,
    title,
    author,
    branch,
    base_branch: baseBranch,
    url,
    search_text: composeSearchText({ title: pullRequest.title, repo, number }),
    state: pullRequest.state,
    draft: pullRequest.draft,
    additions: pullRequest.additions,
    deletions: pullRequest.deletions,
    ...{
      opened_at: pullRequest.createdAt,
      merged_at: pullRequest.mergedAt,
      updated_at: pullRequest.updatedAt,
    },
  }
}
