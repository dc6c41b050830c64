// Stores where a decision of ours may hold at the code host, so that it is withdrawn when it must
// not hold any longer. It is stored before it is posted: a crash between the two forgets nothing.
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import { limitRows } from '../db/limit-rows.ts'
import type { PullRequestRef, RepositoryName } from '../domain/pull-request.ts'
import type { Decision } from '../domain/review.ts'
import { type ClaimedRun, lockRun } from './runs.ts'

export interface PostedDecision {
  readonly decision: Decision
  /** The commit that it is of. */
  readonly headSha: string
  /** The base branch that it is about, as stored text; null if an earlier version posted it. */
  readonly baseBranch: string | null
  /** Identifies what was read: every write changes it. */
  readonly version: number
}

export async function readPostedDecision(
  db: Db,
  { repo, number }: PullRequestRef,
): Promise<PostedDecision | null> {
  const row = await db
    .selectFrom('postedDecisions')
    .select(['decision', 'headSha', 'baseBranch', 'version'])
    .where('repo', '=', repo)
    .where('number', '=', number)
    .executeTakeFirst()
  return row ?? null
}

/**
 * Stores the decision that the run is about to post. Call it in a transaction.
 *
 * @throws LeaseLostError like `lockRun`
 */
export async function savePostedDecision(
  tx: Db,
  run: ClaimedRun,
  { decision, headSha, baseBranch }: Omit<PostedDecision, 'version'>,
): Promise<PostedDecision> {
  await lockRun(tx, run)
  const { rows } = await sql<PostedDecision>`
    insert into posted_decisions (repo, number, decision, head_sha, base_branch)
    values (${run.repo}, ${run.number}, ${decision}, ${headSha}, ${baseBranch})
    on conflict (repo, number) do update
    set decision = excluded.decision, head_sha = excluded.head_sha,
      base_branch = excluded.base_branch, version = default, checked_at = now()
    returning decision, head_sha, base_branch, version`.execute(tx)
  return rows[0]!
}

/**
 * Stores which decision holds instead of the one that was read; null for none. Does nothing if
 * another one was stored meanwhile.
 */
export async function replacePostedDecision(
  db: Db,
  { repo, number }: PullRequestRef,
  before: PostedDecision,
  decision: Decision | null,
): Promise<void> {
  const isSame = sql<boolean>`
    repo = ${repo} and number = ${number} and version = ${before.version}`
  if (decision === null) await db.deleteFrom('postedDecisions').where(isSame).execute()
  else if (decision !== before.decision) {
    await sql`
      update posted_decisions set decision = ${decision}, version = default
      where ${isSame}`.execute(db)
  }
}

/** Lists the open pull requests of a repository on which a decision may hold. */
export async function listPostedDecisions(
  db: Db,
  repo: RepositoryName,
): Promise<(PullRequestRef & PostedDecision)[]> {
  return db
    .selectFrom('postedDecisions as d')
    .innerJoin('pullRequests as p', (join) =>
      join.onRef('p.repo', '=', 'd.repo').onRef('p.number', '=', 'd.number'),
    )
    .select(['d.repo', 'd.number', 'd.decision', 'd.headSha', 'd.baseBranch', 'd.version'])
    .where('d.repo', '=', repo)
    .where('p.state', '=', 'open')
    .orderBy('d.number')
    .execute()
}

export interface DueDecision extends PullRequestRef, PostedDecision {
  /** Whether the latest review failed, so that it judged nothing. */
  readonly hasFailed: boolean
}

/**
 * Claims decisions on open pull requests to check: approvals that may be outdated, and each of the
 * others once in `everySeconds`. The longest unchecked ones come first.
 *
 * @param input `retrySeconds` is the minimum interval between claims of one decision. It grows to a
 *   tenth of the time since the pull request changed or its review failed.
 */
export async function claimDecisionChecks(
  db: Db,
  input: { limit: number; everySeconds: number; retrySeconds: number },
): Promise<DueDecision[]> {
  // A later time than now means that the clock was set back.
  const isOlderThan = (seconds: number) =>
    sql<boolean>`(d.checked_at < now() - make_interval(secs => ${seconds})
      or d.checked_at > now())`
  const { rows } = await sql<DueDecision>`
    with known as (
      select d.repo, d.number, coalesce(r.status = 'failed', false) as has_failed,
        now() - greatest(p.updated_at, r.finished_at) as unchanged_for
      from posted_decisions d
      join pull_requests p on p.repo = d.repo and p.number = d.number
      left join lateral (
        select status, finished_at from workflow_runs
        where repo = d.repo and pr_number = d.number order by id desc limit 1) r on true),
    due as (
      select d.repo, d.number, k.has_failed
      from posted_decisions d
      join known k on k.repo = d.repo and k.number = d.number
      join pull_requests p on p.repo = d.repo and p.number = d.number
      where p.state = 'open' and (${isOlderThan(input.everySeconds)}
        or (d.decision = 'approve' and ${isOlderThan(input.retrySeconds)}
          and d.checked_at < now() - k.unchanged_for / 10
          and (d.head_sha <> p.head_sha or d.base_branch is distinct from p.base_branch
            or k.has_failed)))
      order by d.checked_at ${limitRows(input.limit)}
      for update of d skip locked)
    update posted_decisions d set checked_at = now()
    from due where d.repo = due.repo and d.number = due.number
    returning d.repo, d.number, d.decision, d.head_sha, d.base_branch, d.version,
      due.has_failed`.execute(db)
  return rows
}

/** Deletes the records of merged pull requests, on which decisions stay as they are. */
export async function forgetMergedDecisions(db: Db): Promise<void> {
  await sql`
    delete from posted_decisions d using pull_requests p
    where p.repo = d.repo and p.number = d.number and p.state = 'merged'`.execute(db)
}
